//===- JSONBody.h - JSON from a client --------------------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_SERVER_JSONBODY_H
#define LIDIA_LIB_SERVER_JSONBODY_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lidia {

class JSONBody;

/// A request whose JSON is not what the endpoint takes (400).
llvm::Error wrongRequest(const llvm::Twine &Message);

/// A value of a JSONBody. Cheap to copy; the body must outlive it. Asking a
/// value for what it is not gives nothing.
class JSONValue {
public:
  /// A value that is not there.
  JSONValue() = default;

  bool isThere() const { return Body != nullptr; }
  bool isArray() const;
  bool isObject() const;
  std::optional<llvm::StringRef> string() const;
  std::optional<bool> boolean() const;
  /// A number without sign and fraction.
  std::optional<uint64_t> number() const;
  /// A number, or a string that has one: "0x10" or "16".
  std::optional<uint64_t> address() const;

  /// How many values an array or an object has.
  size_t size() const;
  /// Calls \p Visit with each value of an array, in order.
  void forEach(llvm::function_ref<void(JSONValue)> Visit) const;
  /// The value of \p Name in an object; the first if there are several.
  JSONValue operator[](llvm::StringRef Name) const;

private:
  friend class JSONBody;
  JSONValue(const JSONBody *Body, size_t Index) : Body(Body), Index(Index) {}

  const JSONBody *Body = nullptr;
  size_t Index = 0;
};

/// JSON in one array of 16 bytes for each value, whatever its shape: a tree of
/// allocations would multiply what a client can make us take.
class JSONBody {
public:
  enum class Kind : uint8_t {
    Null,
    False,
    True,
    Number,
    /// Negative or with a fraction.
    OtherNumber,
    String,
    Array,
    Object
  };

  /// Reads \p Text, which is changed: strings are unescaped in their place.
  static llvm::Expected<JSONBody> parse(std::string Text);

  JSONValue root() const { return JSONValue(this, 0); }

  /// Values that are nested deeper than this are refused.
  static constexpr unsigned MostDepth = 32;

private:
  friend class JSONValue;
  friend struct JSONHandler;

  struct Node {
    Kind K;
    /// Of a string in bytes; of an array or object in values.
    uint32_t Size = 0;
    /// Of a number its value, of a string its offset in Text, of an array or
    /// object the index of the node after its last one.
    uint64_t Value = 0;
  };

  std::string Text;
  /// A value precedes what is in it; an object has names and values in turn.
  std::vector<Node> Nodes;
};

} // namespace lidia

#endif // LIDIA_LIB_SERVER_JSONBODY_H
