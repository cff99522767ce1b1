//===- OTLPJSONWriter.cpp - OTLP profiles as JSON -------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OTLPSchema.h"
#include "ProfileFormats.h"
#include "lidia/Profile/OTLP.h"
#include "lidia/Symbolize/PrintableText.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/Base64.h"
#include "llvm/Support/JSON.h"
#include <cmath>

using namespace llvm;

namespace lidia {

namespace {
/// Writes messages as the schema describes.
class JSONWriter {
public:
  explicit JSONWriter(raw_ostream &OS) : JSON(OS) {}

  void writeMessage(const otlp::Message &M, StringRef Bytes, unsigned Nesting);
  /// The number of messages that were nested too deeply.
  uint64_t leftOut() const { return LeftOut; }

private:
  void writeField(const otlp::Field &F, StringRef Message, bool IsOneOf,
                  unsigned Nesting);
  void writeValues(const otlp::Field &F, const ProtoField &Found,
                   unsigned Nesting);
  void writeNumber(const otlp::Field &F, uint64_t Number);
  void writeBytes(const otlp::Field &F, StringRef Bytes);

  json::OStream JSON;
  uint64_t LeftOut = 0;
};
} // namespace

void JSONWriter::writeNumber(const otlp::Field &F, uint64_t Number) {
  double Real = bit_cast<double>(Number);
  switch (F.Type) {
  case otlp::Kind::Int32:
    JSON.value(int32_t(Number));
    break;
  case otlp::Kind::UInt32:
    JSON.value(uint32_t(Number));
    break;
  case otlp::Kind::Bool:
    JSON.value(Number != 0);
    break;
  case otlp::Kind::Int64:
    JSON.value(itostr(int64_t(Number)));
    break;
  case otlp::Kind::Double:
    if (std::isfinite(Real))
      JSON.value(Real);
    else
      JSON.value(std::isnan(Real) ? "NaN"
                 : Real < 0       ? "-Infinity"
                                  : "Infinity");
    break;
  default:
    JSON.value(utostr(Number));
    break;
  }
}

void JSONWriter::writeBytes(const otlp::Field &F, StringRef Bytes) {
  if (F.Type == otlp::Kind::ID)
    JSON.value(toHex(Bytes, /*LowerCase=*/true));
  else if (F.Type == otlp::Kind::Bytes)
    JSON.value(encodeBase64(Bytes));
  else if (json::isUTF8(Bytes))
    JSON.value(Bytes);
  else
    JSON.value(json::fixUTF8(Bytes));
}

/// Writes the value of \p Found, or its values if it is packed.
void JSONWriter::writeValues(const otlp::Field &F, const ProtoField &Found,
                             unsigned Nesting) {
  auto Number = [&](uint64_t N) { writeNumber(F, N); };
  switch (F.Type) {
  case otlp::Kind::Message:
    writeMessage(*F.Its, Found.Bytes, Nesting + 1);
    break;
  case otlp::Kind::String:
  case otlp::Kind::Bytes:
  case otlp::Kind::ID:
    writeBytes(F, Found.Bytes);
    break;
  case otlp::Kind::Fixed64:
  case otlp::Kind::Double:
    forEachFixed(Found, Number);
    break;
  default:
    forEachNumber(Found, Number);
    break;
  }
}

static uint64_t countNumbers(const otlp::Field &F, const ProtoField &Found) {
  uint64_t Count = 0;
  auto Add = [&](uint64_t) { ++Count; };
  if (F.Type == otlp::Kind::Fixed64 || F.Type == otlp::Kind::Double)
    forEachFixed(Found, Add);
  else
    forEachNumber(Found, Add);
  return Count;
}

void JSONWriter::writeField(const otlp::Field &F, StringRef Message,
                            bool IsOneOf, unsigned Nesting) {
  // If a field that is not repeated occurs several times, the last one is used;
  // messages are merged.
  ProtoField Last;
  std::string Merged;
  uint64_t Count = 0;
  forEachField(Message, [&](const ProtoField &Found) {
    if (Found.Tag != F.Tag || !otlp::isEncodedAs(Found, F))
      return;
    if (F.Type == otlp::Kind::Message && !F.IsRepeated && Count != 0) {
      if (Count == 1)
        Merged = Last.Bytes.str();
      Merged += Found.Bytes;
    }
    Last = Found;
    // A packed array may be empty.
    if (F.IsRepeated && F.Type < otlp::Kind::String)
      Count += countNumbers(F, Found);
    else
      ++Count;
  });
  if (Count == 0)
    return;
  if (F.IsRepeated) {
    JSON.attributeArray(F.Name, [&] {
      forEachField(Message, [&](const ProtoField &Found) {
        if (Found.Tag == F.Tag && otlp::isEncodedAs(Found, F))
          writeValues(F, Found, Nesting);
      });
    });
    return;
  }
  if (Count > 1 && F.Type == otlp::Kind::Message)
    Last.Bytes = Merged;
  // Larger numbers are truncated to the lower bits.
  if (F.Type == otlp::Kind::Int32 || F.Type == otlp::Kind::UInt32)
    Last.Number = uint32_t(Last.Number);
  bool IsZero = F.Type != otlp::Kind::Message && Last.Number == 0 &&
                Last.Fixed == 0 && Last.Bytes.empty();
  if (IsZero && !IsOneOf)
    return;
  JSON.attributeBegin(F.Name);
  writeValues(F, Last, Nesting);
  JSON.attributeEnd();
}

void JSONWriter::writeMessage(const otlp::Message &M, StringRef Bytes,
                              unsigned Nesting) {
  JSON.objectBegin();
  if (Nesting == otlp::MaxNesting) {
    ++LeftOut;
  } else if (M.IsOneOf) {
    const otlp::Field *Set = nullptr;
    forEachField(Bytes, [&](const ProtoField &Found) {
      const otlp::Field *F = M.find(Found.Tag);
      if (F && otlp::isEncodedAs(Found, *F))
        Set = F;
    });
    if (Set)
      writeField(*Set, Bytes, /*IsOneOf=*/true, Nesting);
  } else {
    for (const otlp::Field &F : M.Fields)
      writeField(F, Bytes, /*IsOneOf=*/false, Nesting);
  }
  JSON.objectEnd();
}

void writeOTLPJSON(StringRef Message, raw_ostream &OS, WarningFunction Warn) {
  JSONEscaper Escaped(OS);
  JSONWriter Writer(Escaped);
  Writer.writeMessage(otlp::ProfilesData, Message, 0);
  Escaped << '\n';
  uint64_t LeftOut = otlp::countUnknownFields(Message) + Writer.leftOut();
  if (LeftOut)
    Warn(Twine(LeftOut) +
         " fields that JSON cannot have are left out: version " +
         OTLPSchemaVersion +
         " of OTLP's schema of profiles does not have them, or they are nested "
         "too deeply");
}

void writeOTLPJSON(const ProfileFile &File, raw_ostream &OS,
                   WarningFunction Warn) {
  std::string Message;
  raw_string_ostream Binary(Message);
  writeOTLP(File, Binary, Warn);
  writeOTLPJSON(Message, OS, Warn);
}

} // namespace lidia
