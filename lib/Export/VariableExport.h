//===- VariableExport.h - Variables and types as DWARF ----------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_EXPORT_VARIABLEEXPORT_H
#define LIDIA_LIB_EXPORT_VARIABLEEXPORT_H

#include "NameIndex.h"
#include "StringSection.h"
#include "lidia/Archive/Archive.h"
#include "lidia/Archive/InlinedCalls.h"
#include "lidia/Archive/Variables.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include <map>

namespace lidia {

/// \p Language (DW_LANG) or, if LLDB has no type system for it, that of C
/// (TypeSystemClang.cpp, TypeSystemClangSupportsLanguage).
uint16_t languageInLLDB(uint16_t Language);

/// Writes the variables of an archive to .debug_info and .debug_loclists, and
/// their types to units of their own.
///
/// The functions and inlined calls of the archive decide what is written. A
/// scope of the variables belongs to the function at its address, or to the
/// call that has the code at its address, if they have the same name; other
/// scopes are left out.
class VariableExport {
public:
  /// \p Debug is .debug_info, \p Strings .debug_str, and \p RangeLists
  /// .debug_rnglists. All must outlive this. Writes at most \p MaxExpressions
  /// bytes of expressions, to which any number of places may refer.
  /// With \p ForLLDB, types are written as those of a language and of a kind
  /// that LLDB knows.
  VariableExport(VariableTable Table, SectionWriter &Debug,
                 StringSection &Strings, SectionWriter &RangeLists,
                 uint64_t MaxExpressions, bool ForLLDB);

  /// Appends the attributes of functions, whichever of their names there are
  /// (below 8), to an abbreviation.
  using FunctionAttributes =
      llvm::function_ref<void(unsigned Names, bool IsEntry)>;
  /// Gives the name of a function without scopes.
  using NameFunction = llvm::function_ref<llvm::StringRef(StringOffset)>;
  struct AddressSpan {
    uint64_t Start = 0;
    uint64_t End = 0;
  };

  /// Appends abbreviations to \p Abbrevs, with codes from \p First on.
  void writeAbbreviations(SectionWriter &Abbrevs, uint32_t First,
                          FunctionAttributes AddAttributes);

  /// Writes the units with types, with \p Producer in .debug_str. Appends their
  /// offsets to \p Units, and adds their names to \p Names.
  void writeTypes(uint32_t Producer, std::vector<uint32_t> &Units,
                  NameIndex &Names);

  /// Writes the global variables of the unit with the functions at \p Entries,
  /// which has the index \p Number.
  void writeGlobals(llvm::ArrayRef<uint64_t> Entries, uint32_t Number,
                    NameIndex &Names);
  /// Writes a unit with the global variables of units without functions.
  void writeOtherGlobals(uint32_t Producer, std::vector<uint32_t> &Units,
                         NameIndex &Names);

  /// Writes what the expressions in a unit refer to. Call this at the beginning
  /// of each unit, whose header is at \p UnitStart.
  void beginUnit(uint64_t UnitStart);

  const VariableTable &table() const { return Table; }
  /// Whether calls have values.
  bool hasCalls() const { return !Table.calls(0, UINT64_MAX).empty(); }
  /// Writes a DIE with the abbreviation \p Code, which has a location and a
  /// value as expressions, for each value of \p Call.
  void writeCallValues(const ValuedCall &Call, uint32_t Code);

  /// Selects the function with the entry \p Entry. \p Name is its name without
  /// scopes. Returns whether it has variables.
  bool beginFunction(uint64_t Entry, llvm::StringRef Name);
  /// Selects a piece of this function, into which \p Calls are inlined.
  void beginPiece(llvm::ArrayRef<InlinedCall> Calls, const AddressSpan &Span,
                  NameFunction NameOf);

  /// Forgets the selected piece: nothing has variables.
  void endPiece() { ScopeOf.clear(); }

  /// The abbreviations of a function with variables: a base, to which the
  /// exporter adds what its own attributes are (below 8).
  uint32_t functionCode(bool IsEntry) const;
  /// Writes the attributes of these abbreviations that come last.
  void writeFunctionAttributes();

  /// Whether \p Call, an index of the piece's calls, or the function itself
  /// (InlinedCall::None) has variables, so that writeInside() can be called.
  bool any(uint32_t Call) const { return ScopeOf.count(Call); }
  /// Writes the variables and blocks of a call or the function, and the calls
  /// directly inside it, \p First and its siblings, with \p WriteCall. \p File
  /// is the number of the file that declares the function, if it is known.
  void writeInside(uint32_t Call, uint32_t First, std::optional<uint32_t> File,
                   llvm::function_ref<void(uint32_t)> WriteCall);
  /// Whether \p Address is in one of the blocks of a call or the function.
  bool isInBlock(uint32_t Call, uint64_t Address);
  /// Whether expressions were left out, because there were too many bytes.
  bool exceeds() const { return ExpressionBytes > MaxExpressions; }
  /// .debug_loclists.
  SectionWriter &lists() { return Lists; }
  const SectionWriter &lists() const { return Lists; }
  /// Ends .debug_loclists.
  void finish() { Lists.endLength(ListsStart); }

private:
  /// How an expression can be written.
  enum class Form : uint8_t { Plain, Typed, Invalid };

