//===- PackedModules.h - Modules in zip files -------------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Android's loader maps libraries from where they are stored in an APK.
///
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_MODULES_PACKEDMODULES_H
#define LIDIA_LIB_MODULES_PACKEDMODULES_H

#include "lidia/Modules/OpenedFile.h"

namespace lidia {

/// An ELF file that is stored in a zip file without being compressed.
struct StoredModule {
  std::string Name;
  uint64_t Offset = 0;
  uint64_t Size = 0;

  bool contains(uint64_t At) const { return At - Offset < Size; }
};

/// The ELF files that are stored in the zip file \p Zip; none if it is not one.
/// Reads the whole file.
std::vector<StoredModule> storedModules(const OpenedFile &Zip);

/// A copy of \p Size bytes of \p File at \p Offset. \p Name is for errors.
llvm::Expected<std::unique_ptr<OpenedFile>> copyPart(const OpenedFile &File,
                                                     uint64_t Offset,
                                                     uint64_t Size,
                                                     const llvm::Twine &Name);

/// Opens \p Path in \p Root, which may be in a zip file ("/a.apk!lib/x.so").
llvm::Expected<std::unique_ptr<OpenedFile>> openIn(const RootFolder &Root,
                                                   llvm::StringRef Path);

/// The paths of the libraries in the file \p Path, if it is a program for
/// Android; none if it is broken.
std::vector<std::string> librariesIn(const RootFolder &Root,
                                     llvm::StringRef Path);

/// Whether a file named \p Path may be a zip file with libraries.
bool isNamedAsPackage(llvm::StringRef Path);

} // namespace lidia

#endif // LIDIA_LIB_MODULES_PACKEDMODULES_H
