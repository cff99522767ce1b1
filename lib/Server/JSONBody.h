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

/// The error of a request whose JSON the endpoint does not accept (400).
llvm::Error wrongRequest(const llvm::Twine &Message);

/// A value of a JSONBody. Cheap to copy; the body must outlive it. An accessor
/// for another type than the value's returns nothing.
class JSONValue {
public:
  /// A value that does not exist.
  JSONValue() = default;

  bool isThere() const { return Body != nullptr; }
  bool isArray() const;
  bool isObject() const;
  std::optional<llvm::StringRef> string() const;
  std::optional<bool> boolean() const;
  /// A number without a sign or a fraction.
  std::optional<uint64_t> number() const;
  /// A number, or a string that contains one: "0x10" or "16".
  std::optional<uint64_t> address() const;

  /// The number of values in an array or object.
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

/// JSON as an array with 16 bytes for each value. A tree of allocations would
/// take several times as much memory, for bodies that clients choose.
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

  /// Parses \p Text, which is modified: strings are unescaped in place.
  static llvm::Expected<JSONBody> parse(std::string Text);

  JSONValue root() const { return JSONValue(this, 0); }

  /// The maximum depth of nested values.
  static constexpr unsigned MaxDepth = 32;

private:
  friend class JSONValue;
  friend struct JSONHandler;

  struct Node {
    Kind K;
    /// The bytes of a string; the values of an array or object.
    uint32_t Size = 0;
    /// The value of a number, the offset of a string in Text, or the index of
    /// the node after the last one of an array or object.
    uint64_t Value = 0;
  };

  std::string Text;
  /// Arrays and objects precede their contents. An object has names and values
  /// in turn.
  std::vector<Node> Nodes;
};

} // namespace lidia

#endif // LIDIA_LIB_SERVER_JSONBODY_H
