//===- SourceURLs.h - Where sources are on the web --------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_SYMBOLIZE_SOURCEURLS_H
#define LIDIA_SYMBOLIZE_SOURCEURLS_H

#include "lidia/Symbolize/FrameView.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace lidia {

/// Rules that turn the paths of source files into URLs of their lines.
class SourceURLs {
public:
  /// Sets what replaces {commit} in rules that are added later: the commit or
  /// the tag that was built. No archive records it. Fails if \p Name leads out
  /// of its folder in a URL.
  llvm::Error setCommit(llvm::StringRef Name);

  /// Adds the rule "[PREFIX=]TEMPLATE", as
  /// "/src/=https://host/project/blob/v1/{path}#L{line}": for files whose path
  /// begins with PREFIX, with the rest in place of {path} and the line in place
  /// of {line}. Only templates for http and https are taken, and none with
  /// {commit} without setCommit(). If several rules match, the last
  /// counts.
  llvm::Error add(llvm::StringRef Rule);
  bool isEmpty() const { return Rules.empty(); }

  /// The URL of \p File with "{line}" where the number is to be, if the
  /// template has it; empty if there is none. A path is any bytes: in the URL
  /// it is only a path, and cannot leave the folder.
  std::string urlOfFile(llvm::StringRef File) const;
  /// The URL of a line; of the file, if \p Line is 0.
  std::string url(llvm::StringRef File, uint32_t Line) const;
  /// The URL of the frame's line; empty if it has none.
  std::string urlOf(const FrameView &F) const {
    return F.File.empty() || !F.Line ? std::string() : url(F.File, F.Line);
  }

private:
  struct Rule {
    std::string Prefix;
    std::string Template;
  };
  std::vector<Rule> Rules;
  /// Encoded; may be empty.
  std::string Commit;
};

} // namespace lidia

#endif // LIDIA_SYMBOLIZE_SOURCEURLS_H
