//===- ModuleData.cpp - What Go's linker tells the runtime ----------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Go/ModuleData.h"

using namespace llvm;

namespace lidia::go {

namespace {
/// Places of fields, in pointers from the start.
enum Field : unsigned {
  Names = 1,
  Functions = 16,
  FirstAddress = 20,
  LastAddress = 21,
  TextStart = 22,
  TextEnd = 23,
  /// Of data of functions, in Go 1.18 and from Go 1.20 on. Both stand behind
  /// a dozen pointers to other data.
  Data118 = 38,
  Data120 = 40,
  FirstData = 32,
  LastData = 56,
};
} // namespace

static std::optional<ModuleData> readModuleData(const FunctionTable &Table,
                                                uint64_t Address) {
  const Image &Memory = Table.memory();
  auto Get = [&](unsigned Field) {
    return Memory.pointer(Address + Field * Memory.pointerSize()).value_or(0);
  };
  if (Get(Names) != Table.namesAddress() ||
      Get(Functions) != Table.functionsAddress() ||
      Get(FirstAddress) > Get(LastAddress) || Get(TextStart) > Get(TextEnd))
    return std::nullopt;
  ModuleData Data;
  Data.Address = Address;
  Data.TextStart = Get(TextStart);
  Data.DataStarts.push_back(
      Get(Table.layout() == Layout::Go118 ? Data118 : Data120));
  for (unsigned F = FirstData; F <= LastData; ++F)
    if (uint64_t Start = Get(F); !Memory.bytes(Start).empty())
      Data.DataStarts.push_back(Start);
  return Data;
}

std::optional<ModuleData> findModuleData(const FunctionTable &Table) {
  std::optional<ModuleData> Found;
  if (Table.layout() == Layout::Go12)
    return Found;
  Table.memory().findPointers(Table.address(), [&](uint64_t Address) {
    Found = readModuleData(Table, Address);
    return Found.has_value();
  });
  return Found;
}

} // namespace lidia::go
