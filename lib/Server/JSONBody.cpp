//===- JSONBody.cpp - JSON from a client ----------------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "JSONBody.h"
#include "Support/RapidJSON.h"
#include "lidia/Error.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/JSON.h"

using namespace llvm;

namespace lidia {

Error wrongRequest(const Twine &Message) {
  return make_error<ArgumentError>("", Message);
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// The handler that rapidjson calls; false ends the parsing.
struct JSONHandler {
  using SizeType = rapidjson::SizeType;
  using Kind = JSONBody::Kind;

  JSONBody &Body;
  /// Indexes of the arrays and objects that are open.
  SmallVector<size_t, JSONBody::MaxDepth> Open;

  bool add(Kind K, uint64_t Value = 0, uint32_t Size = 0) {
    Body.Nodes.push_back({K, Size, Value});
    return true;
  }
  bool open(Kind K) {
    if (Open.size() == JSONBody::MaxDepth)
      return false;
    Open.push_back(Body.Nodes.size());
    return add(K);
  }
  bool close(SizeType Size) {
    JSONBody::Node &N = Body.Nodes[Open.pop_back_val()];
    N.Size = Size;
    N.Value = Body.Nodes.size();
    return true;
  }

  // The names are RapidJSON's. NOLINTBEGIN(readability-identifier-naming)
  bool Null() { return add(Kind::Null); }
  bool Bool(bool B) { return add(B ? Kind::True : Kind::False); }
  bool Int(int) { return add(Kind::OtherNumber); }
  bool Uint(unsigned N) { return add(Kind::Number, N); }
  bool Int64(int64_t) { return add(Kind::OtherNumber); }
  bool Uint64(uint64_t N) { return add(Kind::Number, N); }
  bool Double(double) { return add(Kind::OtherNumber); }
  bool RawNumber(const char *, SizeType, bool) { return false; }
  bool String(const char *Start, SizeType Size, bool) {
    return add(Kind::String, uint64_t(Start - Body.Text.data()), Size);
  }
  bool Key(const char *Start, SizeType Size, bool Copy) {
    return String(Start, Size, Copy);
  }
  bool StartObject() { return open(Kind::Object); }
  bool EndObject(SizeType Size) { return close(Size); }
  bool StartArray() { return open(Kind::Array); }
  bool EndArray(SizeType Size) { return close(Size); }
  // NOLINTEND(readability-identifier-naming)
};

Expected<JSONBody> JSONBody::parse(std::string Text) {
  // rapidjson takes a NUL as the end.
  if (Text.size() > UINT32_MAX || Text.find('\0') != std::string::npos)
    return make_error<ArgumentError>("", "the request is not JSON");
  // rapidjson's own validation reads past the end of a text that ends within a
  // character.
  size_t Bad = 0;
  if (!json::isUTF8(Text, &Bad))
    return make_error<ArgumentError>("", "the request is not JSON: byte " +
                                             Twine(Bad) + " is not UTF-8");
  JSONBody Body;
  Body.Text = std::move(Text);
  JSONHandler Handler{Body, {}};
  constexpr unsigned Flags =
      rapidjson::kParseIterativeFlag | rapidjson::kParseInsituFlag;
  rapidjson::InsituStringStream Stream(Body.Text.data());
  rapidjson::Reader Reader;
  rapidjson::ParseResult Parsed = Reader.Parse<Flags>(Stream, Handler);
  if (!Parsed)
    return make_error<ArgumentError>(
        "",
        Parsed.Code() == rapidjson::kParseErrorTermination
            ? "the JSON of the request is nested too deep"
            : "the request is not JSON: see byte " + Twine(Parsed.Offset()));
  return Body;
}

//===----------------------------------------------------------------------===//
// Accessors
//===----------------------------------------------------------------------===//

using Kind = JSONBody::Kind;

bool JSONValue::isArray() const {
  return Body && Body->Nodes[Index].K == Kind::Array;
}

bool JSONValue::isObject() const {
  return Body && Body->Nodes[Index].K == Kind::Object;
}

std::optional<StringRef> JSONValue::string() const {
  if (!Body || Body->Nodes[Index].K != Kind::String)
    return std::nullopt;
  const JSONBody::Node &N = Body->Nodes[Index];
  return StringRef(Body->Text).substr(N.Value, N.Size);
}

std::optional<bool> JSONValue::boolean() const {
  Kind K = Body ? Body->Nodes[Index].K : Kind::Null;
  if (K != Kind::True && K != Kind::False)
    return std::nullopt;
  return K == Kind::True;
}

std::optional<uint64_t> JSONValue::number() const {
  if (!Body || Body->Nodes[Index].K != Kind::Number)
    return std::nullopt;
  return Body->Nodes[Index].Value;
}

std::optional<uint64_t> JSONValue::address() const {
  std::optional<StringRef> Text = string();
  if (!Text)
    return number();
  uint64_t Number;
  bool IsHex = Text->consume_front_insensitive("0x");
  if (Text->getAsInteger(IsHex ? 16 : 10, Number))
    return std::nullopt;
  return Number;
}

size_t JSONValue::size() const {
  return isArray() || isObject() ? Body->Nodes[Index].Size : 0;
}

void JSONValue::forEach(function_ref<void(JSONValue)> Visit) const {
  if (!isArray())
    return;
  size_t End = Body->Nodes[Index].Value;
  for (size_t I = Index + 1; I < End;) {
    Visit(JSONValue(Body, I));
    const JSONBody::Node &N = Body->Nodes[I];
    I = N.K == Kind::Array || N.K == Kind::Object ? N.Value : I + 1;
  }
}

JSONValue JSONValue::operator[](StringRef Name) const {
  if (!isObject())
    return JSONValue();
  size_t End = Body->Nodes[Index].Value;
  for (size_t I = Index + 1; I + 1 < End;) {
    bool IsIt = JSONValue(Body, I).string() == Name;
    // The value follows the name.
    if (IsIt)
      return JSONValue(Body, I + 1);
    const JSONBody::Node &N = Body->Nodes[I + 1];
    I = N.K == Kind::Array || N.K == Kind::Object ? N.Value : I + 2;
  }
  return JSONValue();
}

} // namespace lidia
