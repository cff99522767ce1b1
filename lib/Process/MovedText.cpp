//===- MovedText.cpp - Code that was moved to other memory ----------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Programs copy their code to large pages at the same addresses (node
/// --use-largepages, BOLT's -hugify, libhugetlbfs). The mapping then says
/// nothing about the file; the mappings around it, and its segments, do.
///
//===----------------------------------------------------------------------===//

#include "Modules/ELFHeaders.h"
#include "lidia/Process/AddressSpace.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/MathExtras.h"
#include <map>

using namespace llvm;

namespace lidia {

static constexpr uint64_t Page = 4096;

namespace {

/// A place of a module's code: its own address and the offset in its file.
struct Code {
  uint32_t File;
  uint64_t Offset;
};

class MovedTextFinder {
public:
  explicit MovedTextFinder(const AddressSpace &Space)
      : Space(Space), List(Space.mappings()) {}

  /// Where in a file the mapping \p Index belongs. None if the headers of the
  /// files around it are known, and it is not their code.
  std::optional<Code> find(size_t Index, bool &IsKnown);

private:
  const LoadedModule &moduleOf(const Mapping &M);
  bool isCopy(const Mapping &M, const Code &Of, const OpenedFile &File) const;

  const AddressSpace &Space;
  const MappingList &List;
  std::map<uint32_t, LoadedModule> Modules;
};

} // namespace

const LoadedModule &MovedTextFinder::moduleOf(const Mapping &M) {
  auto Known = Modules.find(M.File);
  if (Known == Modules.end())
    Known = Modules.emplace(M.File, Space.load(M)).first;
  return Known->second;
}

/// Whether some of the memory is equal to the file. Code may be patched, and
/// memory may be missing.
bool MovedTextFinder::isCopy(const Mapping &M, const Code &Of,
                             const OpenedFile &File) const {
  constexpr unsigned Samples = 16;
  constexpr size_t Size = 64;
  unsigned Compared = 0;
  for (unsigned I = 0; I != Samples; ++I) {
    uint64_t At = (M.End - M.Begin) / Samples * I;
    uint8_t InMemory[Size], InFile[Size];
    if (Space.readMemory(M.Begin + At, InMemory) != Size ||
        !File.readAll(Of.Offset + At, InFile))
      continue;
    ++Compared;
    if (ArrayRef(InMemory) == ArrayRef(InFile))
      return true;
  }
  return Compared == 0;
}

/// The load address of the module that \p M maps. A page of the file may belong
/// to several segments; the one that is most like the mapping is mapped.
static uint64_t baseOf(const ELFHeaders &Headers, const Mapping &M) {
  const ELFSegment *Best = nullptr;
  // The loader may have made data read-only.
  auto Rank = [&](const ELFSegment &S) {
    return 2 * (bool(S.Flags & ELF::PF_X) == M.Executable) +
           (bool(S.Flags & ELF::PF_W) == M.Writable);
  };
  for (const ELFSegment &S : Headers.Segments) {
    bool Maps = S.Type == ELF::PT_LOAD &&
                M.Offset >= alignDown(S.Offset, Page) &&
                (M.Offset < S.Offset || M.Offset - S.Offset < S.FileSize);
    if (Maps && (!Best || Rank(S) > Rank(*Best)))
      Best = &S;
  }
  uint64_t Own = Best ? Best->Address + (M.Offset - Best->Offset)
                      : Headers.addressAt(M.Offset, M.Executable).value_or(0);
  return M.Begin - Own;
}

/// The executable segment that has the addresses [\p Begin, \p End), which are
/// whole pages.
static const ELFSegment *codeSegment(const ELFHeaders &Headers, uint64_t Begin,
                                     uint64_t End) {
  for (const ELFSegment &S : Headers.Segments)
    if (S.Type == ELF::PT_LOAD && (S.Flags & ELF::PF_X) &&
        S.FileSize <= UINT64_MAX - 2 * Page - S.Address &&
        Begin >= alignDown(S.Address, Page) && Begin < End &&
        End <= alignTo(S.Address + S.FileSize, Page))
      return &S;
  return nullptr;
}

std::optional<Code> MovedTextFinder::find(size_t Index, bool &IsKnown) {
  const Mapping &M = List.mappings()[Index];
  for (int Step : {-1, 1}) {
    const Mapping *Near = List.neighbour(Index, Step);
    if (!Near)
      continue;
    const LoadedModule &Module = moduleOf(*Near);
    if (!Module.Headers)
      continue;
    IsKnown = true;
    uint64_t Begin = M.Begin - baseOf(*Module.Headers, *Near);
    const ELFSegment *S =
        codeSegment(*Module.Headers, Begin, Begin + (M.End - M.Begin));
    if (!S)
      continue;
    Code Found = {Near->File, Begin - S->Address + S->Offset};
    if (!Module.File || isCopy(M, Found, *Module.File))
      return Found;
  }
  return std::nullopt;
}

void AddressSpace::findMovedText() {
  MovedTextFinder Finder(*this);
  bool IsChanged = false;
  for (size_t I = 0; I != List.mappings().size(); ++I) {
    const Mapping &M = List.mappings()[I];
    if (!M.IsMoved && !M.mayBeMoved(List.file(M)))
      continue;
    bool IsKnown = false;
    std::optional<Code> Found = Finder.find(I, IsKnown);
    if (Found)
      List.setMoved(I, Found->File, Found->Offset);
    else if (IsKnown)
      List.clearMoved(I);
    IsChanged |= Found || IsKnown;
  }
  if (IsChanged)
    List.indexFiles();
}

} // namespace lidia
