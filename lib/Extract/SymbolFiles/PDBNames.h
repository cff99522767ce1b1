//===- PDBNames.h - Names of inlined functions ------------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_EXTRACT_SYMBOLFILES_PDBNAMES_H
#define LIDIA_LIB_EXTRACT_SYMBOLFILES_PDBNAMES_H

#include "Object/PDBFile.h"
#include "SymbolFileReader.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/StringSaver.h"

namespace lidia {

/// A stream of type records. Their numbers start from the one in the header. A
/// table has the positions of some of the records.
class PDBTypeStream {
public:
  PDBTypeStream(const PDBFile &File, const MSFStream &Records, WorkLimit &Work);

  /// The record \p Index without its size, from its kind on; empty if there is
  /// none. It is in the file or in \p Memory.
  llvm::StringRef record(uint32_t Index,
                         llvm::SmallVectorImpl<char> &Memory) const;

private:
  struct Place {
    uint32_t Index = 0;
    uint32_t Offset = 0;
  };
  void readPlaces(const MSFStream &Table, uint64_t Offset, uint64_t Size);

  const MSFStream &Records;
  WorkLimit &Work;
  uint32_t First = 0, Last = 0;
  uint64_t Start = 0, End = 0;
  /// The positions that are known, by index; the first is that of the first
  /// record.
  std::vector<Place> Places;
};

/// The names of inlined functions, which are records among the types.
class PDBNames {
public:
  PDBNames(const PDBFile &File, WorkLimit &Work)
      : Types(File, File.types(), Work), Ids(File, File.ids(), Work),
        Work(Work) {}

  /// The largest number of a type that is accepted: DenseMap reserves the two
  /// largest integers.
  static constexpr uint32_t MaxID = UINT32_MAX - 2;

  /// The name of the function \p Id with its scopes; empty if it is not known.
  /// Valid as long as this object.
  llvm::StringRef functionName(uint32_t Id);

private:
  std::string readFunctionName(uint32_t Id) const;
  std::string scopeName(uint32_t Id) const;
  std::string typeName(uint32_t Index) const;

  PDBTypeStream Types, Ids;
  WorkLimit &Work;
  llvm::BumpPtrAllocator Memory;
  llvm::StringSaver Saver{Memory};
  llvm::DenseMap<uint32_t, llvm::StringRef> Known;
};

} // namespace lidia

#endif // LIDIA_LIB_EXTRACT_SYMBOLFILES_PDBNAMES_H
