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
  /// Whether it has a length: a message, a string, packed numbers.
  bool HasBytes = false;
  llvm::StringRef Bytes;
  /// Whether it is a number of variable length.
  bool HasNumber = false;
  uint64_t Number = 0;
  /// Whether it is a number of eight bytes.
  bool HasFixed = false;
  uint64_t Fixed = 0;
  /// All bytes of the field, with its tag.
  llvm::StringRef Raw;

  bool isMessage(uint32_t ItsTag) const { return Tag == ItsTag && HasBytes; }
};

/// Calls \p Visit with each field of \p Message, in order. False if the message
/// is malformed; the fields before the malformed one were visited.
///
/// protozero throws exceptions, which are caught here, because the rest of the
/// project is built without them.
bool forEachField(llvm::StringRef Message,
                  llvm::function_ref<void(const ProtoField &)> Visit);

/// Calls \p Visit with each number of the repeated field \p F, packed or not.
/// False if it is malformed.
bool forEachNumber(const ProtoField &F,
                   llvm::function_ref<void(uint64_t)> Visit);

/// The same for numbers of eight bytes.
bool forEachFixed(const ProtoField &F,
                  llvm::function_ref<void(uint64_t)> Visit);

} // namespace lidia

#endif // LIDIA_LIB_PROFILE_PROTOFIELDS_H
