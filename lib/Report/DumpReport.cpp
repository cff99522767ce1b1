//===- DumpReport.cpp - The report of a core or a minidump ----------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Dossier.h"
#include "lidia/Minidump/MinidumpSpace.h"
#include "lidia/Process/CoreFile.h"
#include "lidia/Stack/ThreadStacks.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;

namespace lidia {

namespace {
/// A file in memory.
class BufferBytes final : public ByteReader {
public:
  explicit BufferBytes(StringRef Bytes) : Bytes(Bytes) {}

  size_t read(uint64_t Offset, MutableArrayRef<uint8_t> To) const override {
    StringRef Found = Bytes.substr(Offset, To.size());
    std::copy(Found.bytes_begin(), Found.bytes_end(), To.begin());
    return Found.size();
  }

private:
  const StringRef Bytes;
};
} // namespace

static Expected<std::unique_ptr<AddressSpace>> openSpace(ReportInput &In,
                                                         ReportKind Kind) {
  StringRef Bytes = In.Bytes->getBuffer();
  StringRef Name = In.Bytes->getBufferIdentifier();
  if (Kind == ReportKind::Minidump) {
    Expected<std::unique_ptr<OpenedFile>> File =
        OpenedFile::ofImage(arrayRefFromStringRef(Bytes), Name);
    if (!File)
      return File.takeError();
    return MinidumpSpace::read(std::move(*File), Name, In.Modules, In.Warn);
  }
  CoreOptions O;
  O.Files = &In.Modules.files();
  return CoreFile::ofBytes(std::make_unique<BufferBytes>(Bytes), Bytes.size(),
                           Name, std::move(O), In.Warn);
}

Error reportDump(ReportInput &In, Report &R, std::string *Text) {
  Expected<std::unique_ptr<AddressSpace>> Space = openSpace(In, R.Kind);
  if (!Space)
    return Space.takeError();
  ProcessSymbolizerOptions Symbolizer;
  Symbolizer.Symbolizer.Rust = OlderRust::Plain;
  Symbolizer.Symbolizer.Text = Text ? TextForm::Printable : TextForm::UTF8;
  ProcessSymbolizer S(std::move(*Space), In.Modules, std::move(Symbolizer));
  UnwindOptions Unwind;
  Unwind.MaxFrames = 1024;
  Unwind.TailCalls = In.Options.TailCalls;
  Unwind.Scan = R.Kind == ReportKind::Minidump;
  ThreadUnwinder Threads(Unwind, S.space(), In.Modules);
  // Any number of threads may have the same stack, but a frame needs a return
  // address in it.
  Threads.limit(In.Bytes->getBufferSize() / sizeof(uint32_t));
  std::string Written;
  BoundedStream OS(Written, In.Options.MaxSize);
  StackPrintOptions Print;
  // More would not fit in.
  constexpr size_t MaxStacks = 32;
  bool IsDossier = isDossier(In.Options.Form);
  if (IsDossier)
    Print.MaxGroups = MaxStacks;
  if (!Text)
    Print.JSON = IsDossier ? JSONSchema::Own : JSONSchema::LLVM;
  Print.BuildIDs = !IsDossier;
  Print.Source = R.Kind == ReportKind::Core ? "the core" : "the minidump";
  Print.Group = true;
  Print.Files = In.Options.Sources.isEmpty() ? nullptr : &R.Files;
  StackPrinter Printer(OS, Print, S, S.space().machine(), In.Warn);
  Expected<ThreadVisitStatistics> Statistics =
      printThreadStacks(Printer, S, Threads, {}, In.Warn);
  if (!Statistics)
    return Statistics.takeError();
  if (Error E = OS.finish())
    return E;
  R.Addresses = Printer.frames();
  R.WithLines = Printer.framesWithLines();
  R.WithNames = Printer.framesWithNames();
  if (In.Options.Answers)
    *In.Options.Answers = Printer.answers();
  R.Missing = Printer.missing();
  if (IsDossier) {
    R.Facts = factsOfDump(In, S, Printer.groups(), R.Kind, /*IsJSON=*/!Text);
    append_range(R.Missing, R.Facts.Incomplete);
  }
  R.Field = "stacks";
  (Text ? *Text : R.Value) = std::move(Written);
  return Error::success();
}

} // namespace lidia
