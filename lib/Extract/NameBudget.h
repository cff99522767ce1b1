//===- NameBudget.h - Bounds the names of one symbol table ------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_EXTRACT_NAMEBUDGET_H
#define LIDIA_LIB_EXTRACT_NAMEBUDGET_H

#include "Object/Binary.h"
#include <string>
#include <vector>

namespace lidia {

/// Limits the size of the names that are kept from one symbol table. The names
/// of real tables are smaller than their file, but the names of a million
/// symbols may be parts of one long string.
class NameBudget {
public:
  /// \p File must outlive the budget.
  explicit NameBudget(const Binary &File)
      : File(File), Left(Factor * File.size() + Floor) {}

  /// Whether a name of \p Bytes bytes fits; if not, it is left out.
  bool take(uint64_t Bytes) {
    if (Bytes > Left) {
      ++LeftOut;
      return false;
    }
    Left -= Bytes;
    return true;
  }

  /// Adds a warning to \p Warnings if something was left out. \p Things is the
  /// kind of the things that have the names.
  void report(llvm::StringRef Things,
              std::vector<std::string> &Warnings) const {
    if (LeftOut)
      Warnings.push_back((File.path() + ": the names of " + Things +
                          " are so long that " + llvm::Twine(LeftOut) +
                          " are left out")
                             .str());
  }

private:
  static constexpr uint64_t Factor = 16, Floor = uint64_t(16) << 20;

  const Binary &File;
  uint64_t Left;
  uint64_t LeftOut = 0;
};

} // namespace lidia

#endif // LIDIA_LIB_EXTRACT_NAMEBUDGET_H
