//===- ArchiveStrings.h - Strings of an archive, transformed ----*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_EXTRACT_ARCHIVESTRINGS_H
#define LIDIA_LIB_EXTRACT_ARCHIVESTRINGS_H

#include "Range.h"
#include "lidia/Archive/ArchiveWriter.h"
#include "lidia/Extract/Transformer.h"
#include "llvm/ADT/StringMap.h"

namespace lidia {

/// Gives strings of a StringPool to an ArchiveWriter, each when it is first
/// used, and lets a Transformer change them then. Costs nothing without one:
/// names and paths share one table.
class ArchiveStrings {
public:
  /// \p Transform may be null. Its texts may take \p MostBytes.
  ArchiveStrings(const StringPool &Strings, ArchiveWriter &Writer,
                 const Transformer *Transform, uint64_t MostBytes);

  /// Says what the functions of \p Units are called in the source. To be called
  /// before function().
  void learnSourceNames(llvm::ArrayRef<UnitRanges> Units);

  /// Where the archive has a string that nothing changes.
  StringOffset plain(StringID ID) {
    StringOffset &O = Offsets[ID];
    if (O == NotWritten)
      O = Writer.addString(Strings[ID]);
    return O;
  }
  /// Where it has the name of a function. \p File is where its code is.
  StringOffset function(StringID ID, StringID File = 0) {
    if (!Transform)
      return plain(ID);
    StringOffset &O = Functions[ID];
    return O == NotWritten ? O = transformFunction(ID, File) : O;
  }
  /// The name of a function that only a symbol has. Valid until the next call.
  llvm::StringRef symbol(llvm::StringRef Name);
  /// Where it has a path.
  StringOffset file(StringID ID) {
    if (!Transform)
      return plain(ID);
    StringOffset &O = Files[ID];
    return O == NotWritten ? O = Writer.addString(path(ID)) : O;
  }
  bool hasFunction(StringID ID) const {
    return (Transform ? Functions : Offsets)[ID] != NotWritten;
  }
  bool hasFile(StringID ID) const {
    return (Transform ? Files : Offsets)[ID] != NotWritten;
  }

  bool transformsPositions() const { return ChangesPositions; }
  /// Changes the position of a row, or of a call of \p Callee, and returns its
  /// file.
  StringOffset position(StringID File, uint32_t &Line, uint32_t &Column,
                        StringID Callee = 0) {
    return ChangesPositions ? transformPosition(File, Line, Column, Callee)
                            : file(File);
  }

  /// What is left of the \p Length bytes of compilation directory that the path
  /// \p File began with.
  uint64_t directoryLength(StringID File, uint64_t Length) const;

  /// Gives the source names of the functions of \p Units to the writer.
  void addSourceNames(llvm::ArrayRef<UnitRanges> Units);
  /// Gives those to it that only the transformer knows.
  void addNewSourceNames();

  /// The texts that stay as they were, because there were too many bytes.
  uint64_t leftOut() const { return LeftOut; }

private:
  /// How a path differs from the one before its change.
  struct ChangedPath {
    std::string Path;
    /// The bytes at its end that are the same.
    uint64_t Tail = 0;
  };

  bool take(std::string &New, llvm::StringRef Old);
  FunctionNames transform(llvm::StringRef Name, llvm::StringRef SourceName,
                          llvm::StringRef File);
  StringOffset transformFunction(StringID ID, StringID File);
  llvm::StringRef path(StringID ID);
  StringOffset transformPosition(StringID File, uint32_t &Line,
                                 uint32_t &Column, StringID Callee);

  static constexpr StringOffset NotWritten = ~StringOffset(0);

  const StringPool &Strings;
  ArchiveWriter &Writer;
  const Transformer *Transform;
  const bool ChangesPositions;
  uint64_t BytesLeft;
  uint64_t LeftOut = 0;
  std::vector<StringOffset> Offsets;
  // Those below are empty without a transformer.
  std::vector<StringOffset> Functions;
  std::vector<StringOffset> Files;
  llvm::DenseMap<StringID, ChangedPath> ChangedPaths;
  /// The functions that were changed, or not, by their names before.
  llvm::StringMap<std::string> NewNames;
  /// By the name of the function.
  llvm::DenseMap<StringID, StringID> SourceNames;
  /// The functions whose source name was changed, with it, and their places
  /// here.
  std::vector<std::pair<StringOffset, std::string>> NewSourceNames;
  llvm::DenseMap<StringID, size_t> NewSourceNameOf;
  /// The files of positions.
  llvm::StringMap<StringOffset> PositionFiles;
};

} // namespace lidia

#endif // LIDIA_LIB_EXTRACT_ARCHIVESTRINGS_H
