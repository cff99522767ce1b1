//===- SymbolFile.h - An open symbol file of another tool -------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_OBJECT_SYMBOLFILE_H
#define LIDIA_LIB_OBJECT_SYMBOLFILE_H

#include "ModuleBinary.h"
#include "lidia/Object/FileKind.h"
#include <array>
#include <optional>

namespace lidia {

/// A symbol file of another tool, which stands for the binary that it was made
/// from, or is its debug file. This class reads only what identifies that
/// binary; lib/Extract/SymbolFiles reads the rest.
class SymbolFile final : public ModuleBinary {
public:
  using UUID = std::array<uint8_t, 16>;

  SymbolFile(std::unique_ptr<llvm::MemoryBuffer> Buffer, llvm::StringRef Path,
             FileKind Format)
      : ModuleBinary(std::move(Buffer), Path), Format(Format) {}

  const SymbolFile *asSymbolFile() const override { return this; }
  std::string whereDebugInformationIs() const override;

  /// Breakpad, GSYM, PDB, symbfile or SymCache.
  FileKind format() const { return Format; }
  llvm::StringRef formatName() const;
  llvm::StringRef bytes() const { return Buffer->getBuffer(); }
  /// The byte order of its integers.
  bool isBigEndian() const { return IsBigEndian; }
  /// Whether addresses are relative to the base of the binary's image.
  bool isRelative() const {
    return Format != FileKind::GSYM && Format != FileKind::Symbfile;
  }
  /// Whether the file identifies the binary that it was made from.
  bool identifiesBinary() const { return !BuildID.empty() || ID; }

  /// Empty if it can be the symbol file of \p Main, otherwise the reason why
  /// not: a different machine or ID.
  std::string whyNotOf(const Binary &Main) const;

  llvm::Error readHeader();

private:
  llvm::Error readBreakpadHeader();
  llvm::Error readGSYMHeader();
  llvm::Error readPDBHeader();
  llvm::Error readSymbfileHeader() const;
  llvm::Error readSymCacheHeader();
  void setDebugID(llvm::ArrayRef<uint8_t> Bytes);

  FileKind Format;
  bool IsBigEndian = false;
  /// A PDB file without most of its debug information.
  bool IsPartial = false;
  /// The UUID of the debug ID (DebugID.h), in formats that do not record the
  /// whole build ID.
  std::optional<UUID> ID;
};

/// Opens a file of the kind \p Format.
llvm::Expected<std::unique_ptr<Binary>>
openSymbolFile(std::unique_ptr<llvm::MemoryBuffer> Buffer, llvm::StringRef Path,
               FileKind Format);

} // namespace lidia

#endif // LIDIA_LIB_OBJECT_SYMBOLFILE_H
