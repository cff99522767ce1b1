//===- Output.cpp - Output outside of a command's result ------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Output.h"
#include "lidia/Symbolize/PrintableText.h"
#include "lldb/API/SBError.h"
#include "lldb/API/SBFile.h"
#include <tuple>

using namespace llvm;

namespace lidia {

std::string escapeLines(StringRef Text) {
  auto [Line, Rest] = Text.split('\n');
  std::string Escaped = escapeText(Line);
  while (Line.size() != Text.size()) {
    Text = Rest;
    std::tie(Line, Rest) = Text.split('\n');
    Escaped += '\n' + escapeText(Line);
  }
  return Escaped;
}

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
  print(Debugger.GetErrorFile(),
        "warning: " + escapeLines(Message.str()) + "\n");
}

void printError(lldb::SBDebugger Debugger, const Twine &Message) {
  print(Debugger.GetErrorFile(), "error: " + escapeLines(Message.str()) + "\n");
}

} // namespace lidia
