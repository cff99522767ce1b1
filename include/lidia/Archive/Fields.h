//===- Fields.h - Arrays of small unsigned integers -------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Every table of an archive, except the strings, is an array of little-endian
/// unsigned integers, all as wide as the largest of them needs. FieldView reads
/// such an array in place; FieldArray builds one.
///
//===----------------------------------------------------------------------===//

#ifndef LIDIA_ARCHIVE_FIELDS_H
#define LIDIA_ARCHIVE_FIELDS_H

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Compiler.h"
#include "llvm/Support/Endian.h"
#include <cassert>
#include <cstdint>

namespace lidia {

/// Reads field \p I of the array at \p Data with fields of \p Width bytes (1,
/// 2, 4 or 8).
inline uint64_t readField(const char *Data, unsigned Width, uint64_t I) {
  using namespace llvm::support::endian;
  switch (Width) {
  case 1:
    return uint8_t(Data[I]);
  case 2:
    return read16le(Data + I * 2);
  case 4:
    return read32le(Data + I * 4);
  default:
    return read64le(Data + I * 8);
  }
}

/// The number of bytes that \p Value needs: 1, 2, 4 or 8.
inline unsigned fieldWidth(uint64_t Value) {
  return Value <= UINT8_MAX    ? 1
         : Value <= UINT16_MAX ? 2
         : Value <= UINT32_MAX ? 4
                               : 8;
}

class PagedMemory;

/// Like readField(), for an array in \p Memory.
uint64_t readPagedField(const PagedMemory &Memory, const char *Data,
                        unsigned Width, uint64_t I);

/// A view of an array of fields in memory owned by others. Empty by default.
struct FieldView {
  const char *Data = nullptr;
  /// Number of fields.
  uint64_t Count = 0;
  /// Bytes of each field.
  unsigned Width = 4;
  /// Null if the fields are in memory. Otherwise the fields are in a compressed
  /// archive, and only operator[] may read them.
  const PagedMemory *Memory = nullptr;

  bool empty() const { return Count == 0; }

  uint64_t operator[](uint64_t I) const {
    assert(I < Count && "field outside its array");
    if (LLVM_UNLIKELY(Memory != nullptr))
      return readPagedField(*Memory, Data, Width, I);
    return readField(Data, Width, I);
  }
};

/// The number of leading entries, out of \p Count, for which \p IsBelow(index)
/// holds. It must hold for none of the others. Archive::lookup() has a faster
/// version.
template <typename Predicate>
uint64_t lowerBound(uint64_t Count, Predicate IsBelow) {
  return *llvm::partition_point(llvm::seq<uint64_t>(0, Count), IsBelow);
}

/// A growing array of fields in their on-disk form. The fields start narrow;
/// all of them are widened when a value needs it, at most three times.
class FieldArray {
public:
  explicit FieldArray(unsigned MinWidth) : Width(MinWidth) {}

  void append(uint64_t Value) {
    if (LLVM_UNLIKELY(Value > maxValue()))
      widen(fieldWidth(Value));
    size_t End = Bytes.size();
    Bytes.resize_for_overwrite(End + Width);
    store(Bytes.data() + End, Value);
  }

  /// Appends each of \p Values.
  void append(std::initializer_list<uint64_t> Values) {
    uint64_t AllBits = 0;
    for (uint64_t Value : Values)
      AllBits |= Value;
    if (LLVM_UNLIKELY(AllBits > maxValue()))
      widen(fieldWidth(AllBits));
    size_t End = Bytes.size();
    Bytes.resize_for_overwrite(End + Values.size() * Width);
    char *To = Bytes.data() + End;
    for (uint64_t Value : Values) {
      store(To, Value);
      To += Width;
    }
  }

  /// Replaces field \p I.
  void set(uint64_t I, uint64_t Value) {
    if (LLVM_UNLIKELY(Value > maxValue()))
      widen(fieldWidth(Value));
    store(Bytes.data() + I * Width, Value);
  }

  uint64_t operator[](uint64_t I) const {
    return readField(Bytes.data(), Width, I);
  }

  uint64_t size() const { return Bytes.size() / Width; }
  bool empty() const { return Bytes.empty(); }
  unsigned width() const { return Width; }
  /// The on-disk bytes of the array.
  llvm::StringRef bytes() const { return {Bytes.data(), Bytes.size()}; }

private:
  uint64_t maxValue() const { return UINT64_MAX >> (64 - 8 * Width); }

  void store(char *To, uint64_t Value) const {
    using namespace llvm::support::endian;
    switch (Width) {
    case 1:
      *To = char(Value);
      break;
    case 2:
      write16le(To, uint16_t(Value));
      break;
    case 4:
      write32le(To, uint32_t(Value));
      break;
    default:
      write64le(To, Value);
    }
  }

  /// Copies from the last field to the first, so that no field is overwritten
  /// before it is read.
  void widen(unsigned NewWidth) {
    unsigned OldWidth = Width;
    uint64_t Count = size();
    Bytes.resize_for_overwrite(Count * NewWidth);
    Width = NewWidth;
    for (uint64_t I = Count; I-- > 0;)
      store(Bytes.data() + I * NewWidth, readField(Bytes.data(), OldWidth, I));
  }

  // SmallVector grows plain bytes with realloc, which moves pages instead of
  // copying them, so even a large array never exists twice.
  llvm::SmallVector<char, 0> Bytes;
  unsigned Width;
};

} // namespace lidia

#endif // LIDIA_ARCHIVE_FIELDS_H
