//===- Conversions.cpp - Conversions in the C interface -------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Observer.h"
#include "Support/MessageLine.h"
#include "Support/ReturnMemory.h"
#include "lidia/Error.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Program.h"

using namespace lidia;
using namespace llvm;

/// Flags for contents: with one of them, or LIDIA_CONVERT_SYMBOLS_ONLY, the
/// archive has what they name and nothing else.
static constexpr uint32_t ContentFlags =
    LIDIA_HAS_CHECKSUMS | LIDIA_HAS_FILES | LIDIA_HAS_LINES | LIDIA_HAS_COLUMNS;

static constexpr uint32_t AllFlags =
    ContentFlags | LIDIA_HAS_RETURN_PADS | LIDIA_CONVERT_COMPRESS |
    LIDIA_CONVERT_NO_DEBUG_FILE | LIDIA_CONVERT_SYMBOLS_ONLY;

static bool namesContents(const lidia_convert_options &Given) {
  return Given.flags & (ContentFlags | LIDIA_CONVERT_SYMBOLS_ONLY);
}

static ConvertOptions optionsOf(const lidia_convert_options &Given) {
  ConvertOptions O;
  if (namesContents(Given)) {
    O.Archive.Checksums = Given.flags & LIDIA_HAS_CHECKSUMS;
    O.Archive.Columns = Given.flags & LIDIA_HAS_COLUMNS;
    O.Lines = O.UnwindRows = Given.flags & LIDIA_HAS_LINES;
    O.Files = Given.flags & LIDIA_HAS_FILES;
  }
  if (Given.flags & LIDIA_CONVERT_COMPRESS)
    O.Compress.emplace();
  O.FindDebugFile = !(Given.flags & LIDIA_CONVERT_NO_DEBUG_FILE);
  O.Threads = Given.threads;
  if (Given.debug_file)
    O.DebugFile = Given.debug_file;
  if (Given.architecture)
    O.Architecture = Given.architecture;
  return O;
}

/// The llvm-lidia arguments that correspond to the options.
static std::vector<std::string> argumentsOf(const lidia_convert_options &Given,
                                            StringRef Binary,
                                            StringRef Output) {
  std::vector<std::string> Args = {Given.helper, "create", "--messages=json"};
  const std::pair<uint32_t, const char *> Names[] = {
      {LIDIA_HAS_CHECKSUMS, "--crc"},
      {LIDIA_HAS_FILES, "--files"},
      {LIDIA_HAS_LINES, "--lines"},
      {LIDIA_HAS_COLUMNS, "--columns"},
      {LIDIA_HAS_RETURN_PADS, "--return-pads"},
      {LIDIA_CONVERT_COMPRESS, "--compress"}};
  if (namesContents(Given))
    Args.push_back("--symbols-only");
  for (auto [Flag, Name] : Names)
    if (Given.flags & Flag)
      Args.push_back(Name);
  if (Given.debug_file)
    Args.push_back("--debug-file=" + std::string(Given.debug_file));
  else if (Given.flags & LIDIA_CONVERT_NO_DEBUG_FILE)
    Args.push_back(("--debug-file=" + Binary).str());
  if (Given.architecture)
    Args.push_back("--arch=" + std::string(Given.architecture));
  if (Given.threads)
    Args.push_back("--num-threads=" + utostr(Given.threads));
  Args.push_back("--no-debuginfod");
  Args.push_back("--symbol-path=");
  Args.push_back(("--output=" + Output).str());
  Args.push_back("--");
  Args.push_back(Binary.str());
  return Args;
}

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

static lidia_status failHelper(lidia_error **Error, StringRef File,
                               const Twine &Message) {
  if (Error)
    *Error = new lidia_error{LIDIA_HELPER_FAILED, 0, Message.str(), File.str()};
  return LIDIA_HELPER_FAILED;
}

static lidia_status convertApart(const lidia_convert_options &Given,
                                 StringRef Binary, StringRef Output,
                                 CallerObserver &Observer,
                                 lidia_error **Error) {
  SmallString<128> Messages;
  if (std::error_code EC =
          sys::fs::createTemporaryFile("lidia", "messages", Messages))
    return fail(Error, make_error<SystemError>(EC, "temporary file"));
  std::vector<std::string> Args = argumentsOf(Given, Binary, Output);
  std::vector<StringRef> Refs(Args.begin(), Args.end());
  std::string Failure;
  int Status = sys::ExecuteAndWait(
      Given.helper, Refs, std::nullopt,
      {StringRef(""), StringRef(""), Messages.str()}, /*SecondsToWait=*/0,
      /*MemoryLimit=*/0, &Failure);
  ErrorOr<std::unique_ptr<MemoryBuffer>> Text = MemoryBuffer::getFile(
      Messages, /*IsText=*/false, /*RequiresNullTerminator=*/false,
      /*IsVolatile=*/true);
  sys::fs::remove(Messages);
  MessageLine Said = passOn(Text ? (*Text)->getBuffer() : "", Observer);
  if (Status == 0) {
    Expected<Archive> Made = Archive::open(Output);
    if (Made)
      return succeed(Error);
    return failHelper(Error, Given.helper,
                      Twine(Given.helper) +
                          " wrote no archive: " + toString(Made.takeError()));
  }
  if (Status == -1)
    return failHelper(Error, Given.helper,
                      Twine(Given.helper) + ": " + Failure);
  if (Said.File.empty())
    Said.File = Given.helper;
  if (Said.Text.empty())
    Said.Text = (Twine(Given.helper) + " ended without a message" +
                 (Failure.empty() ? "" : ": " + Failure))
                    .str();
  return failHelper(Error, Said.File, Said.Text);
}

lidia_status lidia_convert(const char *binary, const char *output,
                           const lidia_convert_options *options,
                           lidia_error **error) {
  if (!binary || !output || !*binary || !*output)
    return failArgument(error, "lidia_convert needs a binary and an output");
  // The tool treats "-" as standard output.
  StringRef Output = StringRef(output) == "-" ? "./-" : output;
  lidia_convert_options Given;
  if (lidia_status S = readOptions(options, AllFlags, Given, error))
    return S;
  CallerObserver Observer(Given.warning, Given.context);
  if (Given.helper && !*Given.helper)
    return failArgument(error, "the helper's path is empty");
  if (Given.helper)
    return convertApart(Given, binary, Output, Observer, error);
  if (Given.flags & LIDIA_HAS_RETURN_PADS)
    return failArgument(error, "LIDIA_HAS_RETURN_PADS needs a helper: set it "
                               "to the path of llvm-lidia");
  Expected<ConvertStatistics> Done =
      convert(binary, Output, optionsOf(Given), Observer);
  returnFreedMemory();
  if (!Done)
    return fail(error, Done.takeError());
  return succeed(error);
}
