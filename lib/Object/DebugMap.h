//===- DebugMap.h - The objects of a Mach-O program -------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The linkers of macOS leave DWARF in the object files. The program has their
/// paths, and which functions it took from each: the debug map, a part of its
/// symbol table ("stabs").
///
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_OBJECT_DEBUGMAP_H
#define LIDIA_LIB_OBJECT_DEBUGMAP_H

#include "Binary.h"
#include "ObjectArchive.h"

namespace lidia {

/// A function that the linker took from an object file (N_FUN).
struct DebugMapFunction {
  /// As in both symbol tables; points into the program.
  llvm::StringRef Name;
  /// In the program.
  uint64_t Address = 0;
  /// In bytes.
  uint64_t Size = 0;
};

/// An object file that the program was linked from (N_OSO).
struct DebugMapObject {
  /// "a.o" or "lib.a(a.o)"; points into the program.
  llvm::StringRef Path;
  /// Modification time in seconds since 1970; 0 if it is not known.
  uint64_t Time = 0;
  std::vector<DebugMapFunction> Functions;
};

/// The code of a function in an object file, and in the program.
struct MovedCode {
  uint64_t ObjectAddress = 0;
  uint64_t Address = 0;
  uint64_t Size = 0;
};

/// Opens the object files of a program. Keeps the last archive open, because an
/// archive's members follow each other in a debug map.
class DebugMapFiles {
public:
  /// Looks for files in \p Folders first, at the paths that the program has.
  /// \p Program and \p Folders must outlive the result.
  DebugMapFiles(const Binary &Program, llvm::ArrayRef<std::string> Folders)
      : Program(Program), Folders(Folders) {}

  /// Opens \p Object: a file, or a member of an archive. Fails if its machine
  /// or its modification time is not what the program says. The message names
  /// the object.
  llvm::Expected<std::unique_ptr<Binary>> open(const DebugMapObject &Object);

private:
  std::string find(llvm::StringRef Path) const;
  llvm::Error openArchive(llvm::StringRef Path);
  llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
  read(const DebugMapObject &Object);
  llvm::Expected<llvm::StringRef> member(const DebugMapObject &Object,
                                         llvm::StringRef Name);

  const Binary &Program;
  llvm::ArrayRef<std::string> Folders;
  std::string ArchivePath;
  std::optional<ObjectArchive> Archive;
};

/// Where the functions of \p Map are in \p Object, by address in the object and
/// without overlaps. Only code of \p Program counts.
std::vector<MovedCode> movedCode(const DebugMapObject &Map, Binary &Object,
                                 const Binary &Program);

} // namespace lidia

#endif // LIDIA_LIB_OBJECT_DEBUGMAP_H
