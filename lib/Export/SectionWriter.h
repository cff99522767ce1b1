//===- SectionWriter.h - The bytes of one section ---------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_EXPORT_SECTIONWRITER_H
#define LIDIA_LIB_EXPORT_SECTIONWRITER_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/LEB128.h"

namespace lidia {

/// The byte order and address size of the output file.
struct Target {
  llvm::endianness Order = llvm::endianness::little;
  /// Bytes of an address: 4 or 8.
  uint8_t AddressSize = 8;
};

/// Appends numbers and strings to the bytes of a section.
class SectionWriter {
public:
  explicit SectionWriter(const Target &T) : T(T) {}

  uint64_t size() const { return Bytes.size(); }
  llvm::StringRef bytes() const { return {Bytes.data(), Bytes.size()}; }
  const Target &target() const { return T; }

  void u8(uint8_t V) { integer(V); }
  void u16(uint16_t V) { integer(V); }
  void u32(uint32_t V) { integer(V); }
  void u64(uint64_t V) { integer(V); }
  void address(uint64_t V) { T.AddressSize == 8 ? u64(V) : u32(V); }

  void uleb(uint64_t V) {
    uint8_t Buffer[10];
    append({reinterpret_cast<char *>(Buffer), llvm::encodeULEB128(V, Buffer)});
  }
  void sleb(int64_t V) {
    uint8_t Buffer[10];
    append({reinterpret_cast<char *>(Buffer), llvm::encodeSLEB128(V, Buffer)});
  }
  void append(llvm::StringRef S) { Bytes.append(S.begin(), S.end()); }
  void cstring(llvm::StringRef S) {
    append(S);
    u8(0);
  }
  void alignTo(uint64_t Alignment) {
    while (size() % Alignment)
      u8(0);
  }

  /// Reserves four bytes for a length, to be set with endLength().
  uint64_t beginLength() {
    u32(0);
    return size();
  }
  /// Sets the length that began with \p Start to the bytes written since.
  void endLength(uint64_t Start) { patch(Start - 4, size() - Start); }
  void patch(uint64_t Offset, uint32_t V) {
    llvm::support::endian::write(Bytes.data() + Offset, V, T.Order);
  }

  /// Begins an abbreviation of .debug_abbrev (DWARF 5, section 7.5.3); then
  /// come its attributes and endAbbreviation().
  void beginAbbreviation(uint32_t Code, llvm::dwarf::Tag T, bool Children) {
    uleb(Code);
    uleb(T);
    u8(Children);
  }
  void attribute(llvm::dwarf::Attribute A, llvm::dwarf::Form F) {
    uleb(A);
    uleb(F);
  }
  void endAbbreviation() {
    uleb(0);
    uleb(0);
  }

private:
  template <typename N> void integer(N V) {
    char Buffer[sizeof(N)];
    llvm::support::endian::write(Buffer, V, T.Order);
    append({Buffer, sizeof(N)});
  }

  Target T;
  llvm::SmallVector<char, 0> Bytes;
};

} // namespace lidia

#endif // LIDIA_LIB_EXPORT_SECTIONWRITER_H
