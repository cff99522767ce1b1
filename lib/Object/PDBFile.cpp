//===- PDBFile.cpp - The headers of a PDB file ----------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PDBFile.h"
#include "lidia/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/BinaryFormat/COFF.h"
#include "llvm/DebugInfo/PDB/Native/RawConstants.h"
#include "llvm/DebugInfo/PDB/Native/RawTypes.h"
#include "llvm/Object/COFF.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using support::ulittle16_t;
using support::ulittle32_t;

namespace lidia {

const MSFStream &PDBFile::types() const {
  return Streams.stream(pdb::StreamTPI);
}

const MSFStream &PDBFile::ids() const { return Streams.stream(pdb::StreamIPI); }

std::optional<uint32_t> PDBFile::address(uint16_t Number,
                                         uint32_t Offset) const {
  if (Number == 0 || Number > Sections.size())
    return std::nullopt;
  const Section &S = Sections[Number - 1];
  if (Offset >= S.Size || S.Address > UINT32_MAX - S.Size)
    return std::nullopt;
  return S.Address + Offset;
}

/// The map from stream names to stream numbers is a hash table: the number of
/// entries, a bit set of used buckets, a bit set of deleted buckets, and the
/// used buckets. Only the name "/names" is needed. The features of the file
/// follow.
void PDBFile::readNamesStream(const MSFStream &Info) {
  uint64_t At = sizeof(pdb::InfoStreamHeader);
  auto Number = [&]() -> uint32_t {
    std::optional<ulittle32_t> N = Info.structAt<ulittle32_t>(At);
    At += sizeof(ulittle32_t);
    return N ? uint32_t(*N) : 0;
  };
  uint32_t NamesSize = Number();
  SmallVector<char, 0> Memory;
  std::optional<StringRef> Text = Info.read(At, NamesSize, Memory);
  if (!Text)
    return;
  At += NamesSize;
  uint32_t Count = Number();
  Number();
  for (int I = 0; I != 2; ++I) {
    uint64_t Words = Number();
    At += Words * sizeof(ulittle32_t);
  }
  for (uint32_t I = 0; I != Count && At < Info.size(); ++I) {
    uint32_t Name = Number(), Stream = Number();
    constexpr StringLiteral Wanted = StringLiteral::withInnerNUL("/names\0");
    if (Text->substr(Name).starts_with(Wanted))
      Names = Stream;
  }
  while (At < Info.size())
    IsPartial |= Number() == uint32_t(pdb::PdbRaw_FeatureSig::MinimalDebugInfo);
}

Error PDBFile::readIdentity(StringRef Path) {
  const MSFStream &Info = Streams.stream(pdb::StreamPDB);
  auto Header = Info.structAt<pdb::InfoStreamHeader>(0);
  if (!Header)
    return make_error<DamagedError>(
        Path, "a PDB file without the stream that identifies its program");
  std::copy(std::begin(Header->Guid.Guid), std::end(Header->Guid.Guid),
            GUID.begin());
  Age = Header->Age;
  readNamesStream(Info);
  return Error::success();
}

void PDBFile::readModules(StringRef Bytes) {
  uint64_t At = 0;
  while (auto Header = structAt<pdb::ModuleInfoHeader>(Bytes, At)) {
    Modules.push_back({Header->ModDiStream, Header->SymBytes, Header->C11Bytes,
                       Header->C13Bytes});
    At += sizeof(*Header);
    // The names of the module and of the object file follow the header.
    for (int I = 0; I != 2; ++I) {
      size_t End = Bytes.find('\0', At);
      if (End == StringRef::npos)
        return;
      At = End + 1;
    }
    At = alignTo(At, 4);
  }
}

void PDBFile::readContributions(StringRef Bytes) {
  auto Version = structAt<ulittle32_t>(Bytes, 0);
  if (!Version)
    return;
  bool IsLong = *Version == uint32_t(pdb::DbiSecContribV2);
  uint64_t Size =
      IsLong ? sizeof(pdb::SectionContrib2) : sizeof(pdb::SectionContrib);
  uint64_t At = sizeof(*Version);
  for (; auto C = structAt<pdb::SectionContrib>(Bytes, At); At += Size)
    if (C->Characteristics & COFF::IMAGE_SCN_CNT_CODE && C->Off >= 0 &&
        C->Size > 0)
      Contributions.push_back({C->ISect, uint32_t(C->Off), uint32_t(C->Size)});
}

void PDBFile::readSections(const MSFStream &Headers) {
  constexpr size_t MaxSections = UINT16_MAX;
  uint64_t At = 0;
  for (; Sections.size() != MaxSections; At += sizeof(object::coff_section)) {
    auto H = Headers.structAt<object::coff_section>(At);
    if (!H)
      return;
    bool IsCode = H->Characteristics &
                  (COFF::IMAGE_SCN_CNT_CODE | COFF::IMAGE_SCN_MEM_EXECUTE);
    Sections.push_back({H->VirtualAddress, H->VirtualSize, IsCode});
  }
}

/// Reads \p Bytes, the numbers of more streams. The position of a number
/// determines the kind of its stream.
void PDBFile::readOptionalStreams(StringRef Bytes) {
  auto Stream = [&](pdb::DbgHeaderType Kind) -> const MSFStream & {
    auto Index =
        structAt<ulittle16_t>(Bytes, uint64_t(Kind) * sizeof(ulittle16_t));
    constexpr uint16_t None = UINT16_MAX;
    return Streams.stream(Index && *Index != None ? *Index : UINT32_MAX);
  };
  readSections(Stream(pdb::DbgHeaderType::SectionHdr));
  IsRearranged = Stream(pdb::DbgHeaderType::OmapFromSrc).size() != 0;
}

/// Reads the debug information stream (DBI): a header with the sizes of the
/// parts that follow it.
void PDBFile::readDebugHeader() {
  const MSFStream &Debug = Streams.stream(pdb::StreamDBI);
  auto Header = Debug.structAt<pdb::DbiStreamHeader>(0);
  if (!Header)
    return;
  // Tools that modify a PDB file increment the age in the PDB information
  // stream, not this one.
  Age = Header->Age;
  Machine = Header->MachineType;
  Records = Header->SymRecordStreamIndex;
  uint64_t At = sizeof(*Header);
  SmallVector<char, 0> Memory;
  // A part with an invalid size, and those after it, are treated as empty.
  auto Take = [&](int32_t Size) {
    uint64_t From = At;
    At = Size < 0 ? Debug.size() + 1 : At + Size;
    return Size < 0 ? StringRef()
                    : Debug.read(From, Size, Memory).value_or(StringRef());
  };
  readModules(Take(Header->ModiSubstreamSize));
  readContributions(Take(Header->SecContrSubstreamSize));
  Take(Header->SectionMapSize);
  Take(Header->FileInfoSize);
  Take(Header->TypeServerSize);
  Take(Header->ECSubstreamSize);
  readOptionalStreams(Take(Header->OptionalDbgHdrSize));
}

Expected<PDBFile> PDBFile::open(StringRef Bytes, StringRef Path) {
  PDBFile File;
  if (Error E = MSFFile::open(Bytes, Path).moveInto(File.Streams))
    return E;
  if (Error E = File.readIdentity(Path))
    return E;
  File.readDebugHeader();
  return File;
}

} // namespace lidia
