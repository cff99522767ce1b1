//===- PageTemplate.cpp - HTML pages from templates -----------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Profile/PageTemplate.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Base64.h"
#include "llvm/Support/SHA256.h"

using namespace llvm;

namespace lidia {

void fillTemplate(StringRef Template, raw_ostream &OS,
                  function_ref<void(StringRef Name)> Fill) {
  while (!Template.empty()) {
    auto [Text, Behind] = Template.split("{{");
    auto [Name, After] = Behind.split("}}");
    OS << Text;
    if (!Name.empty())
      Fill(Name);
    Template = After;
  }
}

/// The source expressions for the elements \p Element of all templates, which
/// have one each without attributes.
static std::string hashes(ArrayRef<StringRef> Templates, StringRef Element) {
  std::string Result;
  for (StringRef Template : Templates) {
    StringRef Content = Template.split(("<" + Element + ">").str())
                            .second.split(("</" + Element + ">").str())
                            .first;
    Result += " 'sha256-" +
              encodeBase64(SHA256::hash(arrayRefFromStringRef(Content))) + "'";
  }
  return Result;
}

std::string contentPolicy(ArrayRef<StringRef> Templates, StringRef More) {
  return "default-src 'none'; style-src" + hashes(Templates, "style") +
         "; script-src" + hashes(Templates, "script") + "; " + More.str() +
         "base-uri 'none'; form-action 'none'";
}

} // namespace lidia
