//===- NameTexts.h - The texts of names in .debug_str -----------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_INDEX_NAMETEXTS_H
#define LIDIA_LIB_INDEX_NAMETEXTS_H

#include "UnitNames.h"
#include "llvm/ADT/CachedHashString.h"
#include "llvm/Support/Error.h"
#include <string>

namespace lidia {

/// Assigns each name an offset in .debug_str, the only section to which an
/// index can refer. Compilers store short names in .debug_info, and most of
/// them are the end of another string. Not thread-safe.
class NameTexts {
public:
  /// \p Str is the contents of .debug_str, and must outlive this object.
  explicit NameTexts(llvm::StringRef Str) : Str(Str) {}

  /// Whether the name of \p D in \p Unit is UTF-8.
  bool isUTF8(const UnitNames &Unit, const NamedDIE &D);

  /// Whether the names overlap so much that the limit was reached.
  bool exhausted() const { return TextRead > maxText(); }

  /// Finds offsets for the names of \p Units that are not in .debug_str. Fails
  /// if an offset would be too large.
  llvm::Error placeOthers(llvm::ArrayRef<UnitNames> Units);

  /// The contents of .debug_str and the names that it lacks; empty if it has
  /// all names.
  llvm::StringRef added() const { return Added; }

  struct Known {
    llvm::StringRef Text;
    /// The same offset for equal texts.
    uint32_t Offset;
  };
  /// The name of \p D in \p Unit. Call placeOthers() first.
  Known find(const UnitNames &Unit, const NamedDIE &D);

private:
  struct String {
    llvm::CachedHashStringRef Text;
    bool IsUTF8;
  };
  const String &stringAt(uint32_t Offset);
  /// The limit for strings to which any number of offsets may refer.
  uint64_t maxText() const { return 32 * Str.size() + (uint64_t(16) << 20); }
  void lookForTails(llvm::ArrayRef<size_t> Lengths);

  llvm::StringRef Str;
  /// Maps an offset to its string.
  llvm::DenseMap<uint32_t, String> Strings;
  /// The first offset of each text.
  llvm::DenseMap<llvm::CachedHashStringRef, uint32_t> Offsets;
  /// The offsets of the names that are not in .debug_str.
  llvm::DenseMap<llvm::StringRef, uint32_t> Others;
  static constexpr uint32_t NoPlace = UINT32_MAX;
  std::string Added;
  uint64_t TextRead = 0;
};

} // namespace lidia

#endif // LIDIA_LIB_INDEX_NAMETEXTS_H
