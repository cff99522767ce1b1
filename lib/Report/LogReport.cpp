//===- LogReport.cpp - The report of a log --------------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Blame.h"
#include "Dossier.h"
#include "lidia/Log/LogFilter.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;

namespace lidia {

/// Passes \p Lines through \p Filter in pieces, until \p OS is full.
static void filterLines(StringRef Lines, LogFilter &Filter, BoundedStream &OS) {
  constexpr size_t PartSize = 64 * 1024;
  while (!Lines.empty() && !OS.isFull()) {
    size_t End = Lines.find('\n', std::min(PartSize, Lines.size()) - 1);
    StringRef Part =
        Lines.take_front(End == StringRef::npos ? Lines.size() : End + 1);
    Filter.writeLines(Part);
    Lines = Lines.drop_front(Part.size());
  }
}

namespace {

/// Notes the function to look at first, and the lines of source around the
/// first frames.
class LogFacts {
public:
  LogFacts(const ReportOptions &O, DossierFacts &To) : O(O), To(To) {}

  void add(const LogAddress &A, ArrayRef<FrameView> Frames);

private:
  const ReportOptions &O;
  DossierFacts &To;
  /// The number of frames whose source was looked for.
  unsigned Tried = 0;
};

} // namespace

void LogFacts::add(const LogAddress &A, ArrayRef<FrameView> Frames) {
  constexpr unsigned MostTried = 8;
  for (const FrameView &F : Frames) {
    if (Tried == MostTried || F.Function.empty() || F.Line == 0 ||
        isMachinery(F.Function, A.Module))
      continue;
    ++Tried;
    if (To.Causes.empty())
      To.Causes.push_back("in " + describeFrame(F));
    if (!O.AddSource)
      continue;
    SymbolizedFrame Its;
    Its.Function = F.Function.str();
    Its.File = F.File.str();
    Its.Line = F.Line;
    Its.From = std::make_shared<SymbolizedFrame::SourceOrigin>(
        SymbolizedFrame::SourceOrigin{Its.File, nullptr});
    O.AddSource(Its, A.BuildID);
    addExcerpt(Its, To.Source);
  }
}

Error reportLog(ReportInput &In, Report &R, std::string *Text) {
  const ReportOptions &O = In.Options;
  SymbolizerOptions Symbolizer;
  Symbolizer.Rust = OlderRust::Plain;
  Symbolizer.Text = Text ? TextForm::Printable : TextForm::UTF8;
  // Only text needs warnings: other forms list missing modules.
  LogModules Modules(In.Modules, Symbolizer, [&](const Twine &Message) {
    if (Text)
      In.Warn(Message);
  });
  for (const auto &Named : O.NamedModules)
    Modules.assume(Named.getKey(), Named.getValue());
  std::string Written;
  BoundedStream OS(Written, O.MaxSize);
  LogFilterOptions FilterOptions;
  FilterOptions.Files = O.Sources.isEmpty() ? nullptr : &R.Files;
  LogFacts Facts(O, R.Facts);
  StringRef Lines = In.Bytes->getBuffer();
  // What came before the failure is not its cause.
  StringRef Failure = isDossier(O.Form) ? fromFailure(Lines) : StringRef();
  bool HasFailed = false;
  if (!Failure.empty())
    FilterOptions.Answered = [&](const LogAddress &A,
                                 ArrayRef<FrameView> Frames) {
      if (HasFailed)
        Facts.add(A, Frames);
    };
  LogFilter Filter(OS, Modules, FilterOptions);
  filterLines(Lines.drop_back(Failure.size()), Filter, OS);
  HasFailed = true;
  filterLines(Failure, Filter, OS);
  if (Error E = OS.finish())
    return E;
  const LogFilterStatistics &Statistics = Filter.statistics();
  R.Addresses = Statistics.Addresses;
  R.WithLines = Statistics.WithLines;
  R.WithNames = Statistics.WithNames;
  if (O.Answers)
    *O.Answers = Statistics.Answers;
  R.Missing = Modules.missing();
  if (Text) {
    *Text = std::move(Written);
    return Error::success();
  }
  R.Field = "text";
  raw_string_ostream(R.Value) << json::Value(json::fixUTF8(Written));
  return Error::success();
}

} // namespace lidia
