//===- MissingInformation.cpp - Reports what a conversion did not find ----===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Conversion.h"
#include "lidia/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace lidia {

/// Debug packages and servers are found by build ID.
static std::string advice(ArrayRef<uint8_t> BuildID, bool HasDebugFile) {
  std::string Of =
      BuildID.empty()
          ? ""
          : " (build ID " + toHex(BuildID, /*LowerCase=*/true) + ")";
  return "compile it with -g (Cargo: debug = true), install its debug symbols" +
         Of +
         (HasDebugFile
              ? ", name them with --debug-file=, or set DEBUGINFOD_URLS"
              : ", or find them by --debug-file-directory= or --debuginfod");
}

/// Whether a source other than the stubs of the PLT names any code.
static bool namesFunctions(ArrayRef<ConvertStatistics::Source> Sources) {
  StringRef PLT = sourceNames()[size_t(SourceKind::PLT)].Name;
  return any_of(Sources, [&](const ConvertStatistics::Source &S) {
    return S.BytesNamed != 0 && S.Name != PLT;
  });
}

std::string Conversion::whereDebugInformationIs() const {
  std::string Place = Files.withDebugInfo().whereDebugInformationIs();
  StringRef Rest = Place;
  if (!Options.HasDebugFileOption)
    Rest.consume_back(": name it with --debug-file=");
  return Rest.str();
}

Error Conversion::checkYield(const MergeResult &Merged) {
  const Binary &File = *Files.Main;
  auto Describe = [&](StringRef Missing) {
    std::string Place = whereDebugInformationIs();
    return (File.path() + ": has no " + Missing + ": " +
            (Place.empty() ? advice(File.buildID(), Options.HasDebugFileOption)
                           : Place))
        .str();
  };
  if (Options.Require != Requirement::Anything &&
      !namesFunctions(Statistics.Sources))
    return make_error<MissingInformationError>("", Describe("function names"));
  if (Merged.HasLines || !wantLines())
    return Error::success();
  if (Options.Require == Requirement::Lines)
    return make_error<MissingInformationError>("",
                                               Describe("line information"));
  // Users who exclude DWARF know this, and broken DWARF was already reported.
  bool IsUnknown = is_contained(Options.Sources, SourceKind::DWARF) &&
                   Statistics.Warnings == 0;
  if (Options.WarnWithoutLines && IsUnknown)
    warn(Describe("line information"));
  return Error::success();
}

} // namespace lidia
