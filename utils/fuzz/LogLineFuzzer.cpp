//===- LogLineFuzzer.cpp - Any bytes as lines of a log --------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

///
/// \file
/// The addresses found in a line are in the line, in order and without
/// overlaps, and every line with an address passes mayHaveLogAddress().
///
//===----------------------------------------------------------------------===//

#include "FuzzInput.h"
#include "lidia/Log/LogLine.h"

using namespace lidia;
using namespace llvm;

static bool isIn(StringRef Line, StringRef Part) {
  return Part.empty() ||
         (Part.begin() >= Line.begin() && Part.end() <= Line.end());
}

static void checkLine(StringRef Line) {
  LogLine Parsed;
  if (!Parsed.parse(Line))
    return check(Parsed.Addresses.empty() && Parsed.FrameNumbers.empty(),
                 "something was found in a line without addresses");
  check(mayHaveLogAddress(Line) || Parsed.Addresses.empty(),
        "the line would have been skipped");
  size_t End = 0;
  for (LogSpan Number : Parsed.FrameNumbers) {
    check(Number.Begin >= End && Number.Begin < Number.End &&
              Number.End <= Line.size(),
          "the number of a frame is not in the line");
    End = Number.End;
  }
  End = 0;
  for (const LogAddress &A : Parsed.Addresses) {
    check(A.Replaced.Begin >= End && A.Replaced.End >= A.Replaced.Begin &&
              A.Replaced.End <= Line.size(),
          "addresses overlap");
    End = A.Replaced.End;
    check(!A.isFrame() ||
              (A.Whole.Begin < A.Replaced.Begin &&
               A.Whole.End >= A.Replaced.End && A.Whole.End <= Line.size()),
          "a frame is not around its address");
    if (A.isFrame())
      End = A.Whole.End;
    check(isIn(Line, A.Module) && isIn(Line, A.Function),
          "a name is not in the line");
    check(A.Offset || A.Runtime, "there is no address");
  }
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  StringRef Text(reinterpret_cast<const char *>(Data), Size);
  checkLine(Text);
  while (!Text.empty()) {
    checkLine(Text.split('\n').first);
    Text = Text.split('\n').second;
  }
  return 0;
}
