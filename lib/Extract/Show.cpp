//===- Show.cpp - What is read of a binary, as text -----------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DWARF/LineTable.h"
#include "Object/DebugData.h"
#include "Object/SymbolFile.h"
#include "Shown.h"
#include "lidia/Symbolize/Names.h"
#include "lidia/Symbolize/PrintableText.h"
#include "lidia/Symbolize/TextLimit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Object/ELF.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace lidia {

//===----------------------------------------------------------------------===//
// Filters and limits
//===----------------------------------------------------------------------===//

void Shown::addInput(uint64_t Bytes) {
  Max += maxTextOfFile(Bytes);
  NamesLeft += maxTextOfFile(Bytes);
}

Error Shown::error(const Twine &File) const {
  return isFull() ? textLimitError(File + ": what is read of it")
                  : Error::success();
}

/// The letters and digits at the end of \p Name, which its mangled form also
/// contains.
static StringRef lastWord(StringRef Name) {
  return Name.substr(Name.find_last_not_of(
                         "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                         "0123456789_") +
                     1);
}

bool Shown::wantsFunction(StringRef Name) {
  const std::string &Wanted = Options.Function;
  if (Wanted.empty())
    return true;
  // Many functions may have parts of one long name.
  Spent |= Name.size() > NamesLeft;
  if (Spent)
    return false;
  NamesLeft -= Name.size();
  if (!Name.contains(lastWord(Wanted)))
    return false;
  return Name == Wanted || readableName(Name) == Wanted ||
         shortName(Name, OlderRust::Plain) == Wanted ||
         demangleName(Name, OlderRust::AsCXX) == Wanted;
}

bool Shown::wantsFile(StringRef Path) const {
  StringRef Wanted = Options.Unit;
  return Wanted.empty() || Path == Wanted ||
         (Path.consume_back(Wanted) &&
          (Path.ends_with("/") || Wanted.starts_with("/")));
}

std::string primaryFile(const dwarf::Unit &U) {
  SmallString<128> Path;
  if (!dwarf::isAbsolutePath(U.name()))
    Path = U.compilationDirectory();
  sys::path::append(Path, U.name());
  return Path.str().str();
}

bool Shown::wantsUnit(const dwarf::Unit &U) const {
  uint64_t Offset;
  if (!to_integer(Options.Unit, Offset))
    return wantsFile(primaryFile(U));
  return U.header().Offset == Offset;
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

void Shown::printText(StringRef Text) {
  lidia::printText(OS, Text.empty() ? "??" : Text);
}

void Shown::printName(StringRef Name) {
  printText(Options.Demangle ? readableName(Name) : Name.str());
}

void Shown::printPlace(StringRef File, uint64_t Line, uint64_t Column) {
  printText(File);
  OS << ':' << Line;
  if (Column)
    OS << ':' << Column;
}

//===----------------------------------------------------------------------===//
// Sections
//===----------------------------------------------------------------------===//

/// The flags in the form of readelf.
static std::string flagText(uint64_t Flags) {
  static constexpr std::pair<uint64_t, char> Letters[] = {
      {ELF::SHF_WRITE, 'W'},      {ELF::SHF_ALLOC, 'A'},
      {ELF::SHF_EXECINSTR, 'X'},  {ELF::SHF_MERGE, 'M'},
      {ELF::SHF_STRINGS, 'S'},    {ELF::SHF_INFO_LINK, 'I'},
      {ELF::SHF_LINK_ORDER, 'L'}, {ELF::SHF_GROUP, 'G'},
      {ELF::SHF_TLS, 'T'},        {ELF::SHF_COMPRESSED, 'C'}};
  std::string Text;
  for (auto [Flag, Letter] : Letters)
    if (Flags & Flag)
      Text += Letter;
  return Text.empty() ? "-" : Text;
}

static void showSection(const Binary &File, const Section &Sec, Shown &S) {
  StringRef Type =
      object::getELFSectionTypeName(File.identity().Machine, Sec.Type);
  Type.consume_front("SHT_");
  S.OS << "  [" << Sec.Index << "] " << format_hex(Sec.Address, 1) << ".."
       << format_hex(Sec.Address + Sec.Size, 1) << ' ';
  S.printText(Sec.Name);
  S.OS << ' ' << Type << ' ' << flagText(Sec.Flags) << ' ' << Sec.Size
       << " bytes" << (Sec.IsZDebug ? " zdebug" : "") << '\n';
}

void showSections(Conversion &C, Shown &S) {
  for (const Binary *File : {C.Files.Main.get(), C.Files.Debug.get()}) {
    if (!File)
      continue;
    S.OS << "Sections of ";
    S.printText(File->path());
    S.OS << ":\n";
    for (const Section &Sec : File->sections()) {
      bool IsLoaded = Sec.Flags & ELF::SHF_ALLOC;
      if (!S.isFull() && (!S.Options.Address || IsLoaded) &&
          S.wantsAddress(Sec.Address, Sec.Address + Sec.Size))
        showSection(*File, Sec, S);
    }
  }
}

//===----------------------------------------------------------------------===//
// Symbols
//===----------------------------------------------------------------------===//

static StringRef bindingText(uint8_t Binding) {
  switch (Binding) {
  case ELF::STB_LOCAL:
    return "local";
  case ELF::STB_GLOBAL:
    return "global";
  case ELF::STB_WEAK:
    return "weak";
  default:
    return "other";
  }
}

static StringRef kindText(FunctionSymbol::SymbolKind Kind) {
  switch (Kind) {
  case FunctionSymbol::Function:
    return "function";
  case FunctionSymbol::Label:
    return "label";
  case FunctionSymbol::LocalCode:
    return "code";
  }
  return "?";
}

static void showSymbol(const FunctionSymbol &Sym, Shown &S) {
  // A symbol without a size covers its start.
  uint64_t End = Sym.Address + std::max<uint64_t>(Sym.Size, 1);
  if (S.isFull() || !S.wantsAddress(Sym.Address, End) ||
      !S.wantsFile(Sym.SourceFile) || !S.wantsFunction(Sym.Name))
    return;
  S.OS << "  " << format_hex(Sym.Address, 1) << ' ' << Sym.Size << ' '
       << bindingText(Sym.Binding) << ' ' << kindText(Sym.Kind) << ' ';
  S.printName(Sym.Name);
  if (!Sym.SourceFile.empty()) {
    S.OS << " in ";
    S.printText(Sym.SourceFile);
  }
  S.OS << '\n';
}

void showSymbols(Conversion &C, Shown &S) {
  auto ShowTable = [&](Binary &File, SymbolTable Table) {
    if (!File.hasSymbolTable(Table))
      return;
    S.OS << (Table == SymbolTable::Symtab ? "Symbols" : "Dynamic symbols")
         << " of ";
    S.printText(File.path());
    S.OS << ":\n";
    if (Error E = File.forEachFunctionSymbol(
            Table, [&](const FunctionSymbol &Sym) { showSymbol(Sym, S); }))
      C.warn(toString(std::move(E)));
  };
  C.Files.forEachSymbolTable(ShowTable);
  std::unique_ptr<Binary> Packed;
  if (Error E = openDebugData(*C.Files.Main).moveInto(Packed))
    C.warn(toString(std::move(E)));
  if (Packed)
    ShowTable(*Packed, SymbolTable::Symtab);
}

//===----------------------------------------------------------------------===//
// Ranges of sources
//===----------------------------------------------------------------------===//

static void showRange(const RangeTrees &F, const Range &R,
                      const StringPool &Strings, Shown &S) {
  S.OS.indent(2 + 2 * std::min<unsigned>(R.Depth, 40))
      << format_hex(R.Start, 1) << ".." << format_hex(R.End, 1) << ' ';
  S.printName(Strings[R.Name]);
  if (R.File) {
    S.OS << " in ";
    S.printText(Strings[R.File]);
  }
  if (R.CallFile || R.CallLine) {
    S.OS << ", called from ";
    S.printPlace(Strings[R.CallFile], R.CallLine, R.CallColumn);
  }
  S.OS << '\n';
  ArrayRef<Row> Rows = F.rows(R);
  for (size_t I = 0; I < Rows.size() && !S.isFull(); ++I) {
    uint64_t From = R.Start + Rows[I].Offset;
    uint64_t To = I + 1 < Rows.size() ? R.Start + Rows[I + 1].Offset : R.End;
    if (!S.wantsAddress(From, To))
      continue;
    S.OS.indent(6 + 2 * std::min<unsigned>(R.Depth, 40))
        << format_hex(From, 1) << ' ';
    S.printPlace(Strings[Rows[I].File], Rows[I].Line, Rows[I].Column);
    S.OS << '\n';
  }
}

static void showTrees(const RangeTrees &F, const StringPool &Strings,
                      Shown &S) {
  for (size_t I = 0, End; I < F.Ranges.size() && !S.isFull(); I = End) {
    End = F.treeEnd(I);
    StringRef Name = Strings[F.Ranges[I].Name];
    Name.consume_back("@plt");
    if (!S.wantsFile(Strings[F.Ranges[I].File]))
      continue;
    bool IsFunction =
        S.wantsFunction(Name) || S.wantsFunction(Strings[F.Ranges[I].Name]);
    for (size_t N = I; N < End && !S.isFull(); ++N) {
      const Range &R = F.Ranges[N];
      if (S.wantsAddress(R.Start, R.End) &&
          (IsFunction || (R.Depth && S.wantsFunction(Strings[R.Name]))))
        showRange(F, R, Strings, S);
    }
  }
}

Error showSource(Conversion &C, Shown &S) {
  if (Error E = C.readSources())
    return E;
  for (auto [Source, Ranges] : zip_equal(C.Statistics.Sources, C.Sources)) {
    S.OS << Source.Name << " of ";
    S.printText(Source.File);
    S.OS << ":\n";
    for (const UnitRanges &U : Ranges.Units)
      showTrees(U.Functions, C.Strings, S);
  }
  return Error::success();
}

//===----------------------------------------------------------------------===//
// All things
//===----------------------------------------------------------------------===//

/// Whether \p What is shown of the file with debug information, rather than of
/// the binary.
static bool isOfDebugInfo(ShownThing What) {
  return What == ShownThing::Units || What == ShownThing::Lines ||
         What == ShownThing::Functions;
}

/// The symbol file of another tool that is used in place of \p What; null if
/// there is none.
static const SymbolFile *symbolFileFor(Conversion &C, ShownThing What) {
  Binary &File = isOfDebugInfo(What) ? C.Files.withDebugInfo() : *C.Files.Main;
  return File.asSymbolFile();
}

static Error showThing(Conversion &C, Shown &S) {
  if (const SymbolFile *File = symbolFileFor(C, S.Options.Thing)) {
    if (S.Options.Thing == ShownThing::Functions)
      return showSource(C, S);
    return make_error<UnsupportedError>(
        File->path(), "a symbol file has functions, with their lines and "
                      "calls, and nothing else to show");
  }
  switch (S.Options.Thing) {
  case ShownThing::Units:
  case ShownThing::Lines:
  case ShownThing::Functions:
    return showDWARF(C, S);
  case ShownThing::Symbols:
    showSymbols(C, S);
    return Error::success();
  case ShownThing::Go:
  case ShownThing::PLT:
    return showSource(C, S);
  case ShownThing::Sections:
    showSections(C, S);
    return Error::success();
  }
  llvm_unreachable("unknown thing");
}

Error show(raw_ostream &OS, std::unique_ptr<Binary> Main,
           const ConvertOptions &Options, const ShowOptions &What,
           ConvertObserver &Observer) {
  ConvertOptions O = Options;
  O.Lines = O.Archive.Columns = true;
  if (What.Thing == ShownThing::Go || What.Thing == ShownThing::PLT)
    O.Sources = {What.Thing == ShownThing::Go ? SourceKind::Go
                                              : SourceKind::PLT};
  Conversion C(O, Observer);
  Shown S(OS, What);
  if (Error E = C.Files.open(std::move(Main), C))
    return E;
  if (What.Thing == ShownThing::Functions)
    O.Sources = {SourceKind::SymbolFile};
  S.addInput(C.Files.size());
  if (Error E = showThing(C, S))
    return E;
  if (Error E = C.takeFatalError())
    return E;
  return S.error(C.Files.Main->path());
}

Error show(raw_ostream &OS, StringRef Path, const ConvertOptions &Options,
           const ShowOptions &What, ConvertObserver &Observer) {
  Expected<std::unique_ptr<Binary>> Main =
      Binary::open(Path, Options.Architecture);
  if (!Main)
    return Main.takeError();
  return show(OS, std::move(*Main), Options, What, Observer);
}

} // namespace lidia
