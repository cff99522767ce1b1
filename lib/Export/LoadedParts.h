//===- LoadedParts.h - Section and segment headers --------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A debug file repeats the headers of the binary's loaded segments and
/// sections, without their contents, as `objcopy --only-keep-debug` does.
/// Debuggers compare the headers of the two files: libdw compares the end of
/// the first segment, gdb the addresses of sections with the same name. For
/// relocatable objects, libdw compares the order of the sections.
///
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_EXPORT_LOADEDPARTS_H
#define LIDIA_LIB_EXPORT_LOADEDPARTS_H

#include "ELFWriter.h"
#include "lidia/Export/DWARFExport.h"
#include "llvm/BinaryFormat/ELF.h"
#include <optional>

namespace lidia {

/// The maximum number of sections of a binary that are repeated. The exported
/// file has some more sections, and no extended numbering.
inline constexpr size_t MaxSections = llvm::ELF::SHN_LORESERVE - 256;

/// The known segments and sections of an archive's binary.
class LoadedParts {
public:
  /// Takes them from Options.Module, if it has them, or else from \p A. Both
  /// must outlive this object. \p Info is that of the exported file.
  LoadedParts(const Archive &A, const DWARFExportOptions &Options,
              const ArchiveInfo &Info);

  LoadedParts(const LoadedParts &) = delete;

  /// The sections and dynamic symbols for the symbol table. Null if they are
  /// unknown.
  const ModuleSymbols *module() const { return Module; }

  /// The first addresses of the sections with code, ascending, if the exported
  /// file is to be a relocatable object whose addresses are relocated.
  llvm::ArrayRef<uint64_t> movableSections() const { return Movable; }

  /// Appends the headers of the sections to \p Sections, which is empty. The
  /// section of the build ID gets \p Note as its contents. If no sections are
  /// known, appends a section .text for the code from \p Start to \p End. If
  /// there is no section of the build ID, appends one that is not loaded,
  /// unless \p Note is empty.
  void addSections(std::vector<ELFSection> &Sections, llvm::StringRef Note,
                   uint64_t Start, uint64_t End) const;

  /// The segments of a file with \p Sections, as addSections() filled them.
  std::vector<ELFSegment> segments(llvm::ArrayRef<ELFSection> Sections) const;

private:
  void useLayout(BinaryLayout &&From);
  bool usePlaces(const Archive &A, const ArchiveInfo &Info);
  void useLoadSegments(const Archive &A);
  std::optional<size_t> noteIn(llvm::ArrayRef<ELFSection> Sections) const;

  const ModuleSymbols *Module = nullptr;
  /// The storage that Module points to, unless the caller owns it.
  ModuleSymbols Own;
  std::vector<LayoutSegment> Segments;
  std::vector<uint64_t> Movable;
  /// Whether the file has program headers.
  bool HasSegments = false;
};

} // namespace lidia

#endif // LIDIA_LIB_EXPORT_LOADEDPARTS_H
