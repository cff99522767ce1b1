//===- SymbolFileReader.h - Reads other tools' symbol files -----*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_EXCHANGE_SYMBOLFILEREADER_H
#define LIDIA_LIB_EXCHANGE_SYMBOLFILEREADER_H

#include "Object/SymbolFile.h"
#include "lidia/Extract/RangeExtractor.h"
#include <vector>

namespace lidia {

/// Each function creates a reader of one format. \p File must outlive the
/// result. Nothing in the file is trusted: broken parts are left out with a
/// warning, or are an error if the rest cannot be read without them.
std::unique_ptr<RangeExtractor> createBreakpadReader(const SymbolFile &File);
std::unique_ptr<RangeExtractor> createGSYMReader(const SymbolFile &File);
std::unique_ptr<RangeExtractor> createPDBReader(const SymbolFile &File);
std::unique_ptr<RangeExtractor> createSymCacheReader(const SymbolFile &File);
/// Unless \p ReturnPads is null, extract() also stores the return addresses in
/// it: ascending, each once.
std::unique_ptr<RangeExtractor>
createSymbfileReader(const SymbolFile &File, std::vector<uint64_t> *ReturnPads);

/// The reader of the format of \p File. \p ReturnPads is for symbfiles; other
/// formats have no return addresses.
std::unique_ptr<RangeExtractor> createReader(const SymbolFile &File,
                                             std::vector<uint64_t> *ReturnPads);

/// The path of \p Name in the folder \p Folder, with the separators of
/// \p Folder. Either may be empty. An absolute \p Name is returned unchanged.
std::string joinPath(llvm::StringRef Folder, llvm::StringRef Name);

/// Limits the work of a reader. A small file can have many references to one
/// large part.
class WorkLimit {
public:
  explicit WorkLimit(uint64_t FileSize)
      : Left(16 * FileSize + (uint64_t(1) << 20)) {}

  /// Returns whether \p Count more steps are allowed.
  bool take(uint64_t Count) {
    if (Count > Left) {
      Left = 0;
      return false;
    }
    Left -= Count;
    return true;
  }
  bool exhausted() const { return Left == 0; }

private:
  uint64_t Left;
};

} // namespace lidia

#endif // LIDIA_LIB_EXCHANGE_SYMBOLFILEREADER_H
