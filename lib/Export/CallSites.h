//===- CallSites.h - Calls in the DWARF of an archive -----------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_EXPORT_CALLSITES_H
#define LIDIA_LIB_EXPORT_CALLSITES_H

#include "VariableExport.h"
#include "lidia/Archive/Calls.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include <vector>

namespace lidia {

/// Writes the calls of an archive as DW_TAG_call_site: those that debuggers
/// need for tail calls, and those with values of the variables.
///
/// A call site refers to the DIE of its callee, from which debuggers take the
/// name and which is often written later. A callee that is not in the archive
/// gets a declaration in the unit of its first call. gdb 13 crashes on a
/// reference to a unit that it has not read, so each unit also declares the
/// callees of other units. With \p ForLLDB this is omitted, because it would
/// only cost space.
class CallSites {
public:
  /// The first abbreviation code and the number of codes.
  static constexpr uint32_t FirstCode = 66;
  static constexpr uint32_t CodeCount = 17;

  /// \p Debug is .debug_info. \p Debug and \p A must outlive this object. The
  /// call sites of inlined calls and blocks are those of the function: LLDB 19
  /// reads only these, and `llvm-dwarfdump --verify` does not terminate on a
  /// call site in a block.
  CallSites(const Archive &A, SectionWriter &Debug, bool ForLLDB);

  /// Writes the values of calls, too. \p Variables must outlive this object.
  void setVariables(VariableExport &Variables) { Values = &Variables; }

  /// Whether any function has call sites.
  bool any() const;

  /// Appends the abbreviations to \p Abbrevs.
  static void writeAbbreviations(SectionWriter &Abbrevs);

  /// Records that the DIE at \p Offset of .debug_info is the function \p Name,
  /// at its entry.
  void addFunction(StringOffset Name, uint64_t Offset) {
    Functions.try_emplace(Name, Offset);
    UnitFunctions.try_emplace(Name, Offset);
  }

  /// Whether the function in [\p Start, \p End) has call sites.
  bool any(uint64_t Start, uint64_t End) const;

  /// Writes the call sites of the function in [\p Start, \p End), among its
  /// children.
  void write(uint64_t Start, uint64_t End);

  /// Ends a unit. If several functions have the same name, calls refer to the
  /// one in their own unit. Calls \p Declare to write the declaration of a
  /// function.
  void endUnit(llvm::function_ref<void(StringOffset)> Declare);

  /// Sets the references to functions of later units.
  void finish();

private:
  struct Reference {
    uint64_t Place;
    StringOffset Callee;
  };

  /// A call of either kind, or of both.
  struct Site {
    std::optional<FunctionCall> Call;
    const ValuedCall *Valued = nullptr;
    /// The name of the function that Valued calls.
    StringOffset Callee = 0;
  };

  bool keeps(const FunctionCall &Call) const;
  bool isDefined(StringOffset Callee);
  std::optional<StringOffset> calleeOf(const ValuedCall &Call) const;
  void visitSites(uint64_t Start, uint64_t End,
                  llvm::function_ref<void(const Site &)> Visit) const;
  void writeSite(const Site &S);

  const Archive &A;
  SectionWriter &Debug;
  const bool ForLLDB;
  VariableExport *Values = nullptr;
  /// The names of all functions at their entries; empty until it is needed.
  llvm::DenseSet<StringOffset> Defined;
  /// The DIEs written so far.
  llvm::DenseMap<StringOffset, uint64_t> Functions, UnitFunctions;
  std::vector<Reference> UnitReferences, References;
};

} // namespace lidia

#endif // LIDIA_LIB_EXPORT_CALLSITES_H
