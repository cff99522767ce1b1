//===- NamesArchive.cpp - An archive of names, without files --------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Extract/NamesArchive.h"
#include "Conversion.h"
#include "ConvertBinary.h"
#include "Support/ReturnMemory.h"
#include "SymbolChoice.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace lidia {

namespace {
/// A file with a symbol table, and the table's names.
struct SymbolNames {
  std::unique_ptr<Binary> &File;
  StringRef Text;
};
} // namespace

/// The inlined calls of Go programs are in the runtime's tables, and their
/// symbol table may be left out.
static bool isGo(const Binary &File) {
  return any_of(File.sections(), [](const Section &S) {
    return StringRef(S.Name).ends_with("gopclntab");
  });
}

/// The file of \p Files with a .symtab whose names can stay in it.
static std::optional<SymbolNames> findSymbols(InputFiles &Files) {
  if (isGo(*Files.Main))
    return std::nullopt;
  for (std::unique_ptr<Binary> *File : {&Files.Debug, &Files.Main}) {
    if (!*File || !(*File)->hasSymbolTable(SymbolTable::Symtab))
      continue;
    std::optional<StringRef> Text = (*File)->symbolNames(SymbolTable::Symtab);
    // The name at 0 is the empty one.
    if (!Text || !Text->starts_with(StringRef("\0", 1)))
      return std::nullopt;
    return SymbolNames{*File, *Text};
  }
  return std::nullopt;
}

/// Adds the functions that \p Names has to \p Writer, as readSymtabSource()
/// would. Returns whether there are any.
static Expected<bool> addFunctions(const SymbolNames &Names,
                                   const CodeMap &Code, ArchiveWriter &Writer) {
  SymbolLists<CodeSymbol> Lists;
  bool HasLocals = false;
  if (Error E = Names.File->forEachCodeSymbol(
          SymbolTable::Symtab, [&](const CodeSymbol &S) {
            if (!Code.contains(S.Address))
              return;
            HasLocals |= S.Binding == ELF::STB_LOCAL;
            Lists[S.Kind].push_back(S);
          }))
    return E;
  keepPreferred(Lists, [&](const CodeSymbol &S) {
    return StringRef(Names.Text.data() + S.Name);
  });
  std::vector<const CodeSymbol *> Symbols;
  std::vector<Interval> Intervals = codeOf(Lists, Code, Symbols);
  for (const Interval &I : Intervals) {
    const CodeSymbol &S = *Symbols[I.Item];
    ArchiveRange R;
    R.Start = I.Start;
    R.Length = I.End - I.Start;
    R.Function = S.Name;
    if (I.Start != S.Address)
      R.Entry = S.Address;
    R.Origin =
        S.Size || HasLocals ? NameOrigin::Symtab : NameOrigin::SymtabSizeless;
    if (Error E = Writer.addRange(R))
      return E;
  }
  return !Intervals.empty();
}

static Expected<std::unique_ptr<MemoryBuffer>> bytesOf(ArchiveWriter &Writer,
                                                       StringRef Name) {
  SmallString<0> Bytes;
  raw_svector_ostream OS(Bytes);
  if (Error E = Writer.write(OS).takeError())
    return E;
  return std::make_unique<SmallVectorMemoryBuffer>(
      std::move(Bytes), Name, /*RequiresNullTerminator=*/false);
}

/// None if the symbols of \p C's files have to be read as a whole.
static Expected<std::optional<Archive>> openSymbols(Conversion &C) {
  std::optional<SymbolNames> Names = findSymbols(C.Files);
  if (!Names)
    return std::nullopt;
  ArchiveWriter Writer(C.Options.Archive);
  setInfo(C, Writer);
  if (Error E = addPlaces(C, Writer))
    return E;
  Expected<bool> Any = addFunctions(*Names, C.Files.code(), Writer);
  if (!Any)
    return Any.takeError();
  if (!*Any)
    return std::nullopt;
  // Only the names are read again, each when it is asked for.
  Names->File->release(Names->File->buffer().getBuffer());
  Expected<std::unique_ptr<MemoryBuffer>> Tables =
      bytesOf(Writer, C.Files.Main->path());
  if (!Tables)
    return Tables.takeError();
  return Archive::createWithNames(std::move(*Tables), Names->Text,
                                  std::move(Names->File));
}

static ConvertOptions namesOptions(const ConvertOptions &Options) {
  ConvertOptions O = Options;
  O.NamesOnly = true;
  O.Lines = O.Files = O.UnwindRows = O.EmbeddedSources = O.Variables = false;
  O.Archive = ArchiveWriterOptions();
  O.Archive.Statements = false;
  O.WarnWithoutLines = false;
  O.Require = Requirement::Anything;
  O.FindReturnPads = nullptr;
  erase(O.Sources, SourceKind::DWARF);
  return O;
}

Expected<Archive> openNames(StringRef Path, const ConvertOptions &Options,
                            ConvertObserver &Observer) {
  ConvertOptions O = namesOptions(Options);
  Expected<std::unique_ptr<Binary>> Main = Binary::open(Path, O.Architecture);
  if (!Main)
    return Main.takeError();
  // A debug file would have no more symbols.
  if ((*Main)->hasSymbolTable(SymbolTable::Symtab))
    O.FindDebugFile = false;
  Conversion C(O, Observer);
  if (Error E = C.Files.open(std::move(*Main), C))
    return E;
  Expected<std::optional<Archive>> Found = openSymbols(C);
  if (!Found)
    return Found.takeError();
  if (*Found) {
    // Not after each small file, because it walks over the program's heap.
    constexpr size_t ManyRanges = 4096;
    if ((*Found)->rangeCount() > ManyRanges)
      returnFreedMemory();
    return std::move(**Found);
  }
  // All sources but DWARF.
  return convertToMemory(std::move(C.Files.Main), O, Observer);
}

} // namespace lidia
