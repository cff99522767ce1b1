//===- Output.cpp - What is printed outside of a command's result ---------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Output.h"
#include "lldb/API/SBError.h"
#include "lldb/API/SBFile.h"

using namespace llvm;

namespace lidia {

static void print(lldb::SBFile File, const Twine &Text) {
  std::string Bytes = Text.str();
  size_t Done = 0;
  while (!Bytes.empty()) {
    lldb::SBError E = File.Write(
        reinterpret_cast<const uint8_t *>(Bytes.data()), Bytes.size(), &Done);
    if (E.Fail() || Done == 0 || Done > Bytes.size())
      break;
    Bytes.erase(0, Done);
  }
  File.Flush();
}

void printOutput(lldb::SBDebugger Debugger, const Twine &Text) {
  print(Debugger.GetOutputFile(), Text);
}

void printWarning(lldb::SBDebugger Debugger, const Twine &Message) {
  print(Debugger.GetErrorFile(), "warning: " + Message + "\n");
}

void printError(lldb::SBDebugger Debugger, const Twine &Message) {
  print(Debugger.GetErrorFile(), "error: " + Message + "\n");
}

} // namespace lidia
