//===- BinaryIdentity.cpp - The identity of a binary ----------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The hash covers only data that strip, objcopy and dwz preserve. They may
/// change section headers, the file offsets and file sizes of segments, and
/// EI_OSABI (which indicates symbols of certain kinds).
///
/// Go's linker writes the section headers between the program headers and the
/// code, in the code segment. strip moves them to the end of the file and
/// leaves other bytes there, so scheme 2 excludes this part.
///
/// Go 1.19's linker also writes the section names to the end of the constants
/// segment, and GNU strip shortens this segment accordingly. So scheme 3
/// includes only the sizes of code segments. Instead it includes the build ID
/// of Go's linker, which is a hash of all inputs.
///
//===----------------------------------------------------------------------===//

#include "BinaryIdentity.h"
#include "Notes.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/xxhash.h"

using namespace llvm;

namespace lidia {

/// Each sample costs a page fault, which would dominate the time of a lookup.
static constexpr uint64_t SampleCount = 8;
static constexpr uint64_t SampleSize = 512;

/// The maximum number of bytes of notes that are searched.
static constexpr uint64_t MaxNotes = 4096;

/// The first scheme without the sizes of segments that have no code.
static constexpr uint32_t FirstWithoutSizes = 3;

/// GNU objcopy --only-keep-debug keeps the file sizes of segments whose bytes
/// it removed, so these segments cover other parts of the file.
static bool isDebugFile(const Binary &File) {
  bool AnyCode = false;
  for (const Section &S : File.sections()) {
    if (!(S.Flags & ELF::SHF_EXECINSTR) || !(S.Flags & ELF::SHF_ALLOC))
      continue;
    if (S.Type != ELF::SHT_NOBITS)
      return false;
    AnyCode = true;
  }
  return AnyCode;
}

/// The number of bytes at the start of a file that linkers may reserve for
/// headers: Go's ELFRESERVE, which contains all its headers.
static constexpr uint64_t HeaderSpace = 4096;

static bool holdsCode(const Segment &S) {
  return S.Type == ELF::PT_LOAD && (S.Flags & ELF::PF_X);
}

/// Calls \p Visit with the fields of the program header of \p S that \p Scheme
/// hashes.
static void forEachField(const Segment &S, uint32_t Scheme,
                         function_ref<void(uint64_t)> Visit) {
  Visit(S.Type);
  Visit(S.Flags);
  Visit(S.Address);
  if (Scheme < FirstWithoutSizes || holdsCode(S))
    Visit(S.MemorySize);
}

/// The build ID of Go's linker; empty if there is none.
static StringRef findGoBuildID(const Binary &File, ArrayRef<Segment> Segments) {
  constexpr uint32_t GoBuildIDType = 4;
  endianness Order = File.identity().Data == ELF::ELFDATA2LSB
                         ? endianness::little
                         : endianness::big;
  StringRef BuildID;
  uint64_t Budget = MaxNotes;
  for (const Segment &S : Segments) {
    if (S.Type != ELF::PT_NOTE)
      continue;
    StringRef Notes = S.Bytes.take_front(Budget);
    Budget -= Notes.size();
    forEachNote(arrayRefFromStringRef(Notes), S.Alignment, Order,
                [&](const Note &N) {
                  if (N.Type == GoBuildIDType && N.Owner == "Go")
                    BuildID = toStringRef(N.Contents);
                  return BuildID.empty();
                });
    if (!BuildID.empty())
      break;
  }
  return BuildID;
}

/// The bytes of \p S that count as code in \p Scheme.
static StringRef codeOf(const Segment &S, uint32_t Scheme) {
  // If the file has nothing else, as small programs do, the first bytes are
  // code.
  if (Scheme == format::FirstIdentityScheme || S.Offset != 0 ||
      S.FileSize <= HeaderSpace)
    return S.Bytes;
  return S.Bytes.take_back(S.FileSize - HeaderSpace);
}

/// The executable segments in order.
static std::vector<StringRef>
codeOf(const Binary &File, ArrayRef<Segment> Segments, uint32_t Scheme) {
  std::vector<StringRef> Parts;
  uint64_t Total = 0;
  for (const Segment &S : Segments) {
    if (!holdsCode(S) || S.Bytes.empty())
      continue;
    Total += S.Bytes.size();
    // Invalid segments map the file repeatedly.
    if (Total > 2 * File.size())
      break;
    Parts.push_back(codeOf(S, Scheme));
  }
  return Parts;
}

/// Appends the bytes of \p Parts from \p Offset on: SampleSize, or as many as
/// there are.
static void addSample(std::string &Hashed, ArrayRef<StringRef> Parts,
                      uint64_t Offset) {
  uint64_t Left = SampleSize;
  for (StringRef Part : Parts) {
    if (Offset >= Part.size()) {
      Offset -= Part.size();
      continue;
    }
    StringRef Bytes = Part.substr(Offset, Left);
    Hashed += Bytes;
    Left -= Bytes.size();
    Offset = 0;
    if (Left == 0)
      return;
  }
}

std::optional<BinaryIdentity> identifyBinary(const Binary &File,
                                             uint32_t Scheme) {
  std::vector<Segment> Segments = File.segments();
  std::vector<StringRef> Code = codeOf(File, Segments, Scheme);
  uint64_t CodeSize = 0;
  for (StringRef Part : Code)
    CodeSize += Part.size();
  if (CodeSize == 0 || isDebugFile(File))
    return std::nullopt;

  std::string Hashed;
  auto Add = [&](uint64_t Number) {
    char Bytes[8];
    support::endian::write64le(Bytes, Number);
    Hashed.append(Bytes, sizeof(Bytes));
  };
  const ELFIdentity &I = File.identity();
  for (uint32_t Field : std::initializer_list<uint32_t>{I.Class, I.Data, I.Type,
                                                        I.Machine, I.Flags})
    Add(Field);
  for (const Segment &S : Segments)
    forEachField(S, Scheme, Add);
  Add(CodeSize);
  uint64_t LastSample = CodeSize - std::min(CodeSize, SampleSize);
  for (uint64_t Sample = 0; Sample != SampleCount; ++Sample)
    addSample(Hashed, Code, LastSample * Sample / (SampleCount - 1));
  if (Scheme >= FirstWithoutSizes) {
    StringRef BuildID = findGoBuildID(File, Segments);
    Add(BuildID.size());
    Hashed += BuildID;
  }

  XXH128_hash_t Hash = xxh3_128bits(arrayRefFromStringRef(Hashed));
  BinaryIdentity Identity;
  support::endian::write64be(Identity.data(), Hash.high64);
  support::endian::write64be(Identity.data() + 8, Hash.low64);
  return Identity;
}

bool hasIdentityOf(const Binary &File, const ArchiveInfo &Info) {
  std::optional<BinaryIdentity> Identity =
      identifyBinary(File, Info.IdentityScheme);
  return Info.Identity ==
         (Identity ? ArrayRef<uint8_t>(*Identity) : ArrayRef<uint8_t>());
}

bool hasOtherIdentity(const std::string &Path, const ArchiveInfo &Info,
                      ArrayRef<uint8_t> BuildID) {
  if (Info.Identity.empty() || !sys::fs::is_regular_file(Path))
    return false;
  Expected<std::unique_ptr<Binary>> File =
      Binary::openWithBuildID(Path, BuildID);
  if (!File) {
    consumeError(File.takeError());
    return false;
  }
  std::optional<BinaryIdentity> Actual =
      identifyBinary(**File, Info.IdentityScheme);
  return Actual && Info.Identity != ArrayRef<uint8_t>(*Actual);
}

Expected<std::unique_ptr<Binary>>
openBinaryOfArchive(StringRef Path, ArrayRef<uint8_t> BuildID) {
  Expected<std::unique_ptr<Binary>> Opened =
      Binary::openWithBuildID(Path, BuildID);
  if (Opened && (*Opened)->buildID() != BuildID)
    return make_error<ArgumentError>(Path,
                                     "its build ID is not that of the archive");
  return Opened;
}

} // namespace lidia
