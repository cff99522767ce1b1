//===- SectionAddresses.cpp - Addresses given by section ------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SectionAddresses.h"
#include "lidia/Archive/LoadSegments.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace lidia {

/// A module has fewer sections.
static constexpr size_t MaxSearchedFiles = 65536;

Expected<SectionAddresses>
SectionAddresses::create(const Archive &A, StringRef File, StringRef Loaded) {
  SectionAddresses Result(A);
  if (Loaded.empty())
    return Result;
  if (Result.Places.size() == 0)
    return createStringError("--section-addresses= applies to relocatable "
                             "objects and kernel modules only: " +
                             File + " is another kind of file");
  if (Error E = sys::fs::is_directory(Loaded) ? Result.readFolder(Loaded)
                                              : Result.readList(Loaded))
    return E;
  if (Result.Sections.empty())
    return createStringError("--section-addresses=" + Loaded +
                             ": has no section of " + File);
  return Result;
}

Expected<SectionAddresses>
SectionAddresses::createForFileOffsets(const Archive &A, StringRef File) {
  SectionAddresses Result(A);
  LoadSegments Segments(A);
  for (uint64_t I = 0; I != Segments.size(); ++I)
    Result.Sections.push_back(
        {Segments[I].Offset, Segments[I].Size, Segments[I].Address});
  if (Result.Sections.empty())
    return createStringError(
        "--file-offsets applies to linked ELF files and WebAssembly modules "
        "that have code: the archive of " +
        File + " does not say where code is in the file");
  return Result;
}

Error SectionAddresses::add(StringRef Name, StringRef Address) {
  uint64_t Start;
  if (Name.empty() || Address.trim().getAsInteger(0, Start))
    return createStringError(
        "--section-addresses=: expected a folder of sections, as "
        "/sys/module/NAME/sections, or NAME=ADDRESS,..., but got '" +
        Name + (Name.empty() ? "" : "=") + Address.trim() + "'");
  for (uint64_t I = 0; I != Places.size(); ++I) {
    if (Places.name(I) == Name)
      Sections.push_back({Start, Places[I].Size, Places[I].Address});
  }
  return Error::success();
}

Error SectionAddresses::readList(StringRef List) {
  for (StringRef Item : split(List, ',')) {
    auto [Name, Address] = Item.rsplit('=');
    if (Error E = Item.contains('=') ? add(Name, Address) : add("", Item))
      return E;
  }
  return Error::success();
}

Error SectionAddresses::readFolder(StringRef Path) {
  std::error_code EC;
  size_t Count = 0;
  bool AreHidden = true;
  for (sys::fs::directory_iterator I(Path, EC), E; !EC && I != E;
       I.increment(EC)) {
    if (!sys::fs::is_regular_file(I->path()) || ++Count > MaxSearchedFiles)
      continue;
    // The kernel reports the size of a page for each file.
    constexpr uint64_t MaxBytes = 64;
    ErrorOr<std::unique_ptr<MemoryBuffer>> File =
        MemoryBuffer::getFileSlice(I->path(), MaxBytes, 0);
    if (!File)
      return createStringError(File.getError(),
                               I->path() + ": " + File.getError().message());
    StringRef Text = (*File)->getBuffer().take_until(
        [](char C) { return C == '\n' || C == '\0'; });
    AreHidden &= Text.find_first_not_of("0x") == StringRef::npos;
    if (Error E = add(sys::path::filename(I->path()), Text))
      return E;
  }
  if (EC)
    return createStringError(EC, Path + ": " + EC.message());
  if (Count && AreHidden)
    return createStringError(Path + ": the kernel hides its addresses: read "
                                    "them as root");
  return Error::success();
}

Expected<bool> SectionAddresses::translate(Query &Q) const {
  if (!Q.Symbol.empty()) {
    Expected<std::optional<uint64_t>> Address =
        Places.address(Q.Symbol, Q.Offset);
    if (!Address)
      return Address.takeError();
    if (*Address) {
      Q.Symbol = StringRef();
      Q.Offset = **Address;
    }
    return true;
  }
  if (!areTranslated())
    return true;
  for (const LoadedSection &S : Sections)
    if (Q.Offset >= S.Start && Q.Offset - S.Start < S.Size) {
      Q.Offset = S.Address + (Q.Offset - S.Start);
      return true;
    }
  return false;
}

} // namespace lidia
