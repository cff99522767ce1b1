//===- VariableReader.cpp - The variables of a unit -----------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VariableReader.h"
#include "Conversion.h"
#include "lidia/Error.h"
#include "llvm/BinaryFormat/ELF.h"

using namespace llvm;
using namespace llvm::dwarf;

namespace lidia {

//===----------------------------------------------------------------------===//
// What functions declare
//===----------------------------------------------------------------------===//

/// More hops from DIE to DIE than this are taken for a cycle.
static constexpr unsigned MaxHops = 16;

/// Calls \p Visit with a DIE and those that it refers to as what it is a copy
/// or the definition of, until \p Visit returns true.
void VariableReader::visitDeclarations(
    uint64_t DIE,
    function_ref<bool(const dwarf::Unit &, const ReadDIE &)> Visit) {
  std::optional<uint64_t> Next = DIE;
  for (unsigned Hop = 0; Next && Hop < MaxHops; ++Hop) {
    const dwarf::Unit *U = Unit->Names.unitOf(*Next);
    ReadDIE D;
    if (!U)
      return;
    dwarf::Cursor C = U->cursor(*Next);
    if (!readDIE(*U, C, D, Unit->Budget) || !D.Tag || Visit(*U, D))
      return;
    dwarf::FormValue Link = D.find(DW_AT_abstract_origin);
    Next = U->reference(Link ? Link : D.find(DW_AT_specification));
  }
}

/// The name of a function or a variable, which its DIE or the DIEs that this
/// refers to have.
StringRef VariableReader::nameText(uint64_t DIE) {
  StringRef Name;
  visitDeclarations(DIE, [&](const dwarf::Unit &U, const ReadDIE &D) {
    Name = U.string(D.find(DW_AT_name));
    return !Name.empty();
  });
  return Name;
}

/// The name by which a function's symbol is known; empty if other units cannot
/// refer to it.
StringRef VariableReader::linkageNameOf(uint64_t DIE) {
  StringRef Linkage, Name;
  bool IsExternal = false;
  visitDeclarations(DIE, [&](const dwarf::Unit &U, const ReadDIE &D) {
    IsExternal |= bool(D.find(DW_AT_external));
    for (Attribute A : {DW_AT_linkage_name, DW_AT_MIPS_linkage_name})
      if (dwarf::FormValue V = D.find(A))
        Linkage = U.string(V);
    if (Name.empty())
      Name = U.string(D.find(DW_AT_name));
    return IsExternal && !Linkage.empty();
  });
  if (!IsExternal)
    return StringRef();
  return Linkage.empty() ? Name : Linkage;
}

/// The DIE of the type of a function or a variable.
std::optional<uint64_t> VariableReader::typeOf(uint64_t DIE) {
  std::optional<uint64_t> Type;
  visitDeclarations(DIE, [&](const dwarf::Unit &U, const ReadDIE &D) {
    dwarf::FormValue V = D.find(DW_AT_type);
    if (V)
      Type = Types.reference(U, V);
    return bool(V);
  });
  return Type;
}

/// The file that declares a function.
VariableReader::FileNumber VariableReader::fileOf(uint64_t DIE) {
  FileNumber File;
  visitDeclarations(DIE, [&](const dwarf::Unit &U, const ReadDIE &D) {
    dwarf::FormValue V = D.find(DW_AT_decl_file);
    if (V.isConstant())
      File = {U.header().Offset | U.sections().ReferenceMark, V.Number};
    return bool(V);
  });
  return File;
}

static bool isVariable(const ReadDIE &D) {
  return (D.Tag == DW_TAG_formal_parameter || D.Tag == DW_TAG_variable) &&
         !D.find(DW_AT_declaration);
}

/// The DIEs around variables that are no scope. GCC puts what a function has
/// for a parameter pack into one.
static bool isTransparent(Tag T) {
  return T == DW_TAG_GNU_formal_parameter_pack;
}

/// The DIEs around variables in a function, other than calls and functions.
static bool isBlock(Tag T) {
  return T == DW_TAG_lexical_block || T == DW_TAG_try_block ||
         T == DW_TAG_catch_block || T == DW_TAG_with_stmt;
}

/// None for a variable without a name, unless it is a parameter, and for one
/// with a type that cannot be read.
std::optional<VariableReader::Definition>
VariableReader::define(const dwarf::Unit &U, const ReadDIE &D,
                       const FileNumber &File) {
  Definition New;
  New.Tag = D.Tag;
  if (D.Tag == DW_TAG_unspecified_parameters)
    return New;
  dwarf::FormValue Line = D.find(DW_AT_decl_line),
                   InFile = D.find(DW_AT_decl_file);
  if (File && Line.isConstant() && InFile.isConstant() &&
      FileNumber({U.header().Offset | U.sections().ReferenceMark,
                  InFile.Number}) == File)
    New.Line = uint32_t(std::min<uint64_t>(Line.Number, INT32_MAX));
  New.IsArtificial = bool(D.find(DW_AT_artificial));
  // What U is may change with the next DIE of another unit.
  uint64_t DIE = D.Reference;
  StringRef Name = U.string(D.find(DW_AT_name));
  dwarf::FormValue TypeValue = D.find(DW_AT_type);
  std::optional<uint64_t> TypeDIE;
  if (TypeValue)
    TypeDIE = Types.reference(U, TypeValue);
  New.Name = Name.empty() ? nameOf(DIE) : Builder.string(Name);
  if (!TypeValue)
    TypeDIE = typeOf(DIE);
  std::optional<uint32_t> Type =
      TypeDIE ? Types.type(*TypeDIE) : std::optional<uint32_t>();
  bool HasName = New.Name != Builder.string("");
  if (!Type || (!HasName && New.Tag != DW_TAG_formal_parameter))
    return std::nullopt;
  New.Type = *Type;
  return New;
}

void VariableReader::readDeclared(const dwarf::Unit &U, uint64_t DIE,
                                  Declared &Out) {
  dwarf::Cursor C = U.cursor(DIE);
  uint64_t Start = C.offset();
  ReadDIE D;
  if (!readDIE(U, C, D, Unit->Budget) || !D.Tag || !D.HasChildren)
    return;
  // The DIEs of variables. With all their attributes they could be large.
  std::vector<uint64_t> Found;
  uint32_t Depth = 1, LeftOut = UINT32_MAX;
  while (Depth != 0 && !C.atEnd() && readDIE(U, C, D, Unit->Budget)) {
    if (!D.Tag) {
      if (--Depth <= LeftOut)
        LeftOut = UINT32_MAX;
      continue;
    }
    bool IsMark = D.Tag == DW_TAG_unspecified_parameters && Depth == 1;
    if (LeftOut == UINT32_MAX && (isVariable(D) || IsMark))
      Found.push_back(D.Reference);
    if (!D.HasChildren)
      continue;
    if (LeftOut == UINT32_MAX && !isBlock(D.Tag) && !isTransparent(D.Tag))
      LeftOut = Depth;
    ++Depth;
  }
  Unit->Budget.charge(C.offset() - Start + Found.size() * sizeof(Definition));
  for (uint64_t Variable : Found) {
    // define() may drop the unit, but unitOf() returns it again.
    const dwarf::Unit *Again = Unit->Names.unitOf(DIE);
    if (!Again)
      return;
    dwarf::Cursor At = Again->cursor(Variable);
    if (!readDIE(*Again, At, D, Unit->Budget))
      return;
    std::optional<Definition> New = define(*Again, D, Out.File);
    if (!New)
      continue;
    Out.Indices[Variable] = Out.Definitions.size();
    Out.Definitions.push_back(*New);
  }
}

/// What the function with the DIE reference \p DIE declares.
VariableReader::Declared &VariableReader::declared(uint64_t DIE) {
  auto [It, New] = DeclaredFunctions.try_emplace(DIE);
  Declared &D = It->second;
  if (!New)
    return D;
  D.Name = nameOf(DIE);
  if (std::optional<uint64_t> Return = typeOf(DIE))
    D.ReturnType = Types.type(*Return);
  D.File = fileOf(DIE);
  if (const dwarf::Unit *U = Unit->Names.unitOf(DIE))
    readDeclared(*U, DIE, D);
  return D;
}

//===----------------------------------------------------------------------===//
// Scopes
//===----------------------------------------------------------------------===//

/// Sets RangeBuffer to the addresses of a DIE. Returns whether it has any.
bool VariableReader::readRanges(const ReadDIE &D) {
  RangeBuffer.clear();
  // Errors were reported when functions were read.
  consumeError(Unit->U.ranges(D.find(DW_AT_low_pc), D.find(DW_AT_high_pc),
                              D.find(DW_AT_ranges), RangeBuffer));
  erase_if(RangeBuffer,
           [](const dwarf::AddressRange &R) { return R.Start >= R.End; });
  return !RangeBuffer.empty();
}

uint32_t VariableReader::addScope(OpenFunction &F, VariableScope::KindType Kind,
                                  uint32_t Parent, Declared *Function) {
  uint32_t Index = F.Scopes.size();
  OpenScope &S = F.Scopes.emplace_back();
  S.Scope.Kind = Kind;
  S.Scope.Parent = Parent;
  S.Function = Function;
  if (Parent != VariableScope::None)
    F.Scopes[Parent].Children.push_back(Index);
  Unit->Budget.charge(sizeof(OpenScope));
  return Index;
}

static bool isAssembly(const dwarf::Unit &U) {
  return U.language() == DW_LANG_Mips_Assembler ||
         U.language() == DW_LANG_Assembly;
}

VariableReader::Level VariableReader::openFunction(const ReadDIE &D) {
  // Functions in assembly have no type. LLDB would take one for `void f(void)`.
  if (!readRanges(D) || isAssembly(Unit->U))
    return {};
  auto IsInside = [&](uint64_t Address) {
    return any_of(RangeBuffer, [&](const dwarf::AddressRange &R) {
      return R.Start <= Address && Address < R.End;
    });
  };
  // As in lib/DWARF/Functions.cpp.
  uint64_t Entry = RangeBuffer.front().Start;
  if (std::optional<uint64_t> Low = Unit->U.address(D.find(DW_AT_low_pc));
      Low && IsInside(*Low))
    Entry = *Low;
  size_t Start = llvm::lower_bound(Starts, Entry) - Starts.begin();
  if (Start == Starts.size() || Starts[Start] != Entry || IsKnown[Start])
    return {};
  IsKnown[Start] = true;
  if (!FirstFunction)
    FirstFunction = Entry;
  auto F = std::make_shared<OpenFunction>();
  F->Entry = Entry;
  F->Pieces.assign(RangeBuffer.begin(), RangeBuffer.end());
  StringRef Base = D.find(DW_AT_frame_base).Inline;
  if (!Base.empty())
    F->FrameBase = Locations.expression(Unit->U, Base).value_or(0);
  std::optional<uint64_t> Origin =
      Unit->U.reference(D.find(DW_AT_abstract_origin));
  addScope(*F, VariableScope::Function, VariableScope::None,
           &declared(Origin.value_or(D.Reference)));
  Calls.addFunction(Entry, D.Reference, Origin);
  Calls.addName(Entry, linkageNameOf(D.Reference));
  return {std::move(F), 0, true};
}

/// Opens a call that is not inlined, for the values that it passes.
VariableReader::Level VariableReader::openCallSite(const ReadDIE &D,
                                                   const Level &Around) {
  if (!Calls.readCall(Unit->U, D))
    return {};
  Unit->Budget.charge(CallValueReader::CallSize);
  Level Inner = {Around.Function, Around.Scope};
  Inner.IsCall = true;
  return Inner;
}

VariableReader::Level VariableReader::openCall(const ReadDIE &D,
                                               const Level &Around) {
  std::optional<uint64_t> Origin =
      Unit->U.reference(D.find(DW_AT_abstract_origin));
  // A call without code cannot be stopped in.
  if (!Origin || !readRanges(D))
    return {};
  OpenFunction &F = *Around.Function;
  uint32_t Index =
      addScope(F, VariableScope::Call, Around.Scope, &declared(*Origin));
  VariableScope &S = F.Scopes[Index].Scope;
  uint64_t First = RangeBuffer.front().Start;
  S.Start = First - F.Entry;
  S.FirstRange = F.Ranges.size();
  // Both lists may be long.
  llvm::sort(RangeBuffer,
             [](const auto &X, const auto &Y) { return X.Start < Y.Start; });
  for (const dwarf::AddressRange &Piece : F.Pieces) {
    auto *In = partition_point(RangeBuffer, [&](const dwarf::AddressRange &R) {
      return R.Start < Piece.Start;
    });
    bool HasFirst = Piece.Start <= First && First < Piece.End;
    if (In != RangeBuffer.end() && In->Start < Piece.End && !HasFirst)
      F.Ranges.push_back({In->Start - F.Entry, 0});
  }
  S.RangeCount = F.Ranges.size() - S.FirstRange;
  return {Around.Function, Index, false};
}

VariableReader::Level VariableReader::openBlock(const ReadDIE &D,
                                                const Level &Around) {
  OpenFunction &F = *Around.Function;
  // Blocks without addresses are those of abstract instances.
  if (!readRanges(D))
    return {};
  uint32_t Index = addScope(F, VariableScope::Block, Around.Scope,
                            F.Scopes[Around.Scope].Function);
  VariableScope &S = F.Scopes[Index].Scope;
  S.FirstRange = F.Ranges.size();
  S.RangeCount = RangeBuffer.size();
  for (const dwarf::AddressRange &R : RangeBuffer)
    F.Ranges.push_back({R.Start - F.Entry, R.End - R.Start});
  S.Start = F.Ranges[S.FirstRange].Start;
  Unit->Budget.charge(RangeBuffer.size() * sizeof(ScopeRange));
  return {Around.Function, Index, false};
}

void VariableReader::addVariable(const ReadDIE &D, const Level &Around) {
  OpenFunction &F = *Around.Function;
  Declared &Function = *F.Scopes[Around.Scope].Function;
  std::optional<uint64_t> Origin =
      Unit->U.reference(D.find(DW_AT_abstract_origin));
  auto Found = Function.Indices.find(Origin.value_or(D.Reference));
  uint32_t Index;
  if (Found != Function.Indices.end()) {
    Index = Found->second;
  } else {
    // A variable that only this copy of the function declares.
    std::optional<Definition> New = define(Unit->U, D, Function.File);
    if (!New)
      return;
    Index = Function.Definitions.size();
    Function.Indices[Origin.value_or(D.Reference)] = Index;
    Function.Definitions.push_back(*New);
  }
  ScopedVariable V =
      Locations.read(Unit->U, D, F.Entry, Unit->Budget, F.Entries);
  F.EntryRegisters |= Locations.takeEntryRegisters();
  V.Definition = Index;
  F.Scopes[Around.Scope].Variables.push_back(V);
  Unit->Budget.charge(sizeof(ScopedVariable));
}

/// Opens a namespace, or a module of Fortran.
VariableReader::Level VariableReader::openNamespace(const ReadDIE &D,
                                                    const Level &Around) {
  Level Inner;
  Inner.IsGlobal = true;
  if (D.Tag != DW_TAG_namespace)
    return Inner;
  StringRef Name = Unit->U.string(D.find(DW_AT_name));
  if (Name.empty())
    Name = "_GLOBAL__N_1";
  Inner.Namespaces = Around.Namespaces + std::to_string(Name.size());
  Inner.Namespaces += Name;
  Unit->Budget.charge(Inner.Namespaces.size());
  return Inner;
}

/// The linkage name of a global variable; zero for none. GCC gives none
/// to static variables of namespaces, which readers would show without scopes.
uint32_t VariableReader::linkageOf(const ReadDIE &D, const Level &Around) {
  StringRef Linkage;
  visitDeclarations(D.Reference, [&](const dwarf::Unit &U, const ReadDIE &In) {
    for (Attribute A : {DW_AT_linkage_name, DW_AT_MIPS_linkage_name})
      if (dwarf::FormValue V = In.find(A))
        Linkage = U.string(V);
    return !Linkage.empty();
  });
  if (!Linkage.empty())
    return Builder.string(Linkage);
  std::string Namespaces = Around.Namespaces;
  if (std::optional<uint64_t> Declared =
          Unit->U.reference(D.find(DW_AT_specification)))
    if (auto In = NamespacesOf.find(*Declared); In != NamespacesOf.end())
      Namespaces = In->second;
  if (Namespaces.empty())
    return 0;
  std::string Own = nameText(D.Reference).str();
  return Builder.string("_ZN" + Namespaces + std::to_string(Own.size()) + Own +
                        "E");
}

/// Adds a variable outside of functions.
void VariableReader::addGlobal(const ReadDIE &D, const Level &Around) {
  std::optional<Definition> New = define(Unit->U, D, std::nullopt);
  if (!New || Unit->Budget.exhausted())
    return;
  visitDeclarations(D.Reference, [&](const dwarf::Unit &, const ReadDIE &In) {
    New->IsExternal |= bool(In.find(DW_AT_external));
    return New->IsExternal;
  });
  New->Linkage = linkageOf(D, Around);
  // None of a global variable depends on a function.
  std::vector<LocationEntry> Entries;
  ScopedVariable V =
      Locations.read(Unit->U, D, /*Entry=*/0, Unit->Budget, Entries);
  Locations.takeEntryRegisters();
  if (V.Kind == ScopedVariable::List || V.Kind == ScopedVariable::None)
    return;
  V.Definition = Globals.Definitions.size();
  Globals.Definitions.push_back(*New);
  GlobalPlaces.push_back(V);
  Unit->Budget.charge(sizeof(ScopedVariable) + sizeof(Definition));
}

/// Adds the global variables of a unit, as those of a block of a function that
/// is none. The block begins at a function of the unit.
void VariableReader::finishGlobals() {
  FunctionVariables Out;
  // No function is there.
  Out.Address = UINT64_MAX - GlobalUnits;
  VariableScope &S = Out.Scopes.emplace_back();
  S.Callee = callee(Globals, DW_TAG_compile_unit);
  if (FirstFunction) {
    S.Start = 0;
    VariableScope Block = S;
    Block.Kind = VariableScope::Block;
    Block.Parent = 0;
    Block.Start = *FirstFunction - Out.Address;
    Block.RangeCount = 1;
    Out.Ranges.push_back({Block.Start, 0});
    Out.Scopes.push_back(Block);
  }
  Out.Scopes.back().VariableCount = GlobalPlaces.size();
  Out.Variables = std::move(GlobalPlaces);
  ++GlobalUnits;
  Builder.add(Out);
}

//===----------------------------------------------------------------------===//
// Finished functions
//===----------------------------------------------------------------------===//

uint32_t VariableReader::callee(const Declared &D, Tag OfRoot) {
  std::vector<uint32_t> Key = {uint32_t(OfRoot), D.Name,
                               D.ReturnType.value_or(UINT32_MAX)};
  for (const Definition &V : D.Definitions) {
    Key.push_back(uint32_t(V.Tag) << 2 | V.IsArtificial << 1 | V.IsExternal);
    Key.insert(Key.end(), {V.Name, V.Type, V.Line, V.Linkage});
  }
  auto [It, New] = Callees.try_emplace(std::move(Key), Callees.size());
  if (!New)
    return It->second;
  DIETree Tree;
  DIEShape Shape;
  auto Add = [&](uint16_t Attribute, ValueKind Kind, uint64_t Value) {
    Shape.Attributes.push_back({Attribute, Kind});
    Tree.Values.push_back(Value);
  };
  auto AddNode = [&](Tag T, uint32_t Depth, function_ref<void()> AddValues) {
    Shape = {uint16_t(T), {}};
    uint32_t First = Tree.Values.size();
    AddValues();
    Tree.Nodes.push_back({Builder.shape(Shape), Depth, First});
  };
  AddNode(OfRoot, 0, [&] {
    Add(DW_AT_name, ValueKind::String, D.Name);
    if (D.ReturnType)
      Add(DW_AT_type, ValueKind::Type, *D.ReturnType);
  });
  for (const Definition &V : D.Definitions)
    AddNode(V.Tag, 1, [&] {
      if (V.Tag == DW_TAG_unspecified_parameters)
        return;
      Add(DW_AT_name, ValueKind::String, V.Name);
      Add(DW_AT_type, ValueKind::Type, V.Type);
      if (V.IsArtificial)
        Add(DW_AT_artificial, ValueKind::Flag, 1);
      if (V.Line)
        Add(DW_AT_decl_line, ValueKind::Unsigned, V.Line);
      if (V.Linkage)
        Add(DW_AT_linkage_name, ValueKind::String, V.Linkage);
      if (V.IsExternal)
        Add(DW_AT_external, ValueKind::Flag, 1);
    });
  Builder.addFunction(Tree);
  return It->second;
}

/// Appends the scopes of \p F to \p Out. Blocks without variables of their own
/// are left out, but not what is inside them.
void VariableReader::append(const OpenFunction &F, FunctionVariables &Out) {
  // The scopes to append, each with its parent in Out; last first.
  std::vector<std::pair<uint32_t, uint32_t>> Todo = {{0, VariableScope::None}};
  while (!Todo.empty()) {
    auto [Index, Parent] = Todo.back();
    Todo.pop_back();
    const OpenScope &S = F.Scopes[Index];
    uint32_t Inner = Parent;
    if (S.Scope.Kind != VariableScope::Block || !S.Variables.empty()) {
      VariableScope New = S.Scope;
      New.Parent = Parent;
      New.Callee = callee(*S.Function);
      New.FirstRange = Out.Ranges.size();
      Out.Ranges.insert(Out.Ranges.end(), F.Ranges.begin() + S.Scope.FirstRange,
                        F.Ranges.begin() + S.Scope.FirstRange +
                            S.Scope.RangeCount);
      New.FirstVariable = Out.Variables.size();
      New.VariableCount = S.Variables.size();
      for (ScopedVariable V : S.Variables) {
        uint32_t First = V.FirstEntry;
        V.FirstEntry = Out.Entries.size();
        Out.Entries.insert(Out.Entries.end(), F.Entries.begin() + First,
                           F.Entries.begin() + First + V.EntryCount);
        Out.Variables.push_back(V);
      }
      Inner = Out.Scopes.size();
      Out.Scopes.push_back(New);
    }
    for (uint32_t Child : reverse(S.Children))
      Todo.emplace_back(Child, Inner);
  }
}

/// Removes what has no variables from the children of the scope at \p Index,
/// which have been pruned.
void VariableReader::prune(OpenFunction &F, uint32_t Index) {
  erase_if(F.Scopes[Index].Children, [&](uint32_t Child) {
    return F.Scopes[Child].Variables.empty() &&
           F.Scopes[Child].Children.empty();
  });
}

/// Adds the function, which may have no variables, but has a type.
void VariableReader::finish(OpenFunction &F) {
  // Scopes inside others come after them.
  for (uint32_t Index = F.Scopes.size(); Index-- > 0;)
    prune(F, Index);
  if (Unit->Budget.exhausted())
    return;
  FunctionVariables Out;
  Out.Address = F.Entry;
  Out.FrameBase = F.FrameBase;
  append(F, Out);
  Builder.add(Out);
  Calls.addDependence(F.Entry, F.EntryRegisters);
}

//===----------------------------------------------------------------------===//
// The walk
//===----------------------------------------------------------------------===//

/// Visits a DIE and returns the level of its children.
VariableReader::Level VariableReader::open(const ReadDIE &D,
                                           const Level &Around) {
  if (D.Tag == DW_TAG_subprogram)
    return openFunction(D);
  if (!Around.Function) {
    if (!Around.IsGlobal)
      return {};
    if (D.Tag == DW_TAG_namespace || D.Tag == DW_TAG_module)
      return openNamespace(D, Around);
    if (isVariable(D) && D.Tag == DW_TAG_variable)
      addGlobal(D, Around);
    else if (D.Tag == DW_TAG_variable && !Around.Namespaces.empty())
      NamespacesOf[D.Reference] = Around.Namespaces;
    return {};
  }
  if (Around.IsCall) {
    Around.Function->EntryRegisters |= Calls.readValue(Unit->U, D);
    Unit->Budget.charge(CallValueReader::ValueSize);
    return {};
  }
  if (D.Tag == DW_TAG_inlined_subroutine)
    return openCall(D, Around);
  if (D.Tag == DW_TAG_call_site || D.Tag == DW_TAG_GNU_call_site)
    return openCallSite(D, Around);
  if (isBlock(D.Tag))
    return openBlock(D, Around);
  if (isTransparent(D.Tag))
    return {Around.Function, Around.Scope};
  if (isVariable(D))
    addVariable(D, Around);
  return {};
}

void VariableReader::readUnit() {
  const dwarf::Unit &U = Unit->U;
  dwarf::Cursor C = U.cursor(U.header().FirstDIE);
  std::vector<Level> Levels;
  ReadDIE D;
  do {
    if (!readDIE(U, C, D, Unit->Budget))
      break;
    if (!D.Tag) {
      if (Levels.empty())
        break;
      Level Last = std::move(Levels.back());
      Levels.pop_back();
      if (Last.EndsFunction)
        finish(*Last.Function);
      continue;
    }
    if (Levels.size() > MaxScopeDepth)
      break;
    Level Inner;
    if (Levels.empty())
      Inner.IsGlobal = true;
    else
      Inner = open(D, Levels.back());
    if (D.HasChildren)
      Levels.push_back(std::move(Inner));
    else if (Inner.EndsFunction)
      finish(*Inner.Function);
  } while (!Levels.empty() && !C.atEnd() && !Unit->Budget.exhausted());
}

void VariableReader::read(VisitedUnit &V) {
  // Type units have no code.
  if (V.U.header().Type == DW_UT_type)
    return;
  static const dwarf::ScopeTable NoScopes;
  V.Names.setUnit(V.U, NoScopes);
  Unit = &V;
  Types.beginUnit(V);
  Locations.setSplit(&V.U != &V.Skeleton);
  readUnit();
  if (!GlobalPlaces.empty())
    finishGlobals();
  Globals = Declared();
  GlobalPlaces.clear();
  FirstFunction.reset();
  NamespacesOf.clear();
  Calls.finishUnit([&](uint64_t DIE) { return linkageNameOf(DIE); });
  Types.finishUnit();
  DeclaredFunctions.clear();
}

/// Opens the sections with location lists.
static void openLocations(Conversion &C, dwarf::Sections &S) {
  Binary &File = C.Files.withDebugInfo();
  for (auto [Name, Slot] : {std::pair(".debug_loc", &S.Loc),
                            std::pair(".debug_loclists", &S.LocLists)}) {
    const Section *Found = File.findSection(Name);
    if (!Found)
      continue;
    if (Error E = File.contents(*Found).moveInto(*Slot))
      C.reportBroken(std::move(E));
  }
}

std::string readVariables(Conversion &C, ArrayRef<uint64_t> Starts) {
  VariableTableBuilder Builder;
  bool IsMovable = C.Files.Main->identity().Type == ELF::ET_REL;
  VariableReader Reader(Builder, Starts, IsMovable);
  auto Begin = [&](dwarf::Sections &S) { openLocations(C, S); };
  auto Visit = [&](VisitedUnit &V) { Reader.read(V); };
  if (Error E = visitUnits(C, Begin, Visit))
    C.reportBroken(std::move(E));
  Reader.finish();
  closeDWARFSections(C.Files.withDebugInfo());
  if (Builder.empty())
    return std::string();
  std::string Section = Builder.bytes();
  if (Section.empty()) {
    C.warn(C.Files.Main->path() +
           ": the variables take too much space, and are left out");
    return Section;
  }
  // Types of malformed debug information may refer to themselves, which readers
  // refuse.
  if (Error E =
          VariableTable::open(Section, C.Files.Main->path()).takeError()) {
    C.warn(toString(std::move(E)) + "; the variables are left out");
    return std::string();
  }
  return Section;
}

} // namespace lidia
