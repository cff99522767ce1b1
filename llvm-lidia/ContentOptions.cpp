//===- ContentOptions.cpp - Options for an archive's contents -------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ContentOptions.h"
#include "ReturnPads.h"

using namespace llvm;

namespace lidia {

static void readStrings(CommandLine &Line, ConvertOptions &O) {
  StringRef Form = Line.args().getLastArgValue(OPT_strings_EQ, "prefixed");
  if (Form == "nul")
    O.Archive.Strings = format::StringForm::NulTerminated;
  else if (Form != "prefixed")
    Line.fail("--strings=: expected prefixed or nul, but got '" + Form + "'");
}

bool readContentOptions(CommandLine &Line, ConvertOptions &O) {
  const opt::InputArgList &Args = Line.args();
  O.Archive.Checksums = Args.hasArg(OPT_crc);
  O.Archive.Extension = !Args.hasArg(OPT_no_extension);
  O.Archive.Columns = Args.hasArg(OPT_columns);
  O.Archive.Statements = !Args.hasArg(OPT_no_statements);
  // A line is meaningless without its file, and a column without its line.
  O.Lines = Args.hasArg(OPT_lines, OPT_columns);
  O.UnwindRows = O.Lines && O.Archive.Extension && !Args.hasArg(OPT_no_unwind);
  O.EmbeddedSources = Args.hasArg(OPT_embedded_source);
  O.Variables = Args.hasArg(OPT_variables);
  O.Files = O.Lines || O.EmbeddedSources || Args.hasArg(OPT_files);
  readStrings(Line, O);
  if (Args.hasArg(OPT_return_pads))
    O.FindReturnPads = findReturnPadsApart;
  for (unsigned ID :
       {OPT_columns, OPT_return_pads, OPT_embedded_source, OPT_variables})
    if (Args.hasArg(ID) && !O.Archive.Extension)
      Line.fail(Args.getLastArg(ID)->getSpelling() +
                " needs the extension, which --no-extension leaves out");
  return Args.hasArg(OPT_crc, OPT_no_extension, OPT_columns, OPT_lines,
                     OPT_files, OPT_strings_EQ, OPT_return_pads,
                     OPT_embedded_source, OPT_variables);
}

} // namespace lidia
