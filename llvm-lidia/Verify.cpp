//===- Verify.cpp - llvm-lidia verify: checks an archive ------------------===//
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
#include "TransformOptions.h"
#include "lidia/Store/OpenArchive.h"
#include "lidia/Symbolize/PrintableText.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace {
/// The parsed command line.
struct VerifyRequest {
  std::string Archive;
  /// Empty if there is no binary to compare with.
  std::string Binary;
  /// The options that an archive does not record.
  lidia::ConvertOptions Remake;
  bool CheckCRC = false;
  /// If not empty, only the checksums that it selects are checked.
  lidia::OpenOptions Open;
  bool Quiet = false;
};
} // namespace

namespace lidia {

static VerifyRequest readVerifyRequest(CommandLine &Line) {
  const opt::InputArgList &Args = Line.args();
  VerifyRequest R;
  R.CheckCRC = Args.hasArg(OPT_crc);
  R.Open = readOpenOptions(Line);
  for (unsigned ID : {OPT_crc, OPT_against_EQ})
    if (Args.hasArg(OPT_check_EQ) && Args.hasArg(ID))
      Line.fail("--check= conflicts with " +
                Args.getLastArg(ID)->getSpelling());
  R.Quiet = Args.hasArg(OPT_quiet);
  R.Binary = Args.getLastArgValue(OPT_against_EQ).str();
  readSourceOptions(Line, R.Remake);
  readTransformOptions(Line, R.Remake);
  R.Archive = Line.operand("archive");
  return R;
}

/// Prints \p I as one error: "3 ranges that ...: range 7 at 0x1230, ...".
static void report(const Archive &A, const Issue &I) {
  std::string Instances;
  for (const std::string &First : I.First)
    Instances += (Instances.empty() ? ": " : ", ") + First;
  if (I.Count > I.First.size() && !I.First.empty())
    Instances += ", ...";
  reportError("'" + A.name() + "': " + Twine(I.Count) + " " + I.What +
              Instances);
}

/// Verifies only the checksums that --check names.
static Error verifySome(const VerifyRequest &R) {
  Expected<Archive> A = openArchiveAt(R.Archive, R.Open);
  if (!A)
    return A.takeError();
  if (!R.Quiet)
    outs() << escapeText(R.Archive) << ": the checksums are right\n";
  return Error::success();
}

static Error verifyAll(const VerifyRequest &R) {
  Expected<Archive> A = openWholeArchiveAt(R.Archive);
  if (!A)
    return A.takeError();
  // For a damaged archive, report both the damage and its effects.
  Error Damage = R.CheckCRC ? A->verifyChecksums() : Error::success();
  Error Found = verify(*A, [&](const Issue &I) { report(*A, I); });
  if (Error E = joinErrors(std::move(Damage), std::move(Found)))
    return E;
  if (!R.Binary.empty()) {
    Progress Observer(/*Quiet=*/R.Quiet);
    if (Error E = compareWithBinary(*A, R.Binary, R.Remake, Observer))
      return E;
  }
  if (!R.Quiet)
    outs() << escapeText(R.Archive) << ": " << A->rangeCount() << " ranges, "
           << A->rowCount() << " rows, no errors found\n";
  return Error::success();
}

Error runVerify(CommandLine &Line) {
  VerifyRequest R = readVerifyRequest(Line);
  if (Error E = Line.takeErrors())
    return E;
  return R.Open.Verify.empty() ? verifyAll(R) : verifySome(R);
}

} // namespace lidia
