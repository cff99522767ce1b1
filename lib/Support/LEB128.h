//===- LEB128.h - Reads LEB128 numbers --------------------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_SUPPORT_LEB128_H
#define LIDIA_LIB_SUPPORT_LEB128_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/LEB128.h"
#include "llvm/Support/MathExtras.h"
#include <optional>

namespace lidia {

/// The size of a number of 64 bits. LLVM's functions shift by more than 63 bits
/// if a number is padded to more bytes.
inline constexpr size_t LongestLEB = 10;

/// Removes a number from the front of \p Bytes. If the number does not end or
/// has more than 64 bits, returns none and makes \p Bytes empty.
inline std::optional<uint64_t> takeULEB(llvm::StringRef &Bytes) {
  // Most numbers are small.
  if (!Bytes.empty() && uint8_t(Bytes.front()) < 0x80) {
    uint64_t Value = uint8_t(Bytes.front());
    Bytes = Bytes.drop_front();
    return Value;
  }
  unsigned Size;
  const char *Error = nullptr;
  llvm::StringRef Longest = Bytes.take_front(LongestLEB);
  uint64_t Value = llvm::decodeULEB128(Longest.bytes_begin(), &Size,
                                       Longest.bytes_end(), &Error);
  Bytes = Error ? llvm::StringRef() : Bytes.drop_front(Size);
  return Error ? std::nullopt : std::optional<uint64_t>(Value);
}

inline std::optional<int64_t> takeSLEB(llvm::StringRef &Bytes) {
  if (!Bytes.empty() && uint8_t(Bytes.front()) < 0x80) {
    int64_t Value = llvm::SignExtend64<7>(uint8_t(Bytes.front()));
    Bytes = Bytes.drop_front();
    return Value;
  }
  unsigned Size;
  const char *Error = nullptr;
  llvm::StringRef Longest = Bytes.take_front(LongestLEB);
  int64_t Value = llvm::decodeSLEB128(Longest.bytes_begin(), &Size,
                                      Longest.bytes_end(), &Error);
  Bytes = Error ? llvm::StringRef() : Bytes.drop_front(Size);
  return Error ? std::nullopt : std::optional<int64_t>(Value);
}

} // namespace lidia

#endif // LIDIA_LIB_SUPPORT_LEB128_H
