//===- WindowsNames.h - Names of files of Windows ---------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_SUPPORT_WINDOWSNAMES_H
#define LIDIA_LIB_SUPPORT_WINDOWSNAMES_H

#include "llvm/ADT/Twine.h"
#include <string>

namespace lidia {

/// The last component of \p Path, which may be a path of Windows.
inline llvm::StringRef baseNameOfWindows(llvm::StringRef Path) {
  return Path.substr(Path.find_last_of("/\\") + 1);
}

/// The name under which symbol servers have the file \p Name in a cabinet file:
/// a.pd_ for a.pdb.
inline std::string packedName(llvm::StringRef Name) {
  return (Name.drop_back() + "_").str();
}

} // namespace lidia

#endif // LIDIA_LIB_SUPPORT_WINDOWSNAMES_H
