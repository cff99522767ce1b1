//===- SymCacheExport.cpp - From an archive to a SymCache -----------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CodeSegments.h"
#include "ModuleID.h"
#include "Object/MachineNames.h"
#include "Object/SymCacheFormat.h"
#include "lidia/Archive/ExportLimits.h"
#include "lidia/Error.h"
#include "lidia/Export/SymbolFiles.h"
#include "lidia/Symbolize/Language.h"
#include "llvm/ADT/CachedHashString.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/LEB128.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace llvm::dwarf;

namespace lidia {

namespace {

/// A source location before it is written.
struct Location {
  uint32_t File = symcache::None;
  uint32_t Line = symcache::None;
  uint32_t Function = symcache::None;
  uint32_t InlinedInto = symcache::None;

  bool operator==(const Location &O) const {
    return File == O.File && Line == O.Line && Function == O.Function &&
           InlinedInto == O.InlinedInto;
  }
};

/// A function: its name and, unless it is inlined, its entry address.
using FunctionKey = std::pair<StringOffset, uint32_t>;

struct LocationKeyInfo {
  static Location getEmptyKey() { return {}; }
  static Location getTombstoneKey() {
    return {symcache::None, symcache::None, symcache::None, 0};
  }
  static unsigned getHashValue(const Location &L) {
    return hash_combine(L.File, L.Line, L.Function, L.InlinedInto);
  }
  static bool isEqual(const Location &L, const Location &R) { return L == R; }
};

class SymCacheWriter {
public:
  SymCacheWriter(const Archive &A, const ExportedModule &Module)
      : A(A), Module(Module) {}

  Error read();
  void write(raw_ostream &OS) const;

  uint64_t bytesLeftOut() const { return BytesLeftOut; }

private:
  void add(const CodeSegment &Segment);
  void beginRange(uint64_t Address, const Location &L);
  Location location(ArrayRef<Frame> Frames);
  uint32_t string(StringRef Text);
  uint32_t file(StringOffset Path);
  const FunctionUnit &unit(uint64_t Root);
  uint32_t function(const Frame &F, uint64_t Root, bool IsInlined);
  uint32_t relative(uint64_t Address) const;
  symcache::Header header() const;

  const Archive &A;
  const ExportedModule &Module;
  uint64_t BytesLeftOut = 0;
  /// The end of the last range, if it has an end.
  std::optional<uint64_t> Open;

