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

/// Whether a file of kind \p K may be a package, a zip file, or a tar archive,
/// compressed or not.
bool mayBePackage(FileKind K);

/// Whether it can only be a package of Debian or RPM, or a zip file.
bool isSurelyPackage(FileKind K);

/// Whether \p Path has the extension of a package: .deb, .ddeb, .udeb, .rpm,
/// .apk, .aab, .aar, .whl, .nupkg, .snupkg.
bool isNamedLikePackage(llvm::StringRef Path);

/// A regular file in a package.
struct PackageMember {
  /// As in the package, so it must not be used as a path to write to.
  std::string Name;
  /// The number of members before it.
  uint64_t Index = 0;
  uint64_t Size = 0;
};

/// The next piece of a member, empty at its end. Valid until the next call.
using PackageBytes = llvm::function_ref<llvm::Expected<llvm::StringRef>()>;

/// Reads the package \p Path (of Debian, RPM or Alpine Linux, a zip file or a
/// tar archive) as a stream, and calls \p Visit for each regular file in it, in
/// order. \p Visit need not read the whole file. Links, folders and devices are
/// left out, and names are never used as paths.
///
/// The amount of data is bounded by the size of \p Path: it is an error if it
/// unpacks to much more than packages do. Other errors say that it is damaged
/// or of an unknown kind, that libarchive is missing, or come from \p Visit.
/// Members before the error have been visited, and all other members of a zip
/// file.
llvm::Error readPackage(
    const std::string &Path,
    llvm::function_ref<llvm::Error(const PackageMember &, PackageBytes)> Visit);
/// Reads a package from an open file, starting at its offset. \p Path is for
/// messages.
llvm::Error readPackage(
    llvm::sys::fs::file_t FD, const std::string &Path,
    llvm::function_ref<llvm::Error(const PackageMember &, PackageBytes)> Visit);

} // namespace lidia

#endif // LIDIA_LIB_STORE_PACKAGE_H
