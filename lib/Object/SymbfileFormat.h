//===- SymbfileFormat.h - The messages of a symbfile ------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A symbfile is Magic, and then protobuf messages, each after its length and
/// its type, both varints. The first is an empty header. The numbers are those
/// of rust-crates/symb-proto/symbfile.proto in the OpenTelemetry eBPF profiler
/// (open-telemetry/opentelemetry-ebpf-profiler).
///
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_OBJECT_SYMBFILEFORMAT_H
#define LIDIA_LIB_OBJECT_SYMBFILEFORMAT_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace lidia::symbfile {

inline constexpr llvm::StringLiteral Magic = "symbfile";

/// symblib refuses larger messages.
inline constexpr uint64_t MaxMessageBytes = uint64_t(16) << 20;

enum MessageType : uint32_t {
  Header = 1,
  RangeV1 = 2,
  ReturnPadV1 = 3,
  StringTableV1 = 4,
};

/// An address is absolute, or is relative to that of the record before. A
/// string is in the message, or an index in the last string table.
enum RangeField : uint32_t {
  RangeDelta = 1,
  Length = 2,
  FunctionText = 3,
  FileText = 4,
  CallLine = 5,
  CallFileText = 6,
  Depth = 7,
  LineTable = 8, // message
  FunctionIndex = 9,
  FileIndex = 10,
  CallFileIndex = 11,
  RangeAddress = 12,
};

/// Columns. The first offset is relative to the range, the others to the
/// offset before.
enum LineTableField : uint32_t { RowOffset = 1, RowLine = 2 };

/// The address, which is that before the return address, and columns, the
/// outermost function first. Strings are indices.
enum ReturnPadField : uint32_t {
  PadDelta = 1,
  PadFunction = 2,
  PadFile = 3,
  PadLine = 4,
  PadAddress = 5,
};

enum StringTableField : uint32_t { Strings = 1 };

} // namespace lidia::symbfile

#endif // LIDIA_LIB_OBJECT_SYMBFILEFORMAT_H
