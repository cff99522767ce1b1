//===- Compress.cpp - Compresses and decompresses archives ----------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BinaryInput.h"
#include "Options.h"
#include "lidia/Archive/Archive.h"
#include "lidia/Archive/Compression.h"
#include "lidia/Support/OutputFile.h"

using namespace llvm;

namespace {
struct CompressRequest {
  std::string Input;
  std::string Output;
  lidia::CompressionOptions Options;
};
} // namespace

namespace lidia {

int readCompressionLevel(CommandLine &Line, unsigned ID) {
  constexpr int Default = CompressionOptions::DefaultLevel;
  constexpr int Max = CompressionOptions::MaxLevel;
  uint64_t Level = Line.number(ID, Default);
  if (Level >= 1 && Level <= Max)
    return int(Level);
  Line.fail(Line.args().getLastArg(ID)->getSpelling() +
            ": expected a level from 1 to " + Twine(Max) + ", but got '" +
            Twine(Level) + "'");
  return Default;
}

static Error writeFile(const CompressRequest &R,
                       function_ref<Error(raw_ostream &)> Write) {
  OutputFileOptions Output;
  Output.RemoveOnSignals = true;
  return writeOutputFile(R.Output, Write, Output);
}

static Error compress(const CompressRequest &R) {
  Expected<Archive> A = openGivenArchive(R.Input);
  if (!A)
    return A.takeError();
  return writeFile(R, [&](raw_ostream &OS) {
    return writeCompressed(OS, R.Options, [&](raw_ostream &Plain) {
      Plain << A->buffer().getBuffer();
      return Error::success();
    });
  });
}

static Error decompress(const CompressRequest &R) {
  Expected<Archive> A = openGivenArchive(R.Input);
  if (!A)
    return A.takeError();
  return writeFile(R, [&](raw_ostream &OS) {
    OS << A->buffer().getBuffer();
    return Error::success();
  });
}

/// The output of decompress(): by default the input without ".zst".
static std::string plainOutput(CommandLine &Line, StringRef Input) {
  StringRef Plain = Input;
  bool HasName = Plain.consume_back(".zst");
  if (!HasName && !Line.args().hasArg(OPT_output_EQ))
    Line.fail(Input + ": its name does not end in .zst (name the output " +
              "with -o)");
  return Line.output(Plain, "");
}

Error runCompress(CommandLine &Line) {
  CompressRequest R;
  R.Input = Line.operand("archive");
  bool Decompress = Line.args().hasArg(OPT_decompress);
  if (Decompress && Line.args().hasArg(OPT_level_EQ))
    Line.fail("--level and --decompress cannot be combined");
  R.Options.Level = readCompressionLevel(Line, OPT_level_EQ);
  R.Output =
      Decompress ? plainOutput(Line, R.Input) : Line.output(R.Input, ".zst");
  if (Error E = Line.takeErrors())
    return E;
  return Decompress ? decompress(R) : compress(R);
}

} // namespace lidia
