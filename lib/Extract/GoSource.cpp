//===- GoSource.cpp - Ranges from Go's tables -----------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GoSource.h"
#include "Conversion.h"
#include "GoTables.h"
#include "GoTreeBuilder.h"
#include "lidia/Error.h"
#include "llvm/BinaryFormat/ELF.h"

using namespace llvm;

namespace lidia {

namespace {

/// Reads the tables of one program, with a method for each step.
class GoReader {
public:
  GoReader(const Binary &File, const CodeMap &Code,
           const GoSourceOptions &Options, StringPool &Strings);

  Expected<std::optional<SourceRanges>> run();

private:
  void openInlineTrees();
  void buildTrees();
  void warn(const Twine &Message);

  const Binary &File;
  const CodeMap &Code;
  const GoSourceOptions &Options;
  StringPool &Strings;
  std::unique_ptr<GoTables> Tables;
  std::optional<go::InlineTrees> Trees;
  UnitRanges Unit;
};

} // namespace

GoReader::GoReader(const Binary &File, const CodeMap &Code,
                   const GoSourceOptions &Options, StringPool &Strings)
    : File(File), Code(Code), Options(Options), Strings(Strings) {}

void GoReader::warn(const Twine &Message) {
  Unit.Warnings.push_back((File.path() + ": " + Message).str());
}

void GoReader::openInlineTrees() {
  const go::FunctionTable &Table = Tables->functions();
  const go::ModuleData *Module = Tables->module();
  bool NeedsModule = Table.layout() >= go::Layout::Go118;
  if (NeedsModule && !Module)
    return warn("Go's module data were not found; inlined calls are left out");
  ArrayRef<uint64_t> DataStarts;
  if (Module)
    DataStarts = Module->DataStarts;
  if (Error E = go::InlineTrees::open(Table, DataStarts).moveInto(Trees))
    warn(toString(std::move(E)));
}

void GoReader::buildTrees() {
  const go::FunctionTable &Table = Tables->functions();
  GoTreeBuilder Builder(Table, Trees ? &*Trees : nullptr, Code, Options,
                        Strings, Unit.Functions);
  uint64_t Broken = 0;
  for (uint64_t I = 0; I < Table.size() && !Table.exhausted(); ++I) {
    Expected<std::optional<go::Function>> F = Table.function(I);
    if (!F) {
      consumeError(F.takeError());
      ++Broken;
    } else if (*F && !Builder.add(**F)) {
      ++Broken;
    }
  }
  if (Table.exhausted())
    warn("Go's tables refer to more than they hold; the rest is left out");
  if (Broken)
    warn(Twine(Broken) + " of " + Twine(Table.size()) +
         " functions in Go's table are broken");
}

Expected<std::optional<SourceRanges>> GoReader::run() {
  if (Error E = GoTables::open(File, Code, /*Search=*/true).moveInto(Tables))
    return E;
  if (!Tables)
    return std::nullopt;
  openInlineTrees();
  buildTrees();
  SourceRanges Result;
  Result.Units.push_back(std::move(Unit));
  return Result;
}

Expected<std::optional<SourceRanges>> readGo(const Binary &File,
                                             const CodeMap &Code,
                                             const GoSourceOptions &Options,
                                             StringPool &Strings) {
  return GoReader(File, Code, Options, Strings).run();
}

/// Go's tables are part of the program, so the binary has them even if its
/// debug information is elsewhere.
Error readGoSource(Conversion &C) {
  const Binary &File = *C.Files.Main;
  GoSourceOptions O;
  O.Lines = C.wantLines();
  O.Files = C.wantFiles();
  Expected<std::optional<SourceRanges>> Ranges =
      readGo(File, C.Files.code(), O, C.Strings);
  if (!Ranges)
    C.reportBroken(Ranges.takeError());
  else if (*Ranges)
    C.addSource(SourceKind::Go, File, std::move(**Ranges));
  C.endPhase("Go");
  return Error::success();
}

} // namespace lidia
