//===- PerfFields.h - The fields of a recording -----------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_PROFILE_PERFFIELDS_H
#define LIDIA_LIB_PROFILE_PERFFIELDS_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Endian.h"
#include <cstdint>

namespace lidia {

/// Reads consecutive fields from the beginning or the end of some bytes.
/// Missing fields, and all fields after them, read as zero, and isBroken() is
/// then true.
class PerfFields {
public:
  PerfFields(llvm::StringRef Bytes, llvm::endianness Order)
      : Left(Bytes), Order(Order) {}

  uint16_t u16() { return take<uint16_t>(); }
  uint32_t u32() { return take<uint32_t>(); }
  uint64_t u64() { return take<uint64_t>(); }
  uint64_t lastU64() {
    llvm::StringRef Field = Left.take_back(8);
    if (!has(8))
      return 0;
    Left = Left.drop_back(8);
    return llvm::support::endian::read<uint64_t>(Field.data(), Order);
  }
  llvm::StringRef bytes(uint64_t Size) {
    if (!has(Size))
      return {};
    llvm::StringRef Field = Left.take_front(Size);
    Left = Left.drop_front(Size);
    return Field;
  }
  void skip(uint64_t Size) { bytes(Size); }
  /// The text up to a NUL byte, or all of it if there is none. Consumes all
  /// remaining bytes.
  llvm::StringRef text() {
    llvm::StringRef Field = bytes(Left.size());
    return Field.take_front(Field.find('\0'));
  }

  llvm::StringRef left() const { return Left; }
  bool isBroken() const { return Broken; }

private:
  bool has(uint64_t Size) {
    if (Size <= Left.size())
      return true;
    Broken = true;
    Left = {};
    return false;
  }
  template <typename T> T take() {
    llvm::StringRef Field = bytes(sizeof(T));
    return Field.empty() ? T(0)
                         : llvm::support::endian::read<T>(Field.data(), Order);
  }

  llvm::StringRef Left;
  llvm::endianness Order;
  bool Broken = false;
};

} // namespace lidia

#endif // LIDIA_LIB_PROFILE_PERFFIELDS_H
