//===- Package.h - The files in packages ------------------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_STORE_PACKAGE_H
#define LIDIA_LIB_STORE_PACKAGE_H

#include "lidia/Object/FileKind.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/FileSystem.h"
#include <string>

namespace lidia {

/// Whether a file of kind \p K may be a package or an archive of tar,
/// compressed or not.
bool mayBePackage(FileKind K);

/// Whether it is a package of Debian or RPM, and nothing else.
bool isSurelyPackage(FileKind K);

/// Whether \p Path has the ending of a package: .deb, .ddeb, .udeb, .rpm, .apk.
bool isNamedLikePackage(llvm::StringRef Path);

/// A regular file in a package.
struct PackageMember {
  /// As the package has it: not a path to write to.
  std::string Name;
  /// The number of members before it.
  uint64_t Index = 0;
  uint64_t Size = 0;
};

/// The next piece of a member, empty at its end. Valid until the next call.
using PackageBytes = llvm::function_ref<llvm::Expected<llvm::StringRef>()>;

/// Reads the package \p Path (of Debian, RPM, Alpine Linux, or an archive of
/// tar) as a stream, and calls \p Visit with each regular file in it, in order.
/// \p Visit need not read all of it. Links, folders and devices are left out,
/// and names are never used as paths.
///
/// What is read is bounded by the size of \p Path: an error if it unpacks to
/// much more than a package does. Other errors say that it is damaged or of no
/// known kind, that libarchive is missing, or what \p Visit returned; members
/// before the error have been visited.
llvm::Error readPackage(
    const std::string &Path,
    llvm::function_ref<llvm::Error(const PackageMember &, PackageBytes)> Visit);
/// The same for a file that is open, from its offset on. \p Path is for
/// messages.
llvm::Error readPackage(
    llvm::sys::fs::file_t FD, const std::string &Path,
    llvm::function_ref<llvm::Error(const PackageMember &, PackageBytes)> Visit);

} // namespace lidia

#endif // LIDIA_LIB_STORE_PACKAGE_H
