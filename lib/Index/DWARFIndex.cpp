//===- DWARFIndex.cpp - Debug files with an index of names ----------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Index/DWARFIndex.h"
#include "ChangedFile.h"
#include "Export/NameIndex.h"
#include "NameTexts.h"
#include "Object/Binary.h"
#include "Support/Threads.h"
#include "UnitNames.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/FormatVariadic.h"
#include <atomic>

using namespace llvm;

namespace lidia {

namespace {
class Indexer final : public IndexedFile {
public:
  Indexer(std::unique_ptr<Binary> File, const IndexOptions &Options)
      : File(std::move(File)), Options(Options) {}

  Error read(function_ref<void(StringRef)> Warn);
  const IndexStatistics &counts() const override { return Counts; }
  Error write(raw_ostream &OS) const override;

private:
  Error checkKind() const;
  Error readSections();
  Error readUnits();
  Error unpackSections(std::vector<ChangedSection> &Changes) const;
  void leaveOutLossyUnits(function_ref<void(StringRef)> Warn);
  void reportProblems(function_ref<void(StringRef)> Warn);
  void leaveOutOddNames();
  Target target() const;
  void makeIndex();
  uint32_t nameOf(const UnitNames &Unit, const NamedDIE &D);

  std::unique_ptr<Binary> File;
  const IndexOptions Options;
  dwarf::Sections S;
  std::vector<dwarf::UnitHeader> Headers;
  std::vector<UnitNames> Units;
  std::optional<NameTexts> Texts;
  IndexStatistics Counts;
  std::string Index;
};
} // namespace

template <typename ErrorClass = UnsupportedError>
static Error refuse(const Binary &File, const Twine &Why) {
  return make_error<ErrorClass>(File.path(), Why);
}

Error Indexer::checkKind() const {
  const ELFIdentity &Identity = File->identity();
  if (!File->buffer().getBuffer().starts_with(ELF::ElfMagic))
    return refuse(*File, "only ELF files can get an index");
  if (Identity.Type == ELF::ET_REL)
    return refuse(*File, "it is not linked: index the program instead");
  auto Has = [&](StringRef Name) { return File->findSection(Name) != nullptr; };
  if (!Has(".debug_info"))
    return refuse<MissingInformationError>(
        *File, "it has no DWARF (its debug file may have: index that)");
  if (Has(".debug_types"))
    return refuse(*File, "an index cannot describe the type units of DWARF 4 "
                         "(.debug_types), so the debugger has to make its own");
  if (Has(".gnu_debugaltlink") || Has(".debug_sup"))
    return refuse(*File, "its names are in a supplementary file (dwz -m), "
                         "where an index cannot refer to");
  if (Has(".debug_names") && !Options.Replace)
    return refuse<ArgumentError>(
        *File, "it has an index (llvm-lidia index --replace rebuilds it)");
  return Error::success();
}

Error Indexer::readSections() {
  S.LittleEndian = File->isLittleEndian();
  S.FileName = File->path();
  const std::pair<StringRef, StringRef *> Wanted[] = {
      {".debug_info", &S.Info},     {".debug_str", &S.Str},
      {".debug_abbrev", &S.Abbrev}, {".debug_line_str", &S.LineStr},
      {".debug_addr", &S.Addr},     {".debug_str_offsets", &S.StrOffsets}};
  for (const auto &[Name, Slot] : Wanted)
    if (const Section *Found = File->findSection(Name))
      if (Error E = File->contents(*Found).moveInto(*Slot))
        return E;
  if (S.Info.size() > UINT32_MAX || S.Str.size() >= NamedDIE::InOthers)
    return refuse<LimitError>(*File, "its DWARF is too large for an index");
  return Error::success();
}

/// The limit of work for all units together, as a multiple of the size of their
/// sections. Programs need 1 to 8.
static constexpr uint64_t WorkFactor = 32, WorkFloor = uint64_t(16) << 20;

Error Indexer::readUnits() {
  Error Problems = Error::success();
  Headers = dwarf::readUnitHeaders(S, [&](Error E) {
    Problems = joinErrors(std::move(Problems), std::move(E));
  });
  // The debugger may find other units than this reader.
  if (Problems)
    return addPrefix(File->path(), std::move(Problems));
  Units.resize(Headers.size());
  const uint64_t MaxWork = WorkFloor + WorkFactor * S.totalSize();
  std::atomic<uint64_t> Work = 0;
  std::atomic<size_t> Next = 0;
  runOnThreads(Options.Threads, [&] {
    NameReader Reader(S, Headers);
    for (size_t I; (I = Next++) < Units.size() && Work <= MaxWork;) {
      Units[I] = Reader.read(I, MaxWork);
      Work += Reader.used();
    }
  });
  if (Work > MaxWork)
    return refuse<LimitError>(
        *File, "units refer to the same abbreviations or names too often");
  return Error::success();
}

/// Whether the index would take away more than one name in fifty.
static bool isTooMany(uint64_t LostCalls, uint64_t Functions) {
  return LostCalls * 50 > Functions;
}

/// LLDB compares the name of a call only in its DIE and the next
/// (DWARFIndex::ProcessFunctionDIE), but reads units that the index leaves out
/// itself.
void Indexer::leaveOutLossyUnits(function_ref<void(StringRef)> Warn) {
  uint64_t Lost = 0, Functions = 0;
  for (const UnitNames &Unit : Units) {
    Lost += Unit.LostCalls;
    Functions += Unit.Functions;
  }
  // A few calls are no reason to make the debugger read the file.
  constexpr uint64_t MinLost = 16;
  if (Lost < MinLost || !isTooMany(Lost, Functions))
    return;
  for (UnitNames &Unit : Units) {
    if (!isTooMany(Unit.LostCalls, Unit.Functions))
      continue;
    ++Counts.LossyUnits;
    if (!Options.AllUnits) {
      Unit = UnitNames();
      Unit.IsLeft = true;
    }
  }
  if (!Counts.LossyUnits)
    return;
  if (Options.AllUnits)
    Warn(formatv("{0}: LLDB will not find {1} inlined calls by name, in {2} of "
                 "{3} units: with an index it misses those of methods and of "
                 "other functions that are declared apart",
                 File->path(), Lost, Counts.LossyUnits, Units.size())
             .str());
  else if (Counts.LossyUnits != Units.size())
    Warn(formatv("{0}: {1} of {2} units are left to the debugger, because LLDB "
                 "would not find their inlined methods by name (--all-units "
                 "includes them)",
                 File->path(), Counts.LossyUnits, Units.size())
             .str());
}

void Indexer::reportProblems(function_ref<void(StringRef)> Warn) {
  for (size_t I = 0; I != Units.size(); ++I) {
    bool IsLeft =
        Units[I].IsSplit || Units[I].IsLeft || !Units[I].Problem.empty();
    ++(IsLeft ? Counts.UnitsLeft : Counts.Units);
    Counts.SplitUnits += Units[I].IsSplit;
    if (!Units[I].Problem.empty())
      Warn(formatv("{0}: unit at {1:x} is left to the debugger: {2}",
                   File->path(), Headers[I].Offset, Units[I].Problem)
               .str());
  }
}

/// The hash of a name is defined only for UTF-8.
void Indexer::leaveOutOddNames() {
  for (UnitNames &Unit : Units)
    for (const NamedDIE &D : Unit.DIEs)
      if (!Texts->isUTF8(Unit, D)) {
        Unit = UnitNames();
        Unit.Problem = "a name in it is not UTF-8";
        break;
      }
}

Target Indexer::target() const {
  Target T;
  T.Order = S.LittleEndian ? endianness::little : endianness::big;
  return T;
}

void Indexer::makeIndex() {
  NameIndex Names;
  std::vector<uint32_t> Offsets;
  auto IsType = [&](size_t I) {
    return Headers[I].Type == llvm::dwarf::DW_UT_type;
  };
  size_t CompileUnits = 0;
  for (bool Types : {false, true}) {
    for (size_t I = 0; I != Units.size(); ++I) {
      UnitNames &Unit = Units[I];
      if (Unit.IsSplit || Unit.IsLeft || !Unit.Problem.empty() ||
          IsType(I) != Types)
        continue;
      for (const NamedDIE &D : Unit.DIEs) {
        NameTexts::Known Name = Texts->find(Unit, D);
        Names.add(Name.Text, Name.Offset, uint32_t(Offsets.size()), D.DIE,
                  D.Tag);
      }
      Unit = UnitNames();
      Offsets.push_back(uint32_t(Headers[I].Offset));
    }
    if (!Types)
      CompileUnits = Offsets.size();
  }
  Counts.Names = Names.nameCount();
  Counts.Entries = Names.entryCount();
  SectionWriter Out(target());
  Names.write(Out, Offsets, CompileUnits);
  Index = Out.bytes().str();
}

Error Indexer::read(function_ref<void(StringRef)> Warn) {
  if (Error E = checkKind())
    return E;
  if (Error E = readSections())
    return E;
  if (Error E = readUnits())
    return E;
  Texts.emplace(S.Str);
  leaveOutOddNames();
  if (Texts->exhausted())
    return refuse<LimitError>(*File, "its names overlap too much");
  leaveOutLossyUnits(Warn);
  reportProblems(Warn);
  if (!Counts.Units && Counts.LossyUnits)
    return refuse(*File, "with an index, LLDB would not find inlined methods "
                         "by name in any unit (--all-units makes the index "
                         "nevertheless)");
  if (!Counts.Units)
    return refuse<MissingInformationError>(
        *File, "an index would have no units: they are all in .dwo files, or "
               "cannot be read");
  if (Error E = Texts->placeOthers(Units))
    return addPrefix(File->path(), std::move(E));
  makeIndex();
  if (Index.size() > UINT32_MAX)
    return refuse<LimitError>(*File, "its DWARF is too large for an index");
  return Error::success();
}

/// Replaces the sections that debuggers would decompress each time.
Error Indexer::unpackSections(std::vector<ChangedSection> &Changes) const {
  for (const Section &Of : File->sections()) {
    bool IsFirst = File->findSection(Of.Name) == &Of;
    bool IsChanged = any_of(
        Changes, [&](const ChangedSection &C) { return C.Name == Of.Name; });
    if (!StringRef(Of.Name).starts_with(".debug_") || Of.IsZDebug ||
        !File->isCompressed(Of) || !IsFirst || IsChanged)
      continue;
    Expected<StringRef> Contents = File->contents(Of);
    if (!Contents)
      return Contents.takeError();
    Changes.push_back({Of.Name, *Contents});
  }
  return Error::success();
}

Error Indexer::write(raw_ostream &OS) const {
  std::vector<ChangedSection> Changes;
  const Section *Str = File->findSection(".debug_str");
  if (!Texts->added().empty())
    Changes.push_back({".debug_str", Texts->added(),
                       !Options.Unpack && Str && File->isCompressed(*Str)});
  if (Options.Unpack)
    if (Error E = unpackSections(Changes))
      return E;
  Changes.push_back({".debug_names", Index});
  // With LLDB's index, gdb 13 does not find inlined functions of namespaces.
  SectionWriter Empty(target());
  NameIndex::writeEmpty(Empty);
  Changes.push_back({NameIndex::SectionForGDB, Empty.bytes()});
  Error E = writeChanged(File->buffer(), Changes, OS);
  return E ? addPrefix(File->path(), std::move(E)) : Error::success();
}

Expected<std::unique_ptr<IndexedFile>>
IndexedFile::read(StringRef Path, const IndexOptions &Options,
                  function_ref<void(StringRef Message)> Warn) {
  Expected<std::unique_ptr<Binary>> File = Binary::open(Path);
  if (!File)
    return File.takeError();
  auto Result = std::make_unique<Indexer>(std::move(*File), Options);
  if (Error E = Result->read(Warn))
    return E;
  return Result;
}

bool hasNameIndex(StringRef Path) {
  Expected<std::unique_ptr<Binary>> File = Binary::open(Path);
  if (File)
    return (*File)->findSection(".debug_names") != nullptr;
  consumeError(File.takeError());
  return false;
}

} // namespace lidia
