//===- DWARFSourceOptions.h - Options for reading DWARF ---------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_EXTRACT_DWARFSOURCEOPTIONS_H
#define LIDIA_LIB_EXTRACT_DWARFSOURCEOPTIONS_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>
#include <vector>

namespace lidia {

/// The symbols at address 0.
///
/// Some linkers write 0 as the address of functions that they discard. Mostly
/// there is no code at 0, and what claims to be there is dropped; firmware has
/// code there, and then only symbols tell the two apart.
struct CodeAtZero {
  llvm::SmallVector<llvm::StringRef, 2> Names;
  /// Where the greatest of the symbols ends; zero when none says.
  uint64_t End = 0;
};

/// Where split units are looked for (see SplitFiles).
struct SplitOptions {
  /// Folders of .dwo files.
  std::vector<std::string> Directories;
  /// A package that must be there; empty: those beside Binaries, if any.
  std::string Package;
  /// The binary and its debug file.
  std::vector<std::string> Binaries;
};

/// Which parts of the debug information to read, and how.
struct DWARFSourceOptions {
  /// Source files, lines and columns; each implies the one before.
  bool Files = false;
  bool Lines = false;
  bool Columns = false;
  /// Statements; need Lines.
  bool Statements = false;
  /// Set when the file has code at 0 and symbols.
  std::optional<CodeAtZero> AtZero;
  /// 2 where the lowest bit of a function's address is not part of it but
  /// selects an instruction set.
  uint8_t InstructionAlignment = 1;
  /// Threads that read units; at least one.
  unsigned Threads = 1;
  SplitOptions Split;
};

} // namespace lidia

#endif // LIDIA_LIB_EXTRACT_DWARFSOURCEOPTIONS_H
