//===- SymbolFile.h - Other tools' symbol files, opened ---------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_OBJECT_SYMBOLFILE_H
#define LIDIA_LIB_OBJECT_SYMBOLFILE_H

#include "ModuleBinary.h"
#include <array>
#include <optional>

namespace lidia {

enum class SymbolFileFormat : uint8_t { Breakpad, GSYM, SymCache };

/// The format of a symbol file that begins with \p FirstBytes, of which eight
/// are enough; none if it cannot be one.
std::optional<SymbolFileFormat> symbolFileFormat(llvm::StringRef FirstBytes);

/// A symbol file of another tool, which stands for the binary that it was made
/// from, or is its debug file. Only what identifies that binary is read here;
/// lib/Extract/SymbolFiles reads the rest.
class SymbolFile final : public ModuleBinary {
public:
  using UUID = std::array<uint8_t, 16>;

  SymbolFile(std::unique_ptr<llvm::MemoryBuffer> Buffer, llvm::StringRef Path,
             SymbolFileFormat Format)
      : ModuleBinary(std::move(Buffer), Path), Format(Format) {}

  const SymbolFile *asSymbolFile() const override { return this; }
  std::string whereDebugInformationIs() const override;

  SymbolFileFormat format() const { return Format; }
  llvm::StringRef formatName() const;
  llvm::StringRef bytes() const { return Buffer->getBuffer(); }
  /// The byte order of its integers.
  bool isBigEndian() const { return IsBigEndian; }
  /// Whether addresses count from the base of the binary's image.
  bool isRelative() const { return Format != SymbolFileFormat::GSYM; }
  /// Whether it says which binary it was made from.
  bool identifiesBinary() const { return !BuildID.empty() || ID; }

  /// Empty if it can be of \p Main, otherwise the reason why not: another
  /// machine or another ID.
  std::string whyNotOf(const Binary &Main) const;

  llvm::Error readHeader();

private:
  llvm::Error readBreakpadHeader();
  llvm::Error readGSYMHeader();
  llvm::Error readSymCacheHeader();
  void setDebugID(llvm::ArrayRef<uint8_t> Bytes);

  SymbolFileFormat Format;
  bool IsBigEndian = false;
  /// The UUID of the debug ID (DebugID.h), in formats that do not record the
  /// whole build ID.
  std::optional<UUID> ID;
};

/// Opens a file whose first bytes are those of \p Format.
llvm::Expected<std::unique_ptr<Binary>>
openSymbolFile(std::unique_ptr<llvm::MemoryBuffer> Buffer, llvm::StringRef Path,
               SymbolFileFormat Format);

} // namespace lidia

#endif // LIDIA_LIB_OBJECT_SYMBOLFILE_H
