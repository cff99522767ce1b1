//===- SourceURLOptions.cpp - Options for sources on the web --------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SourceURLOptions.h"

using namespace llvm;

namespace lidia {

SourceURLs readSourceURLs(CommandLine &Line) {
  const opt::InputArgList &Args = Line.args();
  SourceURLs Sources;
  // The commit counts for the rules before it, too.
  if (const opt::Arg *A = Args.getLastArg(OPT_source_commit_EQ))
    if (Error E = Sources.setCommit(A->getValue())) {
      Line.fail("--source-commit=: " + toString(std::move(E)));
      return Sources;
    }
  for (const std::string &Rule : Args.getAllArgValues(OPT_source_url_EQ))
    if (Error E = Sources.add(Rule))
      Line.fail("--source-url=: " + toString(std::move(E)));
  return Sources;
}

} // namespace lidia
