//===- Page.cpp - The HTML page of a server or a report -------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Report/Page.h"
#include "lidia/Profile/FlameGraph.h"
#include "lidia/Profile/PageTemplate.h"

using namespace llvm;

namespace lidia {

static const char Page[] =
#include "Page.inc"
    ;

std::string pagePolicy(bool MayConnect) {
  return contentPolicy({Page, flameGraphTemplate()},
                       MayConnect ? "connect-src 'self'; img-src data:; "
                                  : "connect-src 'none'; img-src data:; ");
}

/// JSON only has "<" in strings, and is written without markup by escaping it:
/// HTML ends a script at "</script", and interprets "<!--" and "<script" inside
/// it.
static void writeJSONInHTML(StringRef Text, raw_ostream &OS) {
  while (!Text.empty()) {
    auto [Before, After] = Text.split('<');
    OS << Before;
    if (Before.size() != Text.size())
      OS << "\\u003c";
    Text = After;
  }
}

void writePage(StringRef Report, raw_ostream &OS) {
  bool IsServed = Report == "null";
  fillTemplate(Page, OS, [&](StringRef Name) {
    if (Name == "REPORT")
      writeJSONInHTML(Report, OS);
    else
      OS << pagePolicy(IsServed);
  });
}

} // namespace lidia
