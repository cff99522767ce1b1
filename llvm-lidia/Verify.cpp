//===- Verify.cpp - llvm-lidia verify: checks an archive ------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Archive/Verify.h"
#include "Against.h"
#include "BinaryInput.h"
#include "Options.h"
#include "Progress.h"
#include "SourceOptions.h"
#include "TransformOptions.h"
#include "lidia/Archive/Quality.h"
#include "lidia/Store/OpenArchive.h"
#include "lidia/Symbolize/ArchiveSearch.h"
#include "lidia/Symbolize/PrintableText.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
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
  /// Fail if it has no checksums.
  bool NeedsCRC = false;
  /// If not empty, only the checksums that it selects are checked.
  lidia::OpenOptions Open;
  bool Quality = false;
  bool JSON = false;
  bool Quiet = false;
};
} // namespace

namespace lidia {

static VerifyRequest readVerifyRequest(CommandLine &Line) {
  const opt::InputArgList &Args = Line.args();
  VerifyRequest R;
  R.NeedsCRC = Args.hasArg(OPT_crc);
  R.Open = readOpenOptions(Line);
  for (unsigned ID : {OPT_crc, OPT_against_EQ})
    if (Args.hasArg(OPT_check_EQ) && Args.hasArg(ID))
      Line.fail("--check= conflicts with " +
                Args.getLastArg(ID)->getSpelling());
  R.Quality = Args.hasArg(OPT_quality);
  R.JSON = Args.hasArg(OPT_format_EQ);
  if (R.JSON && Args.getLastArgValue(OPT_format_EQ) != "json")
    Line.fail("--format=: expected json, but got '" +
              Args.getLastArgValue(OPT_format_EQ) + "'");
  if (R.JSON && !R.Quality)
    Line.fail("--format= needs --quality");
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
  reportError("'" + A.name() + "': " + Twine(I.Count) + " " + I.Clause +
              Instances);
}

static void printQuality(StringRef Name, const ArchiveQuality &Q) {
  auto Share = [&](uint64_t Bytes) {
    return formatv("{0:F1} %",
                   Q.Code ? 100.0 * double(Bytes) / double(Q.Code) : 0)
        .str();
  };
  auto Print = [&](StringRef Label, uint64_t Bytes) {
    outs() << formatv("  {0,-24} {1,7}\n", Label, Share(Bytes));
  };
  outs() << escapeText(Name) << ": " << Q.Code << " bytes of code\n";
  Print("with a name", Q.Named);
  for (unsigned I = 1; I != Q.ByOrigin.size(); ++I)
    if (Q.ByOrigin[I])
      Print("  from " + toString(NameOrigin(I)).str(), Q.ByOrigin[I]);
  if (Q.Doubted)
    Print("  that is doubted", Q.Doubted);
  Print("with unwind rows only", Q.Unnamed);
  Print("with lines", Q.WithLines);
  Print("inlined", Q.Inlined);
  Print("with unwind rows", Q.WithUnwindRows);
  if (Q.LeftOut == MissCode::Damaged)
    outs() << "  parts of its input were damaged and are left out\n";
  else if (Q.LeftOut == MissCode::Limit)
    outs() << "  parts of its input are left out because of a limit\n";
}

static void printJSON(StringRef Name, const ArchiveQuality &Q) {
  json::OStream J(outs());
  J.object([&] {
    J.attribute("archive", json::fixUTF8(Name));
    writeQuality(Q, J);
  });
  outs() << '\n';
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
  Expected<Archive> A = openGivenArchive(R.Archive);
  if (!A)
    return A.takeError();
  // For a damaged archive, report both the damage and its effects.
  Error Damage =
      R.NeedsCRC || A->hasChecksums() ? A->verifyChecksums() : Error::success();
  Error Found = verify(*A, [&](const Issue &I) { report(*A, I); });
  if (Error E = joinErrors(std::move(Damage), std::move(Found)))
    return E;
  if (!R.Binary.empty()) {
    Progress Observer(/*Quiet=*/R.Quiet);
    if (Error E = compareWithBinary(*A, R.Binary, R.Remake, Observer))
      return E;
  }
  if (R.JSON)
    printJSON(R.Archive, qualityOf(*A));
  else if (!R.Quiet)
    outs() << escapeText(R.Archive) << ": " << A->rangeCount() << " ranges, "
           << A->rowCount() << " rows, no errors found\n";
  if (R.Quality && !R.JSON)
    printQuality(R.Archive, qualityOf(*A));
  return Error::success();
}

Error runVerify(CommandLine &Line) {
  VerifyRequest R = readVerifyRequest(Line);
  if (Error E = Line.takeErrors())
    return E;
  return R.Open.Verify.empty() ? verifyAll(R) : verifySome(R);
}

} // namespace lidia
