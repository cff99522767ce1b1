//===- Debuginfod.cpp - Debug files from servers --------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Debuginfod.h"
#include "HelperFile.h"
#include "HelperProgram.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include <cstdlib>

using namespace llvm;

namespace lidia {

static constexpr char FinderName[] = "lidia-debuginfod-find";

/// Each line of \p Text is "file PATH" or "warning MESSAGE".
static std::string readAnswer(StringRef Text,
                              function_ref<void(const Twine &)> Warn) {
  std::string Path;
  while (!Text.empty()) {
    auto [Line, Rest] = Text.split('\n');
    if (Line.consume_front("file "))
      Path = Line.str();
    else if (Line.consume_front("warning "))
      Warn(Line);
    Text = Rest;
  }
  return Path;
}

uint64_t defaultDebuginfodMaxSize() {
  uint64_t Size;
  const char *Text = std::getenv("DEBUGINFOD_MAXSIZE");
  if (Text && !StringRef(Text).getAsInteger(10, Size))
    return Size;
  return uint64_t(4) << 30;
}

std::string fetchFromDebuginfod(ArrayRef<uint8_t> BuildID, uint64_t MaxSize,
                                function_ref<void(const Twine &)> Warn) {
  SmallString<128> Program = helperProgram(FinderName);
  if (!sys::fs::can_execute(Program)) {
    Warn("debuginfod: servers cannot be queried without " + Program);
    return std::string();
  }
  HelperFile Answer("debuginfod");
  if (Error E = Answer.error()) {
    Warn("debuginfod: " + toString(std::move(E)));
    return std::string();
  }
  std::string ID = toHex(BuildID, /*LowerCase=*/true);
  std::string Failure;
  // It enforces its own time limit.
  int Status = sys::ExecuteAndWait(
      Program, {FinderName, ID, utostr(MaxSize), utostr(uint64_t(::getpid()))},
      std::nullopt, {StringRef(), Answer.path(), StringRef()},
      /*SecondsToWait=*/0,
      /*MemoryLimit=*/0, &Failure);
  if (Status)
    Warn("debuginfod: " + Twine(FinderName) +
         (Failure.empty() ? " failed" : ": " + Failure));
  ErrorOr<std::unique_ptr<MemoryBuffer>> Text =
      MemoryBuffer::getFile(Answer.path());
  return Text ? readAnswer((*Text)->getBuffer(), Warn) : std::string();
}

} // namespace lidia
