//===- JSONTree.cpp - JSON in memory --------------------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "JSONTree.h"
#include "Support/RapidJSON.h"
#include "lidia/Error.h"
#include <algorithm>
#include <memory>
#include <vector>

using namespace llvm;

namespace lidia {

const JSONNode *JSONNode::member(StringRef Name) const {
  if (Its != Kind::Object)
    return nullptr;
  for (const JSONNode *N = Nodes, *End = Nodes + 2 * size_t(Count); N != End;
       N += 2)
    if (StringRef(N->Text, N->Count) == Name)
      return N + 1;
  return nullptr;
}

std::optional<StringRef> JSONNode::text() const {
  return Its == Kind::Text ? std::optional(StringRef(Text, Count))
                           : std::nullopt;
}

std::optional<double> JSONNode::number() const {
  if (Its == Kind::Unsigned)
    return double(Unsigned);
  return Its == Kind::Real ? std::optional(Real) : std::nullopt;
}

std::optional<uint64_t> JSONNode::unsignedNumber() const {
  return Its == Kind::Unsigned ? std::optional(Unsigned) : std::nullopt;
}

/// The handler of RapidJSON's reader. Values wait in Open until their array or
/// object ends.
class JSONTreeBuilder {
public:
  using Ch = char;
  using SizeType = rapidjson::SizeType;

  explicit JSONTreeBuilder(JSONTree &Tree) : Tree(Tree) {}

  // The names are RapidJSON's. NOLINTBEGIN(readability-identifier-naming)
  bool Null() { return add({}); }
  bool Bool(bool) { return add({}); }
  bool Int(int Value) { return Int64(Value); }
  bool Uint(unsigned Value) { return Uint64(Value); }
  bool Int64(int64_t Value) {
    return Value < 0 ? Double(double(Value)) : Uint64(uint64_t(Value));
  }
  bool Uint64(uint64_t Value) {
    JSONNode N;
    N.Its = JSONNode::Kind::Unsigned;
    N.Unsigned = Value;
    return add(N);
  }
  bool Double(double Value) {
    JSONNode N;
    N.Its = JSONNode::Kind::Real;
    N.Real = Value;
    return add(N);
  }
  bool RawNumber(const char *, SizeType, bool) { return false; }
  bool String(const char *Text, SizeType Size, bool) {
    JSONNode N;
    N.Its = JSONNode::Kind::Text;
    // StringSaver allocates in LLVM's library, which sanitizers may not know.
    char *To = Tree.Allocator.Allocate<char>(Size);
    std::copy_n(Text, Size, To);
    N.Text = To;
    N.Count = Size;
    return add(N);
  }
  bool Key(const char *Text, SizeType Size, bool Copy) {
    return String(Text, Size, Copy);
  }
  bool StartObject() { return true; }
  bool StartArray() { return true; }
  bool EndObject(SizeType Count) {
    return end(JSONNode::Kind::Object, Count, 2 * size_t(Count));
  }
  bool EndArray(SizeType Count) {
    return end(JSONNode::Kind::Array, Count, Count);
  }
  // NOLINTEND(readability-identifier-naming)

  void finish() { Tree.Root = Open.empty() ? JSONNode() : Open.front(); }

private:
  bool add(JSONNode N) {
    Open.push_back(N);
    return true;
  }
  bool end(JSONNode::Kind Its, uint32_t Count, size_t Nodes) {
    JSONNode N;
    N.Its = Its;
    N.Count = Count;
    JSONNode *To = Tree.Allocator.Allocate<JSONNode>(Nodes);
    std::uninitialized_copy(Open.end() - ptrdiff_t(Nodes), Open.end(), To);
    N.Nodes = To;
    Open.resize(Open.size() - Nodes);
    return add(N);
  }

  JSONTree &Tree;
  std::vector<JSONNode> Open;
};

Expected<JSONTree> JSONTree::parse(StringRef Text, StringRef Name) {
  if (Text.size() > UINT32_MAX)
    return make_error<LimitError>(Name, "is larger than 4 GiB");
  JSONTree Tree;
  JSONTreeBuilder Builder(Tree);
  rapidjson::MemoryStream Stream(Text.data(), Text.size());
  rapidjson::Reader Reader;
  rapidjson::ParseResult Parsed =
      Reader.Parse<rapidjson::kParseIterativeFlag>(Stream, Builder);
  if (!Parsed)
    return make_error<DamagedError>(Name, "malformed JSON at byte " +
                                              Twine(Parsed.Offset()));
  Builder.finish();
  return Tree;
}

} // namespace lidia
