//===- LoadedParts.h - Headers that place a debug file ----------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A debug file repeats the headers of the segments and sections of the binary
/// that are loaded, without their contents, as `objcopy --only-keep-debug`
/// does. Debuggers compare the two files' headers: libdw the end of the first
/// segment, gdb the addresses of sections with one name, and for relocatable
/// objects libdw the order of the sections.
///
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_EXPORT_LOADEDPARTS_H
#define LIDIA_LIB_EXPORT_LOADEDPARTS_H

#include "ELFWriter.h"
#include "lidia/Export/DWARFExport.h"
#include "llvm/BinaryFormat/ELF.h"
#include <optional>

namespace lidia {

/// The sections of a binary that are repeated, at most: the exported file has
/// some more, and no extended numbering.
inline constexpr size_t MostSections = llvm::ELF::SHN_LORESERVE - 256;

/// What is known of the segments and sections of an archive's binary.
class LoadedParts {
public:
  /// From Options.Module, if it has them, or else from \p A, which must outlive
  /// this object, as must Options.Module. \p Info is that of the exported file.
  LoadedParts(const Archive &A, const DWARFExportOptions &Options,
              const ArchiveInfo &Info);

  LoadedParts(const LoadedParts &) = delete;

  /// The sections and dynamic symbols for the symbol table. Null if nothing is
  /// known.
  const ModuleSymbols *module() const { return Module; }

  /// The first addresses of the sections with code, ascending, if the exported
  /// file is to be a relocatable object whose addresses are relocated.
  llvm::ArrayRef<uint64_t> movableSections() const { return Movable; }

  /// Appends the headers of the sections to \p Sections, which is empty. The
  /// one of the build ID gets \p Note for its contents. Where nothing is known,
  /// there is a section .text for the code from \p Start to \p End. If no
  /// section is that of the build ID, appends one that is not loaded, unless
  /// \p Note is empty.
  void addSections(std::vector<ELFSection> &Sections, llvm::StringRef Note,
                   uint64_t Start, uint64_t End) const;

  /// The segments of a file with \p Sections, what addSections() gave.
  std::vector<ELFSegment> segments(llvm::ArrayRef<ELFSection> Sections) const;

private:
  void useLayout(BinaryLayout &&From);
  bool usePlaces(const Archive &A, const ArchiveInfo &Info);
  void useLoadSegments(const Archive &A);
  std::optional<size_t> noteIn(llvm::ArrayRef<ELFSection> Sections) const;

  const ModuleSymbols *Module = nullptr;
  /// What Module points to, unless that is the caller's.
  ModuleSymbols Own;
  std::vector<LayoutSegment> Segments;
  std::vector<uint64_t> Movable;
  /// Whether the file has program headers.
  bool HasSegments = false;
};

} // namespace lidia

#endif // LIDIA_LIB_EXPORT_LOADEDPARTS_H
