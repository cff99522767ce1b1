//===- OTLPSchema.cpp - The messages of OTLP profiles ---------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OTLPSchema.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace lidia::otlp {

extern const Message AnyValue;
static constexpr bool Repeated = true;

// Attributes contain values, which may contain attributes, so these messages
// are declared before the fields that refer to them.
extern const Message KeyValue;

static constexpr Field ArrayValueFields[] = {
    {1, "values", Kind::Message, Repeated, &AnyValue}};
static constexpr Message ArrayValue = {"ArrayValue", ArrayValueFields, false};

static constexpr Field KeyValueListFields[] = {
    {1, "values", Kind::Message, Repeated, &KeyValue}};
static constexpr Message KeyValueList = {"KeyValueList", KeyValueListFields,
                                         false};

static constexpr Field AnyValueFields[] = {
    {StringValue, "stringValue", Kind::String, false, nullptr},
    {BoolValue, "boolValue", Kind::Bool, false, nullptr},
    {IntValue, "intValue", Kind::Int64, false, nullptr},
    {4, "doubleValue", Kind::Double, false, nullptr},
    {5, "arrayValue", Kind::Message, false, &ArrayValue},
    {6, "kvlistValue", Kind::Message, false, &KeyValueList},
    {7, "bytesValue", Kind::Bytes, false, nullptr},
    {StringIndexValue, "stringValueStrindex", Kind::Int32, false, nullptr}};
const Message AnyValue = {"AnyValue", AnyValueFields, true};

static constexpr Field KeyValueFields[] = {
    {KeyText, "key", Kind::String, false, nullptr},
    {KeyedValue, "value", Kind::Message, false, &AnyValue},
    {KeyIndex, "keyStrindex", Kind::Int32, false, nullptr}};
const Message KeyValue = {"KeyValue", KeyValueFields, false};

static constexpr Field EntityRefFields[] = {
    {1, "schemaUrl", Kind::String, false, nullptr},
    {2, "type", Kind::String, false, nullptr},
    {3, "idKeys", Kind::String, Repeated, nullptr},
    {4, "descriptionKeys", Kind::String, Repeated, nullptr}};
static constexpr Message EntityRef = {"EntityRef", EntityRefFields, false};

static constexpr Field ResourceFields[] = {
    {1, "attributes", Kind::Message, Repeated, &KeyValue},
    {2, "droppedAttributesCount", Kind::UInt32, false, nullptr},
    {3, "entityRefs", Kind::Message, Repeated, &EntityRef}};
static constexpr Message Resource = {"Resource", ResourceFields, false};

static constexpr Field ScopeFields[] = {
    {1, "name", Kind::String, false, nullptr},
    {2, "version", Kind::String, false, nullptr},
    {ScopeAttributes, "attributes", Kind::Message, Repeated, &KeyValue},
    {4, "droppedAttributesCount", Kind::UInt32, false, nullptr}};
static constexpr Message ItsScope = {"InstrumentationScope", ScopeFields,
                                     false};

static constexpr Field ValueTypeFields[] = {
    {Type, "typeStrindex", Kind::Int32, false, nullptr},
    {Unit, "unitStrindex", Kind::Int32, false, nullptr}};
static constexpr Message ValueType = {"ValueType", ValueTypeFields, false};

static constexpr Field SampleFields[] = {
    {StackIndex, "stackIndex", Kind::Int32, false, nullptr},
    {SampleAttributes, "attributeIndices", Kind::Int32, Repeated, nullptr},
    {3, "linkIndex", Kind::Int32, false, nullptr},
    {Values, "values", Kind::Int64, Repeated, nullptr},
    {Timestamps, "timestampsUnixNano", Kind::Fixed64, Repeated, nullptr}};
static constexpr Message Sample = {"Sample", SampleFields, false};

static constexpr Field ProfileFields[] = {
    {SampleType, "sampleType", Kind::Message, false, &ValueType},
    {Samples, "samples", Kind::Message, Repeated, &Sample},
    {TimeUnixNano, "timeUnixNano", Kind::Fixed64, false, nullptr},
    {DurationNano, "durationNano", Kind::UInt64, false, nullptr},
    {PeriodType, "periodType", Kind::Message, false, &ValueType},
    {Period, "period", Kind::Int64, false, nullptr},
    {7, "profileId", Kind::ID, false, nullptr},
    {8, "droppedAttributesCount", Kind::UInt32, false, nullptr},
    {9, "originalPayloadFormat", Kind::String, false, nullptr},
    {10, "originalPayload", Kind::Bytes, false, nullptr},
    {11, "attributeIndices", Kind::Int32, Repeated, nullptr}};
static constexpr Message Profile = {"Profile", ProfileFields, false};

static constexpr Field ScopeProfilesFields[] = {
    {Scope, "scope", Kind::Message, false, &ItsScope},
    {Profiles, "profiles", Kind::Message, Repeated, &Profile},
    {3, "schemaUrl", Kind::String, false, nullptr}};
static constexpr Message ItsScopeProfiles = {"ScopeProfiles",
                                             ScopeProfilesFields, false};

static constexpr Field ResourceProfilesFields[] = {
    {1, "resource", Kind::Message, false, &Resource},
    {ScopeProfiles, "scopeProfiles", Kind::Message, Repeated,
     &ItsScopeProfiles},
    {3, "schemaUrl", Kind::String, false, nullptr}};
