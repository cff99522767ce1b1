//===- CallValueReader.h - What calls pass in registers ---------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_EXTRACT_CALLVALUEREADER_H
#define LIDIA_LIB_EXTRACT_CALLVALUEREADER_H

#include "LocationReader.h"
#include <unordered_map>

namespace lidia {

/// Collects the values that calls pass in registers, from which debuggers
/// compute what the called function has overwritten (DWARF 5, section 3.4.2).
/// Keeps those that the locations of the called function's variables refer to
/// (DW_OP_entry_value), so it must know all functions first.
class CallValueReader {
public:
  CallValueReader(VariableTableBuilder &Builder, LocationReader &Locations)
      : Builder(Builder), Locations(Locations) {}

  /// Adds a function of the current unit, which calls may refer to as \p DIE or
  /// as \p Origin, its abstract instance.
  void addFunction(uint64_t Entry, uint64_t DIE,
                   std::optional<uint64_t> Origin);
  /// Says that calls of other units refer to a function by this name.
  void addName(uint64_t Entry, llvm::StringRef LinkageName);
  /// Says that the variables of a function, which are in the table, depend on
  /// what these registers were at its entry.
  void addDependence(uint64_t Entry, uint64_t Registers);

  /// Reads DW_TAG_call_site or its form of before DWARF 5. Returns whether its
  /// children are to be passed to readValue().
  bool readCall(const dwarf::Unit &U, const ReadDIE &D);
  /// Returns the registers at the entry of the calling function that the value
  /// depends on.
  uint64_t readValue(const dwarf::Unit &U, const ReadDIE &D);

  /// Ends a unit. \p NameOf returns the linkage name of the function with this
  /// DIE.
  void finishUnit(llvm::function_ref<llvm::StringRef(uint64_t)> NameOf);
  /// Adds the calls to the builder.
  void finish();

  /// Bytes that each call and each value take.
  static constexpr uint64_t CallSize = 32, ValueSize = 8;

private:
  enum CalleeKind : uint8_t { ByPointer, ByDIE, ByName, ByEntry, Unknown };
  struct Call {
    uint64_t ReturnAddress = 0;
    /// A DIE, the hash of a name, or an entry.
    uint64_t Callee = 0;
    uint32_t FirstValue = 0;
    uint32_t ValueCount = 0;
    CalleeKind Kind = ByPointer;
    /// Whether the calling function has no frame afterwards.
    bool IsTail = false;
  };
  struct Value {
    uint32_t Register = 0;
    /// An index of Texts.
    uint32_t Text = 0;
  };

  void resolve(Call &C);

  VariableTableBuilder &Builder;
  LocationReader &Locations;
  std::vector<Call> Calls;
  std::vector<Value> Values;
  llvm::StringMap<uint32_t> TextIndices;
  std::vector<llvm::StringRef> Texts;
  /// Of the current unit: entries by DIE; none if several functions have it.
  llvm::DenseMap<uint64_t, std::optional<uint64_t>> FunctionsOfUnit;
  size_t FirstOfUnit = 0;
  /// Entries by the hash of the name.
  std::unordered_map<uint64_t, std::optional<uint64_t>> Named;
  std::unordered_map<uint64_t, uint64_t> Dependences;
};

} // namespace lidia

#endif // LIDIA_LIB_EXTRACT_CALLVALUEREADER_H
