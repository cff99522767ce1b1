//===- StringTable.h - The strings of an archive being written --*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_ARCHIVE_STRINGTABLE_H
#define LIDIA_LIB_ARCHIVE_STRINGTABLE_H

#include "lidia/Archive/Format.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <vector>

namespace lidia {

/// The strings table of an archive being written: each string once, in order of
/// first use, after "" and "[overflow]".
///
/// Each string exists only once, in its on-disk form, and is found through a
/// hash table of eight-byte slots that hold offsets into the bytes.
class StringTable {
public:
  explicit StringTable(format::StringForm Form);

  /// The offset of \p Text, which is added if it is new.
  uint64_t add(llvm::StringRef Text);

  /// The string at \p Offset, which add() returned. Valid until the next add().
  llvm::StringRef at(uint64_t Offset) const;

  llvm::StringRef bytes() const { return {Bytes.data(), Bytes.size()}; }
  uint64_t count() const { return Count; }

private:
  uint64_t append(llvm::StringRef Text);
  void grow();

  format::StringForm Form;
  llvm::SmallVector<char, 0> Bytes;
  /// Offset + 1 in the low OffsetBits, some bits of the hash above; zero for an
  /// empty slot. A power of two in size, at most three quarters full.
  std::vector<uint64_t> Slots;
  uint64_t Count = 0;
};

} // namespace lidia

#endif // LIDIA_LIB_ARCHIVE_STRINGTABLE_H