  std::string Strings;
  DenseMap<CachedHashStringRef, uint32_t> StringOffsets;
  std::vector<symcache::File> Files;
  DenseMap<StringOffset, uint32_t> FileIndices;
  std::vector<symcache::Function> Functions;
  DenseMap<FunctionKey, uint32_t> FunctionIndices;
  std::vector<Location> Calls;
  DenseMap<Location, uint32_t, LocationKeyInfo> CallIndices;
  /// The unit of the range of depth 0 that was requested last.
  FunctionUnit Unit;
  std::optional<uint64_t> UnitRoot;
  std::vector<symcache::U32> Ranges;
  std::vector<Location> RangeLocations;
};

} // namespace

/// The number in symbolic_common::Language for the language of \p Function,
/// which is in \p File and in \p Unit. Link-time optimisation may have inlined
/// \p Function from a unit in another language; its name may show that
/// language.
static uint32_t language(StringRef Function, StringRef File,
                         const FunctionUnit &Unit) {
  constexpr uint32_t C = 1, CPlusPlus = 2, Rust = 7;
  if (Function.starts_with("_R"))
    return Rust;
  SourceLanguage Language = languageOf(Unit, File);
  if (!Language)
    return 0;
  switch (Language) {
  case DW_LANG_D:
    return 3;
  case DW_LANG_Go:
    return 4;
  case DW_LANG_ObjC:
    return 5;
  case DW_LANG_ObjC_plus_plus:
    return 6;
  case DW_LANG_Rust:
    return Rust;
  case DW_LANG_Swift:
    return 8;
  default:
    break;
  }
  bool IsMangled = Function.starts_with("_Z");
  if (isCPlusPlus(Language))
    return !Unit.Language && File.empty() && !IsMangled ? 0 : CPlusPlus;
  if (isC(Language))
    return IsMangled ? CPlusPlus : C;
  return 0;
}

uint32_t SymCacheWriter::string(StringRef Text) {
  auto [It, New] =
      StringOffsets.try_emplace(CachedHashStringRef(Text), Strings.size());
  if (New) {
    raw_string_ostream OS(Strings);
    encodeULEB128(Text.size(), OS);
    OS << Text;
  }
  return It->second;
}

/// The index of the file at \p Path. The path is split into the compilation
/// directory, if the archive has it, the folder and the name.
uint32_t SymCacheWriter::file(StringOffset Path) {
  if (!Path)
    return symcache::None;
  auto [It, New] = FileIndices.try_emplace(Path, Files.size());
  if (!New)
    return It->second;
  StringRef Text = A.string(Path);
  size_t Length = std::min<uint64_t>(A.directoryLength(Path), Text.size());
  StringRef Compilation = Text.take_front(Length), Rest = Text.substr(Length);
  size_t NameBegin = Rest.rfind('/') + 1;
  StringRef Folder = Rest.take_front(NameBegin);
  symcache::File F;
  F.CompilationDirectory =
      Compilation.empty() ? symcache::None : string(Compilation);
  F.Directory = Folder.empty() ? symcache::None : string(Folder);
  F.Name = string(Rest.substr(NameBegin));
  Files.push_back(F);
  return It->second;
}

uint32_t SymCacheWriter::relative(uint64_t Address) const {
  uint64_t Offset = Address - Module.ImageBase;
  return Offset < symcache::None ? uint32_t(Offset) : symcache::None;
}

/// The unit of the function whose range of depth 0 is at \p Root.
const FunctionUnit &SymCacheWriter::unit(uint64_t Root) {
  if (UnitRoot != Root)
    Unit = A.unit(Root);
  UnitRoot = Root;
  return Unit;
}

uint32_t SymCacheWriter::function(const Frame &F, uint64_t Root,
                                  bool IsInlined) {
  uint32_t Entry = symcache::None;
  if (!IsInlined)
    if (std::optional<uint64_t> Index = A.entry(F.Range))
      Entry = relative(A.range(*Index).VA);
  auto [It, New] =
      FunctionIndices.try_emplace({F.Function, Entry}, Functions.size());
  if (!New)
    return It->second;
  StringRef Name = A.string(F.Function);
  symcache::Function Out;
  Out.Name = Name.empty() ? symcache::None : string(Name);
  const FunctionUnit &U = unit(Root);
  StringRef Directory = A.string(U.Directory);
  Out.CompilationDirectory =
      Directory.empty() ? symcache::None : string(Directory);
  Out.EntryAddress = Entry;
  Out.Language = language(Name, A.string(A.range(F.Range).File), U);
  Functions.push_back(Out);
  return It->second;
}

/// The location of code with \p Frames. Adds the locations of the calls to
/// Calls.
Location SymCacheWriter::location(ArrayRef<Frame> Frames) {
  Location L;
  for (const Frame &F : reverse(Frames)) {
    uint32_t Caller = symcache::None;
    if (&F != &Frames.back()) {
      auto [It, New] = CallIndices.try_emplace(L, Calls.size());
      if (New)
        Calls.push_back(L);
      Caller = It->second;
    }
    L.File = file(F.File);
    L.Line = F.Line;
    L.Function = function(F, Frames.back().Range, Caller != symcache::None);
    L.InlinedInto = Caller;
  }
  return L;
}

/// Begins a range with the location \p L at \p Address.
void SymCacheWriter::beginRange(uint64_t Address, const Location &L) {
  if (!RangeLocations.empty() && RangeLocations.back() == L)
    return;
  Ranges.emplace_back(relative(Address));
  RangeLocations.push_back(L);
}

void SymCacheWriter::add(const CodeSegment &Segment) {
  // A range ends at the next one, so the last segment needs another range after
  // it.
  if (Segment.Start < Module.ImageBase ||
      relative(Segment.End) == symcache::None) {
    BytesLeftOut += Segment.End - Segment.Start;
    return;
  }
  if (Open && *Open != Segment.Start)
    beginRange(*Open, Location());
  beginRange(Segment.Start, location(Segment.Frames));
  Open = Segment.End;
}

Error SymCacheWriter::read() {
  if (Error E = ExportLimits(A).check())
    return E;
  visitCodeSegments(A, [this](const CodeSegment &Segment) { add(Segment); });
  if (Open)
    beginRange(*Open, Location());
  if (Strings.size() > UINT32_MAX ||
      Calls.size() + RangeLocations.size() >= UINT32_MAX)
    return make_error<LimitError>(A.name(), "too large for a SymCache, whose "
                                            "parts have at most 4 GiB");
  return Error::success();
}

symcache::Header SymCacheWriter::header() const {
  symcache::Header H = {};
  copy(symcache::Magic, H.Magic);
  H.Version = 8;
  const ArchiveInfo *Info = A.info();
  DebugID ID = debugIDOf(Info, Module);
  copy(ID.UUID, H.DebugID);
  H.Age = ID.Age;
  if (const MachineNames *M = machineOf(Info))
    H.Arch = M->SymCache;
  H.FileCount = Files.size();
  H.FunctionCount = Functions.size();
  H.LocationCount = Calls.size() + RangeLocations.size();
  H.RangeCount = Ranges.size();
  H.StringBytes = Strings.size();
  return H;
}

/// Writes \p Bytes and then zeroes up to the format's alignment.
static void writePart(raw_ostream &OS, StringRef Bytes) {
  OS << Bytes;
  OS.write_zeros(alignTo(Bytes.size(), symcache::Alignment) - Bytes.size());
}

template <typename T> static StringRef bytesOf(ArrayRef<T> Elements) {
  return StringRef(reinterpret_cast<const char *>(Elements.data()),
                   Elements.size() * sizeof(T));
}

void SymCacheWriter::write(raw_ostream &OS) const {
  std::vector<symcache::SourceLocation> Locations;
  Locations.reserve(Calls.size() + RangeLocations.size());
  for (const std::vector<Location> *Part : {&Calls, &RangeLocations})
    for (const Location &L : *Part) {
      symcache::SourceLocation Out;
      Out.File = L.File;
      Out.Line = L.Line;
      Out.Function = L.Function;
      Out.InlinedInto = L.InlinedInto;
      Locations.push_back(Out);
    }
  symcache::Header H = header();
  writePart(OS, bytesOf(ArrayRef(H)));
  writePart(OS, bytesOf(ArrayRef(Files)));
  writePart(OS, bytesOf(ArrayRef(Functions)));
  writePart(OS, bytesOf(ArrayRef(Locations)));
  writePart(OS, bytesOf(ArrayRef(Ranges)));
  OS << Strings;
}

Error exportSymCache(const Archive &A, const ExportedModule &Module,
                     raw_ostream &OS, LossReport Report) {
  SymCacheWriter W(A, Module);
  if (Error E = W.read())
    return E;
  if (uint64_t Bytes = W.bytesLeftOut())
    Report(Twine(Bytes) + " bytes of code are left out: a SymCache has only "
                          "the first 4 GiB of an image");
  W.write(OS);
  return Error::success();
}

} // namespace lidia
