//===- LoadBias.h - Where a log's program was loaded ------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LOG_LOADBIAS_H
#define LIDIA_LOG_LOADBIAS_H

#include "lidia/Log/LogLine.h"
#include "llvm/ADT/ArrayRef.h"
#include <set>

namespace lidia {

/// Infers from the return addresses of a log, which follow calls, where a
/// position-independent program was loaded.
class LoadBias {
public:
  /// \p TheName: the base name of the program. Addresses in modules with other
  /// names are not its own.
  explicit LoadBias(llvm::StringRef TheName) : Name(TheName) {}

  /// Takes the return addresses of \p Lines that are only known at run time.
  void read(llvm::StringRef Lines);

  bool isEmpty() const { return Addresses.empty(); }

  /// What to subtract from the addresses at run time, if exactly one multiple
  /// of the page size fits: it puts all addresses in the program's range on
  /// \p Pads, the addresses after its calls, in ascending order. Addresses
  /// elsewhere are those of libraries. Only zero fits if the program
  /// \p IsFixed.
  std::optional<uint64_t> find(llvm::ArrayRef<uint64_t> Pads,
                               bool IsFixed) const;

private:
  const llvm::StringRef Name;
  LogLine Line;
  std::set<uint64_t> Addresses;
};

} // namespace lidia

#endif // LIDIA_LOG_LOADBIAS_H
