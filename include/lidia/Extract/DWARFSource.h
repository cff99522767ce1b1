//===- DWARFSource.h - Ranges from DWARF ------------------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_EXTRACT_DWARFSOURCE_H
#define LIDIA_EXTRACT_DWARFSOURCE_H

#include "lidia/DWARF/Sections.h"
#include "lidia/Extract/Range.h"
#include "lidia/Object/Binary.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>

namespace lidia {

/// What symbols say of the code at address 0.
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

/// What of the debug information is wanted.
struct DWARFSourceOptions {
  /// Source files, lines and columns; each implies the one before.
  bool Files = false;
  bool Lines = false;
  bool Columns = false;
  /// Set when the file has code at 0 and symbols.
  std::optional<CodeAtZero> AtZero;
  /// 2 where the lowest bit of a function's address is not part of it but
  /// selects an instruction set.
  uint8_t InstructionAlignment = 1;
  /// Threads that read units; at least one.
  unsigned Threads = 1;
  SplitOptions Split;
};

/// Reads the compile units of \p S, which were unpacked from \p File, in
/// parallel: each thread holds the tree of one unit at a time. Code outside
/// \p Code is what the linker discarded and is left out. Names stay in the
/// sections, which must live as long as \p Strings; those of split units are
/// copied. A split unit that is not there costs its functions and a warning.
///
/// \p Progress is called, from one thread at a time, with the bytes of
/// .debug_info that are done. Units whose header cannot be read are given to
/// \p Report.
llvm::Expected<SourceRanges>
readDWARF(const Binary &File, const dwarf::Sections &S, const CodeMap &Code,
          const DWARFSourceOptions &Options, StringPool &Strings,
          llvm::function_ref<void(llvm::Error)> Report,
          llvm::function_ref<void(uint64_t Done, uint64_t Total)> Progress);

/// Unpacks the sections of \p File that readDWARF needs, in parallel. A section
/// that cannot be unpacked is given to \p Report and is empty.
dwarf::Sections openDWARFSections(Binary &File, unsigned Threads,
                                  llvm::function_ref<void(llvm::Error)> Report);

} // namespace lidia

#endif // LIDIA_EXTRACT_DWARFSOURCE_H
