//===- PackageLimits.h - Bounds for what packages hold ----------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_STORE_PACKAGELIMITS_H
#define LIDIA_LIB_STORE_PACKAGELIMITS_H

#include "lidia/Error.h"
#include "lidia/Support/Interrupt.h"

namespace lidia {

/// Limits for the contents of a package.
struct PackageLimits {
  /// Packages of text and zeros compress by a factor of fifty.
  static constexpr uint64_t MaxFactor = 200;
  static constexpr uint64_t AnyFile = uint64_t(64) << 20;
  static constexpr uint64_t MaxMembers = 1 << 20;

  /// \p Size is the size of the package's file in bytes.
  explicit PackageLimits(uint64_t Size) : Bytes(Size * MaxFactor + AnyFile) {}

  /// An error if the package \p Name has \p Members so far, of \p Unpacked
  /// bytes, and that is too much, or nobody waits for more. Called for each
  /// piece that is unpacked.
  llvm::Error check(llvm::StringRef Name, uint64_t Members,
                    uint64_t Unpacked) const {
    if (isInterrupted())
      return cancelledError(Name);
    if (Members <= MaxMembers && Unpacked <= Bytes)
      return llvm::Error::success();
    return llvm::make_error<LimitError>(
        Name, "unpacks to far more than the limit for a package of its size");
  }

private:
  uint64_t Bytes;
};

} // namespace lidia

#endif // LIDIA_LIB_STORE_PACKAGELIMITS_H
