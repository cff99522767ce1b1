//===- yaml2lidia.cpp - Makes archives for tests --------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Writes an archive, valid or with specific damage, from a YAML description
/// that is readable in a test. `--help` lists the keys.
///
//===----------------------------------------------------------------------===//

#include "Archive/YAML/ArchiveYAML.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

static cl::OptionCategory Category("Options");
static cl::opt<std::string> Input(cl::Positional, cl::desc("in.yaml"),
                                  cl::init("-"), cl::cat(Category));
static cl::opt<std::string> Output("o", cl::desc("Write the archive to file"),
                                   cl::value_desc("file"), cl::init("-"),
                                   cl::cat(Category));
static cl::extrahelp Keys(lidia::ArchiveYAMLHelp);

static int fail(const Twine &Message) {
  WithColor::error(errs(), "yaml2lidia") << Message << '\n';
  return 1;
}

int main(int Argc, char **Argv) {
  InitLLVM X(Argc, Argv);
  cl::HideUnrelatedOptions(Category);
  cl::ParseCommandLineOptions(Argc, Argv,
                              "Makes a Lidia archive from YAML, for tests\n");
  ErrorOr<std::unique_ptr<MemoryBuffer>> YAML =
      MemoryBuffer::getFileOrSTDIN(Input, /*IsText=*/true);
  if (!YAML)
    return fail(Input + ": " + YAML.getError().message());
  Expected<std::string> Bytes = lidia::archiveFromYAML(
      **YAML, [](StringRef Diagnostic) { errs() << Diagnostic; });
  if (!Bytes)
    return fail(toString(Bytes.takeError()));
  std::error_code EC;
  raw_fd_ostream OS(Output, EC);
  if (!EC) {
    OS << *Bytes;
    OS.flush();
    EC = OS.error();
    OS.clear_error();
  }
  return EC ? fail(Output + ": " + EC.message()) : 0;
}
