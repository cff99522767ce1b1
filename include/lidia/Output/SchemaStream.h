//===- SchemaStream.h - JSON in one of two schemas --------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_OUTPUT_SCHEMASTREAM_H
#define LIDIA_OUTPUT_SCHEMASTREAM_H

#include "llvm/Support/JSON.h"

namespace lidia {

/// Which JSON is printed.
enum class JSONSchema : uint8_t {
  /// That of LLVM's JSONPrinter, and for stacks one with names like its.
  LLVM,
  /// docs/json-schema.json.
  Own,
};

/// Writes members under the names of the schema. They are given as those of
/// LLVM's: in our own, "ModuleName" is "module", and "EndAddress" is
/// "end_address".
class SchemaStream : public llvm::json::OStream {
public:
  SchemaStream(llvm::raw_ostream &TheOS, JSONSchema TheSchema,
               unsigned TheIndent = 0)
      : OStream(TheOS, TheIndent), Schema(TheSchema) {}

  bool isOwn() const { return Schema == JSONSchema::Own; }

  void attribute(llvm::StringRef Name, const llvm::json::Value &Value) {
    OStream::attribute(nameOf(Name), Value);
  }
  void attributeBegin(llvm::StringRef Name) {
    OStream::attributeBegin(nameOf(Name));
  }
  void attributeArray(llvm::StringRef Name, Block Contents) {
    OStream::attributeArray(nameOf(Name), Contents);
  }
  void attributeObject(llvm::StringRef Name, Block Contents) {
    OStream::attributeObject(nameOf(Name), Contents);
  }

private:
  std::string nameOf(llvm::StringRef Name) const;

  const JSONSchema Schema;
};

} // namespace lidia

#endif // LIDIA_OUTPUT_SCHEMASTREAM_H
