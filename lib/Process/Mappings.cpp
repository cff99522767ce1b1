//===- Mappings.cpp - The mappings of an address space --------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Process/Mappings.h"
#include "Support/NilBuildID.h"
#include "Support/StableSort.h"
#include "TextLines.h"
#include "lidia/Error.h"
#include "lidia/Symbolize/PrintableText.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

using namespace llvm;

namespace lidia {

//===----------------------------------------------------------------------===//
// The list
//===----------------------------------------------------------------------===//

/// Whether \p File is of a file system in memory, by its name.
static bool isInMemory(const MappedFile &File) {
  StringRef Path = File.Path;
  return Path.starts_with("/memfd:") || Path.starts_with("/anon_hugepage") ||
         Path.starts_with("/dev/zero") || Path.starts_with("/dev/shm/") ||
         Path.starts_with("/SYSV") || Path.contains("huge");
}

bool Mapping::mayBeMoved(const MappedFile &Source) const {
  if (!Executable || IsImage || IsMoved)
    return false;
  if (Source.Type == MappedFile::Kind::File)
    return isInMemory(Source);
  return Source.Type == MappedFile::Kind::Anonymous &&
         (Source.Path.empty() || StringRef(Source.Path).starts_with("[anon"));
}

StringRef MappedFile::wholePath() const {
  return PartSize ? StringRef(Path).split('!').first : StringRef(Path);
}

uint32_t MappingList::addFile(const MappedFile &Source) {
  std::string Key = Source.Path;
  Key.push_back('\0');
  for (uint64_t Part : {uint64_t(Source.Deleted), uint64_t(Source.DeviceMajor),
                        uint64_t(Source.DeviceMinor), Source.Inode})
    Key.append(reinterpret_cast<const char *>(&Part), sizeof(Part));
  auto [Known, New] = FileIndices.try_emplace(Key, uint32_t(Files.size()));
  if (New)
    Files.push_back(Source);
  return Known->second;
}

void MappingList::add(Mapping M, const MappedFile &Source) {
  M.File = addFile(Source);
  Mappings.push_back(M);
}

void MappingList::setPart(size_t Index, const MappedFile &Source) {
  Mapping &M = Mappings[Index];
  M.File = addFile(Source);
  M.Offset -= Source.PartOffset;
}

size_t MappingList::finish() {
  stableSort(Mappings, [](const Mapping &M) { return M.Begin; });
  size_t Cut = 0;
  uint64_t End = 0;
  for (Mapping &M : Mappings) {
    if (M.Begin < End) {
      ++Cut;
      uint64_t Lost = std::min(End, M.End) - M.Begin;
      M.Begin += Lost;
      M.Offset += Lost;
    }
    End = std::max(End, M.End);
  }
  llvm::erase_if(Mappings, [](const Mapping &M) { return M.Begin == M.End; });
  findMoved();
  indexFiles();
  return Cut;
}

void MappingList::indexFiles() {
  MappingsOf.assign(Files.size(), {});
  for (size_t I = 0; I != Mappings.size(); ++I)
    MappingsOf[Mappings[I].File].push_back(uint32_t(I));
}

const Mapping *MappingList::neighbour(size_t Index, int Step) const {
  // Memory is moved in few pieces.
  constexpr int MaxSteps = 16;
  const Mapping &Of = Mappings[Index];
  uint32_t Own = Of.IsMoved ? Of.MovedTo : Of.File;
  int64_t I = int64_t(Index) + Step;
  for (int Left = MaxSteps; Left != 0; --Left, I += Step) {
    if (I < 0 || I >= int64_t(Mappings.size()))
      return nullptr;
    const Mapping &M = Mappings[I];
    if (M.File != Own && !M.IsImage && !M.IsMoved &&
        file(M).Type == MappedFile::Kind::File)
      return &M;
  }
  return nullptr;
}

void MappingList::setMoved(size_t Index, uint32_t File, uint64_t Offset) {
  Mapping &M = Mappings[Index];
  if (!M.IsMoved) {
    M.MovedTo = M.File;
    M.MovedToOffset = M.Offset;
  }
  M.IsMoved = true;
  M.File = File;
  M.Offset = Offset;
}

void MappingList::clearMoved(size_t Index) {
  Mapping &M = Mappings[Index];
  if (!M.IsMoved)
    return;
  M.IsMoved = false;
  M.File = M.MovedTo;
  M.Offset = M.MovedToOffset;
}

/// Finds moved text without program headers: its neighbours have the same
/// distance between addresses and offsets.
void MappingList::findMoved() {
  for (size_t I = 0; I != Mappings.size(); ++I) {
    const Mapping &M = Mappings[I];
    if (!M.mayBeMoved(file(M)))
      continue;
    const Mapping *Before = neighbour(I, -1), *After = neighbour(I, 1);
    if (!Before || !After || Before->File != After->File)
      continue;
    uint64_t Base = Before->Begin - Before->Offset;
    if (Base == After->Begin - After->Offset)
      setMoved(I, Before->File, M.Begin - Base);
  }
}

std::vector<Mapping> MappingList::uncovered(ArrayRef<Mapping> Others) const {
  std::vector<Mapping> Parts;
  ArrayRef<Mapping> Known = Mappings;
  for (Mapping M : Others) {
    uint64_t End = M.End;
    auto AddUpTo = [&](uint64_t Limit) {
      M.End = std::min(Limit, End);
      if (M.Begin < M.End)
        Parts.push_back(M);
    };
    while (!Known.empty() && Known.front().End <= M.Begin)
      Known = Known.drop_front();
    for (const Mapping &Covering : Known) {
      if (Covering.Begin >= End)
        break;
      AddUpTo(Covering.Begin);
      M.Begin = std::max(M.Begin, Covering.End);
    }
    AddUpTo(End);
  }
  return Parts;
}

const Mapping *MappingList::find(uint64_t Address) const {
  const auto *After = partition_point(Mappings, [&](const Mapping &M) {
                        return M.Begin <= Address;
                      }).base();
  if (After == Mappings.data() || Address >= After[-1].End)
    return nullptr;
  return &After[-1];
}

void MappingList::print(raw_ostream &OS) const {
  for (const Mapping &M : Mappings) {
    const MappedFile &F = file(M);
    OS << llvm::format("%08llx-%08llx ", (unsigned long long)M.Begin,
                       (unsigned long long)M.End)
       << (M.Readable ? 'r' : '-') << (M.Writable ? 'w' : '-')
       << (M.Executable ? 'x' : '-') << (M.Shared ? 's' : 'p')
       << llvm::format(" %08llx %02x:%02x %llu",
                       (unsigned long long)(M.Offset + F.PartOffset),
                       F.DeviceMajor, F.DeviceMinor,
                       (unsigned long long)F.Inode);
    if (!F.Path.empty())
      OS << ' ' << escapeText(F.wholePath());
    OS << (F.Deleted ? " (deleted)\n" : "\n");
  }
  auto PrintBuildID = [&](ArrayRef<uint8_t> BuildID, StringRef Path) {
    if (!BuildID.empty())
      OS << toHex(BuildID, /*LowerCase=*/true) << ' ' << escapeText(Path)
         << '\n';
  };
  for (uint32_t I = 0; I != Mappings.size(); ++I)
    if (mappingsOf(Mappings[I].File).front() == I)
      PrintBuildID(file(Mappings[I]).BuildID, file(Mappings[I]).Path);
  PrintBuildID(KernelBuildID, "[kernel.kallsyms]");
}

//===----------------------------------------------------------------------===//
// /proc/PID/maps
//===----------------------------------------------------------------------===//

/// Reads one line after the other into a list.
class MapsParser {
public:
  explicit MapsParser(MappingList &List) : List(List) {}

