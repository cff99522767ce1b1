//===- Conversions.cpp - Conversions in the C interface -------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Extract/ConvertBinary.h"
#include "Helper.h"
#include "Observer.h"
#include "Support/ReturnMemory.h"
#include "lidia/Error.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"

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
  Expected<HelperRun> Run =
      runHelper(argumentsOf(Given, Binary, Output), Observer);
  if (!Run)
    return fail(Error, Run.takeError());
  if (!Run->hasSucceeded())
    return failHelper(Error, Run->File, Run->Text);
  Expected<Archive> Made = Archive::open(Output);
  if (Made)
    return succeed(Error);
  return failHelper(Error, Given.helper,
                    Twine(Given.helper) +
                        " wrote no archive: " + toString(Made.takeError()));
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
  CallerObserver Observer(Given.warning, Given.context, Given.progress);
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

/// The binary in \p Bytes or, without them, in the file \p Name.
static Expected<std::unique_ptr<Binary>>
openBinary(StringRef Name, std::optional<StringRef> Bytes,
           StringRef Architecture) {
  if (!Bytes)
    return Binary::open(Name, Architecture);
  return Binary::create(MemoryBuffer::getMemBuffer(
                            *Bytes, Name, /*RequiresNullTerminator=*/false),
                        Name, Architecture);
}

lidia_status lidia_convert_memory(const char *name, const void *data,
                                  size_t size,
                                  const lidia_convert_options *options,
                                  lidia_archive **archive,
                                  lidia_error **error) {
  if (!name || !*name || !archive)
    return failArgument(error,
                        "lidia_convert_memory needs a name and a result");
  lidia_convert_options Given;
  if (lidia_status S = readOptions(
          options, AllFlags & ~(LIDIA_CONVERT_COMPRESS | LIDIA_HAS_RETURN_PADS),
          Given, error))
    return S;
  if (Given.helper)
    return failArgument(error, "a helper cannot make an archive in memory");
  CallerObserver Observer(Given.warning, Given.context, Given.progress);
  std::optional<StringRef> Bytes;
  if (data)
    Bytes.emplace(static_cast<const char *>(data), size);
  ConvertOptions O = optionsOf(Given);
  Expected<std::unique_ptr<Binary>> Main =
      openBinary(name, Bytes, O.Architecture);
  if (!Main)
    return fail(error, Main.takeError());
  Expected<Archive> Made = convertToMemory(std::move(*Main), O, Observer);
  returnFreedMemory();
  if (!Made)
    return fail(error, Made.takeError());
  *archive =
      new lidia_archive{std::make_shared<const Archive>(std::move(*Made))};
  return succeed(error);
}
