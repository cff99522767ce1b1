//===- GoSource.cpp - Ranges from Go's tables -----------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GoSource.h"
#include "Conversion.h"
#include "Go/ModuleData.h"
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
  Error findTable();
  bool take(uint64_t Address);
  void openInlineTrees();
  void buildTrees();
  void warn(const Twine &Message);

  const Binary &File;
  const CodeMap &Code;
  const GoSourceOptions &Options;
  StringPool &Strings;
  go::Image Memory;
  std::optional<go::FunctionTable> Table;
  std::optional<go::ModuleData> Module;
  std::optional<go::InlineTrees> Trees;
  UnitRanges Unit;
};

} // namespace

static go::Image loadImage(const Binary &File) {
  std::vector<go::Image::Part> Parts;
  for (const LoadedBytes &L : File.loadedBytes())
    Parts.push_back({L.Address, L.Bytes});
  std::vector<go::Image::Relocation> Relocations;
  for (const RelativePointer &R : File.relativePointers())
    Relocations.push_back({R.Address, R.Value});
  return go::Image(std::move(Parts), std::move(Relocations),
                   File.isLittleEndian() ? endianness::little : endianness::big,
                   File.identity().Class == ELF::ELFCLASS64 ? 8 : 4);
}

GoReader::GoReader(const Binary &File, const CodeMap &Code,
                   const GoSourceOptions &Options, StringPool &Strings)
    : File(File), Code(Code), Options(Options), Strings(Strings),
      Memory(loadImage(File)) {}

void GoReader::warn(const Twine &Message) {
  Unit.Warnings.push_back((File.path() + ": " + Message).str());
}

/// Uses the table at \p Address if it describes this program's code.
bool GoReader::take(uint64_t Address) {
  Expected<go::FunctionTable> T = go::FunctionTable::create(Memory, Address);
  if (!T) {
    consumeError(T.takeError());
    return false;
  }
  Module = go::findModuleData(*T);
  if (Module) {
    T->setTextStart(Module->TextStart);
    T->setTextSections(Module->TextSections);
  }
  Expected<std::optional<go::Function>> First = T->function(0);
  if (!First) {
    consumeError(First.takeError());
    return false;
  }
  if (!*First || !Code.contains((*First)->Entry))
    return false;
  Table = std::move(*T);
  return true;
}

/// The section has several names, and some tools remove it; but the table is
/// always there.
Error GoReader::findTable() {
  bool Named = false;
  for (const Section &S : File.sections())
    if (StringRef(S.Name).ends_with(".gopclntab") &&
        S.Type != ELF::SHT_NOBITS) {
      Named = true;
      if (take(S.Address))
        return Error::success();
    }
  go::FunctionTable::find(Memory,
                          [&](uint64_t Address) { return take(Address); });
  if (!Table && Named)
    return make_error<DamagedError>(File.path(),
                                    "Go's function table cannot be read");
  return Error::success();
}

void GoReader::openInlineTrees() {
  bool NeedsModule = Table->layout() >= go::Layout::Go118;
  if (NeedsModule && !Module)
    return warn("Go's module data were not found; inlined calls are left out");
  ArrayRef<uint64_t> DataStarts;
  if (Module)
    DataStarts = Module->DataStarts;
  if (Error E = go::InlineTrees::open(*Table, DataStarts).moveInto(Trees))
    warn(toString(std::move(E)));
}

void GoReader::buildTrees() {
  GoTreeBuilder Builder(*Table, Trees ? &*Trees : nullptr, Code, Options,
                        Strings, Unit.Functions);
  uint64_t Broken = 0;
  for (uint64_t I = 0; I < Table->size() && !Table->exhausted(); ++I) {
    Expected<std::optional<go::Function>> F = Table->function(I);
    if (!F) {
      consumeError(F.takeError());
      ++Broken;
    } else if (*F && !Builder.add(**F)) {
      ++Broken;
    }
  }
  if (Table->exhausted())
    warn("Go's tables refer to more than they hold; the rest is left out");
  if (Broken)
    warn(Twine(Broken) + " of " + Twine(Table->size()) +
         " functions in Go's table are broken");
}

Expected<std::optional<SourceRanges>> GoReader::run() {
  if (Error E = findTable())
    return E;
  if (!Table)
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
    C.warn(toString(Ranges.takeError()));
  else if (*Ranges)
    C.addSource(SourceKind::Go, File, std::move(**Ranges));
  C.endPhase("Go");
  return Error::success();
}

} // namespace lidia
