//===- Page.cpp - The HTML page of a server or a report -------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Report/Page.h"
#include "lidia/Profile/FlameGraph.h"
#include "llvm/Support/Base64.h"
#include "llvm/Support/SHA256.h"

using namespace llvm;

namespace lidia {

static const char Page[] =
#include "Page.inc"
    ;

static std::string source(StringRef Hash) {
  return ("'sha256-" + Hash + "'").str();
}

std::string pagePolicy(bool MayConnect) {
  std::string Styles = source(contentHash(Page, "style")) + " " +
                       source(flameGraphHash("style"));
  std::string Scripts = source(contentHash(Page, "script")) + " " +
                        source(flameGraphHash("script"));
  return "default-src 'none'; style-src " + Styles + "; script-src " + Scripts +
         "; connect-src " + (MayConnect ? "'self'" : "'none'") +
         "; img-src data:; base-uri 'none'; form-action 'none'";
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
  StringRef Rest = Page;
  while (!Rest.empty()) {
    auto [Text, Behind] = Rest.split("{{");
    auto [Name, After] = Behind.split("}}");
    OS << Text;
    if (Name == "REPORT")
      writeJSONInHTML(Report, OS);
    else if (Name == "POLICY")
      OS << pagePolicy(IsServed);
    Rest = After;
  }
}

} // namespace lidia
