//===- CompactEncodings.h - Apple's compact unwind encodings ----*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A 32-bit encoding describes the layout of a function's frame
/// (mach-o/compact_unwind_encoding.h in LLVM's libunwind).
///
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_UNWINDINFO_COMPACTENCODINGS_H
#define LIDIA_LIB_UNWINDINFO_COMPACTENCODINGS_H

#include "UnwindInfo.h"

namespace lidia {
namespace unwindinfo {

/// The result of reading an encoding.
enum class CompactMeaning : uint8_t {
  /// The encoding determines the rules.
  Rules,
  /// The call frame information has the rules.
  CallFrames,
  /// There is no unwind information.
  None,
  /// The encoding is invalid.
  Broken,
};

/// Reads \p Encoding, of an x86-64 function whose loaded bytes are \p Code,
/// into \p Into.
CompactMeaning readX64Encoding(uint32_t Encoding, llvm::StringRef Code,
                               UnwindRules &Into);

/// Reads \p Encoding of a function for ARM64 into \p Into.
CompactMeaning readArm64Encoding(uint32_t Encoding, UnwindRules &Into);

} // namespace unwindinfo
} // namespace lidia

#endif // LIDIA_LIB_UNWINDINFO_COMPACTENCODINGS_H
