//===- SourcePath.h - Where source files are on this machine ----*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLVM_LIDIA_SOURCEPATH_H
#define LLVM_LIDIA_SOURCEPATH_H

#include "Object/SourceBundle.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace lidia {

/// The rules of --source-path: folders and source bundles that have the files
/// that an archive names. Those for folders join what gdb's `set
/// substitute-path` and `directory` do.
///
/// A path in an archive may come from anywhere. It is shortened first, without
/// asking the file system: "." and ".." are resolved, and a ".." that has no
/// folder before it is dropped. So no path leads out of a rule's folder, except
/// through symbolic links that are in the folder.
class SourcePath {
public:
  /// Adds the rule "[FROM=]FOLDER", which is split at the first '='. Fails if
  /// there is no such folder. The rule may also be the path of a source bundle.
  llvm::Error add(llvm::StringRef Rule);

  bool isEmpty() const { return Rules.empty() && Bundles.empty(); }

  /// Source bundles, in which files are looked for first, by their own paths.
  llvm::ArrayRef<SourceBundle> bundles() const { return Bundles; }

  /// Calls \p Open with each path that the file \p Recorded of an archive may
  /// have, the best first, until it returns true: below the folders of rules
  /// for its own folder; if there are none, \p Recorded (unless \p IsConfined);
  /// and the last components of \p Recorded below the other folders, as many as
  /// possible first.
  void search(llvm::StringRef Recorded, bool IsConfined,
              llvm::function_ref<bool(const std::string &)> Open) const;

private:
  struct Rule {
    /// Shortened; empty if the rule is for all files.
    std::string From;
    std::string Folder;
  };
  std::vector<Rule> Rules;
  std::vector<SourceBundle> Bundles;
};

} // namespace lidia

#endif // LLVM_LIDIA_SOURCEPATH_H
