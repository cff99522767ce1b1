//===- SchemaStream.cpp - JSON in one of two schemas ----------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Output/SchemaStream.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace lidia {

std::string SchemaStream::nameOf(StringRef Name) const {
  if (!isOwn())
    return Name.str();
  // What LLVM's names do not say.
  StringRef Other = StringSwitch<StringRef>(Name)
                        .Case("Symbol", "frames")
                        .Case("Frames", "stack")
                        .Case("SymName", "symbol")
                        .Case("Loc", "places")
                        .Case("Frame", "variables")
                        .Default("");
  if (!Other.empty())
    return Other.str();
  if (Name != "Name")
    Name.consume_back("Name");
  std::string Result;
  for (size_t I = 0; I != Name.size(); ++I) {
    if (I && isUpper(Name[I]) && isLower(Name[I - 1]))
      Result += '_';
    Result += toLower(Name[I]);
  }
  return Result;
}

} // namespace lidia
