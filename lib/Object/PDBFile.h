//===- PDBFile.h - The headers of a PDB file --------------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// LLVM's structures are used (llvm/DebugInfo/PDB/Native/RawTypes.h), but not
/// its reader. LLVM's reader expects files that a linker has just written: it
/// terminates the program on an invalid record or index (cantFail, assertions,
/// a type that does not exist), follows a chain of scopes without a limit, and
/// keeps an object for each symbol.
///
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_OBJECT_PDBFILE_H
#define LIDIA_LIB_OBJECT_PDBFILE_H

#include "MSFFile.h"
#include <array>

namespace lidia {

/// The headers of a PDB file: the program that it belongs to, and the location
/// of the rest.
class PDBFile {
public:
  /// The part of the program that comes from one object file.
  struct Module {
    /// The stream with its symbols and lines.
    uint16_t Stream = 0;
    /// The sizes of the parts of that stream, in order.
    uint32_t SymbolBytes = 0;
    uint32_t OldLineBytes = 0;
    uint32_t LineBytes = 0;
  };

  /// The place in a section of code or data from one object file.
  struct Contribution {
    uint16_t Section = 0;
    uint32_t Offset = 0;
    uint32_t Size = 0;
  };

  /// A section of the program.
  struct Section {
    uint32_t Address = 0;
    uint32_t Size = 0;
    bool IsCode = false;
  };

  /// \p Bytes must outlive the result; \p Path is for messages.
  static llvm::Expected<PDBFile> open(llvm::StringRef Bytes,
                                      llvm::StringRef Path);

  const MSFFile &streams() const { return Streams; }
  /// As in the file: the first three fields are little-endian.
  const std::array<uint8_t, 16> &guid() const { return GUID; }
  uint32_t age() const { return Age; }
  /// COFF::MachineTypes; 0 if it is not known.
  uint16_t machine() const { return Machine; }

  llvm::ArrayRef<Module> modules() const { return Modules; }
  llvm::ArrayRef<Contribution> contributions() const { return Contributions; }
  llvm::ArrayRef<Section> sections() const { return Sections; }
  /// The records of public and global symbols.
  const MSFStream &symbolRecords() const { return Streams.stream(Records); }
  /// The names of files, to which FileChecksums refer.
  const MSFStream &names() const { return Streams.stream(Names); }
  const MSFStream &types() const;
  const MSFStream &ids() const;
  /// Whether the program was rearranged after linking, so that its addresses
  /// differ from those of the symbols.
  bool isRearranged() const { return IsRearranged; }
  /// Whether most debug information has stayed in the object files
  /// (/DEBUG:FASTLINK).
  bool isPartial() const { return IsPartial; }

  /// The address, relative to the image base, of \p Offset in the section
  /// \p Number, counted from 1; none if it is not in the section.
  std::optional<uint32_t> address(uint16_t Number, uint32_t Offset) const;

private:
  llvm::Error readIdentity(llvm::StringRef Path);
  void readNamesStream(const MSFStream &Info);
  void readDebugHeader();
  void readModules(llvm::StringRef Bytes);
  void readContributions(llvm::StringRef Bytes);
  void readOptionalStreams(llvm::StringRef Bytes);
  void readSections(const MSFStream &Headers);

  MSFFile Streams;
  std::array<uint8_t, 16> GUID = {};
  uint32_t Age = 0;
  uint16_t Machine = 0;
  uint32_t Records = UINT32_MAX, Names = UINT32_MAX;
  bool IsRearranged = false;
  bool IsPartial = false;
  std::vector<Module> Modules;
  std::vector<Contribution> Contributions;
  std::vector<Section> Sections;
};

} // namespace lidia

#endif // LIDIA_LIB_OBJECT_PDBFILE_H
