//===- ProfileJSON.cpp - Profiles in JSON ---------------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MergedSamples.h"
#include "ProfileFormats.h"
#include "lidia/Profile/ProfilePrinters.h"
#include "lidia/Symbolize/PrintableText.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"

using namespace llvm;

namespace lidia {

namespace {
class JSONPrinter {
public:
  JSONPrinter(const Profile &P, const SourceURLs &Sources, raw_ostream &OS)
      : P(P), Sources(Sources), J(OS) {}

  void print();

private:
  std::string text(Profile::StringID ID) const {
    return json::fixUTF8(P.Strings[ID]);
  }
  void printType(const Profile::ValueType &T);
  void printSample(const MergedSample &M);
  void printLabel(const Profile::Label &L);
  void printFrame(const Profile::Location &L, const Profile::Line *Line,
                  bool IsInlined);

  const Profile &P;
  const SourceURLs &Sources;
  json::OStream J;
};
} // namespace

void JSONPrinter::printType(const Profile::ValueType &T) {
  J.object([&] {
    J.attribute("type", text(T.Type));
    J.attribute("unit", text(T.Unit));
  });
}

void JSONPrinter::printLabel(const Profile::Label &L) {
  J.object([&] {
    J.attribute("key", text(L.Key));
    if (L.Text != 0)
      J.attribute("text", text(L.Text));
    else
      J.attribute("number", L.Number);
    if (L.Unit != 0)
      J.attribute("unit", text(L.Unit));
  });
}

void JSONPrinter::printFrame(const Profile::Location &L,
                             const Profile::Line *Line, bool IsInlined) {
  J.object([&] {
    J.attribute("address", "0x" + utohexstr(L.Address, /*LowerCase=*/true));
    if (L.Mapping != Profile::None)
      J.attribute("module", text(P.Mappings[L.Mapping].File));
    if (!Line)
      return;
    if (Line->Function != Profile::None) {
      const Profile::Function &F = P.Functions[Line->Function];
      J.attribute("function", text(F.Name));
      if (F.File != 0)
        J.attribute("file", text(F.File));
      std::string URL =
          F.File ? Sources.url(P.Strings[F.File], Line->Number) : "";
      if (!URL.empty())
        J.attribute("url", URL);
    }
    if (Line->Number != 0)
      J.attribute("line", Line->Number);
    if (Line->Column != 0)
      J.attribute("column", Line->Column);
    if (IsInlined)
      J.attribute("inlined", true);
  });
}

void JSONPrinter::printSample(const MergedSample &M) {
  const Profile::Sample &S = P.Samples[M.First];
  J.object([&] {
    J.attributeArray("values", [&] {
      for (int64_t V : M.Values)
        J.value(V);
    });
    J.attributeArray("labels", [&] {
      for (const Profile::Label &L : P.labels(S))
        printLabel(L);
    });
    J.attributeArray("frames", [&] {
      for (uint32_t Index : P.stack(S)) {
        const Profile::Location &L = P.Locations[Index];
        if (L.LineCount == 0)
          printFrame(L, nullptr, false);
        ArrayRef<Profile::Line> Lines = P.lines(L);
        for (size_t I = 0; I != Lines.size(); ++I)
          printFrame(L, &Lines[I], I + 1 != Lines.size());
      }
    });
  });
}

void JSONPrinter::print() {
  J.object([&] {
    J.attributeArray("sampleTypes", [&] {
      for (const Profile::ValueType &T : P.SampleTypes)
        printType(T);
    });
    J.attributeArray("samples", [&] {
      for (const MergedSample &M : mergeSamples(P))
        printSample(M);
    });
  });
}

void printProfileJSON(const Profile &P, raw_ostream &OS,
                      const SourceURLs &Sources) {
  JSONEscaper Escaped(OS);
  JSONPrinter(P, Sources, Escaped).print();
  Escaped << '\n';
}

void writeJSON(const ProfileFile &File, raw_ostream &OS, WarningFunction) {
  printProfileJSON(File.profile(), OS, File.Sources);
}

} // namespace lidia
