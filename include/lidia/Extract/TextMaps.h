//===- TextMaps.h - New prefixes and names from lists -----------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_EXTRACT_TEXTMAPS_H
#define LIDIA_EXTRACT_TEXTMAPS_H

#include "lidia/Extract/Transformer.h"
#include "lidia/Symbolize/PrefixMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Error.h"
#include <mutex>
#include <vector>

namespace lidia {

/// Replaces prefixes of paths and names of functions according to lists.
class TextMaps final : public Transformer {
public:
  /// Prefixes of paths.
  PrefixMap Prefixes;

  /// Adds the lines "OLD=NEW" of the file \p Path to Prefixes, in their order.
  /// Empty lines are skipped. The error names the file and the line.
  llvm::Error readPrefixes(llvm::StringRef Path);

  /// Renames the function \p Old, which is the name that the archive would
  /// have, to \p New. Returns false if \p Old was already given another name.
  bool addName(llvm::StringRef Old, llvm::StringRef New) {
    return Names.try_emplace(Old, New.str()).second;
  }

  /// Adds the lines "OLD NEW" of the file \p Path. The names are separated by a
  /// tab, or by spaces if they contain none. Empty lines, and those that begin
  /// with '#', are skipped. The error names the file and the line.
  llvm::Error readNames(llvm::StringRef Path);

  bool empty() const { return Prefixes.empty() && Names.empty(); }
  size_t nameCount() const { return Names.size(); }

  /// Entries of the lists that have had no effect so far.
  struct Unused {
    /// Old names that no function had, ascending.
    std::vector<std::string> Names;
    /// Old prefixes that were not replaced in any path, in their order.
    std::vector<std::string> Prefixes;
  };
  Unused unused() const;

  std::string fingerprint() const override;
  void transformFunction(FunctionNames &Function,
                         llvm::StringRef File) const override;
  void transformFile(std::string &Path) const override;

private:
  llvm::StringMap<std::string> Names;

  /// Guards the members below: conversions share the maps.
  mutable std::mutex Mutex;
  mutable llvm::StringSet<> UsedNames;
  mutable llvm::DenseSet<size_t> UsedPrefixes;
};

} // namespace lidia

#endif // LIDIA_EXTRACT_TEXTMAPS_H
