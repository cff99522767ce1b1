//===- BinaryIdentity.cpp - Which binary it really is ---------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The hash covers only what strip, objcopy and dwz leave alone. They may
/// change section headers, where in the file a segment is, how much of it is in
/// the file, and EI_OSABI (which says that there are symbols of certain kinds).
///
//===----------------------------------------------------------------------===//

#include "BinaryIdentity.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/xxhash.h"

using namespace llvm;

namespace lidia {

/// Each costs a page fault, which is what a lookup would feel first.
static constexpr uint64_t PlaceCount = 8;
static constexpr uint64_t PlaceSize = 512;

/// GNU objcopy --only-keep-debug leaves the sizes of segments whose bytes it
/// has removed, so that they show other parts of the file.
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

/// The executable segments one behind the other.
static std::vector<StringRef> codeOf(const Binary &File,
                                     ArrayRef<Segment> Segments) {
  std::vector<StringRef> Parts;
  uint64_t Total = 0;
  for (const Segment &S : Segments) {
    if (S.Type != ELF::PT_LOAD || !(S.Flags & ELF::PF_X) || S.Bytes.empty())
      continue;
    Total += S.Bytes.size();
    // Segments that show the file again and again.
    if (Total > 2 * File.size())
      break;
    Parts.push_back(S.Bytes);
  }
  return Parts;
}

/// The bytes of \p Parts from \p Offset on: PlaceSize, or as many as there are.
static void addPlace(std::string &Hashed, ArrayRef<StringRef> Parts,
                     uint64_t Offset) {
  uint64_t Left = PlaceSize;
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

std::optional<BinaryIdentity> identifyBinary(const Binary &File) {
  std::vector<Segment> Segments = File.segments();
  std::vector<StringRef> Code = codeOf(File, Segments);
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
    for (uint64_t Field :
         {uint64_t(S.Type), uint64_t(S.Flags), S.Address, S.MemorySize})
      Add(Field);
  Add(CodeSize);
  uint64_t LastPlace = CodeSize - std::min(CodeSize, PlaceSize);
  for (uint64_t Place = 0; Place != PlaceCount; ++Place)
    addPlace(Hashed, Code, LastPlace * Place / (PlaceCount - 1));

  XXH128_hash_t Hash = xxh3_128bits(arrayRefFromStringRef(Hashed));
  BinaryIdentity Identity;
  support::endian::write64be(Identity.data(), Hash.high64);
  support::endian::write64be(Identity.data() + 8, Hash.low64);
  return Identity;
}

} // namespace lidia
