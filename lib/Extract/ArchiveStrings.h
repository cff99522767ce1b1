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

/// Adds strings of a StringPool to an ArchiveWriter when they are first used,
/// after a Transformer has changed them. Without a transformer there is no
/// overhead, because names and paths then share one table.
class ArchiveStrings {
public:
  /// \p Transform may be null. The changed texts may take \p MaxBytes.
  ArchiveStrings(const StringPool &Strings, ArchiveWriter &Writer,
                 const Transformer *Transform, uint64_t MaxBytes);

  /// Collects the source names of the functions of \p Units. Call this before
  /// function().
  void learnSourceNames(llvm::ArrayRef<UnitRanges> Units);

  /// The offset in the archive of a string that is not changed.
  StringOffset plain(StringID ID) {
    StringOffset &O = Offsets[ID];
    if (O == NotWritten)
      O = Writer.addString(Strings[ID]);
    return O;
  }
  /// The offset in the archive of a function's name. \p File is the file of its
  /// code.
  StringOffset function(StringID ID, StringID File = 0) {
    if (!Transform)
      return plain(ID);
    StringOffset &O = Functions[ID];
    return O == NotWritten ? O = transformFunction(ID, File) : O;
  }
  /// The name of a function that only a symbol has. Valid until the next call.
  llvm::StringRef symbol(llvm::StringRef Name);
  /// The offset in the archive of a path.
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

  /// The length of the compilation directory in the changed path of \p File,
  /// which was \p Length bytes before the change.
  uint64_t directoryLength(StringID File, uint64_t Length) const;

  /// Gives the source names of the functions of \p Units to the writer.
  void addSourceNames(llvm::ArrayRef<UnitRanges> Units);
  /// Adds the source names that come from the transformer.
  void addNewSourceNames();

  /// The number of texts that were left unchanged because the limit was
  /// reached.
  uint64_t leftOut() const { return LeftOut; }

private:
  /// A changed path and its difference to the original.
  struct ChangedPath {
    std::string Path;
    /// The number of bytes at the end that are the same.
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
  // The members below are empty without a transformer.
  std::vector<StringOffset> Functions;
  std::vector<StringOffset> Files;
  llvm::DenseMap<StringID, ChangedPath> ChangedPaths;
  /// The new names of functions, changed or not, by their old names.
  llvm::StringMap<std::string> NewNames;
  /// By the name of the function.
  llvm::DenseMap<StringID, StringID> SourceNames;
  /// The functions whose source name was changed, with the new name, and their
  /// indices here.
  std::vector<std::pair<StringOffset, std::string>> NewSourceNames;
  llvm::DenseMap<StringID, size_t> NewSourceNameOf;
  /// The files of positions.
  llvm::StringMap<StringOffset> PositionFiles;
};

} // namespace lidia

#endif // LIDIA_LIB_EXTRACT_ARCHIVESTRINGS_H
