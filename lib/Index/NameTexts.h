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

/// Gives each name one place in .debug_str, the only section that an index can
/// refer to. Compilers put short names into .debug_info; most are the end of
/// another string. Not thread-safe.
class NameTexts {
public:
  /// \p Str is the contents of .debug_str, and must outlive this object.
  explicit NameTexts(llvm::StringRef Str) : Str(Str) {}

  /// Whether the name of \p D, of \p Unit, is UTF-8.
  bool isUTF8(const UnitNames &Unit, const NamedDIE &D);

  /// Whether the names overlap so much that they are not read.
  bool exhausted() const { return TextRead > mostText(); }

  /// Finds places for the names of \p Units that are not in .debug_str. Fails
  /// if their offsets would be too large.
  llvm::Error placeOthers(llvm::ArrayRef<UnitNames> Units);

  /// The contents of .debug_str with the names that had no place in it; empty
  /// if all had.
  llvm::StringRef added() const { return Added; }

  struct Known {
    llvm::StringRef Text;
    /// The same for equal texts.
    uint32_t Offset;
  };
  /// The name of \p D, of \p Unit. After placeOthers().
  Known find(const UnitNames &Unit, const NamedDIE &D);

private:
  struct String {
    llvm::CachedHashStringRef Text;
    bool IsUTF8;
  };
  const String &stringAt(uint32_t Offset);
  /// Any number of offsets may be in one string.
  uint64_t mostText() const { return 32 * Str.size() + (uint64_t(16) << 20); }
  void lookForTails(llvm::ArrayRef<size_t> Lengths);

  llvm::StringRef Str;
  /// By offset.
  llvm::DenseMap<uint32_t, String> Strings;
  /// The first offset of each text.
  llvm::DenseMap<llvm::CachedHashStringRef, uint32_t> Offsets;
  /// The places of the others.
  llvm::DenseMap<llvm::StringRef, uint32_t> Others;
  static constexpr uint32_t NoPlace = UINT32_MAX;
  std::string Added;
  uint64_t TextRead = 0;
};

} // namespace lidia

#endif // LIDIA_LIB_INDEX_NAMETEXTS_H
