//===- SymbolFileReader.cpp - Reads other tools' symbol files -------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SymbolFileReader.h"

using namespace llvm;

namespace lidia {

static bool isSeparator(char C) { return C == '/' || C == '\\'; }

std::string joinPath(StringRef Folder, StringRef Name) {
  bool IsAbsolute = !Name.empty() && isSeparator(Name.front());
  bool HasDrive = Name.size() > 2 && Name[1] == ':' && isSeparator(Name[2]);
  if (Folder.empty() || IsAbsolute || HasDrive)
    return Name.str();
  std::string Path = Folder.str();
  if (!isSeparator(Path.back()))
    Path += Folder.contains('\\') && !Folder.contains('/') ? '\\' : '/';
  return Path + Name.str();
}

std::unique_ptr<RangeExtractor>
createReader(const SymbolFile &File, std::vector<uint64_t> *ReturnPads) {
  switch (File.format()) {
  case FileKind::Breakpad:
    return createBreakpadReader(File);
  case FileKind::GSYM:
    return createGSYMReader(File);
  case FileKind::PDB:
    return createPDBReader(File);
  case FileKind::Symbfile:
    return createSymbfileReader(File, ReturnPads);
  case FileKind::SymCache:
    return createSymCacheReader(File);
  default:
    llvm_unreachable("all formats are handled");
  }
}

} // namespace lidia
