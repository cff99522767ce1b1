//===- CompactEncodings.h - Apple's compact unwind encodings ----*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The 32 bits that say how a function's frame is made
/// (mach-o/compact_unwind_encoding.h in LLVM's libunwind).
///
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_UNWINDINFO_COMPACTENCODINGS_H
#define LIDIA_LIB_UNWINDINFO_COMPACTENCODINGS_H

#include "UnwindInfo.h"

namespace lidia {
namespace unwindinfo {

/// What an encoding says.
enum class CompactMeaning : uint8_t {
  /// The rules follow from it.
  Rules,
  /// Call frame information has them.
  CallFrames,
  /// Nothing.
  None,
  /// It makes no sense.
  Broken,
};

/// Reads \p Encoding of a function for x86-64, whose loaded bytes are \p Code,
/// into \p Into.
CompactMeaning readX64Encoding(uint32_t Encoding, llvm::StringRef Code,
                               UnwindRules &Into);

/// Reads \p Encoding of a function for ARM64 into \p Into.
CompactMeaning readArm64Encoding(uint32_t Encoding, UnwindRules &Into);

} // namespace unwindinfo
} // namespace lidia

#endif // LIDIA_LIB_UNWINDINFO_COMPACTENCODINGS_H
