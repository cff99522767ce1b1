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

namespace lidia {

/// Readers of one format each. \p File must outlive the result. Nothing in it
/// is trusted: what is broken is left out with a warning, or is an error if the
/// rest cannot be read without it.
std::unique_ptr<RangeExtractor> createBreakpadReader(const SymbolFile &File);
std::unique_ptr<RangeExtractor> createGSYMReader(const SymbolFile &File);
std::unique_ptr<RangeExtractor> createPDBReader(const SymbolFile &File);
std::unique_ptr<RangeExtractor> createSymCacheReader(const SymbolFile &File);

/// The reader of the format of \p File.
std::unique_ptr<RangeExtractor> createReader(const SymbolFile &File);

/// The path of \p Name in the folder \p Folder, one of which may be empty, with
/// the separators of \p Folder. An absolute \p Name is the path.
std::string joinPath(llvm::StringRef Folder, llvm::StringRef Name);

/// Bounds the work of a reader. In a small file, many references to one large
/// part may ask for a lot.
class WorkLimit {
public:
  explicit WorkLimit(uint64_t FileSize)
      : Left(16 * FileSize + (uint64_t(1) << 20)) {}

  /// Whether \p Count more may be done.
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
