//===- PprofFields.h - The fields of profile.proto --------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_PROFILE_PPROFFIELDS_H
#define LIDIA_LIB_PROFILE_PPROFFIELDS_H

#include <cstdint>

// The field numbers of profile.proto's messages, with its names. Fields are
// varints, except those marked as "message" or "string", which have a length.
namespace lidia::pprof {

enum ProfileField : uint32_t {
  SampleType = 1,  // message ValueType
  Sample = 2,      // message
  Mapping = 3,     // message
  Location = 4,    // message
  Function = 5,    // message
  StringTable = 6, // string
  TimeNanos = 9,
  DurationNanos = 10,
  PeriodType = 11, // message ValueType
  Period = 12,
  DefaultSampleType = 14,
};

enum ValueTypeField : uint32_t { Type = 1, Unit = 2 };

enum SampleField : uint32_t {
  LocationID = 1, // packed
  Value = 2,      // packed
  Label = 3,      // message
};

enum LabelField : uint32_t { Key = 1, Str = 2, Num = 3, NumUnit = 4 };

enum MappingField : uint32_t {
  MappingID = 1,
  MemoryStart = 2,
  MemoryLimit = 3,
  FileOffset = 4,
  MappingFilename = 5,
  BuildID = 6,
  HasFunctions = 7,
  HasFilenames = 8,
  HasLineNumbers = 9,
  HasInlineFrames = 10,
};

enum LocationField : uint32_t {
  ID = 1,
  LocationMappingID = 2,
  Address = 3,
  Line = 4, // message
  IsFolded = 5,
};

enum LineField : uint32_t { LineFunctionID = 1, LineNumber = 2, Column = 3 };

enum FunctionField : uint32_t {
  FunctionID = 1,
  Name = 2,
  SystemName = 3,
  Filename = 4,
  StartLine = 5,
};

} // namespace lidia::pprof

#endif // LIDIA_LIB_PROFILE_PPROFFIELDS_H
