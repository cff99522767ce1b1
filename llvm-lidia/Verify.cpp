//===- Verify.cpp - llvm-lidia verify: is an archive sound ----------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Archive/Verify.h"
#include "Against.h"
#include "Options.h"
#include "Progress.h"
#include "SourceOptions.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace llvm::opt;

#define LIDIA_OPTIONS "VerifyOpts.inc"
#include "OptionTable.inc"

namespace {
/// What the command line asked for.
struct Request {
  std::string Archive;
  /// Empty when no binary is to be compared with.
  std::string Binary;
  /// The part of the options that an archive does not record.
  lidia::ConvertOptions Remake;
  bool CheckCRC = false;
  bool Quiet = false;
};
} // namespace

namespace lidia {

static constexpr CommandInfo Info = {
    "verify",
    "[options] <archive>",
    "Checks that an archive makes sense: that its ranges are sorted and "
    "nested, "
    "and that\neverything it refers to is there.",
    "",
    OPT_INPUT,
    OPT_UNKNOWN,
    OPT_help,
    OPT_version};

static Request readRequest(CommandLine &Line) {
  const opt::InputArgList &Args = Line.args();
  Request R;
  R.CheckCRC = Args.hasArg(OPT_crc);
  R.Quiet = Args.hasArg(OPT_quiet);
  R.Binary = Args.getLastArgValue(OPT_against_EQ).str();
  readSourceOptions(Line, LIDIA_SOURCE_OPTIONS, R.Remake);
  std::vector<std::string> Operands = Line.operands();
  if (Operands.size() == 1)
    R.Archive = Operands.front();
  else
    Line.fail(Operands.empty()
                  ? "no archive given (see llvm-lidia verify --help)"
                  : "more than one archive given");
  return R;
}

/// Prints \p T as one error: "3 ranges that ...: range 7 at 0x1230, ...".
static void report(const Archive &A, const Trouble &T) {
  std::string Instances;
  for (const std::string &First : T.First)
    Instances += (Instances.empty() ? ": " : ", ") + First;
  if (T.Count > T.First.size() && !T.First.empty())
    Instances += ", ...";
  reportError("'" + A.name() + "': " + Twine(T.Count) + " " + T.What +
              Instances);
}

static Error verifyAll(const Request &R) {
  Expected<Archive> A = Archive::open(R.Archive);
  if (!A)
    return A.takeError();
  // A damaged archive is worth both answers: that it is, and what it did.
  Error Damage = R.CheckCRC ? A->verifyChecksums() : Error::success();
  Error Found = verify(*A, [&](const Trouble &T) { report(*A, T); });
  if (Error E = joinErrors(std::move(Damage), std::move(Found)))
    return E;
  if (!R.Binary.empty()) {
    Progress Observer(/*Quiet=*/R.Quiet);
    if (Error E = compareWithBinary(*A, R.Binary, R.Remake, Observer))
      return E;
  }
  if (!R.Quiet)
    outs() << R.Archive << ": " << A->rangeCount() << " ranges, "
           << A->rowCount() << " rows, no trouble found\n";
  return Error::success();
}

int verifyCommand(Arguments Args) {
  CommandOptTable Table;
  CommandLine Line(Table, Info, Args);
  if (Line.exitStatus())
    return *Line.exitStatus();
  Request R = readRequest(Line);
  if (Line.exitStatus())
    return *Line.exitStatus();
  if (Error E = verifyAll(R)) {
    reportError(std::move(E));
    return 1;
  }
  return finishOutput(0);
}

} // namespace lidia
