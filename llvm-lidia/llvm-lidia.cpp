//===- llvm-lidia.cpp - Makes and reads Lidia archives --------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Commands.h"
#include "ProcessSetup.h"
#include "llvm/ADT/StringSwitch.h"

using namespace lidia;

using Command = int (*)(Arguments);

/// The command named \p Name, or null.
static Command findCommand(llvm::StringRef Name) {
  return llvm::StringSwitch<Command>(Name)
      .Case("create", createCommand) // <binary>: write its archive
      .Case("lookup", lookupCommand) // <archive or binary>: addresses to frames
      .Case("dump", dumpCommand)     // <archive>: to text
      .Case("verify", verifyCommand) // <archive>: is it sound, does it agree
      .Case("export", exportCommand) // <archive>: in other tools' terms
      .Case("ranges", rangesCommand) // <binary>: what each source says
      .Case("cache", cacheCommand)   // archives that lookup made of binaries
      .Default(nullptr);
}

int main(int Argc, char **Argv) {
  setUpProcess(Argv[0], {"llvm-lidia: error: "});
  Arguments Args(Argv + (Argc > 0), Argv + Argc);
  if (!Args.empty())
    if (Command Run = findCommand(Args.front()))
      return Run(Args.drop_front());
  return createCommand(Args);
}
