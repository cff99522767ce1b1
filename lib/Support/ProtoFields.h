//===- ProtoFields.h - Reads fields of protobuf messages --------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// protozero's reader throws exceptions, and most of the project is built
/// without them.
///
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_SUPPORT_PROTOFIELDS_H
#define LIDIA_LIB_SUPPORT_PROTOFIELDS_H

#include "Support/LEB128.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Endian.h"
#include <cstdint>
#include <optional>

namespace lidia {

/// A field of a protobuf message.
struct ProtoField {
  uint32_t Tag = 0;
  /// Whether it has a length: a message, a string or packed numbers.
  bool HasBytes = false;
  llvm::StringRef Bytes;
  /// Whether it is a varint.
  bool HasNumber = false;
  uint64_t Number = 0;
  /// Whether it is a fixed-size number of eight bytes.
  bool HasFixed = false;
  uint64_t Fixed = 0;
  /// All bytes of the field, including its tag.
  llvm::StringRef Raw;

  bool isMessage(uint32_t ItsTag) const { return Tag == ItsTag && HasBytes; }

  /// The number of a field of the type sint64.
  int64_t signedNumber() const {
    return int64_t((Number >> 1) ^ (0 - (Number & 1)));
  }
};

/// Removes the field at the front of \p Message. None if it is malformed or a
/// group, which proto3 does not have.
inline std::optional<ProtoField> takeField(llvm::StringRef &Message) {
  enum : uint8_t { Varint = 0, Fixed64 = 1, Length = 2, Fixed32 = 5 };
  llvm::StringRef Begin = Message;
  std::optional<uint64_t> Key = takeULEB(Message);
  if (!Key || *Key >> 3 == 0 || *Key > UINT32_MAX)
    return std::nullopt;
  ProtoField F;
  F.Tag = uint32_t(*Key >> 3);
  uint8_t Type = *Key & 7;
  F.HasNumber = Type == Varint;
  F.HasBytes = Type == Length;
  F.HasFixed = Type == Fixed64;
  uint64_t Size = Type == Fixed64 ? 8 : Type == Fixed32 ? 4 : 0;
  if (F.HasNumber || F.HasBytes) {
    std::optional<uint64_t> Number = takeULEB(Message);
    if (!Number)
      return std::nullopt;
    (F.HasNumber ? F.Number : Size) = *Number;
  } else if (Size == 0) {
    return std::nullopt;
  }
  if (Size > Message.size())
    return std::nullopt;
  llvm::StringRef Bytes = Message.take_front(Size);
  Message = Message.drop_front(Size);
  if (F.HasBytes)
    F.Bytes = Bytes;
  if (F.HasFixed)
    F.Fixed = llvm::support::endian::read64le(Bytes.data());
  F.Raw = Begin.drop_back(Message.size());
  return F;
}

/// Calls \p Visit with each field of \p Message, in order. Returns false if the
/// message is malformed, after visiting the fields before the error.
inline bool forEachField(llvm::StringRef Message,
                         llvm::function_ref<void(const ProtoField &)> Visit) {
  while (!Message.empty()) {
    std::optional<ProtoField> F = takeField(Message);
    if (!F)
      return false;
    Visit(*F);
  }
  return true;
}

/// Calls \p Visit with each number of the repeated field \p F, packed or not.
/// Returns false if it is malformed.
inline bool forEachNumber(const ProtoField &F,
                          llvm::function_ref<void(uint64_t)> Visit) {
  if (F.HasNumber)
    Visit(F.Number);
  for (llvm::StringRef Rest = F.Bytes; !Rest.empty();) {
    std::optional<uint64_t> Number = takeULEB(Rest);
    if (!Number)
      return false;
    Visit(*Number);
  }
  return F.HasNumber || F.HasBytes;
}

/// The same for fixed-size numbers of eight bytes.
inline bool forEachFixed(const ProtoField &F,
                         llvm::function_ref<void(uint64_t)> Visit) {
  if (F.HasFixed)
    Visit(F.Fixed);
  if (!F.HasBytes || F.Bytes.size() % 8 != 0)
    return F.HasFixed;
  for (size_t I = 0; I != F.Bytes.size(); I += 8)
    Visit(llvm::support::endian::read64le(F.Bytes.data() + I));
  return true;
}

} // namespace lidia

#endif // LIDIA_LIB_SUPPORT_PROTOFIELDS_H
