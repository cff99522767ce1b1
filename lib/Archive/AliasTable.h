//===- AliasTable.h - The aliases of a new archive --------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_ARCHIVE_ALIASTABLE_H
#define LIDIA_LIB_ARCHIVE_ALIASTABLE_H

#include "lidia/Archive/Aliases.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/StringSaver.h"
#include <string>
#include <vector>

namespace lidia {

/// Builds the section ALIA.
class AliasTable {
public:
  /// The position of an alias.
  struct Place {
    uint64_t Address = 0;
    /// The range of depth 0 that contains Address, and its start.
    uint64_t Root = 0;
    uint64_t Start = 0;
  };

  /// Records that the code at \p P also has the name \p Name, which is copied.
  void add(const Place &P, llvm::StringRef Name);

  /// The section's bytes; empty if there are no aliases. \p FunctionName gives
  /// the name of a range of depth 0. The section ends once names have
  /// \p MaxText bytes.
  std::string bytes(llvm::function_ref<llvm::StringRef(uint64_t)> FunctionName,
                    uint64_t MaxText);

private:
  struct Entry {
    Place P;
    llvm::StringRef Name;
  };
  std::vector<Entry> Entries;
  llvm::BumpPtrAllocator Allocator;
  llvm::StringSaver Names{Allocator};
};

} // namespace lidia

#endif // LIDIA_LIB_ARCHIVE_ALIASTABLE_H
