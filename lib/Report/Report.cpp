//===- Report.cpp - Reports of any kind of input --------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Selects the reader for an input, and writes the object around its result:
//
//   {"kind": "log", "title": ..., "addresses": N, "with_lines": N,
//    "with_names": N, "known": N, "missing": [{"name", "build_id", "reason"}],
//    "warnings": [...], "sources": {FILE: URL}, FIELD}
//
// where FIELD is "text" for a log, "stacks" for a dump (as printed by
// `llvm-lidia stack --format=llvm-json`), and for a profile "profile" (as in
// `llvm-lidia profile -o x.json`) or, for the page, "page". "sources" has the
// files of a log or a dump that have a URL, with "{line}" in it for the number.
// A dossier has other members (Dossier.cpp).
//
//===----------------------------------------------------------------------===//

#include "Dossier.h"
#include "lidia/Error.h"
#include "lidia/Object/FileKind.h"
#include "lidia/Profile/ProfileFile.h"
#include "lidia/Report/Page.h"
#include "lidia/Report/Tombstone.h"
#include "lidia/Symbolize/PrintableText.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/Magic.h"
#include "llvm/Support/JSON.h"

using namespace llvm;

namespace lidia {

//===----------------------------------------------------------------------===//
// Kinds
//===----------------------------------------------------------------------===//

StringRef nameOf(ReportKind Kind) {
  switch (Kind) {
  case ReportKind::Log:
    return "log";
  case ReportKind::Profile:
    return "profile";
  case ReportKind::Minidump:
    return "minidump";
  case ReportKind::Core:
    return "core";
  case ReportKind::Unknown:
    return "unknown";
  }
  llvm_unreachable("no other kind");
}

static bool isText(StringRef Bytes) {
  constexpr size_t Start = 4096;
  return !Bytes.empty() && !Bytes.take_front(Start).contains('\0');
}

ReportKind recogniseReport(StringRef Bytes) {
  file_magic Dump = identify_magic(Bytes.take_front(FileKindBytes));
  if (Dump == file_magic::minidump)
    return ReportKind::Minidump;
  if (Dump == file_magic::elf_core)
    return ReportKind::Core;
  FileKind Kind = fileKind(Bytes);
  // Some files of other tools are text, too, possibly JSON.
  bool MayBeLog = isText(Bytes) && !isCompressed(Kind);
  if (!MayBeLog && Kind != FileKind::Gzip && Kind != FileKind::Unknown)
    return ReportKind::Unknown;
  if (isTombstone(Bytes))
    return ReportKind::Log;
  if (recogniseProfile(Bytes))
    return ReportKind::Profile;
  return MayBeLog ? ReportKind::Log : ReportKind::Unknown;
}

//===----------------------------------------------------------------------===//
// The object
//===----------------------------------------------------------------------===//

void BoundedStream::write_impl(const char *Data, size_t Size) {
  size_t Room = size_t(std::min<uint64_t>(Max - To.size(), Size));
  To.append(Data, Room);
  HasDropped |= Room != Size;
}

Error BoundedStream::finish() {
  flush();
  if (!HasDropped)
    return Error::success();
  return make_error<LimitError>("", "the report would have more than " +
                                        Twine(Max) +
                                        " bytes: pass a part of the input");
}

/// Why a module, which could only be in a store, is missing.
static Miss storeReason(const MissingModule &M) {
  return {MissCode::NoFile, M.BuildID.empty()
                                ? "the input does not contain its build ID"
                                : "the store has no archive of this build ID"};
}

static void writeMissing(json::OStream &J, const MissingModule &M) {
  J.object([&] {
    if (!M.Name.empty())
      J.attribute("name", json::fixUTF8(M.Name));
    if (!M.BuildID.empty())
      J.attribute("build_id", toHex(M.BuildID, /*LowerCase=*/true));
    J.attribute("reason", json::fixUTF8(M.Reason.Text));
    J.attribute("miss", toString(M.Reason.Code));
  });
}

static void writeSources(const Report &R, const SourceURLs &Sources,
                         json::OStream &J) {
  std::vector<StringRef> Files(R.Files.keys().begin(), R.Files.keys().end());
  llvm::sort(Files);
  J.attributeObject("sources", [&] {
    for (StringRef File : Files)
      if (std::string URL = Sources.urlOfFile(File); !URL.empty())
        J.attribute(File, URL);
  });
}

static void writeObject(const Report &R, const ReportOptions &O,
                        raw_ostream &OS) {
  JSONEscaper Escaper(OS);
  json::OStream J(Escaper);
  J.object([&] {
    J.attribute("kind", nameOf(R.Kind));
    if (!R.Format.empty())
      J.attribute("format", R.Format);
    if (!O.Title.empty())
      J.attribute("title", json::fixUTF8(O.Title));
    J.attribute("addresses", int64_t(R.Addresses));
    J.attribute("with_lines", int64_t(R.WithLines));
    J.attribute("with_names", int64_t(R.WithNames));
    if (R.Known)
      J.attribute("known", int64_t(R.Known));
    J.attributeArray("missing", [&] {
      for (const MissingModule &M : R.Missing)
        writeMissing(J, M);
    });
    J.attributeArray("warnings", [&] {
      for (const std::string &Text : R.Warnings)
        J.value(json::fixUTF8(Text));
    });
    if (!R.Files.empty())
      writeSources(R, O.Sources, J);
    J.attributeBegin(R.Field);
    J.rawValue(R.Value);
    J.attributeEnd();
  });
  Escaper << '\n';
}

//===----------------------------------------------------------------------===//
// The report
//===----------------------------------------------------------------------===//

static Error fill(ReportInput &In, Report &R, std::string *Text) {
  switch (R.Kind) {
  case ReportKind::Log:
    return reportLog(In, R, Text);
  case ReportKind::Profile:
    return reportProfile(In, R, Text);
  case ReportKind::Minidump:
  case ReportKind::Core:
    return reportDump(In, R, Text);
  case ReportKind::Unknown:
    return make_error<UnsupportedError>(
        In.Options.Title, "not a text file, tombstone, profile (of pprof, "
                          "OpenTelemetry or perf), minidump or core");
  }
  llvm_unreachable("no other kind");
}

Error writeReport(std::unique_ptr<MemoryBuffer> Input, const ReportOptions &O,
                  ModuleResolver &Modules, WarningFunction Warn,
                  raw_ostream &OS) {
  Report R;
  R.Kind = recogniseReport(Input->getBuffer());
  auto Note = [&](const Twine &Message) {
    constexpr size_t Max = 100;
    if (R.Warnings.size() < Max)
      R.Warnings.push_back(Message.str());
    Warn(Message);
  };
  if (isTombstone(Input->getBuffer()))
    Input = MemoryBuffer::getMemBufferCopy(tombstoneText(Input->getBuffer()));
  ReportInput In = {std::move(Input), O, Modules, Note};
  std::string Text;
  bool IsText =
      O.Form == ReportForm::Text || O.Form == ReportForm::Markdown ||
      (O.Form == ReportForm::FlameGraph && R.Kind == ReportKind::Profile);
  if (Error E = fill(In, R, IsText ? &Text : nullptr))
    return E;
  if (O.IsStoreOnly)
    for (MissingModule &M : R.Missing)
      M.Reason = storeReason(M);
  if (O.Form == ReportForm::Markdown) {
    writeMarkdown(R, Text, O, OS);
    return Error::success();
  }
  if (O.Form == ReportForm::DossierJSON) {
    writeDossierJSON(R, O, OS);
    return Error::success();
  }
  if (IsText) {
    OS << Text;
    return Error::success();
  }
  if (O.Form == ReportForm::JSON || O.Form == ReportForm::PageData) {
    writeObject(R, O, OS);
    return Error::success();
  }
  std::string Object;
  raw_string_ostream Stream(Object);
  writeObject(R, O, Stream);
  writePage(Object, OS);
  return Error::success();
}

} // namespace lidia