static constexpr Message ItsResourceProfiles = {"ResourceProfiles",
                                                ResourceProfilesFields, false};

static constexpr Field MappingFields[] = {
    {MemoryStart, "memoryStart", Kind::UInt64, false, nullptr},
    {MemoryLimit, "memoryLimit", Kind::UInt64, false, nullptr},
    {FileOffset, "fileOffset", Kind::UInt64, false, nullptr},
    {MappingFilename, "filenameStrindex", Kind::Int32, false, nullptr},
    {MappingAttributes, "attributeIndices", Kind::Int32, Repeated, nullptr}};
static constexpr Message Mapping = {"Mapping", MappingFields, false};

static constexpr Field LineFields[] = {
    {FunctionIndex, "functionIndex", Kind::Int32, false, nullptr},
    {LineNumber, "line", Kind::Int64, false, nullptr},
    {Column, "column", Kind::Int64, false, nullptr}};
static constexpr Message Line = {"Line", LineFields, false};

static constexpr Field LocationFields[] = {
    {MappingIndex, "mappingIndex", Kind::Int32, false, nullptr},
    {Address, "address", Kind::UInt64, false, nullptr},
    {Lines, "lines", Kind::Message, Repeated, &Line},
    {4, "attributeIndices", Kind::Int32, Repeated, nullptr}};
static constexpr Message Location = {"Location", LocationFields, false};

static constexpr Field FunctionFields[] = {
    {FunctionName, "nameStrindex", Kind::Int32, false, nullptr},
    {SystemName, "systemNameStrindex", Kind::Int32, false, nullptr},
    {FunctionFilename, "filenameStrindex", Kind::Int32, false, nullptr},
    {StartLine, "startLine", Kind::Int64, false, nullptr}};
static constexpr Message Function = {"Function", FunctionFields, false};

static constexpr Field LinkFields[] = {{1, "traceId", Kind::ID, false, nullptr},
                                       {2, "spanId", Kind::ID, false, nullptr}};
static constexpr Message Link = {"Link", LinkFields, false};

static constexpr Field AttributeFields[] = {
    {Key, "keyStrindex", Kind::Int32, false, nullptr},
    {Value, "value", Kind::Message, false, &AnyValue},
    {AttributeUnit, "unitStrindex", Kind::Int32, false, nullptr}};
static constexpr Message Attribute = {"KeyValueAndUnit", AttributeFields,
                                      false};

static constexpr Field StackFields[] = {
    {LocationIndices, "locationIndices", Kind::Int32, Repeated, nullptr}};
static constexpr Message Stack = {"Stack", StackFields, false};

static constexpr Field DictionaryFields[] = {
    {MappingTable, "mappingTable", Kind::Message, Repeated, &Mapping},
    {LocationTable, "locationTable", Kind::Message, Repeated, &Location},
    {FunctionTable, "functionTable", Kind::Message, Repeated, &Function},
    {LinkTable, "linkTable", Kind::Message, Repeated, &Link},
    {StringTable, "stringTable", Kind::String, Repeated, nullptr},
    {AttributeTable, "attributeTable", Kind::Message, Repeated, &Attribute},
    {StackTable, "stackTable", Kind::Message, Repeated, &Stack}};
static constexpr Message ItsDictionary = {"ProfilesDictionary",
                                          DictionaryFields, false};

static constexpr Field ProfilesDataFields[] = {
    {ResourceProfiles, "resourceProfiles", Kind::Message, Repeated,
     &ItsResourceProfiles},
    {Dictionary, "dictionary", Kind::Message, false, &ItsDictionary}};
const Message ProfilesData = {"ProfilesData", ProfilesDataFields, false};

//===----------------------------------------------------------------------===//
// Using the schema
//===----------------------------------------------------------------------===//

const Field *Message::find(uint32_t Tag) const {
  const auto *F = find_if(Fields, [&](const Field &F) { return F.Tag == Tag; });
  return F == Fields.end() ? nullptr : F;
}

const Field *Message::find(StringRef JSONName) const {
  const auto *F =
      find_if(Fields, [&](const Field &F) { return F.Name == JSONName; });
  return F == Fields.end() ? nullptr : F;
}

bool isEncodedAs(const ProtoField &F, const Field &Its) {
  switch (Its.Type) {
  case Kind::String:
  case Kind::Bytes:
  case Kind::ID:
  case Kind::Message:
    return F.HasBytes;
  case Kind::Fixed64:
  case Kind::Double:
    return F.HasFixed || (Its.IsRepeated && F.HasBytes);
  default:
    return F.HasNumber || (Its.IsRepeated && F.HasBytes);
  }
}

static uint64_t countUnknown(const Message &M, StringRef Bytes,
                             unsigned Nesting) {
  uint64_t Count = 0;
  forEachField(Bytes, [&](const ProtoField &F) {
    const Field *Its = M.find(F.Tag);
    if (!Its || !isEncodedAs(F, *Its))
      ++Count;
    else if (Its->Type == Kind::Message && Nesting < MaxNesting)
      Count += countUnknown(*Its->Its, F.Bytes, Nesting + 1);
  });
  return Count;
}

uint64_t countUnknownFields(StringRef Bytes) {
  return countUnknown(ProfilesData, Bytes, 0);
}

} // namespace lidia::otlp
