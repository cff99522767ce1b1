//===- ContentOptions.cpp - Options for an archive's contents -------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ContentOptions.h"
#include "ReturnPads.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace lidia {

static void readStrings(CommandLine &Line, ConvertOptions &O) {
  StringRef Form = Line.args().getLastArgValue(OPT_strings_EQ, "prefixed");
  if (Form == "nul")
    O.Archive.Strings = format::StringForm::NulTerminated;
  else if (Form != "prefixed")
    Line.fail("--strings=: expected prefixed or nul, but got '" + Form + "'");
}

/// Whether the last of the options \p On and \p Off is one of \p On; without
/// any, \p Default.
static bool isLastOn(const opt::InputArgList &Args,
                     std::initializer_list<unsigned> On,
                     std::initializer_list<unsigned> Off, bool Default) {
  for (const opt::Arg *A : Args) {
    auto Matches = [A](unsigned ID) { return A->getOption().matches(ID); };
    if (any_of(On, Matches))
      Default = true;
    else if (any_of(Off, Matches))
      Default = false;
  }
  return Default;
}

void readContentOptions(CommandLine &Line, ConvertOptions &O) {
  const opt::InputArgList &Args = Line.args();
  O.Archive.Checksums = isLastOn(
      Args, {OPT_crc}, {OPT_no_crc, OPT_symbols_only}, O.Archive.Checksums);
  O.Archive.Extension = !Args.hasArg(OPT_no_extension);
  O.Archive.Statements = !Args.hasArg(OPT_no_statements);
  // A line is meaningless without its file, and a column without its line.
  O.Files =
      isLastOn(Args, {OPT_files, OPT_lines, OPT_columns, OPT_embedded_source},
               {OPT_no_files, OPT_symbols_only}, O.Files);
  O.Lines = isLastOn(Args, {OPT_lines, OPT_columns},
                     {OPT_no_lines, OPT_no_files, OPT_symbols_only}, O.Lines);
  O.Archive.Columns = isLastOn(Args, {OPT_columns},
                               {OPT_no_lines, OPT_no_files, OPT_symbols_only},
                               O.Archive.Columns);
  O.EmbeddedSources =
      isLastOn(Args, {OPT_embedded_source}, {OPT_no_files, OPT_symbols_only},
               O.EmbeddedSources);
  O.UnwindRows = O.Lines && !Args.hasArg(OPT_no_unwind);
  O.Variables = Args.hasArg(OPT_variables);
  readStrings(Line, O);
  if (Args.hasArg(OPT_return_pads))
    O.FindReturnPads = findReturnPadsApart;
  if (O.Archive.Extension)
    return;
  for (unsigned ID :
       {OPT_columns, OPT_return_pads, OPT_embedded_source, OPT_variables})
    if (const opt::Arg *A = Args.getLastArg(ID))
      Line.fail(A->getSpelling() +
                " needs the extension, which --no-extension leaves out");
  // What version 1 has no place for.
  O.Archive.Columns = O.EmbeddedSources = O.UnwindRows = false;
}

} // namespace lidia
