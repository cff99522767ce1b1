//===- StoreCheck.cpp - llvm-lidia store check: tests a store -------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StoreOptions.h"
#include "lidia/Store/CheckStore.h"
#include "lidia/Symbolize/PrintableText.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace lidia {

static StringRef nameOf(StoreAction Action) {
  switch (Action) {
  case StoreAction::Reach:
    return "reach";
  case StoreAction::List:
    return "list";
  case StoreAction::Put:
    return "put";
  case StoreAction::Get:
    return "get";
  case StoreAction::Delete:
    return "delete";
  }
  llvm_unreachable("no other action");
}

Error tryStore(CommandLine &Line, StringRef Where,
               std::vector<std::string> More) {
  expectNothing(Line, More);
  bool ReadOnly = Line.args().hasArg(OPT_read_only);
  Expected<std::unique_ptr<SymbolStore>> Store =
      openStore(Line, Where, StoreNeed::Nothing);
  if (!Store)
    return Store.takeError();
  bool HasFailed = false;
  checkStore(**Store, ReadOnly,
             [&](StoreAction Action, Error E, StringRef Note) {
               outs() << nameOf(Action) << ": " << (E ? "no" : "yes");
               if (!Note.empty())
                 outs() << " (" << Note << ')';
               outs() << '\n';
               outs().flush();
               if (!E)
                 return;
               HasFailed = true;
               reportError(std::move(E));
             });
  if (HasFailed)
    return make_error<ReportedFailure>();
  return Error::success();
}

} // namespace lidia
