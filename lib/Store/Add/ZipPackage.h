//===- ZipPackage.h - The files in a zip file -------------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_STORE_ZIPPACKAGE_H
#define LIDIA_LIB_STORE_ZIPPACKAGE_H

#include "Package.h"

namespace lidia {

/// readPackage() for the zip file \p FD. A member that cannot be read does not
/// affect the others; the error names the first of these members and their
/// number.
llvm::Error readZipPackage(
    llvm::sys::fs::file_t FD, llvm::StringRef Path,
    llvm::function_ref<llvm::Error(const PackageMember &, PackageBytes)> Visit);

} // namespace lidia

#endif // LIDIA_LIB_STORE_ZIPPACKAGE_H
