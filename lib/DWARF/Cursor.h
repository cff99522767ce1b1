//===- Cursor.h - Bounded reading of debug information ----------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_DWARF_CURSOR_H
#define LIDIA_LIB_DWARF_CURSOR_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Endian.h"
#include <cstring>

namespace lidia {
namespace dwarf {

/// Reads numbers and strings from a section, front to back.
///
/// A read past the end yields zero and makes the cursor bad permanently, so a
/// caller may read a whole record and check once. Optimised for the inner loop
/// that skips hundreds of megabytes of DIEs; llvm::DataExtractor, which carries
/// an error object through every call, takes three times as long.
class Cursor {
public:
  Cursor(llvm::StringRef Data, bool LittleEndian, uint64_t Offset = 0)
      : Begin(Data.bytes_begin()), Pos(Data.bytes_begin()),
        End(Data.bytes_end()),
        Order(LittleEndian ? llvm::endianness::little : llvm::endianness::big) {
    seek(Offset);
  }

  bool bad() const { return Bad; }
  /// Makes the cursor bad: the values read are invalid.
  void fail() {
    Bad = true;
    Pos = End;
  }
  bool atEnd() const { return Pos == End; }
  uint64_t offset() const { return Pos - Begin; }
  uint64_t left() const { return End - Pos; }

  /// Moves to \p Offset from the start of the data; bad if that is past the
  /// end.
  void seek(uint64_t Offset) {
    if (Offset > uint64_t(End - Begin))
      return fail();
    Pos = Begin + Offset;
  }

  /// Stops reading at \p Offset from the start, which must not be past the end
  /// of the data.
  void limit(uint64_t Offset) {
    if (Offset > uint64_t(End - Begin) || Begin + Offset < Pos)
      return fail();
    End = Begin + Offset;
  }

  void skip(uint64_t Bytes) {
    if (Bytes > left())
      return fail();
    Pos += Bytes;
  }

  uint8_t u8() { return integer<uint8_t>(); }
  uint16_t u16() { return integer<uint16_t>(); }
  uint32_t u32() { return integer<uint32_t>(); }
  uint64_t u64() { return integer<uint64_t>(); }

  uint32_t u24() {
    if (left() < 3) {
      fail();
      return 0;
    }
    uint32_t A = Pos[0], B = Pos[1], C = Pos[2];
    Pos += 3;
    return Order == llvm::endianness::little ? A | B << 8 | C << 16
                                             : A << 16 | B << 8 | C;
  }

  /// An unsigned number of \p Bytes bytes; bad unless that is 1, 2, 3, 4 or 8.
  uint64_t sized(unsigned Bytes) {
    switch (Bytes) {
    case 1:
      return u8();
    case 2:
      return u16();
    case 3:
      return u24();
    case 4:
      return u32();
    case 8:
      return u64();
    default:
      fail();
      return 0;
    }
  }

  uint64_t uleb() {
    if (Pos != End && *Pos < 0x80)
      return *Pos++;
    return longULEB();
  }

  int64_t sleb() {
    uint64_t Value = 0;
    unsigned Shift = 0;
    uint8_t Byte;
    do {
      if (Pos == End) {
        fail();
        return 0;
      }
      Byte = *Pos++;
      if (Shift < 64)
        Value |= uint64_t(Byte & 0x7f) << Shift;
      Shift += 7;
    } while (Byte & 0x80);
    if (Shift < 64 && (Byte & 0x40))
      Value |= ~uint64_t(0) << Shift;
    return int64_t(Value);
  }

  void skipLEB() {
    while (Pos != End)
      if (!(*Pos++ & 0x80))
        return;
    fail();
  }

  /// A NUL-terminated string; the terminator is skipped.
  llvm::StringRef cstring() {
    const void *Nul = Pos == End ? nullptr : std::memchr(Pos, 0, End - Pos);
    if (!Nul) {
      fail();
      return {};
    }
    llvm::StringRef S(reinterpret_cast<const char *>(Pos),
                      static_cast<const uint8_t *>(Nul) - Pos);
    Pos = static_cast<const uint8_t *>(Nul) + 1;
    return S;
  }

  /// The next \p Size bytes.
  llvm::StringRef bytes(uint64_t Size) {
    const char *Start = reinterpret_cast<const char *>(Pos);
    skip(Size);
    return bad() ? llvm::StringRef() : llvm::StringRef(Start, Size);
  }

private:
  template <typename T> T integer() {
    if (left() < sizeof(T)) {
      fail();
      return 0;
    }
    T Value = llvm::support::endian::read<T>(Pos, Order);
    Pos += sizeof(T);
    return Value;
  }

  uint64_t longULEB() {
    uint64_t Value = 0;
    unsigned Shift = 0;
    while (Pos != End) {
      uint8_t Byte = *Pos++;
      if (Shift < 64)
        Value |= uint64_t(Byte & 0x7f) << Shift;
      Shift += 7;
      if (!(Byte & 0x80))
        return Value;
    }
    fail();
    return 0;
  }

  const uint8_t *Begin;
  const uint8_t *Pos;
  const uint8_t *End;
  llvm::endianness Order;
  bool Bad = false;
};

} // namespace dwarf
} // namespace lidia

#endif // LIDIA_LIB_DWARF_CURSOR_H
