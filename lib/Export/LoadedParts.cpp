//===- LoadedParts.cpp - Section and segment headers ----------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoadedParts.h"
#include "Object/Binary.h"
#include "Object/SectionLayout.h"
#include "Relocations.h"
#include "lidia/Archive/LoadSegments.h"

using namespace llvm;

namespace lidia {

static constexpr size_t MaxSegments = 0xffff - 256;

static constexpr StringLiteral NoteName = ".note.gnu.build-id";

namespace {
/// The starts of sections with code, ascending, and their ends.
struct CodeAreas {
  std::vector<uint64_t> Starts, Ends;

  CodeAreas(ArrayRef<ModuleSection> Sections, bool MayJoin);

  /// Whether each function of \p A is in one of the areas.
  bool contain(const Archive &A) const;
};
} // namespace

/// With \p MayJoin, sections that touch or overlap become one area.
CodeAreas::CodeAreas(ArrayRef<ModuleSection> Sections, bool MayJoin) {
  std::vector<std::pair<uint64_t, uint64_t>> Areas;
  for (const ModuleSection &S : Sections)
    if (S.Flags & ELF::SHF_EXECINSTR && S.Size &&
        S.Size <= UINT64_MAX - S.Address)
      Areas.push_back({S.Address, S.Address + S.Size});
  llvm::sort(Areas);
  for (auto [Start, End] : Areas) {
    if (MayJoin && !Ends.empty() && Start <= Ends.back()) {
      Ends.back() = std::max(Ends.back(), End);
      continue;
    }
    Starts.push_back(Start);
    Ends.push_back(End);
  }
}

bool CodeAreas::contain(const Archive &A) const {
  for (uint64_t I = 0; I != A.rangeCount(); ++I) {
    RangeEntry R = A.range(I);
    if (R.Depth)
      continue;
    size_t After = upper_bound(Starts, R.VA) - Starts.begin();
    if (After == 0 || R.VA >= Ends[After - 1] ||
        R.Length > Ends[After - 1] - R.VA)
      return false;
  }
  return true;
}

/// Whether a reader may find the section \p Name, which has no contents,
/// instead of the exported file's own section of that name.
static bool hidesAnother(StringRef Name) {
  return is_contained<StringRef>(
      {".debug_abbrev", ".debug_aranges", ".debug_frame", ".debug_info",
       ".debug_line", ".debug_line_str", ".debug_names", ".debug_rnglists",
       ".debug_str", ".gnu_debugaltlink", ".gnu_debuglink", ".shstrtab",
       ".strtab", ".symtab"},
      Name);
}

LoadedParts::LoadedParts(const Archive &A, const DWARFExportOptions &Options,
                         const ArchiveInfo &Info) {
  // LLDB uses other names for sections in segments.
  if (Options.ForLLDB) {
    Module = Options.Module;
    return;
  }
  BinaryLayout Layout;
  if (Options.Module)
    Layout = Options.Module->Layout;
  else if (Expected<BinaryLayout> Read = BinaryLayout::read(A))
    Layout = std::move(*Read);
  else
    // Without a layout, the file is still useful.
    consumeError(Read.takeError());
  HasSegments = Info.Type != ELF::ET_REL;
  if (Layout.Sections.size() <= MaxSections &&
      Layout.Segments.size() <= MaxSegments)
    useLayout(std::move(Layout));
  // Readers ignore functions outside of the sections with code.
  bool IsUsable =
      Info.Type == ELF::ET_REL
          ? Options.SymbolTable && usePlaces(A, Info)
          : Module && CodeAreas(Module->Sections, /*MayJoin=*/true).contain(A);
  if (!IsUsable)
    Module = nullptr;
  if (Segments.empty() && HasSegments)
    useLoadSegments(A);
}

void LoadedParts::useLayout(BinaryLayout &&From) {
  Segments = std::move(From.Segments);
  for (LayoutSection &S : From.Sections) {
    ModuleSection To;
    To.Name = std::move(S.Name);
    To.Type = S.Type;
    // A section without contents is not compressed.
    To.Flags = S.Flags & ~uint64_t(ELF::SHF_COMPRESSED);
    To.Address = S.Address;
    To.Size = S.Size;
    To.Alignment = S.Alignment;
    Own.Sections.push_back(std::move(To));
  }
  if (!Own.Sections.empty() &&
      none_of(Own.Sections,
              [](const ModuleSection &S) { return hidesAnother(S.Name); }))
    Module = &Own;
}

/// Whether the sections with code have the same addresses as a reader of \p All
/// assigns to them.
static bool arePlaced(ArrayRef<ModuleSection> All, bool Is64Bit) {
  std::vector<Section> Headers;
  for (const ModuleSection &From : All) {
    Section &S = Headers.emplace_back();
    S.Name = From.Name;
    S.Type = From.Type;
    S.Flags = From.Flags;
    S.Size = From.Size;
    S.Alignment = From.Alignment;
  }
  placeSections(Headers, Is64Bit);
  return equal(Headers, All, [](const Section &S, const ModuleSection &M) {
    return !(M.Flags & ELF::SHF_EXECINSTR) || S.Address == M.Address;
  });
}

/// Makes the file relocatable. Returns false if the known sections do not
/// suffice: then the file has the addresses of the archive.
bool LoadedParts::usePlaces(const Archive &A, const ArchiveInfo &Info) {
  if (!Module || !RelocationKind::of(Info) ||
      !arePlaced(Module->Sections, Info.Class == ELF::ELFCLASS64))
    return false;
  CodeAreas Code(Module->Sections, /*MayJoin=*/false);
  if (Code.Starts.empty() || !Code.contain(A))
    return false;
  Movable = std::move(Code.Starts);
  Own.IsRelocatable = true;
  return true;
}

/// For archives of the first versions, which have no layout. Readers use only
/// the first segment, which is known if it has code.
void LoadedParts::useLoadSegments(const Archive &A) {
  LoadSegments Code(A);
  if (Code.size() == 0 || Code[0].Offset != 0)
    return;
  constexpr uint64_t UsualPage = 4096;
  Segments.push_back(
      {ELF::PF_R | ELF::PF_X, Code[0].Address, Code[0].Size, UsualPage});
}

void LoadedParts::addSections(std::vector<ELFSection> &Sections, StringRef Note,
                              uint64_t Start, uint64_t End) const {
  bool HasNote = Note.empty();
  for (const ModuleSection &From :
       Module ? ArrayRef(Module->Sections) : ArrayRef<ModuleSection>()) {
    ELFSection &S = Sections.emplace_back();
    S.Name = From.Name;
    S.Type = ELF::SHT_NOBITS;
    S.Flags = From.Flags;
    S.Address = Module->IsRelocatable ? 0 : From.Address;
    S.Alignment = From.Alignment;
    S.Size = From.Size;
    if (!HasNote && From.Type == ELF::SHT_NOTE && From.Name == NoteName &&
        From.Size == Note.size()) {
      S.Type = ELF::SHT_NOTE;
      S.Contents = Note;
      S.Alignment = 4;
      HasNote = true;
    }
  }
  if (!Module) {
    ELFSection &Text = Sections.emplace_back();
    Text.Name = ".text";
    Text.Type = ELF::SHT_NOBITS;
    Text.Flags = ELF::SHF_ALLOC | ELF::SHF_EXECINSTR;
    if (Start < End) {
      Text.Address = Start;
      Text.Size = End - Start;
    }
  }
  if (!HasNote) {
    ELFSection &S = Sections.emplace_back();
    S.Name = NoteName.str();
    S.Type = ELF::SHT_NOTE;
    S.Contents = Note;
    S.Alignment = 4;
  }
}

std::optional<size_t> LoadedParts::noteIn(ArrayRef<ELFSection> Sections) const {
  for (size_t I = 0; I != Sections.size(); ++I)
    if (Sections[I].Type == ELF::SHT_NOTE)
      return I;
  return std::nullopt;
}

/// libdw looks for the build ID in segments if there are any, so one is added.
std::vector<ELFSegment>
LoadedParts::segments(ArrayRef<ELFSection> Sections) const {
  std::vector<ELFSegment> Result;
  if (!HasSegments || Segments.empty())
    return Result;
  for (const LayoutSegment &S : Segments)
    Result.push_back(
        {ELF::PT_LOAD, S.Flags, S.Address, S.Size, S.Alignment, std::nullopt});
  if (std::optional<size_t> Note = noteIn(Sections))
    Result.push_back({ELF::PT_NOTE, ELF::PF_R, Sections[*Note].Address,
                      Sections[*Note].Contents.size(), 4, Note});
  return Result;
}

} // namespace lidia
