//===- SectionWriter.h - The bytes of one section ---------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_EXPORT_SECTIONWRITER_H
#define LIDIA_LIB_EXPORT_SECTIONWRITER_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/LEB128.h"
#include <utility>
#include <vector>

namespace lidia {

/// The properties of the target that determine the encoding of sections.
struct Target {
  llvm::endianness Order = llvm::endianness::little;
  /// Size of an address in bytes: 4 or 8.
  uint8_t AddressSize = 8;
  /// The first addresses of the sections with code, ascending, if the output is
  /// a relocatable object; otherwise empty. Not owned.
  llvm::ArrayRef<uint64_t> MovableSections;

  /// Whether a loader may change the distance between \p A and \p B.
  bool areApart(uint64_t A, uint64_t B) const {
    return llvm::upper_bound(MovableSections, A) !=
           llvm::upper_bound(MovableSections, B);
  }
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

  /// Appends an address of code, which the loader of a relocatable object
  /// changes.
  void codeAddress(uint64_t V) {
    if (!T.MovableSections.empty())
      CodeAddresses.push_back({size(), V});
    address(V);
  }
  /// The offsets and values of all calls of codeAddress(); empty unless the
  /// output is a relocatable object.
  llvm::ArrayRef<std::pair<uint64_t, uint64_t>> codeAddresses() const {
    return CodeAddresses;
  }

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
  /// Sets the length field before \p Start to the number of bytes written
  /// since.
  void endLength(uint64_t Start) { patch(Start - 4, size() - Start); }
  void patch(uint64_t Offset, uint32_t V) {
    llvm::support::endian::write(Bytes.data() + Offset, V, T.Order);
  }
  /// Changes the address at \p Offset.
  void patchAddress(uint64_t Offset, uint64_t V) {
    if (T.AddressSize == 8)
      llvm::support::endian::write(Bytes.data() + Offset, V, T.Order);
    else
      patch(Offset, uint32_t(V));
  }

  /// Begins an abbreviation of .debug_abbrev (DWARF 5, section 7.5.3). Its
  /// attributes and endAbbreviation() must follow.
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
  std::vector<std::pair<uint64_t, uint64_t>> CodeAddresses;
};

} // namespace lidia

#endif // LIDIA_LIB_EXPORT_SECTIONWRITER_H
