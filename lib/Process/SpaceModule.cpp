//===- SpaceModule.cpp - A module of an address space, opened -------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Process/SpaceModule.h"
#include "ELFHeaders.h"
#include "lidia/Error.h"
#include "llvm/BinaryFormat/ELF.h"

using namespace llvm;

namespace lidia {

static ModuleArchives::Result archiveOf(const LoadedModule &L,
                                        ModuleArchives &Archives) {
  if (!L.File && L.BuildID.empty())
    return make_error<MissingInformationError>("", L.WhyNoFile);
  StringRef Path = L.File ? L.File->path() : StringRef();
  return Archives.get(Path, L.BuildID, L.File ? L.File->version() : "");
}

SpaceModule SpaceModule::open(const AddressSpace &Space, const Mapping &M,
                              ModuleArchives &Archives) {
  SpaceModule Result;
  Result.Loaded = Space.load(M);
  LoadedModule &L = Result.Loaded;
  ModuleArchives::Result A = archiveOf(L, Archives);
  if (!A && !L.File) {
    Space.loadFromMemory(M, L);
    if (L.File) {
      consumeError(A.takeError());
      A = archiveOf(L, Archives);
    }
  }
  if (!A) {
    std::string Why = toString(A.takeError());
    Result.Reason = L.WhyNoFile.empty() ? Why : L.WhyNoFile;
    return Result;
  }
  Result.A = std::move(*A);
  if (!L.Headers)
    L.Headers = headersOf(*Result.A);
  return Result;
}

/// The address in a module whose segments are not known: neither its file nor
/// its first page is there. A program that is not position-independent has its
/// own addresses at run time; anything else is linked to begin at zero, which
/// the first byte of the file is loaded at. Without segments, the file offset
/// is not sufficient: with LLD, the address of code is one or more pages above
/// its offset.
static std::optional<uint64_t> addressWithoutSegments(const MappingList &List,
                                                      const Mapping &M,
                                                      const Archive *A,
                                                      uint64_t Address) {
  if (A && A->info() && A->info()->Type == ELF::ET_EXEC)
    return Address;
  std::optional<uint64_t> Base;
  for (uint32_t Index : List.mappingsOf(M.File)) {
    const Mapping &Other = List.mappings()[Index];
    if (Other.Begin > Address)
      break;
    if (Other.Offset == 0)
      Base = Other.Begin;
  }
  if (!Base)
    return std::nullopt;
  return Address - *Base;
}

/// The preferred address of the first byte of the binary of \p Module; none if
/// the binary cannot be loaded elsewhere. An archive has no image base: that of
/// a PE or Mach-O file follows from its lowest code, because linkers put code
/// first, and images at multiples of a power of two. Anything else is assumed
/// to be linked at zero, unless an ELF file's headers say otherwise.
static std::optional<uint64_t> imageBaseOf(const SpaceModule &Module) {
  const Archive *A = Module.A.get();
  const ELFHeaders *Headers = Module.Loaded.Headers.get();
  if (A && A->info() && A->info()->Format != BinaryFormat::ELF) {
    bool IsPE = A->info()->Format == BinaryFormat::PE;
    uint64_t Align = IsPE ? uint64_t(1) << 16 : uint64_t(1) << 32;
    uint64_t Base = A->rangeCount() ? A->range(0).VA & ~(Align - 1) : 0;
    // The archive of a symbol file counts from 0, and no linker's default is
    // less than this.
    return Base < 0x400000 ? 0 : Base;
  }
  if (Headers ? Headers->Identity.Type == ELF::ET_EXEC
              : A && A->info() && A->info()->Type == ELF::ET_EXEC)
    return std::nullopt;
  // Headers from an archive have only code.
  if (Headers && !Headers->OnlyCode)
    for (const ELFSegment &S : Headers->Segments)
      if (S.Type == ELF::PT_LOAD)
        return S.Address & ~uint64_t(0xfff);
  return 0;
}

static uint64_t addressInImage(const SpaceModule &Module, const Mapping &M,
                               uint64_t Address) {
  std::optional<uint64_t> Base = imageBaseOf(Module);
  return Base ? Address - (M.Begin - M.Offset) + *Base : Address;
}

std::optional<uint64_t> SpaceModule::addressOf(const MappingList &List,
                                               const Mapping &M,
                                               uint64_t Address) const {
  if (M.IsImage)
    return addressInImage(*this, M, Address);
  if (Loaded.Headers)
    return Loaded.addressOf(M, Address);
  return addressWithoutSegments(List, M, A.get(), Address);
}

} // namespace lidia