  class ExpressionReader;

  Form formOf(llvm::StringRef Expression, unsigned Depth,
              llvm::function_ref<bool(uint64_t)> VisitType) const;
  void readExpressions();
  void writeExpression(SectionWriter &Out, uint32_t Index);
  void writeBytes(SectionWriter &Out, llvm::StringRef Expression);
  std::string withTypes(llvm::StringRef Expression) const;
  void writeVariable(uint32_t Variable, const VariableScope &S,
                     std::optional<uint32_t> File);
  void writeLocation(ScopedVariable::LocationKind Kind, uint32_t Variable);
  ScopedVariable::LocationKind locationKind(const ScopedVariable &V) const;
  void indexGlobals();
  void writeGlobalsOf(uint32_t Index, uint32_t Number, NameIndex &Names);
  uint64_t beginUnitOfTypes(uint32_t Producer, uint16_t Language,
                            llvm::StringRef Name, std::vector<uint32_t> &Units);
  uint32_t writeList(uint32_t Variable);
  bool spend(uint64_t Work);
  bool isInRanges(const VariableScope &Block, uint64_t Address);
  bool isInside(const InlinedCall &Call, const VariableScope &Block);
  llvm::SmallVector<AddressSpan, 4>
  rangesInPiece(const VariableScope &Block) const;
  void writeScope(uint32_t Index, std::vector<uint32_t> Inside,
                  std::optional<uint32_t> File,
                  llvm::function_ref<void(uint32_t)> WriteCall);

  // Types.
  struct TypeUnit;
  std::vector<TypeUnit> planTypes();
  void writeType(uint32_t Type, const TypeUnit &Unit, uint32_t Number,
                 NameIndex &Names);
  void writeReference(uint32_t Type);
  void writeNode(const DIENode &N, bool HasChildren);
  llvm::dwarf::Tag tagOf(const DIEShape &S) const;
  void indexType(uint32_t Type, uint32_t Number, NameIndex &Names);
  uint32_t stringOffset(uint32_t String);

  // Matching.
  void matchCall(uint32_t Index, const InnermostCalls &Innermost,
                 NameFunction NameOf);
  bool hasName(uint32_t Callee, llvm::StringRef Name);

  VariableTable Table;
  SectionWriter &Debug;
  StringSection &Strings;
  SectionWriter &RangeLists;
  const Target T;
  SectionWriter Lists;
  uint64_t ListsStart = 0;
  uint32_t FirstCode = 0;

  std::vector<Form> Forms;
  /// The base types that expressions refer to.
  llvm::SmallVector<uint32_t, 8> TypesInExpressions;
  /// By type, its DIE in the current unit, relative to the unit.
  llvm::DenseMap<uint32_t, uint32_t> TypesOfUnit;
  std::vector<uint32_t> StringOffsets;
  /// By type, its DIE; zero until it is written.
  std::vector<uint32_t> TypeOffsets;
  /// Places in Debug of references to types.
  std::vector<std::pair<uint32_t, uint32_t>> TypeReferences;
  /// By type, the types inside it.
  llvm::DenseMap<uint32_t, std::vector<uint32_t>> TypesInside;
  uint64_t UnitStart = 0;
  const bool ForLLDB;
  /// The indices in the table of what has global variables: by a function of
  /// their unit, and those of units without functions.
  llvm::DenseMap<uint64_t, uint32_t> Globals;
  std::vector<uint32_t> OtherGlobals;

  uint64_t Spent = 0;
  const uint64_t MaxExpressions;
  uint64_t ExpressionBytes = 0;

  // Of the current function.
  FunctionVariables F;
  /// By scope, those directly inside it.
  std::vector<llvm::SmallVector<uint32_t, 2>> ScopesInside;
  /// By variable, its list in Lists; none until it is written.
  llvm::DenseMap<uint32_t, uint32_t> ListOffsets;
  // Of its current piece.
  AddressSpan Piece;
  /// By call, and its reverse. InlinedCall::None cannot be a 32-bit key.
  llvm::DenseMap<uint64_t, uint32_t> ScopeOf;
  std::vector<uint32_t> CallOf;
  llvm::ArrayRef<InlinedCall> Calls;
};

} // namespace lidia

#endif // LIDIA_LIB_EXPORT_VARIABLEEXPORT_H
