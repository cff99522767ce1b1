//===- ProtoFields.h - Fields of protobuf messages --------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_PROFILE_PROTOFIELDS_H
#define LIDIA_LIB_PROFILE_PROTOFIELDS_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>

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
};

/// Calls \p Visit with each field of \p Message, in order. Returns false if the
/// message is malformed, after visiting the fields before the error.
///
/// protozero throws exceptions. They are caught here, because the rest of the
/// project is built without exceptions.
bool forEachField(llvm::StringRef Message,
                  llvm::function_ref<void(const ProtoField &)> Visit);

/// Calls \p Visit with each number of the repeated field \p F, packed or not.
/// Returns false if it is malformed.
bool forEachNumber(const ProtoField &F,
                   llvm::function_ref<void(uint64_t)> Visit);

/// The same for fixed-size numbers of eight bytes.
bool forEachFixed(const ProtoField &F,
                  llvm::function_ref<void(uint64_t)> Visit);

} // namespace lidia

#endif // LIDIA_LIB_PROFILE_PROTOFIELDS_H
