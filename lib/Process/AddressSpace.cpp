//===- AddressSpace.cpp - Address spaces and their modules ----------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Process/AddressSpace.h"
#include "MemoryImage.h"
#include "Modules/ELFHeaders.h"
#include "Modules/ForeignFile.h"
#include "lidia/Error.h"
#include "lidia/MissError.h"
#include "lidia/Modules/ModuleFinder.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/BinaryFormat/ELF.h"

using namespace llvm;

namespace lidia {

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

namespace {
/// The bytes of a file that are in memory, by file offset.
class MappedBytes final : public ByteReader {
public:
  /// The process may have changed writable memory, so it is left out or, if
  /// \p AddWritable, comes last.
  MappedBytes(const AddressSpace &Space, uint32_t File,
              bool AddWritable = false)
      : Space(Space) {
    const MappingList &List = Space.mappings();
    for (bool Writable : {false, true})
      for (uint32_t Index : List.mappingsOf(File))
        if (List.mappings()[Index].Writable == Writable &&
            (AddWritable || !Writable))
          Parts.push_back(List.mappings()[Index]);
  }

  size_t read(uint64_t Offset, MutableArrayRef<uint8_t> To) const override {
    for (const Mapping &M : Parts) {
      if (Offset < M.Offset || Offset - M.Offset >= M.End - M.Begin)
        continue;
      uint64_t Begin = M.Begin + (Offset - M.Offset);
      return Space.readMemory(
          Begin, To.take_front(std::min<uint64_t>(To.size(), M.End - Begin)));
    }
    return 0;
  }

private:
  const AddressSpace &Space;
  std::vector<Mapping> Parts;
};
} // namespace

//===----------------------------------------------------------------------===//
// Address spaces
//===----------------------------------------------------------------------===//

AddressSpace::AddressSpace(MappingList List)
    : List(std::move(List)), Foreign(std::make_unique<ForeignFileReader>()) {}

size_t AddressSpace::readMemory(uint64_t, MutableArrayRef<uint8_t>) const {
  return 0;
}

std::unique_ptr<PerfMap> AddressSpace::findPerfMap(WarningFunction) const {
  return nullptr;
}

Expected<ThreadVisitStatistics>
AddressSpace::visitThreads(ThreadVisitor, std::optional<uint64_t>) const {
  return ThreadVisitStatistics();
}

/// The first mapping of the file of \p M that was not moved.
Mapping AddressSpace::firstOfFile(const Mapping &M) const {
  for (uint32_t Index : List.mappingsOf(M.File))
    if (!List.mappings()[Index].IsMoved)
      return List.mappings()[Index];
  return M;
}

/// The vdso has no file.
Expected<std::unique_ptr<OpenedFile>>
AddressSpace::openImage(const Mapping &M) const {
  StringRef Name = List.file(M).Path;
  constexpr uint64_t Max = 1 << 20;
  std::vector<uint8_t> Bytes(std::min(M.End - M.Begin, Max));
  Bytes.resize(readMemory(M.Begin, Bytes));
  if (Bytes.empty())
    return make_error<MissingInformationError>(Name,
                                               "its memory cannot be read");
  return OpenedFile::ofImage(Bytes, Name);
}

void AddressSpace::readBuildIDs() {
  for (uint32_t I = 0; I != List.files().size(); ++I) {
    MappedFile &Source = List.file(I);
    if (Source.Type == MappedFile::Kind::Anonymous || !Source.BuildID.empty())
      continue;
    Source.BuildID = readBuildID(MappedBytes(*this, I));
  }
}

Expected<std::unique_ptr<OpenedFile>>
AddressSpace::openFile(const Mapping &M) const {
  const MappedFile &Source = List.file(M);
  LoadedModule Found;
  Found.WhyNoFile = {MissCode::NoFile,
                     Source.Path + ": no folder of files is given"};
  std::string Path =
      (Source.wholePath() + (Source.Deleted ? " (deleted)" : "")).str();
  ArrayRef<uint8_t> BuildID = Source.BuildID;
  // That of a part is not that of the zip file.
  if (Source.PartSize)
    BuildID = {};
  if (Files)
    Found = Files->open({Path, BuildID});
  if (Found.File)
    return std::move(Found.File);
  return make_error<MissError>(std::move(Found.WhyNoFile));
}

/// Whether the file of \p Headers has code: a debug file has only its size.
static bool hasCode(const ELFHeaders &Headers) {
  return any_of(Headers.Segments, [](const ELFSegment &S) {
    return S.Type == ELF::PT_LOAD && (S.Flags & ELF::PF_X) && S.FileSize != 0;
  });
}

/// Sets the file of \p Into if Files has it. Otherwise sets the reason, unless
/// a process may open the file itself and no folder was named.
bool AddressSpace::loadNamed(const MappedFile &Source,
                             LoadedModule &Into) const {
  if (!Files || Source.Type != MappedFile::Kind::File)
    return false;
  std::string Path = Source.Path + (Source.Deleted ? " (deleted)" : "");
  LoadedModule Found = Files->open({Path, Into.BuildID});
  if (!Found.File) {
    if (!isLive() || !Files->isClosed())
      Into.WhyNoFile = std::move(Found.WhyNoFile);
    return false;
  }
  Into.File = std::move(Found.File);
  Into.BuildID = std::move(Found.BuildID);
  if (!Into.Headers && Found.Headers && hasCode(*Found.Headers))
    Into.Headers = std::move(Found.Headers);
  return true;
}

void AddressSpace::complete(bool ReadBuildIDs) {
  findPackedModules();
  if (ReadBuildIDs)
    readBuildIDs();
  findMovedText();
}

LoadedModule AddressSpace::load(const Mapping &Given) const {
  LoadedModule Result;
  const Mapping M = Given.IsMoved ? firstOfFile(Given) : Given;
  const MappedFile &Source = List.file(M);
  MappedBytes Memory(*this, M.File);
  if (Expected<ELFHeaders> Headers = readELFHeaders(Memory, Source.Path)) {
    Result.BuildID = readBuildID(Memory);
    Result.Headers = std::make_unique<ELFHeaders>(std::move(*Headers));
  } else {
    consumeError(Headers.takeError());
  }
  if (!Source.BuildID.empty())
    Result.BuildID = Source.BuildID;
  if (loadNamed(Source, Result))
    return Result;
  // Only a process has other ways to the same file than Files, and only a part
  // of a file another one to look for.
  if (!isLive() && !Source.PartSize && !Result.WhyNoFile.empty())
    return Result;
  Miss WhyNotNamed = std::move(Result.WhyNoFile);

  Expected<std::unique_ptr<OpenedFile>> Opened = openSource(M);
  if (M.IsImage && Opened && isForeignFile(**Opened))
    Foreign->setFile(Result, std::move(*Opened), Source.Path);
  else
    Result.setFile(std::move(Opened), Source.Path);
  if (!Result.File && !WhyNotNamed.empty())
    Result.WhyNoFile = std::move(WhyNotNamed);
  return Result;
}

void AddressSpace::loadFromMemory(const Mapping &M, LoadedModule &To) const {
  ArrayRef<uint32_t> Its = List.mappingsOf(M.File);
  if (M.IsImage || Its.empty() || !To.Headers || To.Headers->OnlyCode)
    return;
  const Mapping First = firstOfFile(M);
  std::optional<uint64_t> Address =
      To.Headers->addressAt(First.Offset, First.Executable);
  if (!Address)
    return;
  Expected<std::unique_ptr<OpenedFile>> Image =
      imageInMemory(MappedBytes(*this, M.File, /*AddWritable=*/true),
                    *To.Headers, First.Begin - *Address, List.file(M).Path);
  if (Image)
    To.File = std::move(*Image);
  else
    consumeError(Image.takeError());
}

//===----------------------------------------------------------------------===//
// Saved lists
//===----------------------------------------------------------------------===//

namespace {
class SavedMaps final : public AddressSpace {
public:
  explicit SavedMaps(MappingList List) : AddressSpace(std::move(List)) {}
};
} // namespace

std::unique_ptr<AddressSpace> AddressSpace::ofNothing() {
  return std::make_unique<SavedMaps>(MappingList());
}

Expected<std::unique_ptr<AddressSpace>>
AddressSpace::ofMaps(StringRef Maps, StringRef Name, ModuleFinder *Files,
                     WarningFunction Warn) {
  Expected<MappingList> List = MappingList::parse(Maps, Name, Warn);
  if (!List)
    return List.takeError();
  auto Space = std::make_unique<SavedMaps>(std::move(*List));
  Space->Files = Files;
  Space->complete(/*ReadBuildIDs=*/false);
  return Space;
}

} // namespace lidia
