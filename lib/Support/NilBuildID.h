//===- NilBuildID.h - A build ID that identifies nothing --------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_SUPPORT_NILBUILDID_H
#define LIDIA_LIB_SUPPORT_NILBUILDID_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include <cstdint>

namespace lidia {

/// Whether \p BuildID is empty or has only zeros, as some build systems write.
/// Any number of binaries have it, so it identifies none.
inline bool isNilBuildID(llvm::ArrayRef<uint8_t> BuildID) {
  return llvm::all_of(BuildID, [](uint8_t B) { return B == 0; });
}

/// \p BuildID, or nothing if it identifies nothing.
inline llvm::ArrayRef<uint8_t> usableBuildID(llvm::ArrayRef<uint8_t> BuildID) {
  return isNilBuildID(BuildID) ? llvm::ArrayRef<uint8_t>() : BuildID;
}

} // namespace lidia

#endif // LIDIA_LIB_SUPPORT_NILBUILDID_H