  /// False if \p Line is malformed.
  bool readLine(StringRef Line);
  void finish(StringRef Name, WarningFunction Warn);

private:
  bool readMapping(StringRef Line);
  bool readBuildID(StringRef Line);

  MappingList &List;
  struct KnownBuildID {
    std::vector<uint8_t> BuildID;
    bool Ambiguous = false;
  };
  StringMap<KnownBuildID> BuildIDs;
};

/// The kernel writes a newline in a path as "\012", and all other characters
/// unchanged.
static std::string unescapePath(StringRef Text) {
  std::string Path;
  while (true) {
    auto [Before, After] = Text.split("\\012");
    Path += Before;
    if (Before.size() == Text.size())
      return Path;
    Path.push_back('\n');
    Text = After;
  }
}

static MappedFile readSource(StringRef Text) {
  MappedFile F;
  F.Deleted = Text.consume_back(" (deleted)");
  if (Text.starts_with("/") || Text.starts_with("(unreachable)/"))
    F.Type = MappedFile::Kind::File;
  else if (Text == "[vdso]")
    F.Type = MappedFile::Kind::Image;
  F.Path = unescapePath(Text);
  return F;
}

/// Reads "r-xp" off the front of \p Line.
static bool consumePermissions(StringRef &Line, Mapping &M) {
  if (Line.size() < 4)
    return false;
  auto Flag = [&](size_t Index, char Set, char Unset, bool &Value) {
    Value = Line[Index] == Set;
    return Value || Line[Index] == Unset;
  };
  if (!Flag(0, 'r', '-', M.Readable) || !Flag(1, 'w', '-', M.Writable) ||
      !Flag(2, 'x', '-', M.Executable) || !Flag(3, 's', 'p', M.Shared))
    return false;
  Line = Line.drop_front(4);
  return true;
}

bool MapsParser::readMapping(StringRef Line) {
  Mapping M;
  uint32_t Major, Minor;
  uint64_t Inode;
  if (Line.consumeInteger(16, M.Begin) || !Line.consume_front("-") ||
      Line.consumeInteger(16, M.End) || !Line.consume_front(" ") ||
      !consumePermissions(Line, M) || !Line.consume_front(" ") ||
      Line.consumeInteger(16, M.Offset) || !Line.consume_front(" ") ||
      Line.consumeInteger(16, Major) || !Line.consume_front(":") ||
      Line.consumeInteger(16, Minor) || !Line.consume_front(" ") ||
      Line.consumeInteger(10, Inode) || M.Begin >= M.End)
    return false;
  if (!Line.empty() && !Line.consume_front(" "))
    return false;
  MappedFile F = readSource(Line.ltrim(' '));
  F.DeviceMajor = Major;
  F.DeviceMinor = Minor;
  F.Inode = Inode;
  List.add(M, F);
  return true;
}

/// Reads "<build ID> <path>".
bool MapsParser::readBuildID(StringRef Line) {
  auto [Digits, Path] = Line.split(' ');
  Path = Path.ltrim(' ');
  std::string Bytes;
  if (Path.empty() || Digits.empty() || Digits.size() % 2 != 0 ||
      !tryGetFromHex(Digits, Bytes))
    return false;
  std::vector<uint8_t> BuildID(Bytes.begin(), Bytes.end());
  if (isNilBuildID(BuildID))
    return true;
  auto [Known, New] = BuildIDs.try_emplace(unescapePath(Path));
  if (New)
    Known->second.BuildID = std::move(BuildID);
  else if (Known->second.BuildID != BuildID)
    Known->second.Ambiguous = true;
  return true;
}

bool MapsParser::readLine(StringRef Line) {
  if (Line.empty() || Line.starts_with("#"))
    return true;
  // Only a mapping has a '-' in its first word.
  return Line.take_until([](char C) { return C == ' '; }).contains('-')
             ? readMapping(Line)
             : readBuildID(Line);
}

void MapsParser::finish(StringRef Name, WarningFunction Warn) {
  if (size_t Cut = List.finish())
    Warn(Name + ": " + Twine(Cut) +
         " mappings overlap others, which keep their addresses");
  for (MappedFile &F : List.Files) {
    auto Known = BuildIDs.find(F.Path);
    if (Known == BuildIDs.end())
      continue;
    if (!Known->second.Ambiguous)
      F.BuildID = Known->second.BuildID;
    else
      Warn(F.Path + ": several build IDs: none is used");
  }
  auto Kernel = BuildIDs.find("[kernel.kallsyms]");
  if (Kernel != BuildIDs.end() && !Kernel->second.Ambiguous)
    List.KernelBuildID = Kernel->second.BuildID;
}

Expected<MappingList> MappingList::parse(StringRef Text, StringRef Name,
                                         WarningFunction Warn) {
  MappingList List;
  MapsParser Parser(List);
  MalformedLines Malformed;
  forEachLine(Text, [&](StringRef Line, size_t Number) {
    if (!Parser.readLine(Line))
      Malformed.add(Number);
  });
  if (List.Mappings.empty())
    return make_error<DamagedError>(Name,
                                    "no line has the format of /proc/PID/maps");
  Malformed.report(Name, Warn);
  Parser.finish(Name, Warn);
  return List;
}

} // namespace lidia
