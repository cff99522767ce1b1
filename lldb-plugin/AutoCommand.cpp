//===- AutoCommand.cpp - lidia auto ---------------------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AutoSymbols.h"
#include "LidiaCommand.h"

using namespace llvm;

namespace lidia {

Error AutoCommand::run(lldb::SBDebugger Debugger, lldb::SBTarget,
                       Arguments Args, lldb::SBCommandReturnObject &Result) {
  if (Args.size() > 1 ||
      (Args.size() == 1 && Args[0] != "on" && Args[0] != "off"))
    return createStringError("'lidia auto' takes 'on', 'off' or nothing");
  if (!Args.empty())
    setAutoSymbols(Args[0] == "on");
  serveFoundArchives(Debugger);
  if (Args.empty())
    append(Result, autoSymbolsOn()
                       ? "on: modules get archives that are found for them\n"
                       : "off: modules get archives by commands only\n");
  return Error::success();
}

} // namespace lidia
