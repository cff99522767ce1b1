//===- VariableReader.h - The variables of a unit ---------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_EXTRACT_VARIABLEREADER_H
#define LIDIA_LIB_EXTRACT_VARIABLEREADER_H

#include "CallValueReader.h"

namespace lidia {

/// Reads the variables of functions, unit by unit.
class VariableReader {
public:
  /// \p Starts are the addresses, ascending, of the functions that the archive
  /// has. Others are left out.
  VariableReader(VariableTableBuilder &Builder, llvm::ArrayRef<uint64_t> Starts,
                 bool IsMovable)
      : Builder(Builder), Starts(Starts), IsKnown(Starts.size()),
        Types(Builder), Locations(Builder, Types, IsMovable),
        Calls(Builder, Locations) {}

  void read(VisitedUnit &V);
  /// Adds what needs to know all units.
  void finish() { Calls.finish(); }

private:
  /// A variable as the function declares it, whether or not a copy of the
  /// function has it.
  struct Definition {
    llvm::dwarf::Tag Tag;
    uint32_t Name;
    uint32_t Type;
    bool IsArtificial;
  };
  /// What the copies of a function share: its own DIE or its abstract instance.
  struct Declared {
    uint32_t Name = 0;
    std::optional<uint32_t> ReturnType;
    std::vector<Definition> Definitions;
    /// Index in Definitions by the DIE of the variable.
    llvm::DenseMap<uint64_t, uint32_t> Indices;
  };

  /// A scope of the function that is being read.
  struct OpenScope {
    VariableScope Scope;
    Declared *Function = nullptr;
    std::vector<ScopedVariable> Variables;
    std::vector<uint32_t> Children;
  };
  /// A function that is being read. Functions may be nested.
  struct OpenFunction {
    uint64_t Entry = 0;
    uint32_t FrameBase = 0;
    /// The ranges of the function's code.
    llvm::SmallVector<dwarf::AddressRange, 2> Pieces;
    std::vector<OpenScope> Scopes;
    std::vector<LocationEntry> Entries;
    std::vector<ScopeRange> Ranges;
    /// Those whose values at the entry the variables depend on.
    uint64_t EntryRegisters = 0;
  };
  /// The function and the scope of the children of a DIE; no function if they
  /// are left out.
  struct Level {
    std::shared_ptr<OpenFunction> Function;
    uint32_t Scope = 0;
    /// Whether the function ends with the children.
    bool EndsFunction = false;
    /// Whether the children are values of a call.
    bool IsCall = false;
  };

  void readUnit();
  Level open(const ReadDIE &D, const Level &Around);
  Level openFunction(const ReadDIE &D);
  Level openCall(const ReadDIE &D, const Level &Around);
  Level openBlock(const ReadDIE &D, const Level &Around);
  Level openCallSite(const ReadDIE &D, const Level &Around);
  bool readRanges(const ReadDIE &D);
  void addVariable(const ReadDIE &D, const Level &Around);
  uint32_t addScope(OpenFunction &F, VariableScope::KindType Kind,
                    uint32_t Parent, Declared *Function);

  Declared &declared(uint64_t DIE);
  void readDeclared(const dwarf::Unit &U, uint64_t DIE, Declared &Out);
  std::optional<Definition> define(const dwarf::Unit &U, const ReadDIE &D);
  void visitDeclarations(
      uint64_t DIE,
      llvm::function_ref<bool(const dwarf::Unit &, const ReadDIE &)> Visit);
  uint32_t nameOf(uint64_t DIE);
  llvm::StringRef linkageNameOf(uint64_t DIE);
  std::optional<uint64_t> typeOf(uint64_t DIE);

  bool prune(OpenFunction &F, uint32_t Index);
  void append(const OpenFunction &F, FunctionVariables &Out);
  void finish(OpenFunction &F);
  uint32_t callee(const Declared &D);

  VariableTableBuilder &Builder;
  llvm::ArrayRef<uint64_t> Starts;
  /// By start: whether its function was read.
  std::vector<bool> IsKnown;
  TypePool Types;
  LocationReader Locations;
  CallValueReader Calls;
  VisitedUnit *Unit = nullptr;
  llvm::SmallVector<dwarf::AddressRange, 8> RangeBuffer;
  /// Of the current unit, by DIE.
  std::map<uint64_t, Declared> DeclaredFunctions;
  /// By name, return type and definitions: the index among the builder's
  /// functions.
  std::map<std::vector<uint32_t>, uint32_t> Callees;
};

/// Reads the variables of the functions at \p Starts, ascending. Returns the
/// section VARS; empty if there are none.
std::string readVariables(Conversion &C, llvm::ArrayRef<uint64_t> Starts);

} // namespace lidia

#endif // LIDIA_LIB_EXTRACT_VARIABLEREADER_H
