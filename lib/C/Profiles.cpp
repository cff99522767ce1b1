//===- Profiles.cpp - Profiles in the C interface -------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Modules.h"
#include "Names.h"
#include "Support/InputFile.h"
#include "lidia/Error.h"
#include "lidia/Profile/SymbolizeFile.h"
#include "lidia/Support/OutputFile.h"

using namespace lidia;
using namespace llvm;

static StringRef textOf(const char *Given) { return Given ? Given : ""; }

static Error readFormats(const lidia_profile_options &Given,
                         ProfileReadOptions &O) {
  if (Error E = findReadFormat(textOf(Given.input_format), "input_format")
                    .moveInto(O.Format))
    return E;
  return findWrittenFormat(textOf(Given.output_format), "output_format")
      .moveInto(O.Output);
}

static Expected<std::unique_ptr<MemoryBuffer>> readInput(const char *Path) {
  Expected<sys::fs::file_t> File = openRegularFile(Path);
  if (!File)
    return File.takeError();
  // Not mapped, because truncating a mapped file would crash the caller.
  ErrorOr<std::unique_ptr<MemoryBuffer>> Input = MemoryBuffer::getOpenFile(
      *File, Path, /*FileSize=*/-1, /*RequiresNullTerminator=*/true,
      /*IsVolatile=*/true);
  sys::fs::closeFile(*File);
  if (!Input)
    return make_error<SystemError>(Input.getError(), Path);
  return std::move(*Input);
}

static Error symbolize(OpenModules &Modules, const char *Path,
                       const char *Output, const lidia_profile_options &Given) {
  ProfileFileOptions O;
  SymbolSources Sources;
  Sources.Files.assign(Given.binaries, Given.binaries + Given.binary_count);
  Sources.TrustNames = true;
  Sources.Folders.assign(Given.folders, Given.folders + Given.folder_count);
  Sources.Root = textOf(Given.root).str();
  Sources.HowToAllow = "root, folders or binaries allow it";
  Sources.Archives = Modules.Options;
  setNameOptions(Given.flags, O.Symbolizer.Symbolizer);
  O.Symbolizer.Symbolizer.Text = TextForm::UTF8;
  O.Symbolizer.Force = Given.flags & LIDIA_PROFILE_FORCE;
  if (Error E = readFormats(Given, O.Formats))
    return E;
  Expected<std::unique_ptr<MemoryBuffer>> Input = readInput(Path);
  if (!Input)
    return Input.takeError();
  std::string Result;
  raw_string_ostream OS(Result);
  Expected<std::unique_ptr<ModuleResolver>> Resolver = ModuleResolver::create(
      std::move(Sources), Modules.TheCache, Modules.Observer);
  if (!Resolver)
    return Resolver.takeError();
  auto Warn = [&](const Twine &Message) { Modules.Observer.warning(Message); };
  if (Error E = convertProfileFile(std::move(*Input), std::move(O), **Resolver,
                                   Warn, OS))
    return E;
  return writeOutputFile(Output, [&](raw_ostream &To) {
    To << OS.str();
    return Error::success();
  });
}

lidia_status lidia_profile_symbolize(lidia_modules *modules, const char *input,
                                     const char *output,
                                     const lidia_profile_options *options,
                                     lidia_error **error) {
  if (!modules || !input || !output || !*input || !*output)
    return failArgument(error, "lidia_profile_symbolize needs modules, an "
                               "input and an output");
  lidia_profile_options Given;
  if (lidia_status S =
          readOptions(options, NameFlags | LIDIA_PROFILE_FORCE, Given, error))
    return S;
  if (!isListOfStrings(Given.binaries, Given.binary_count) ||
      !isListOfStrings(Given.folders, Given.folder_count))
    return failArgument(error, "binaries or folders has a NULL");
  // The tool treats "-" as standard output.
  const char *Output = StringRef(output) == "-" ? "./-" : output;
  Expected<OpenModules &> Opened = modules->open();
  if (!Opened)
    return fail(error, Opened.takeError());
  if (Error E = symbolize(*Opened, input, Output, Given))
    return fail(error, std::move(E));
  return succeed(error);
}
