//===- ModuleData.cpp - The module data of Go's runtime -------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModuleData.h"

using namespace llvm;

namespace lidia::go {

namespace {
/// Offsets of fields from the start, in units of pointers.
enum Field : unsigned {
  Names = 1,
  Functions = 16,
  FirstAddress = 20,
  LastAddress = 21,
  TextStart = 22,
  TextEnd = 23,
  /// Function data in Go 1.18, and from Go 1.20 on. Both follow a dozen
  /// pointers to other data.
  Data118 = 38,
  Data120 = 40,
  FirstData = 32,
  LastData = 56,
};
} // namespace

/// The code sections, if there is a slice of them at \p Address.
static std::vector<TextSection>
readSections(const Image &Memory, uint64_t Address, uint64_t TextStart) {
  // A section has several megabytes of code, and offsets have 32 bits.
  constexpr uint64_t MaxSections = 256;
  unsigned Width = Memory.pointerSize();
  auto Get = [&](uint64_t Address, unsigned Field) {
    return Memory.pointer(Address + Field * Width).value_or(0);
  };
  uint64_t Begin = Get(Address, 0), Count = Get(Address, 1);
  std::vector<TextSection> Sections;
  if (Count < 2 || Count > MaxSections || Count != Get(Address, 2) ||
      Get(Begin, 0) != 0 || Get(Begin, 2) != TextStart)
    return Sections;
  for (uint64_t I = 0; I < Count; ++I) {
    uint64_t At = Begin + I * 3 * Width;
    Sections.push_back({Get(At, 0), Get(At, 1), Get(At, 2)});
  }
  return Sections;
}

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
  unsigned DataField = Table.layout() == Layout::Go118 ? Data118 : Data120;
  Data.DataStarts.push_back(Get(DataField));
  // The code sections follow. From Go 1.26 on there is a field in between.
  for (unsigned F : {DataField + 1, DataField + 2})
    if (Data.TextSections.empty())
      Data.TextSections = readSections(
          Memory, Address + F * Memory.pointerSize(), Data.TextStart);
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
