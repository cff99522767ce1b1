//===- Helper.cpp - Conversions in another process ------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Helper.h"
#include "Support/MessageLine.h"
#include "lidia/Error.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"

using namespace lidia;
using namespace llvm;

/// Passes the helper's warnings to \p Observer. Returns the helper's first
/// error, with an empty text if there is none.
static MessageLine passOn(StringRef Text, CallerObserver &Observer) {
  MessageLine Failure;
  SmallVector<StringRef, 8> Lines;
  Text.split(Lines, '\n', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (StringRef Line : Lines) {
    MessageLine M = MessageLine::parse(Line);
    if (!M.IsError)
      Observer.warning(M.Text);
    else if (Failure.Text.empty())
      Failure = std::move(M);
  }
  return Failure;
}

Expected<HelperRun> lidia::runHelper(const std::vector<std::string> &Args,
                                     CallerObserver &Observer) {
  SmallString<128> Messages;
  if (std::error_code EC =
          sys::fs::createTemporaryFile("lidia", "messages", Messages))
    return make_error<SystemError>(EC, "temporary file");
  const std::string &Program = Args.front();
  std::vector<StringRef> Refs(Args.begin(), Args.end());
  std::string Failure;
  int Status = sys::ExecuteAndWait(
      Program, Refs, std::nullopt,
      {StringRef(""), StringRef(""), Messages.str()}, /*SecondsToWait=*/0,
      /*MemoryLimit=*/0, &Failure);
  ErrorOr<std::unique_ptr<MemoryBuffer>> Text = MemoryBuffer::getFile(
      Messages, /*IsText=*/false, /*RequiresNullTerminator=*/false,
      /*IsVolatile=*/true);
  sys::fs::remove(Messages);
  MessageLine Said = passOn(Text ? (*Text)->getBuffer() : "", Observer);
  if (Status == 0)
    return HelperRun();
  if (Status == -1)
    return HelperRun{Program, Program + ": " + Failure};
  if (Said.File.empty())
    Said.File = Program;
  if (Said.Text.empty())
    Said.Text = Program + " ended without a message" +
                (Failure.empty() ? "" : ": " + Failure);
  return HelperRun{std::move(Said.File), std::move(Said.Text)};
}
