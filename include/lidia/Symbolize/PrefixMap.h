//===- PrefixMap.h - Replaces prefixes of paths -----------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_SYMBOLIZE_PREFIXMAP_H
#define LIDIA_SYMBOLIZE_PREFIXMAP_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace lidia {

/// Replaces prefixes of paths, as -ffile-prefix-map of GCC and Clang does: if
/// several prefixes match, the last one added is replaced. A prefix matches
/// whole components, as GCC's manual describes it ("files residing in directory
/// old"), whereas the compilers compare bytes.
class PrefixMap {
public:
  /// Replaces the prefix \p Old with \p New from now on.
  void add(llvm::StringRef Old, llvm::StringRef New) {
    Pairs.emplace_back(Old.str(), New.str());
  }

  /// Adds "OLD=NEW", which is split at the first '='. Returns false if there is
  /// none.
  bool addPair(llvm::StringRef OldAndNew);

  bool empty() const { return Pairs.empty(); }

  /// The prefixes and their replacements, in the order in which they were
  /// added.
  llvm::ArrayRef<std::pair<std::string, std::string>> pairs() const {
    return Pairs;
  }

  /// Returns \p Path with its prefix replaced; none if no prefix matches. Sets
  /// \p Index to the index of the pair that was used.
  std::optional<std::string> map(llvm::StringRef Path,
                                 size_t *Index = nullptr) const;

private:
  std::vector<std::pair<std::string, std::string>> Pairs;
};

} // namespace lidia

#endif // LIDIA_SYMBOLIZE_PREFIXMAP_H
