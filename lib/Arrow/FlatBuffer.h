//===- FlatBuffer.h - FlatBuffers, read and written -------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What Arrow's metadata need of FlatBuffers ("FlatBuffers Internals" of its
/// documentation). A table starts with the distance to its vtable, which has
/// the place of each field; fields that are left out have default values.
///
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_ARROW_FLATBUFFER_H
#define LIDIA_LIB_ARROW_FLATBUFFER_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Endian.h"
#include <string>
#include <vector>

namespace lidia::arrow {

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// A FlatBuffer that anyone may have written. Whatever lies outside of it reads
/// as 0 and makes it broken.
class FlatBytes {
public:
  explicit FlatBytes(llvm::StringRef Bytes) : Bytes(Bytes) {}

  bool isBroken() const { return Broken; }

  template <typename T> T read(uint64_t At) {
    if (!has(At, sizeof(T)))
      return 0;
    return llvm::support::endian::read<T, llvm::endianness::little>(
        Bytes.data() + At);
  }

  /// Whether there are \p Size bytes at \p At; otherwise, this becomes broken.
  bool has(uint64_t At, uint64_t Size) {
    bool Has = At <= Bytes.size() && Size <= Bytes.size() - At;
    Broken |= !Has;
    return Has;
  }

  /// The \p Size bytes at \p At, for which has() was true.
  llvm::StringRef slice(uint64_t At, uint64_t Size) const {
    return Bytes.substr(At, Size);
  }

private:
  llvm::StringRef Bytes;
  bool Broken = false;
};

/// The elements of a vector; all are within the buffer.
struct FlatVector {
  uint64_t At = 0;
  uint32_t Count = 0;
};

/// A table of a FlatBytes, which must outlive it. Cheap to copy. Tables may
/// contain themselves.
class FlatTable {
public:
  /// A table that does not exist, whose fields have default values.
  FlatTable() = default;
  static FlatTable root(FlatBytes &Bytes);

  bool isThere() const { return Bytes != nullptr; }

  /// A number.
  template <typename T> T get(unsigned Field, T Default = 0) const {
    uint64_t Place = place(Field);
    return Place ? Bytes->read<T>(Place) : Default;
  }
  llvm::StringRef text(unsigned Field) const;
  FlatTable table(unsigned Field) const;
  FlatVector vector(unsigned Field, unsigned ElementSize) const;
  /// A vector of tables, and one of its elements.
  FlatVector tables(unsigned Field) const { return vector(Field, 4); }
  FlatTable element(FlatVector V, uint32_t Index) const;
  /// A number of an element of a vector of numbers or of structures of numbers,
  /// all of the type \p T.
  template <typename T> T number(FlatVector V, uint64_t Index) const {
    return Bytes->read<T>(V.At + Index * sizeof(T));
  }

private:
  FlatTable(FlatBytes *Bytes, uint64_t At);
  /// The place of a field; 0 if it is left out.
  uint64_t place(unsigned Field) const;
  /// The place to which the reference at \p Place leads.
  uint64_t target(uint64_t Place) const {
    return Place + Bytes->read<uint32_t>(Place);
  }

  FlatBytes *Bytes = nullptr;
  uint64_t At = 0;
  uint64_t Places = 0;
  uint16_t PlacesSize = 0;
};

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

/// A field of a table to write, and what it refers to.
struct FlatField {
  enum class Kind : uint8_t { Number, Text, Table, Tables, Words };
  using Fields = std::vector<FlatField>;

  static FlatField number(unsigned Field, unsigned Size, uint64_t Value);
  static FlatField text(unsigned Field, llvm::StringRef Text);
  static FlatField table(unsigned Field, Fields Table);
  static FlatField tables(unsigned Field, std::vector<Fields> Tables);
  /// A vector of structures, each of \p WordsOfOne numbers of 64 bits.
  static FlatField words(unsigned Field, llvm::ArrayRef<int64_t> Words,
                         unsigned WordsOfOne);

  Kind K = Kind::Number;
  /// The number of the field in its table.
  uint8_t Field = 0;
  /// The size of the number or the reference in the table, in bytes.
  uint8_t Size = 4;
  uint64_t Value = 0;
  std::string Bytes;
  std::vector<Fields> Tables;
};

/// A FlatBuffer with the root table \p Root. Its size is a multiple of 8.
std::string writeFlatBuffer(const FlatField::Fields &Root);

} // namespace lidia::arrow

#endif // LIDIA_LIB_ARROW_FLATBUFFER_H
