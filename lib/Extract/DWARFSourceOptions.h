//===- DWARFSourceOptions.h - Options for reading DWARF ---------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_EXTRACT_DWARFSOURCEOPTIONS_H
#define LIDIA_LIB_EXTRACT_DWARFSOURCEOPTIONS_H

#include "LinkageNames.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>
#include <vector>

namespace lidia {

/// The symbols at address 0.
///
/// Some linkers write 0 as the address of functions that they discard. Usually
/// there is no code at 0, and functions that claim to be there are dropped;
/// firmware has code there, and then only symbols distinguish the two.
struct CodeAtZero {
  llvm::SmallVector<llvm::StringRef, 2> Names;
  /// The end of the largest of the symbols; zero if none has a size.
  uint64_t End = 0;
};

/// Where to look for split units (see SplitFiles).
struct SplitOptions {
  /// Folders of .dwo files.
  std::vector<std::string> Directories;
  /// A package that must exist; if empty, those beside Binaries, if any.
  std::string Package;
  /// The binary and its debug file.
  std::vector<std::string> Binaries;
  /// Open only the linked file, and no file that it names.
  bool OnlyMain = false;
  /// Open the locations of variables, too.
  bool Locations = false;
};

/// Which parts of the debug information to read, and how.
struct DWARFSourceOptions {
  /// Source files, lines and columns. Each option implies the previous one.
  bool Files = false;
  bool Lines = false;
  bool Columns = false;
  /// Source code in the debug information; needs Files.
  bool Sources = false;
  /// Statements; need Lines.
  bool Statements = false;
  /// Set when the file has code at 0 and symbols.
  std::optional<CodeAtZero> AtZero;
  /// Must outlive the conversion's strings.
  LinkageNames Linkage;
  /// 2 if the lowest bit of a function's address selects an instruction set and
  /// is not part of the address.
  uint8_t InstructionAlignment = 1;
  /// Threads that read units; at least one.
  unsigned Threads = 1;
  SplitOptions Split;
};

} // namespace lidia

#endif // LIDIA_LIB_EXTRACT_DWARFSOURCEOPTIONS_H
