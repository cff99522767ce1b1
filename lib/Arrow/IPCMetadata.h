//===- IPCMetadata.h - The numbers in Arrow's metadata ----------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The fields of the tables that we use, and the values of enumerations, in
/// Apache Arrow's `format/Message.fbs` and `format/Schema.fbs`.
///
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_ARROW_IPCMETADATA_H
#define LIDIA_LIB_ARROW_IPCMETADATA_H

#include <cstdint>

namespace lidia::arrow::ipc {

/// Precedes the size of a message's metadata, which is 0 at the end.
inline constexpr uint32_t Continuation = 0xffffffff;
/// Metadata and buffers begin and end at multiples of this.
inline constexpr unsigned Alignment = 8;
/// The version since Arrow 1.0.
inline constexpr int16_t MetadataV5 = 4;

namespace message {
enum : unsigned { Version, HeaderType, Header, BodyLength };
} // namespace message

enum class HeaderType : uint8_t { None, Schema, DictionaryBatch, RecordBatch };

namespace schema {
enum : unsigned { Endianness, Fields };
} // namespace schema

namespace field {
enum : unsigned { Name, Nullable, TypeType, Type, Dictionary, Children };
} // namespace field

namespace dictionary_encoding {
enum : unsigned { ID, IndexType };
} // namespace dictionary_encoding

/// The number of a type in the union Type.
enum class TypeType : uint8_t {
  None,
  Null,
  Int,
  FloatingPoint,
  Binary,
  Utf8,
  Bool,
  Decimal,
  Date,
  Time,
  Timestamp,
  Interval,
  List,
  Struct,
  Union,
  FixedSizeBinary,
  FixedSizeList,
  Map,
  Duration,
  LargeBinary,
  LargeUtf8,
  LargeList,
  RunEndEncoded,
  BinaryView,
  Utf8View,
  ListView,
  LargeListView,
};

namespace int_type {
enum : unsigned { BitWidth, IsSigned };
} // namespace int_type

namespace fixed_size_binary {
enum : unsigned { ByteWidth };
} // namespace fixed_size_binary

namespace union_type {
enum : unsigned { Mode };
inline constexpr int16_t Dense = 1;
} // namespace union_type

namespace record_batch {
/// Nodes have a length and a number of nulls, buffers an offset in the body and
/// a length, all of 64 bits.
enum : unsigned { Length, Nodes, Buffers, Compression, VariadicBufferCounts };
} // namespace record_batch

namespace dictionary_batch {
enum : unsigned { ID, Data, IsDelta };
} // namespace dictionary_batch

} // namespace lidia::arrow::ipc

#endif // LIDIA_LIB_ARROW_IPCMETADATA_H
