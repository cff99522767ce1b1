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
  /// function has it, or the mark that the function takes further arguments
  /// (DW_TAG_unspecified_parameters), which has a tag only.
  struct Definition {
    llvm::dwarf::Tag Tag = llvm::dwarf::DW_TAG_variable;
    uint32_t Name = 0;
    uint32_t Type = 0;
    bool IsArtificial = false;
    /// Where the variable is declared; zero if that is unknown or in another
    /// file than the function's declaration.
    uint32_t Line = 0;
    /// Of a global variable: the index of its linkage name; zero for none.
    uint32_t Linkage = 0;
    /// Of a global variable: whether other units can refer to it.
    bool IsExternal = false;
  };
  /// A file: the unit that has its number, and the number.
  using FileNumber = std::optional<std::pair<uint64_t, uint64_t>>;
  /// What the copies of a function share: its own DIE or its abstract instance.
  struct Declared {
    uint32_t Name = 0;
    std::optional<uint32_t> ReturnType;
    FileNumber File;
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
    /// Whether variables among the children are global.
    bool IsGlobal = false;
    /// For such: the namespaces around them, mangled.
    std::string Namespaces = std::string();
  };

  void readUnit();
  Level open(const ReadDIE &D, const Level &Around);
  Level openFunction(const ReadDIE &D);
  Level openCall(const ReadDIE &D, const Level &Around);
  Level openBlock(const ReadDIE &D, const Level &Around);
  Level openCallSite(const ReadDIE &D, const Level &Around);
  bool readRanges(const ReadDIE &D);
  void addVariable(const ReadDIE &D, const Level &Around);
  Level openNamespace(const ReadDIE &D, const Level &Around);
  void addGlobal(const ReadDIE &D, const Level &Around);
  uint32_t linkageOf(const ReadDIE &D, const Level &Around);
  void finishGlobals();
  uint32_t addScope(OpenFunction &F, VariableScope::KindType Kind,
                    uint32_t Parent, Declared *Function);

  Declared &declared(uint64_t DIE);
  void readDeclared(const dwarf::Unit &U, uint64_t DIE, Declared &Out);
  std::optional<Definition> define(const dwarf::Unit &U, const ReadDIE &D,
                                   const FileNumber &File);
  void visitDeclarations(
      uint64_t DIE,
      llvm::function_ref<bool(const dwarf::Unit &, const ReadDIE &)> Visit);
  llvm::StringRef nameText(uint64_t DIE);
  uint32_t nameOf(uint64_t DIE) { return Builder.string(nameText(DIE)); }
  llvm::StringRef linkageNameOf(uint64_t DIE);
  std::optional<uint64_t> typeOf(uint64_t DIE);
  FileNumber fileOf(uint64_t DIE);

  void prune(OpenFunction &F, uint32_t Index);
  void append(const OpenFunction &F, FunctionVariables &Out);
  void finish(OpenFunction &F);
  uint32_t callee(const Declared &D,
                  llvm::dwarf::Tag T = llvm::dwarf::DW_TAG_subprogram);

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
  /// The global variables of the current unit, and the first function of the
  /// archive in it.
  Declared Globals;
  std::vector<ScopedVariable> GlobalPlaces;
  std::optional<uint64_t> FirstFunction;
  /// The namespaces around variables that are only declared there, by DIE.
  llvm::DenseMap<uint64_t, std::string> NamespacesOf;
  /// The number of units with global variables.
  uint64_t GlobalUnits = 0;
};

/// Reads the variables of the functions at \p Starts, ascending. Returns the
/// section VARS; empty if there are none.
std::string readVariables(Conversion &C, llvm::ArrayRef<uint64_t> Starts);

} // namespace lidia

#endif // LIDIA_LIB_EXTRACT_VARIABLEREADER_H
