//===- Statistics.cpp - The figures of a conversion -----------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Statistics.h"
#include "lidia/Symbolize/ArchiveText.h"
#include "lidia/Symbolize/PrintableText.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace lidia {

/// The parts of an archive in file order.
static SmallVector<std::pair<std::string, uint64_t>, 16>
parts(const ArchiveSizes &Sizes) {
  SmallVector<std::pair<std::string, uint64_t>, 16> Parts = {
      {"header", Sizes.Header},
      {"vas", Sizes.VAs},
      {"ranges", Sizes.Ranges},
      {"strings", Sizes.Strings},
      {"lines", Sizes.Lines}};
  for (auto [Tag, Size] : Sizes.Extension)
    Parts.emplace_back(tagName(Tag), Size);
  return Parts;
}

static void printFiles(raw_ostream &OS, const ConvertStatistics &S) {
  OS << "Found by             file\n";
  for (const ConvertStatistics::File &File : S.Files)
    OS << formatv("  {0,-18} {1}\n", File.FoundBy, escapeText(File.Path));
  OS << '\n';
}

static void printSources(raw_ostream &OS, const ConvertStatistics &S) {
  OS << "Sources              functions  inlined calls     bytes named  from\n";
  for (const ConvertStatistics::Source &Source : S.Sources)
    OS << formatv("  {0,-16} {1,11} {2,14} {3,15}  {4}\n", Source.Name,
                  Source.Functions, Source.InlinedCalls, Source.BytesNamed,
                  escapeText(Source.File));
  for (const std::string &File : S.OtherFiles)
    OS << "Also read: " << escapeText(File) << '\n';
  OS << "Compile units: " << S.CompileUnits
     << ", broken: " << S.BrokenCompileUnits << "; warnings: " << S.Warnings
     << "\n"
     << "Work: " << S.Work << " for " << S.WorkBase
     << " bytes of debug information; ranges merged again: " << S.RangesRepeated
     << "\n\n";
}

static void printSizes(raw_ostream &OS, const ArchiveSizes &Sizes) {
  OS << "Archive                    bytes\n";
  for (const auto &[Name, Size] : parts(Sizes))
    OS << formatv("  {0,-16} {1,13}", Name, Size)
       << llvm::format("  %5.1f%%\n",
                       Sizes.Total ? 100.0 * double(Size) / double(Sizes.Total)
                                   : 0.0);
  OS << formatv("  {0,-16} {1,13}\n", "total", Sizes.Total)
     << "Ranges: " << Sizes.RangeCount << "; rows: " << Sizes.RowCount << " of "
     << Sizes.RowsGiven << " given; strings: " << Sizes.StringCount << "\n\n";
}

static void printUnwind(raw_ostream &OS, const UnwindStatistics &U) {
  if (U.Functions.empty())
    return;
  OS << "Unwind rows          functions\n";
  for (const auto &[Section, Functions] : U.Functions)
    OS << formatv("  {0,-16} {1,11}\n", Section, Functions);
  OS << "Rows: " << U.Rows << "; rules: " << U.Rules
     << "; functions left out: " << U.Broken << " broken, " << U.Outside
     << " outside of the code, " << U.Repeated << " twice\n\n";
}

static void printPhases(raw_ostream &OS, const ConvertStatistics &S) {
  OS << "Phase                    seconds\n";
  double Total = 0;
  for (const ConvertStatistics::Phase &Phase : S.Phases) {
    OS << formatv("  {0,-18} {1,11:f3}\n", Phase.Name, Phase.Seconds);
    Total += Phase.Seconds;
  }
  OS << formatv("  {0,-18} {1,11:f3}\n", "total", Total);
}

void printStatistics(raw_ostream &OS, const ConvertStatistics &S) {
  printFiles(OS, S);
  printSources(OS, S);
  printSizes(OS, S.Sizes);
  printUnwind(OS, S.Unwind);
  printPhases(OS, S);
}

static void writeFiles(json::OStream &J, const ConvertStatistics &S) {
  J.attributeArray("files", [&] {
    for (const ConvertStatistics::File &File : S.Files)
      J.object([&] {
        J.attribute("path", json::fixUTF8(File.Path));
        J.attribute("foundBy", File.FoundBy);
      });
  });
}

static void writeSources(json::OStream &J, const ConvertStatistics &S) {
  J.attributeArray("sources", [&] {
    for (const ConvertStatistics::Source &Source : S.Sources)
      J.object([&] {
        J.attribute("name", Source.Name);
        J.attribute("file", json::fixUTF8(Source.File));
        J.attribute("functions", Source.Functions);
        J.attribute("inlinedCalls", Source.InlinedCalls);
        J.attribute("bytesNamed", Source.BytesNamed);
      });
  });
  J.attributeArray("otherFiles", [&] {
    for (const std::string &File : S.OtherFiles)
      J.value(json::fixUTF8(File));
  });
  J.attribute("compileUnits", S.CompileUnits);
  J.attribute("brokenCompileUnits", S.BrokenCompileUnits);
  J.attribute("warnings", S.Warnings);
  J.attribute("work", S.Work);
  J.attribute("workBase", S.WorkBase);
  J.attribute("rangesMergedAgain", S.RangesRepeated);
}

static void writeUnwind(json::OStream &J, const UnwindStatistics &U) {
  J.attributeObject("unwind", [&] {
    J.attributeObject("functions", [&] {
      for (const auto &[Section, Functions] : U.Functions)
        J.attribute(Section, Functions);
    });
    J.attribute("rows", U.Rows);
    J.attribute("rules", U.Rules);
    J.attribute("broken", U.Broken);
    J.attribute("outsideCode", U.Outside);
    J.attribute("repeated", U.Repeated);
  });
}

static void writeSizes(json::OStream &J, const ArchiveSizes &Sizes) {
  J.attributeObject("sizes", [&] {
    for (const auto &[Name, Size] : parts(Sizes))
      J.attribute(Name, Size);
    J.attribute("total", Sizes.Total);
  });
  J.attribute("ranges", Sizes.RangeCount);
  J.attribute("rows", Sizes.RowCount);
  J.attribute("rowsGiven", Sizes.RowsGiven);
  J.attribute("strings", Sizes.StringCount);
}

void printStatisticsAsJSON(raw_ostream &OS, const ConvertStatistics &S) {
  JSONEscaper Escaped(OS);
  json::OStream J(Escaped, /*IndentSize=*/2);
  J.object([&] {
    writeFiles(J, S);
    writeSources(J, S);
    writeSizes(J, S.Sizes);
    writeUnwind(J, S.Unwind);
    J.attributeObject("seconds", [&] {
      for (const ConvertStatistics::Phase &Phase : S.Phases)
        J.attribute(Phase.Name, Phase.Seconds);
    });
  });
  J.flush();
  Escaped << '\n';
}

} // namespace lidia
