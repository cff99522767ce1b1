//===- DebugMap.cpp - The objects of a Mach-O program ---------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DebugMap.h"
#include "Support/InputFile.h"
#include "Support/StableSort.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/Chrono.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace lidia {

static uint64_t secondsOf(sys::TimePoint<> Time) {
  return std::chrono::duration_cast<std::chrono::seconds>(
             Time.time_since_epoch())
      .count();
}

static Error otherTime(const DebugMapObject &Object) {
  return make_error<DamagedError>(
      Object.Path, "has changed since the program was linked, and is not used");
}

Error DebugMapFiles::openArchive(StringRef Path) {
  if (!Archive || ArchivePath != Path) {
    ArchivePath = Path.str();
    Archive.reset();
    Expected<ObjectArchive> Opened = ObjectArchive::open(Path);
    if (!Opened)
      return Opened.takeError();
    Archive = std::move(*Opened);
  }
  return Error::success();
}

/// Several members may have the same name; their times distinguish them.
Expected<StringRef> DebugMapFiles::member(const DebugMapObject &Object,
                                          StringRef Name) {
  ArrayRef<ObjectArchive::Member> Named = Archive->named(Name);
  std::vector<ObjectArchive::Member> Fitting = Named.vec();
  erase_if(Fitting, [&](const ObjectArchive::Member &M) {
    return Object.Time && M.Time != Object.Time;
  });
  if (Named.empty())
    return make_error<DamagedError>(Object.Path,
                                    "the archive has no such file");
  if (Fitting.empty())
    return otherTime(Object);
  if (Fitting.size() > 1)
    return make_error<DamagedError>(
        Object.Path, "the archive has several files of that name");
  return Fitting.front().Bytes;
}

/// Where the file that the program calls \p Path is: in one of the folders,
/// where the program says, or at that path from the program's folder.
std::string DebugMapFiles::find(StringRef Path) const {
  std::vector<std::string> Candidates;
  auto AddIn = [&](StringRef Folder) {
    SmallString<128> Joined(Folder);
    sys::path::append(Joined, Path);
    Candidates.push_back(Joined.str().str());
  };
  for (const std::string &Folder : Folders)
    AddIn(Folder);
  if (!sys::path::is_absolute(Path))
    AddIn(sys::path::parent_path(Program.path()));
  for (const std::string &Candidate : Candidates)
    if (sys::fs::is_regular_file(Candidate))
      return Candidate;
  return Path.str();
}

Expected<std::unique_ptr<MemoryBuffer>>
DebugMapFiles::read(const DebugMapObject &Object) {
  StringRef Path = Object.Path;
  if (std::optional<MemberPath> Split = splitMemberPath(Path)) {
    if (Error E = openArchive(find(Split->Archive)))
      return E;
    StringRef Bytes;
    if (Error E = member(Object, Split->Member).moveInto(Bytes))
      return E;
    // Members are aligned to two bytes only.
    return MemoryBuffer::getMemBufferCopy(Bytes, Path);
  }
  std::string File = find(Path);
  sys::fs::file_status Status;
  if (!sys::fs::status(File, Status) && Object.Time &&
      secondsOf(Status.getLastModificationTime()) != Object.Time)
    return otherTime(Object);
  return readRegularFile(File);
}

Expected<std::unique_ptr<Binary>>
DebugMapFiles::open(const DebugMapObject &Object) {
  Expected<std::unique_ptr<MemoryBuffer>> Buffer = read(Object);
  if (!Buffer)
    return Buffer.takeError();
  if (fileKind((*Buffer)->getBuffer()) != FileKind::MachO)
    return make_error<NotABinaryError>(Object.Path, "not a Mach-O file");
  Expected<std::unique_ptr<Binary>> File =
      Binary::create(std::move(*Buffer), Object.Path, Program.architecture());
  if (File && (*File)->identity().Type != ELF::ET_REL)
    return make_error<DamagedError>(Object.Path, "is not an object file");
  return File;
}

/// The address of each symbol of code in \p Object. A name that is given twice
/// does not tell which function the linker took.
static StringMap<std::optional<uint64_t>> addressesOfSymbols(Binary &Object) {
  StringMap<std::optional<uint64_t>> Addresses;
  auto Visit = [&](const FunctionSymbol &S) {
    auto [It, IsNew] = Addresses.try_emplace(S.Name, S.Address);
    if (!IsNew && It->second != S.Address)
      It->second = std::nullopt;
  };
  // Mach-O's reader has no errors: a broken table is no table.
  consumeError(Object.forEachFunctionSymbol(SymbolTable::Symtab, Visit));
  return Addresses;
}

std::vector<MovedCode> movedCode(const DebugMapObject &Map, Binary &Object,
                                 const Binary &Program) {
  std::vector<MovedCode> Moved;
  StringMap<std::optional<uint64_t>> Addresses = addressesOfSymbols(Object);
  for (const DebugMapFunction &F : Map.Functions) {
    StringRef Name = F.Name;
    Name.consume_front("_");
    std::optional<uint64_t> From = Addresses.lookup(Name);
    uint64_t Start = F.Address;
    uint64_t End = Start + std::min(F.Size, UINT64_MAX - Start);
    if (!From || !Program.code().clip(Start, End))
      continue;
    uint64_t ObjectEnd = *From + std::min(End - Start, UINT64_MAX - *From),
             At = *From;
    if (Object.code().clip(At, ObjectEnd))
      Moved.push_back({*From, Start, ObjectEnd - *From});
  }
  // Aliases have the same address.
  stableSort(Moved, [](const MovedCode &M) { return M.ObjectAddress; });
  Moved.erase(llvm::unique(Moved,
                           [](const MovedCode &A, const MovedCode &B) {
                             return A.ObjectAddress == B.ObjectAddress;
                           }),
              Moved.end());
  for (size_t I = 0; I + 1 < Moved.size(); ++I)
    Moved[I].Size = std::min(Moved[I].Size, Moved[I + 1].ObjectAddress -
                                                Moved[I].ObjectAddress);
  return Moved;
}

} // namespace lidia
