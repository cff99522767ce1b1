//===- OTLPJSONReader.cpp - OTLP profiles from JSON -----------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

///
/// \file
/// Converts JSON to the equivalent binary message, so that both have the same
/// reader. RapidJSON's reader calls the handler for each name and value. LLVM's
/// reader creates objects, which take thousands of bytes for each location, and
/// is recursive.
///
//===----------------------------------------------------------------------===//

#include "OTLPSchema.h"
#include "Support/RapidJSON.h"
#include "lidia/Error.h"
#include "lidia/Profile/OTLP.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/Base64.h"
#include "llvm/Support/Endian.h"
#include <cmath>
#include <limits>
#include <protozero/pbf_writer.hpp>

using namespace llvm;

namespace lidia {

namespace {

/// The handler of RapidJSON's reader. Its functions return false to stop, with
/// the reason in Failure.
class JSONHandler {
public:
  using Ch = char;
  using SizeType = rapidjson::SizeType;

  // The names are RapidJSON's. NOLINTBEGIN(readability-identifier-naming)
  bool Null();
  bool Bool(bool Value);
  bool RawNumber(const char *Text, SizeType Size, bool) {
    return scalar(StringRef(Text, Size), /*IsString=*/false);
  }
  bool String(const char *Text, SizeType Size, bool) {
    return scalar(StringRef(Text, Size), /*IsString=*/true);
  }
  bool StartObject();
  bool Key(const char *Text, SizeType Size, bool);
  bool EndObject(SizeType);
  bool StartArray();
  bool EndArray(SizeType);
  // Numbers are passed as text, to RawNumber().
  bool Int(int) { return false; }
  bool Uint(unsigned) { return false; }
  bool Int64(int64_t) { return false; }
  bool Uint64(uint64_t) { return false; }
  bool Double(double) { return false; }
  // NOLINTEND(readability-identifier-naming)

  std::string Failure;
  std::string Result;
  uint64_t UnknownNames = 0;

private:
  /// A message whose object is open.
  struct Level {
    const otlp::Message *Its = nullptr;
    std::string Bytes;
    /// The field whose name was read.
    const otlp::Field *F = nullptr;
    bool InArray = false;
    /// The numbers in the array so far.
    std::string Packed;
  };

  bool fail(const Twine &Why) {
    Failure = Why.str();
    return false;
  }
  bool wrongValue() {
    return fail("'" + StringRef(Levels.back().F->Name) +
                "' has a value of another type");
  }
  bool scalar(StringRef Text, bool IsString);
  bool addNumber(const otlp::Field &F, StringRef Text);
  bool addBytes(const otlp::Field &F, StringRef Text);
  void addVarint(const otlp::Field &F, uint64_t Number);
  void addFixed(const otlp::Field &F, uint64_t Number);

