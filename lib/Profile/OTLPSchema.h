//===- OTLPSchema.h - The messages of OTLP profiles -------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

///
/// \file
/// The messages of opentelemetry.proto.profiles.v1development and of the
/// packages that it uses (common.v1, resource.v1), as of OTLPSchemaVersion.
///
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_PROFILE_OTLPSCHEMA_H
#define LIDIA_LIB_PROFILE_OTLPSCHEMA_H

#include "Support/ProtoFields.h"
#include "lidia/Profile/Profile.h"
#include "llvm/ADT/ArrayRef.h"
#include <cstdint>

namespace lidia::otlp {

// Numbers of fields that the code uses directly, with their names.

enum ProfilesDataField : uint32_t { ResourceProfiles = 1, Dictionary = 2 };
enum ResourceProfilesField : uint32_t { ScopeProfiles = 2 };
enum ScopeProfilesField : uint32_t { Scope = 1, Profiles = 2 };
enum ScopeField : uint32_t { ScopeAttributes = 3 };
enum KeyValueField : uint32_t { KeyText = 1, KeyedValue = 2, KeyIndex = 3 };

enum DictionaryField : uint32_t {
  MappingTable = 1,
  LocationTable = 2,
  FunctionTable = 3,
  LinkTable = 4,
  StringTable = 5,
  AttributeTable = 6,
  StackTable = 7,
};

enum ProfileField : uint32_t {
  SampleType = 1,
  Samples = 2,
  TimeUnixNano = 3, // fixed64
  DurationNano = 4,
  PeriodType = 5,
  Period = 6,
};

enum SampleField : uint32_t {
  StackIndex = 1,
  SampleAttributes = 2,
  Values = 4,
  Timestamps = 5,
};

enum ValueTypeField : uint32_t { Type = 1, Unit = 2 };

enum MappingField : uint32_t {
  MemoryStart = 1,
  MemoryLimit = 2,
  FileOffset = 3,
  MappingFilename = 4,
  MappingAttributes = 5,
};

enum StackField : uint32_t { LocationIndices = 1 };

enum LocationField : uint32_t { MappingIndex = 1, Address = 2, Lines = 3 };

enum LineField : uint32_t { FunctionIndex = 1, LineNumber = 2, Column = 3 };

enum FunctionField : uint32_t {
  FunctionName = 1,
  SystemName = 2,
  FunctionFilename = 3,
  StartLine = 4,
};

enum AttributeField : uint32_t { Key = 1, Value = 2, AttributeUnit = 3 };

enum AnyValueField : uint32_t {
  StringValue = 1,
  BoolValue = 2,
  IntValue = 3,
  StringIndexValue = 8,
};

/// The scope attribute with the name of the type to show first, by the semantic
/// conventions for profiles converted from pprof.
inline constexpr llvm::StringLiteral DefaultTypeKey =
    "pprof.scope.default_sample_type";

/// The attributes with the flags of a mapping, by the same conventions.
inline constexpr struct {
  llvm::StringLiteral Key;
  bool lidia::Profile::Mapping::*Flag;
} MappingFlags[] = {
    {"pprof.mapping.has_functions", &lidia::Profile::Mapping::HasFunctions},
    {"pprof.mapping.has_filenames", &lidia::Profile::Mapping::HasFilenames},
    {"pprof.mapping.has_line_numbers",
     &lidia::Profile::Mapping::HasLineNumbers},
    {"pprof.mapping.has_inline_frames",
     &lidia::Profile::Mapping::HasInlineFrames}};

/// The maximum nesting of values, which attributes may contain. protobuf's own
/// readers have the same limit.
inline constexpr unsigned MaxNesting = 100;

/// How a field is encoded, in binary and in JSON.
enum class Kind : uint8_t {
  /// Varints. In JSON, a number or, for 64 bits, a string.
  Int32,
  UInt32,
  Int64,
  UInt64,
  Bool,
  /// Eight bytes. In JSON, a string or a number.
  Fixed64,
  Double,
  /// Length-delimited. In JSON, bytes are in base64, IDs in hexadecimal digits.
  String,
  Bytes,
  ID,
  Message
};

struct Message;

struct Field {
  uint32_t Tag;
  /// The name in JSON.
  const char *Name;
  Kind Type;
  bool IsRepeated;
  /// The type of a message.
  const Message *Its;
};

struct Message {
  const char *Name;
  llvm::ArrayRef<Field> Fields;
  /// Whether the field is in a oneof, so that zero is written if it is set.
  bool IsOneOf;

  const Field *find(uint32_t Tag) const;
  const Field *find(llvm::StringRef JSONName) const;
};

extern const Message ProfilesData;

/// Whether the encoding of \p F is that of the field \p Its.
bool isEncodedAs(const ProtoField &F, const Field &Its);

/// The number of fields in \p Bytes, a message ProfilesData, including nested
/// messages, that the schema does not have, or has with another type. Malformed
/// messages, and those nested deeper than MaxNesting, are not searched.
uint64_t countUnknownFields(llvm::StringRef Bytes);

} // namespace lidia::otlp

#endif // LIDIA_LIB_PROFILE_OTLPSCHEMA_H
