//===- QueryFuzzer.cpp - Any bytes as query lines -------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Any standard input is split into its lines, in whatever pieces it arrives.
/// Parsing a line as a query, with or without a module, either fails or returns
/// parts of it. The first byte selects where the input is split into two
/// writes.
///
//===----------------------------------------------------------------------===//

#include "FuzzInput.h"
#include "LineReader.h"
#include "lidia/Symbolize/Query.h"
#include <unistd.h>

using namespace lidia;
using namespace llvm;

static bool isPart(StringRef Part, StringRef Line) {
  return Part.empty() ||
         (Part.begin() >= Line.begin() && Part.end() <= Line.end());
}

static void checkQuery(StringRef Line) {
  Query Q;
  if (!Q.parse(Line))
    check(isPart(Q.Symbol, Line), "the symbol is not in the line");
}

static void checkModuleQuery(StringRef Line, const ModuleQueryRules &Rules) {
  ModuleQuery Q;
  bool Parsed = !Q.parse(Line, Rules);
  check(isPart(Q.Module, Line) && isPart(Q.Symbol, Line),
        "a part is not in the line");
  if (!Parsed)
    return;
  check(Rules.HasModule == Q.Module.empty(), "a module too many or missing");
  if (Rules.Hexadecimal)
    return;
  Query Alone;
  if (!Rules.HasModule)
    return;
  check(!Alone.parse(Line), "only one of the two parsers fails");
  check(Alone.Symbol == Q.Symbol && Alone.Offset == Q.Offset &&
            Alone.Type == Q.Type,
        "the two parsers differ");
}

static void write(int FD, StringRef Text) {
  // The text fits into a pipe, so this does not block.
  check(::write(FD, Text.data(), Text.size()) == ssize_t(Text.size()),
        "cannot write to a pipe");
}

static void checkReader(StringRef Text, size_t Tear) {
  int Pipe[2];
  if (::pipe(Pipe) != 0)
    report_fatal_error("no pipe");
  write(Pipe[1], Text.take_front(Tear));
  bool Written = false;
  auto BeforeWait = [&] {
    if (Written)
      return;
    // At the second call, only the end is left to read.
    write(Pipe[1], Text.drop_front(Tear));
    ::close(Pipe[1]);
    Written = true;
  };
  LineReader Reader(Pipe[0], BeforeWait);
  StringRef Rest = Text;
  while (std::optional<StringRef> Line = Reader.next()) {
    check(!Rest.empty(), "a line too many");
    auto [Want, After] = Rest.split('\n');
    check(*Line == Want, "a line differs");
    Rest = After;
  }
  check(Rest.empty(), "a line is missing");
  ::close(Pipe[0]);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  StringRef Text(reinterpret_cast<const char *>(Data), Size);
  // The maximum size that a pipe accepts at once.
  Text = Text.take_front(32 * 1024);
  uint8_t Tear = takeLastByte(Text);
  // One input in four, because a pipe takes ten times as long as everything
  // else.
  if (Tear >= 192)
    checkReader(Text, std::min<size_t>(Tear - 192, Text.size()));
  while (!Text.empty()) {
    StringRef Line;
    std::tie(Line, Text) = Text.split('\n');
    checkQuery(Line);
    for (bool HasModule : {false, true})
      for (bool Hexadecimal : {false, true})
        checkModuleQuery(Line, {HasModule, Hexadecimal});
  }
  return 0;
}