  std::vector<Level> Levels;
  /// The number of open objects and arrays in the value of an unknown name.
  uint64_t Skipped = 0;
};

} // namespace

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// Parses a JSON number: integers may be written with an exponent or as 1.0.
template <typename T> static bool parseInteger(StringRef Text, T &Number) {
  if (!Text.getAsInteger(10, Number))
    return true;
  double Value = 0;
  // The smallest number above the type's range: a power of two up to 2^64.
  double Limit = std::ldexp(1.0, std::numeric_limits<T>::digits);
  if (Text.getAsDouble(Value) || Value != std::trunc(Value) || Value >= Limit ||
      Value < (std::is_signed<T>::value ? -Limit : 0.0))
    return false;
  Number = T(Value);
  return true;
}

void JSONHandler::addVarint(const otlp::Field &F, uint64_t Number) {
  Level &L = Levels.back();
  if (L.InArray)
    protozero::add_varint_to_buffer(&L.Packed, Number);
  else if (Number != 0 || L.Its->IsOneOf)
    protozero::pbf_writer(L.Bytes).add_uint64(F.Tag, Number);
}

void JSONHandler::addFixed(const otlp::Field &F, uint64_t Number) {
  Level &L = Levels.back();
  char Bytes[8];
  support::endian::write64le(Bytes, Number);
  if (L.InArray)
    L.Packed.append(Bytes, sizeof(Bytes));
  else if (Number != 0 || L.Its->IsOneOf)
    protozero::pbf_writer(L.Bytes).add_fixed64(F.Tag, Number);
}

bool JSONHandler::addNumber(const otlp::Field &F, StringRef Text) {
  int32_t Signed32 = 0;
  uint32_t Unsigned32 = 0;
  int64_t Signed = 0;
  uint64_t Unsigned = 0;
  double Real = 0;
  switch (F.Type) {
  case otlp::Kind::Int32:
    if (!parseInteger(Text, Signed32))
      return wrongValue();
    addVarint(F, uint64_t(int64_t(Signed32)));
    return true;
  case otlp::Kind::UInt32:
    if (!parseInteger(Text, Unsigned32))
      return wrongValue();
    addVarint(F, Unsigned32);
    return true;
  case otlp::Kind::Int64:
    if (!parseInteger(Text, Signed))
      return wrongValue();
    addVarint(F, uint64_t(Signed));
    return true;
  case otlp::Kind::UInt64:
  case otlp::Kind::Fixed64:
    if (!parseInteger(Text, Unsigned))
      return wrongValue();
    F.Type == otlp::Kind::UInt64 ? addVarint(F, Unsigned)
                                 : addFixed(F, Unsigned);
    return true;
  case otlp::Kind::Double:
    if (Text == "Infinity" || Text == "-Infinity")
      Real = Text[0] == '-' ? -HUGE_VAL : HUGE_VAL;
    else if (Text == "NaN")
      Real = std::nan("");
    else if (Text.getAsDouble(Real))
      return wrongValue();
    addFixed(F, bit_cast<uint64_t>(Real));
    return true;
  default:
    return wrongValue();
  }
}

/// Decodes standard or URL-safe base64, with or without padding, like
/// protobuf's readers.
static bool decodeBase64Text(StringRef Text, std::string &Bytes) {
  std::string Standard = Text.rtrim('=').str();
  for (char &C : Standard)
    C = C == '-' ? '+' : C == '_' ? '/' : C;
  Standard.append((4 - Standard.size() % 4) % 4, '=');
  std::vector<char> Decoded;
  if (Error E = decodeBase64(Standard, Decoded)) {
    consumeError(std::move(E));
    return false;
  }
  Bytes.assign(Decoded.begin(), Decoded.end());
  return true;
}

bool JSONHandler::addBytes(const otlp::Field &F, StringRef Text) {
  Level &L = Levels.back();
  std::string Bytes;
  switch (F.Type) {
  case otlp::Kind::String:
    Bytes = Text.str();
    break;
  case otlp::Kind::ID:
    // In base64, IDs of 8 and 16 bytes end with '='.
    if (Text.size() % 2 != 0 || !tryGetFromHex(Text, Bytes))
      if (!decodeBase64Text(Text, Bytes))
        return wrongValue();
    break;
  case otlp::Kind::Bytes:
    if (!decodeBase64Text(Text, Bytes))
      return wrongValue();
    break;
  default:
    return wrongValue();
  }
  if (!Bytes.empty() || L.InArray || L.Its->IsOneOf)
    protozero::pbf_writer(L.Bytes).add_bytes(F.Tag, Bytes);
  return true;
}

bool JSONHandler::scalar(StringRef Text, bool IsString) {
  if (Skipped)
    return true;
  if (Levels.empty())
    return fail("it is not an object");
  Level &L = Levels.back();
  if (!L.F)
    return true;
  if (L.F->IsRepeated != L.InArray)
    return wrongValue();
  bool IsNumber = L.F->Type < otlp::Kind::String;
  if (IsNumber && L.F->Type != otlp::Kind::Bool)
    return addNumber(*L.F, Text);
  return IsString && !IsNumber ? addBytes(*L.F, Text) : wrongValue();
}

bool JSONHandler::Bool(bool Value) {
  if (Skipped)
    return true;
  if (Levels.empty())
    return fail("it is not an object");
  Level &L = Levels.back();
  if (!L.F)
    return true;
  if (L.F->Type != otlp::Kind::Bool)
    return wrongValue();
  addVarint(*L.F, Value);
  return true;
}

/// Ignores the field, as if it was missing.
bool JSONHandler::Null() {
  if (Skipped || (!Levels.empty() && !Levels.back().InArray))
    return true;
  return Levels.empty() ? fail("it is not an object") : wrongValue();
}

//===----------------------------------------------------------------------===//
// Objects and arrays
//===----------------------------------------------------------------------===//

bool JSONHandler::StartObject() {
  if (Skipped || (!Levels.empty() && !Levels.back().F)) {
    ++Skipped;
    return true;
  }
  Level Next;
  if (Levels.empty()) {
    Next.Its = &otlp::ProfilesData;
  } else {
    const Level &L = Levels.back();
    if (L.F->Type != otlp::Kind::Message || L.F->IsRepeated != L.InArray)
      return wrongValue();
    Next.Its = L.F->Its;
  }
  if (Levels.size() == otlp::MaxNesting)
    return fail("its objects are nested too deeply");
  Levels.push_back(std::move(Next));
  return true;
}

bool JSONHandler::Key(const char *Text, SizeType Size, bool) {
  if (Skipped)
    return true;
  Level &L = Levels.back();
  L.F = L.Its->find(StringRef(Text, Size));
  UnknownNames += !L.F;
  return true;
}

bool JSONHandler::EndObject(SizeType) {
  if (Skipped) {
    --Skipped;
    return true;
  }
  std::string Bytes = std::move(Levels.back().Bytes);
  Levels.pop_back();
  if (Levels.empty())
    Result = std::move(Bytes);
  else
    protozero::pbf_writer(Levels.back().Bytes)
        .add_message(Levels.back().F->Tag, Bytes);
  return true;
}

bool JSONHandler::StartArray() {
  if (Skipped || (!Levels.empty() && !Levels.back().F)) {
    ++Skipped;
    return true;
  }
  if (Levels.empty())
    return fail("it is not an object");
  Level &L = Levels.back();
  if (!L.F->IsRepeated || L.InArray)
    return wrongValue();
  L.InArray = true;
  return true;
}

bool JSONHandler::EndArray(SizeType) {
  if (Skipped) {
    --Skipped;
    return true;
  }
  Level &L = Levels.back();
  L.InArray = false;
  if (!L.Packed.empty())
    protozero::pbf_writer(L.Bytes).add_bytes(L.F->Tag, L.Packed);
  L.Packed.clear();
  return true;
}

Expected<std::string> readOTLPJSON(StringRef Text, StringRef Name,
                                   WarningFunction Warn) {
  constexpr unsigned Flags = rapidjson::kParseIterativeFlag |
                             rapidjson::kParseNumbersAsStringsFlag |
                             rapidjson::kParseValidateEncodingFlag;
  JSONHandler Handler;
  rapidjson::MemoryStream Stream(Text.data(), Text.size());
  rapidjson::Reader Reader;
  rapidjson::ParseResult Parsed = Reader.Parse<Flags>(Stream, Handler);
  if (!Parsed)
    return make_error<DamagedError>(
        Name, "not an OTLP profile in JSON: " +
                  (Handler.Failure.empty() ? "malformed" : Handler.Failure) +
                  " at byte " + Twine(Parsed.Offset()));
  if (Handler.UnknownNames)
    Warn(Name + ": " + Twine(Handler.UnknownNames) + " names that version " +
         OTLPSchemaVersion +
         " of OTLP's schema of profiles does not have are left out");
  return std::move(Handler.Result);
}

} // namespace lidia
