//===- Symbolizer.cpp - From addresses to printable frames ----------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Symbolize/Symbolizer.h"
#include "Support/Threads.h"
#include "lidia/Archive/Aliases.h"
#include "lidia/Symbolize/Names.h"
#include "lidia/Symbolize/PrintableText.h"
#include "lidia/Symbolize/TextLimit.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Path.h"
#include <atomic>
#include <mutex>

using namespace llvm;

namespace lidia {

using PathKind = SymbolizerOptions::PathKind;

/// The largest offset that may be looked up in a map. No string has a larger
/// one, but offsets in a damaged archive could equal the map's reserved keys.
static constexpr StringOffset MaxOffset = UINT64_MAX / 2;

/// The text for the string at \p Offset; null if \p Texts has none.
static const StringRef *findText(const DenseMap<StringOffset, StringRef> &Texts,
                                 StringOffset Offset) {
  if (Offset > MaxOffset)
    return nullptr;
  auto It = Texts.find(Offset);
  return It == Texts.end() ? nullptr : &It->second;
}

Symbolizer::Symbolizer(const Archive &A, const SymbolizerOptions &Options)
    : A(A), Options(Options) {
  if (Options.Doubt)
    Doubts = Origins.emplace(A).mayDoubt();
}

/// Whether the name of \p F, which answers \p Address, holds there. Only
/// functions without inlined calls have names without a size.
LLVM_ATTRIBUTE_NOINLINE NameTrust Symbolizer::trust(const Frame &F,
                                                    uint64_t Address) const {
  if (F.Range >= A.rangeCount())
    return NameTrust::Certain;
  uint64_t Own = Address - Options.AdjustVMA - Options.ReturnAddresses;
  return Origins->trust(F.Range, Own - A.range(F.Range).VA);
}

NameOrigin Symbolizer::origin(const Frame &F) {
  if (!Origins)
    Origins.emplace(A);
  return A.string(F.Function).empty() ? NameOrigin::Unknown
                                      : Origins->origin(F.Range);
}

std::optional<FunctionExtent> Symbolizer::unnamedFunction(uint64_t Address) {
  if (!Options.Doubt)
    return std::nullopt;
  if (!Unnamed)
    Unnamed.emplace(A);
  return Unnamed->find(Address - Options.AdjustVMA - Options.ReturnAddresses);
}

/// Looks up the frames of \p Address.
inline void Symbolizer::lookUp(uint64_t Address,
                               SmallVectorImpl<Frame> &Frames) const {
  uint64_t Own = Address - Options.AdjustVMA;
  if (!Options.ReturnAddresses)
    A.lookup(Own, Frames);
  else if (!A.lookupReturn(Own, Frames))
    A.lookup(Own - 1, Frames);
  if (LLVM_UNLIKELY(Doubts) && Frames.size() == 1 &&
      trust(Frames.front(), Address) == NameTrust::Refuted)
    Frames.clear();
}

ArrayRef<Frame> Symbolizer::frames(uint64_t Address) {
  // Queries without an address were not prepared.
  if (LLVM_UNLIKELY(!LeftPrepared.empty()) &&
      LeftPrepared.front().Address == Address)
    return takePrepared();
  lookUp(Address, Frames);
  return Frames;
}

/// A separate function, so that frames() need not save registers for it.
LLVM_ATTRIBUTE_NOINLINE ArrayRef<Frame> Symbolizer::takePrepared() {
  ArrayRef<Frame> Found = LeftPrepared.front().Frames;
  LeftPrepared = LeftPrepared.drop_front();
  Frames.assign(Found.begin(), Found.end());
  return Frames;
}

/// visitAll() for an archive on this machine.
void Symbolizer::lookUpAll(
    ArrayRef<uint64_t> Addresses,
    function_ref<void(size_t, ArrayRef<Frame>)> Visit) const {
  if (!A.isFar() && !Options.ReturnAddresses && !Doubts) {
    if (!Options.AdjustVMA)
      return A.lookupBatch(Addresses, Visit);
    return A.lookupBatch(map_to_vector(Addresses,
                                       [&](uint64_t Asked) {
                                         return Asked - Options.AdjustVMA;
                                       }),
                         Visit);
  }
  SmallVector<Frame, 16> Found;
  for (auto [I, Asked] : enumerate(Addresses)) {
    lookUp(Asked, Found);
    Visit(I, Found);
  }
}

void Symbolizer::visitAll(
    ArrayRef<uint64_t> Addresses,
    function_ref<void(size_t, ArrayRef<Frame>)> Visit) const {
  if (!A.isFar())
    return lookUpAll(Addresses, Visit);
  // Prefetch the strings together with the frames, and keep them.
  for (size_t Start = 0; Start < Addresses.size(); Start += Archive::FarGroup) {
    auto Group = Addresses.drop_front(Start).take_front(Archive::FarGroup);
    A.prefetch(
        map_to_vector(
            Group, [&](uint64_t Asked) { return Asked - Options.AdjustVMA; }),
        Options.ReturnAddresses);
    lookUpAll(Group, [&](size_t I, ArrayRef<Frame> Found) {
      Visit(Start + I, Found);
      for (const Frame &F : Found) {
        A.string(F.Function);
        A.string(F.File);
      }
    });
  }
}

/// Looks up the addresses of \p Some, in order, and appends their frames to
/// \p All.
void Symbolizer::prepareSome(ArrayRef<std::pair<uint64_t, size_t>> Some,
                             std::vector<Frame> &All) {
  std::vector<size_t> Counts;
  Counts.reserve(Some.size());
  auto Addresses =
      map_to_vector(Some, [](const auto &Asked) { return Asked.first; });
  visitAll(Addresses, [&](size_t, ArrayRef<Frame> Found) {
    Counts.push_back(Found.size());
    All.insert(All.end(), Found.begin(), Found.end());
  });
  const Frame *First = All.data();
  for (auto [Place, Count] : zip(Some, Counts)) {
    Prepared[Place.second] = {Place.first, ArrayRef(First, Count)};
    First += Count;
  }
}

/// Unpacks \p Strings, which then stay unpacked.
void Symbolizer::keepStrings(std::vector<StringOffset> Strings,
                             unsigned Threads) const {
  // In sorted order, each part of the archive is unpacked once.
  llvm::sort(Strings);
  constexpr size_t PieceSize = 1024;
  std::atomic<size_t> NextPiece = 0;
  runOnThreads(Threads, [&] {
    for (size_t Start; (Start = PieceSize * NextPiece++) < Strings.size();)
      for (StringOffset S :
           ArrayRef(Strings).drop_front(Start).take_front(PieceSize))
        A.string(S);
  });
}

/// Makes \p Names readable. function() must not have been called for any of
/// them.
void Symbolizer::prepareNames(ArrayRef<StringOffset> Names, unsigned Threads) {
  // LLVM's demanglers may recurse for each letter, and the stacks of threads
  // can be smaller than the main thread's.
  constexpr size_t MaxOnThread = 1024, PieceSize = 128;
  std::vector<StringRef> Texts(Names.size());
  std::atomic<size_t> NextPiece = 0;
  std::mutex Mutex;
  runOnThreads(Threads, [&] {
    size_t Start = PieceSize * NextPiece++;
    if (Start >= Names.size())
      return;
    std::unique_lock<std::mutex> Lock(Mutex);
    StringSaver Own(ThreadAllocators.emplace_back());
    Lock.unlock();
    for (; Start < Names.size(); Start = PieceSize * NextPiece++)
      for (size_t I = Start; I != std::min(Start + PieceSize, Names.size());
           ++I)
        if (StringRef Raw = A.string(Names[I]);
            Raw.size() <= MaxOnThread && !isStored(Raw))
          Texts[I] = Own.save(clean(readableName(Raw)));
  });
  for (size_t I = 0; I != Names.size(); ++I)
    if (!Texts[I].empty())
      Functions.try_emplace(Names[I], Texts[I]);
}

void Symbolizer::prepare(ArrayRef<uint64_t> Addresses, unsigned Threads) {
  // For fewer addresses, starting a thread takes too long.
  constexpr size_t PartSize = 1024;
  std::vector<std::pair<uint64_t, size_t>> Sorted;
  Sorted.reserve(Addresses.size());
  for (auto [I, Address] : enumerate(Addresses))
    Sorted.push_back({Address, I});
  llvm::sort(Sorted);
  A.expectLookups(Addresses.size());
  Prepared.assign(Addresses.size(), PreparedAddress());
  LeftPrepared = Prepared;
  size_t PartCount = divideCeil(Sorted.size(), PartSize);
  PreparedFrames.assign(PartCount, {});
  std::atomic<size_t> Next{0};
  runOnThreads(unsigned(std::min<size_t>(Threads, PartCount)), [&] {
    for (size_t I; (I = Next++) < PartCount;)
      prepareSome(ArrayRef(Sorted).slice(I * PartSize).take_front(PartSize),
                  PreparedFrames[I]);
  });

  DenseSet<StringOffset> SeenFiles, SeenNames;
  std::vector<StringOffset> Names;
  std::vector<Frame> Examples;
  for (const std::vector<Frame> &Piece : PreparedFrames)
    for (const Frame &F : Piece) {
      bool IsNew = false;
      if (F.Function <= MaxOffset && SeenNames.insert(F.Function).second) {
        IsNew = true;
        if (!Functions.contains(F.Function))
          Names.push_back(F.Function);
      }
      if (F.File <= MaxOffset && SeenFiles.insert(F.File).second)
        IsNew = true;
      if (IsNew)
        Examples.push_back(F);
    }
  if (A.isPaged()) {
    std::vector<StringOffset> Strings(SeenFiles.begin(), SeenFiles.end());
    Strings.insert(Strings.end(), SeenNames.begin(), SeenNames.end());
    keepStrings(std::move(Strings), Threads);
  }
  if (Options.Functions != DINameKind::None)
    prepareNames(Names, Threads);
  // Remaining names and files.
  for (const Frame &F : Examples) {
    function(F);
    file(F);
  }
}

/// The frames of \p Which in Frames.
ArrayRef<Frame> Symbolizer::chosen(FrameChoice Which) {
  if (Frames.empty() || Which == FrameChoice::All)
    return Frames;
  // A symbol names the outermost function; LLVM uses it for full names and
  // DWARF's innermost function for short names.
  if (Which == FrameChoice::Outer &&
      Options.Functions == DINameKind::LinkageName) {
    Frames.front().Function = Frames.back().Function;
    Frames.front().Range = Frames.back().Range;
  }
  return ArrayRef<Frame>(Frames).take_front();
}

ArrayRef<Frame> Symbolizer::frames(uint64_t Address, FrameChoice Which) {
  ArrayRef<Frame> All = frames(Address);
  return Which == FrameChoice::All ? All : chosen(Which);
}

bool Symbolizer::isClean(StringRef Text) const {
  switch (Options.Text) {
  case TextForm::Printable:
    return isPrintableText(Text);
  case TextForm::UTF8:
    return json::isUTF8(Text);
  case TextForm::Raw:
    return true;
  }
  llvm_unreachable("no other form");
}

std::string Symbolizer::clean(std::string Text) const {
  if (isClean(Text))
    return Text;
  return Options.Text == TextForm::UTF8 ? json::fixUTF8(Text)
                                        : escapeText(Text);
}

/// Whether the returned name may differ from the stored one.
static bool isOther(StringRef Raw, const SymbolizerOptions &Options) {
  return Options.Functions == DINameKind::ShortName ||
         (Options.Demangle && mayBeMangled(Raw));
}

std::string Symbolizer::readableName(StringRef Raw) const {
  if (!isOther(Raw, Options))
    return Raw.str();
  return Options.Functions == DINameKind::ShortName
             ? shortName(Raw, Options.Rust)
             : demangleName(Raw, Options.Rust);
}

/// Whether function() returns \p Raw, the name in the archive, unchanged.
bool Symbolizer::isStored(StringRef Raw) const {
  return Raw.empty() || (!isOther(Raw, Options) && isClean(Raw));
}

StringRef Symbolizer::function(const Frame &F) {
  if (Options.Functions == DINameKind::None)
    return StringRef();
  if (const StringRef *Known = findText(Functions, F.Function))
    return *Known;
  StringRef Raw = A.string(F.Function);
  if (isStored(Raw))
    return Raw;
  return Functions[F.Function] = Saver.save(clean(readableName(Raw)));
}

std::string Symbolizer::shortenedPath(StringOffset File) const {
  StringRef Path = A.string(File);
  size_t Directory = std::min<uint64_t>(A.directoryLength(File), Path.size());
  std::string Shown;
  if (Options.Readable) {
    Shown = Options.Readable->shown(Path, Directory);
    if (Shown != Path) {
      Path = Shown;
      Directory = 0;
    }
  }
  switch (Options.Paths) {
  case PathKind::BaseNameOnly:
    return sys::path::filename(Path).str();
  case PathKind::RelativeFilePath:
    return Path.drop_front(Directory).str();
  default:
    return Path.str();
  }
}

StringRef Symbolizer::file(const Frame &F) {
  if (const StringRef *Known = findText(Files, F.File))
    return *Known;
  StringRef Path = A.string(F.File);
  if (Path.empty())
    return Path;
  bool IsStored = Options.Paths == PathKind::AbsoluteFilePath &&
                  !Options.Readable && isClean(Path);
  return Files[F.File] =
             IsStored ? Path : Saver.save(clean(shortenedPath(F.File)));
}

FrameView Symbolizer::viewWithOrigin(const Frame &F, uint64_t Address) {
  FrameView Result = view(F);
  Result.IsUncertain = isUncertain(F, Address);
  if (Options.Doubt)
    Result.Origin = origin(F);
  return Result;
}

/// The number of other names of the code at the start of the range \p Root.
uint32_t Symbolizer::aliasesOf(uint64_t Root) {
  if (!AliasCounts) {
    AliasCounts.emplace();
    // verify() reports damage.
    consumeError(visitAliases(A, [&](const FunctionAlias &Alias) {
      if (Alias.Root < A.rangeCount() &&
          Alias.Address == A.range(Alias.Root).VA)
        ++(*AliasCounts)[Alias.Root];
    }));
  }
  return AliasCounts->lookup(Root);
}

SymbolizedFrame Symbolizer::withTexts(const Frame &F, uint64_t Address) {
  SymbolizedFrame Result;
  Result.IsUncertain = isUncertain(F, Address);
  if (Options.Doubt)
    Result.Origin = origin(F);
  Result.Function = function(F).str();
  Result.File = file(F).str();
  Result.Line = F.Line;
  Result.Column = F.Column;
  if (F.Range < A.rangeCount()) {
    RangeEntry Range = A.range(F.Range);
    Result.StartAddress = Range.VA;
    Result.FunctionSize = Range.Length;
    Result.FunctionOffset = Address - Range.VA;
    if (Options.Aliases && Range.Depth == 0)
      Result.Aliases = aliasesOf(F.Range);
  }
  addDeclaration(Result, F.Range);
  if (Options.Sources)
    addOrigin(Result, F.File);
  return Result;
}

/// Adds where the source code of \p File is, and the code if the archive has
/// it.
void Symbolizer::addOrigin(SymbolizedFrame &To, StringOffset File) {
  auto Origin = std::make_shared<SymbolizedFrame::SourceOrigin>();
  Origin->File = A.string(File).str();
  To.From = Origin;
  if (!Sources)
    Sources.emplace(A);
  std::optional<uint64_t> Index = Sources->find(File);
  if (!Index)
    return;
  auto Known = SourceTexts.find(File);
  if (Known == SourceTexts.end()) {
    if (Sources->textSize(*Index) > SourceBytesLeft)
      return;
    Expected<std::string> Text = Sources->text(*Index);
    // verify() reports the damage.
    if (!Text)
      return consumeError(Text.takeError());
    SourceBytesLeft -= Text->size();
    Known = SourceTexts
                .try_emplace(
                    File, std::make_shared<const std::string>(std::move(*Text)))
                .first;
  }
  Origin->Text = Known->second;
}

/// Adds the position of the declaration, which the debug information of the
/// function of \p RangeIndex has. For an outer frame, this is not the range
/// that names the function.
void Symbolizer::addDeclaration(SymbolizedFrame &To, uint64_t RangeIndex) {
  if (RangeIndex >= A.rangeCount())
    return;
  RangeEntry Range = A.range(RangeIndex);
  Declaration D = A.declaration(Range.Function, Range.File);
  To.StartLine = D.Line;
  Frame Declared;
  Declared.File = D.File;
  To.StartFile = D.Line ? file(Declared).str() : std::string();
}

uint64_t Symbolizer::textMemory() const {
  uint64_t Bytes = Allocator.getTotalMemory();
  for (const BumpPtrAllocator &A : ThreadAllocators)
    Bytes += A.getTotalMemory();
  return Bytes + Functions.getMemorySize() + Files.getMemorySize();
}

uint64_t Symbolizer::maxText() const {
  return maxTextOfAnswer(A.buffer().getBufferSize());
}

std::vector<SymbolizedFrame> Symbolizer::symbolize(uint64_t Address,
                                                   FrameChoice Which) {
  std::vector<SymbolizedFrame> Result;
  uint64_t Left = maxText();
  Cut = false;
  ArrayRef<Frame> Chain = frames(Address);
  uint64_t Innermost = Chain.empty() ? 0 : Chain.front().Range;
  Chain = chosen(Which);
  if (Chain.empty())
    if (std::optional<FunctionExtent> F = unnamedFunction(Address)) {
      SymbolizedFrame &Unnamed = Result.emplace_back();
      Unnamed.StartAddress = F->Begin;
      Unnamed.FunctionSize = F->End - F->Begin;
      Unnamed.FunctionOffset = Address - F->Begin;
    }
  Result.reserve(Chain.size());
  for (const Frame &F : Chain) {
    uint64_t Size = function(F).size() + file(F).size();
    Cut = Which == FrameChoice::All && Size > Left;
    if (Cut)
      break;
    Left -= Size;
    Result.push_back(withTexts(F, Address));
    Result.back().IsInlined = &F != &Chain.back();
  }
  if (Which == FrameChoice::Outer && !Result.empty())
    addDeclaration(Result.front(), Innermost);
  return Result;
}

SymbolizedSymbol Symbolizer::symbol(uint64_t Address) {
  SymbolizedSymbol Result;
  // Data is at the address itself, not before it.
  ArrayRef<Frame> Chain = frames(Address + Options.ReturnAddresses);
  if (Chain.empty())
    return Result;
  const Frame &Outermost = Chain.back();
  if (StringRef Raw = A.string(Outermost.Function); !Raw.empty())
    Result.Name =
        clean(Options.Demangle ? demangleName(Raw, Options.Rust) : Raw.str());
  if (Outermost.Range < A.rangeCount()) {
    RangeEntry Range = A.range(Outermost.Range);
    Result.Start = Range.VA;
    Result.Size = Range.Length;
  }
  return Result;
}

/// A function is where it is entered, also if pieces of it have lower
/// addresses. If the code at its entry belongs to another function, it is where
/// its pieces are.
void Symbolizer::indexNames() {
  std::vector<std::pair<StringRef, uint64_t>> Pieces;
  for (uint64_t I = 0, E = A.rangeCount(); I != E; ++I) {
    RangeEntry Range = A.range(I);
    StringRef Name = A.string(Range.Function);
    if (Range.Depth != 0 || Name.empty())
      continue;
    std::optional<uint64_t> Entry = A.entry(I);
    auto Add = [&](StringRef Name) {
      if (Entry == I)
        StartsByName[Name].push_back(Range.VA);
      else if (!Entry)
        Pieces.emplace_back(Name, Range.VA);
    };
    Add(Name);
    // The linkage name may be one that users do not know: __GI_wordfree.
    if (StringOffset Plain = A.plainName(Range.Function);
        Plain != Range.Function)
      Add(A.string(Plain));
  }
  erase_if(Pieces, [&](const auto &P) { return StartsByName.count(P.first); });
  for (const auto &[Name, Start] : Pieces)
    StartsByName[Name].push_back(Start);
  // Damaged aliases are not found; verify() reports them.
  consumeError(visitAliases(A, [&](const FunctionAlias &Alias) {
    StringRef Name = Alias.Name;
    auto It = StartsByName.find(Name);
    if (It == StartsByName.end())
      It = StartsByName.try_emplace(Saver.save(Name)).first;
    It->second.push_back(Alias.Address);
  }));
  NamesIndexed = true;
}

std::vector<SymbolizedFrame> Symbolizer::find(StringRef Name, uint64_t Offset) {
  if (!NamesIndexed)
    indexNames();
  std::vector<SymbolizedFrame> Places;
  uint64_t Left = maxText();
  Cut = false;
  auto It = StartsByName.find(Name);
  if (It == StartsByName.end())
    return Places;
  // The addresses of aliases follow those of ranges, and may be the same.
  SmallVector<uint64_t, 4> Starts(It->second.begin(), It->second.end());
  llvm::sort(Starts);
  Starts.erase(llvm::unique(Starts), Starts.end());
  bool WasCut = false;
  for (uint64_t Start : Starts) {
    // AdjustVMA and ReturnAddresses apply to requested addresses, not to names.
    std::vector<SymbolizedFrame> Found =
        symbolize(Start + Offset + Options.AdjustVMA + Options.ReturnAddresses,
                  FrameChoice::Outer);
    if (Found.empty() || Found.front().File.empty())
      continue;
    uint64_t Size = Found.front().Function.size() + Found.front().File.size();
    WasCut = Size > Left;
    if (WasCut)
      break;
    Left -= Size;
    Places.push_back(std::move(Found.front()));
  }
  Cut = WasCut;
  return Places;
}

} // namespace lidia
