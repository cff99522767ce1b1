//===- Variables.cpp - Types and variables from DWARF ---------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of SymbolFileLidia that uses the program's DWARF, or that of the
// exported archive. An archive determines the functions and inlined calls of a
// frame. The variables that DWARF has for the same addresses are copied to the
// blocks of the archive. Only the unit of the frame's function is read for
// this.
//
//===----------------------------------------------------------------------===//

#include "ObjectFileLidia.h"
#include "SymbolFileLidia.h"
#include "lldb/Core/Mangled.h"
#include "lldb/Core/Module.h"
#include "lldb/Core/ModuleList.h"
#include "lldb/Symbol/SymbolContext.h"
#include "lldb/Symbol/TypeMap.h"
#include "lldb/Symbol/Variable.h"
#include "lldb/Symbol/VariableList.h"
#include "lldb/Target/StackFrame.h"

using namespace lldb;
using namespace lldb_private;

namespace lidia {

//===----------------------------------------------------------------------===//
// The program's DWARF
//===----------------------------------------------------------------------===//

ProgramDWARF *SymbolFileLidia::dwarf() {
  if (!DWARF) {
    std::lock_guard<std::recursive_mutex> Guard(GetModuleMutex());
    ModuleSP Module = m_objfile_sp->GetModule();
    // LLDB's DWARF index assumes that a module's symbol file, or the one behind
    // it (GetBackingSymbolFile), is its DWARF reader.
    if (!Module || Module->GetSymbolFile(/*can_create=*/false) != this)
      return nullptr;
    // Null during opening, in case this calls the function again.
    DWARF.emplace();
    DWARF = ProgramDWARF::open(*Module, *archive());
  }
  return DWARF->get();
}

SymbolFile *SymbolFileLidia::reader() {
  ProgramDWARF *D = dwarf();
  return D ? &D->reader() : nullptr;
}

SymbolFile *SymbolFileLidia::readerForNames() {
  if (ProgramDWARF *D = dwarf())
    D->warnOfIndexing();
  return reader();
}

SymbolFile *SymbolFileLidia::GetBackingSymbolFile() {
  return DWARF && *DWARF ? &(*DWARF)->reader() : this;
}

uint64_t SymbolFileLidia::GetDebugInfoSize(bool LoadAll) {
  uint64_t Size = archive()->buffer().getBufferSize();
  if (DWARF && *DWARF)
    Size += (*DWARF)->reader().GetDebugInfoSize(LoadAll);
  return Size;
}

StatsDuration::Duration SymbolFileLidia::GetDebugInfoParseTime() {
  StatsDuration::Duration Time = ParseTime;
  if (DWARF && *DWARF)
    Time += (*DWARF)->reader().GetDebugInfoParseTime();
  return Time;
}

StatsDuration::Duration SymbolFileLidia::GetDebugInfoIndexTime() {
  StatsDuration::Duration Time = IndexTime;
  if (DWARF && *DWARF)
    Time += (*DWARF)->reader().GetDebugInfoIndexTime();
  return Time;
}

//===----------------------------------------------------------------------===//
// DWARF objects for functions, blocks and units of the archive
//===----------------------------------------------------------------------===//

bool SymbolFileLidia::isOurs(const CompileUnit &Unit) const {
  return Units.lookup(Unit.GetID()).SP.get() == &Unit;
}

uint64_t SymbolFileLidia::rootOf(ObjectID ID) {
  if (ID.kind() == ObjectID::Place)
    return Places[ID.index()].Root;
  if (ID.kind() == ObjectID::Lexical)
    return LexicalBlocks[ID.index()].Root;
  if (ID.index() >= archive()->rangeCount())
    return RootsOfOthers[ID.index() - archive()->rangeCount()];
  llvm::SmallVector<Frame, 8> Frames;
  archive()->lookup(archive()->range(ID.index()).VA, Frames);
  return Frames.empty() ? ID.index() : Frames.back().Range;
}

/// Whether \p A and \p B, functions at the same address, may be the same. Two
/// functions that were folded into one are not, as their variables differ.
static bool sameFunction(Function &A, Function &B) {
  const Mangled &NameA = A.GetMangled(), &NameB = B.GetMangled();
  if (NameA.GetMangledName() && NameB.GetMangledName())
    // Constructors have several mangled names.
    return NameA.GetMangledName() == NameB.GetMangledName() ||
           NameA.GetDemangledName() == NameB.GetDemangledName();
  // Names in C may be aliases of the same function, which has one declaration.
  if (NameA.GetName() == NameB.GetName())
    return true;
  Type *TypeA = A.GetType(), *TypeB = B.GetType();
  uint32_t LineA = TypeA ? TypeA->GetDeclaration().GetLine() : 0;
  uint32_t LineB = TypeB ? TypeB->GetDeclaration().GetLine() : 0;
  return !LineA || !LineB || LineA == LineB;
}

Function *SymbolFileLidia::dwarfFunction(Function &F) {
  if (!dwarf())
    return nullptr;
  auto [It, New] = Known.try_emplace(&F, nullptr);
  if (!New)
    return It->second;
  Function *Found = dwarf()->functionAt(F.GetAddressRange().GetBaseAddress());
  if (!Found || !sameFunction(F, *Found))
    return nullptr;
  F.GetFrameBaseExpression() = Found->GetFrameBaseExpression();
  if (!F.GetFrameBaseExpression().IsAlwaysValidSingleExpr())
    F.GetFrameBaseExpression().SetFuncFileAddress(
        F.GetAddressRange().GetBaseAddress().GetFileAddress());
  return Known[&F] = Found;
}

Block *SymbolFileLidia::dwarfBlock(Block &B) {
  Function *F = B.CalculateSymbolContextFunction();
  Function *Theirs = F ? dwarfFunction(*F) : nullptr;
  if (!Theirs)
    return nullptr;
  ObjectID ID(B.GetID());
  if (ID.kind() == ObjectID::Lexical)
    return LexicalBlocks[ID.index()].Theirs;
  Block *Parent = B.GetParent();
  if (ID.kind() == ObjectID::Range)
    return Parent ? dwarf()->inlinedCall(*Theirs, B)
                  : &Theirs->GetBlock(/*can_create=*/true);
  // Between our block and the parent's, DWARF may only have blocks without
  // calls.
  Block *Inner;
  if (ID.kind() == ObjectID::Surroundings) {
    Block *Call = dwarf()->inlinedCall(*Theirs, *B.GetFirstChild());
    Inner = Call ? Call->GetParent() : nullptr;
  } else {
    Inner = dwarf()->blockAt(
        *Theirs, addressRange(Places[ID.index()].Address, 1).GetBaseAddress());
  }
  Block *Outer = Parent ? dwarfBlock(*Parent) : nullptr;
  return Inner && Outer && (Inner == Outer || Outer->Contains(Inner)) &&
                 Inner->GetContainingInlinedBlock() ==
                     Outer->GetContainingInlinedBlock()
             ? Inner
             : Outer;
}

user_id_t SymbolFileLidia::toDWARF(user_id_t Value) {
  ObjectID ID(Value);
  if (!dwarf())
    return LLDB_INVALID_UID;
  FunctionSP F = function(rootOf(ID));
  if (!F)
    return LLDB_INVALID_UID;
  Block *Ours = F->GetBlock(/*can_create=*/true).FindBlockByID(ID);
  Block *Theirs = Ours ? dwarfBlock(*Ours) : nullptr;
  return Theirs ? Theirs->GetID() : LLDB_INVALID_UID;
}

/// Of the units that contain the functions of a source file, the one with the
/// same primary file; for headers, the only one.
CompileUnit *SymbolFileLidia::dwarfUnit(CompileUnit &Unit) {
  constexpr size_t MaxTried = 64;
  if (!dwarf())
    return nullptr;
  llvm::SmallPtrSet<CompileUnit *, 4> Found;
  llvm::ArrayRef<uint64_t> Roots = index().functions(Unit.GetID());
  for (uint64_t Root : Roots.take_front(MaxTried)) {
    CompileUnit *Theirs = dwarf()->unitAt(
        addressRange(archive()->range(Root).VA, 1).GetBaseAddress());
    if (!Theirs)
      continue;
    if (Theirs->GetPrimaryFile() == Unit.GetPrimaryFile())
      return Theirs;
    Found.insert(Theirs);
  }
  return Found.size() == 1 ? *Found.begin() : nullptr;
}

CompileUnit *SymbolFileLidia::toDWARF(CompileUnit &Unit) {
  return isOurs(Unit) ? dwarfUnit(Unit) : &Unit;
}

//===----------------------------------------------------------------------===//
// Variables
//===----------------------------------------------------------------------===//

/// Makes blocks for the lexical blocks in \p Theirs, a DWARF block, inside the
/// corresponding block \p Ours. Our addresses are higher by \p Shift.
void SymbolFileLidia::makeLexicalBlocks(Block &Theirs, Block &Ours,
                                        uint64_t Root, int64_t Shift) {
  addr_t Base = archive()->range(Root).VA;
  for (Block *B = Theirs.GetFirstChild(); B; B = B->GetSibling()) {
    if (B->GetInlinedFunctionInfo())
      continue;
    auto New = std::make_shared<Block>(
        ObjectID(ObjectID::Lexical, LexicalBlocks.size()));
    LexicalBlocks.push_back({Root, B});
    AddressRange Range;
    for (size_t I = 0; I != B->GetNumRanges(); ++I)
      if (B->GetRangeAtIndex(I, Range))
        New->AddRange(
            Block::Range(Range.GetBaseAddress().GetFileAddress() + Shift - Base,
                         Range.GetByteSize()));
    New->FinalizeRanges();
    Ours.AddChild(New);
    LexicalOf[B] = New.get();
    makeLexicalBlocks(*B, *New, Root, Shift);
  }
}

/// Lets the lexical block that \p B is in contain it, so that the variables of
/// the lexical block are in scope there. It remains a child of its block, too.
void SymbolFileLidia::moveIntoLexicalBlock(Block &B) {
  if (Block *Lexical = LexicalOf.lookup(dwarfBlock(B)))
    B.SetParentScope(Lexical);
}

/// Makes DWARF's lexical blocks in \p F when a variable of the function is
/// requested for the first time: reading DWARF for each frame of a backtrace
/// would take too long. All at once, because LLDB keeps the list of a frame's
/// variables while the program runs in it.
void SymbolFileLidia::makeLexicalBlocks(Function &F) {
  Function *Theirs = dwarfFunction(F);
  if (!Theirs || !HasLexicalBlocks.insert(&F).second)
    return;
  auto StartOf = [](Function &Of) {
    return Of.GetAddressRange().GetBaseAddress().GetFileAddress();
  };
  int64_t Shift = StartOf(F) - StartOf(*Theirs);
  uint64_t Root = ObjectID(F.GetID()).index();
  // Creates the blocks of calls.
  makeLexicalBlocks(Theirs->GetBlock(/*can_create=*/true),
                    F.GetBlock(/*can_create=*/true), Root, Shift);
  llvm::ArrayRef<InlinedBlocks::Call> Calls = BlocksOf[Root].calls();
  for (const InlinedBlocks::Call &Call : Calls)
    if (Block *Of = dwarfBlock(*Call.B))
      makeLexicalBlocks(*Of, *Call.B, Root, Shift);
  for (const InlinedBlocks::Call &Call : Calls) {
    Block &Around = *Call.B->GetParent();
    if (ObjectID(Around.GetID()).kind() == ObjectID::Surroundings)
      moveIntoLexicalBlock(Around);
  }
  RangeEntry R = archive()->range(Root);
  for (auto At = PlaceAt.lower_bound(R.VA);
       At != PlaceAt.end() && At->first - R.VA < R.Length; ++At)
    moveIntoLexicalBlock(*At->second);
}

void SymbolFileLidia::parseBlockVariables(Function &F, Block &B) {
  auto List = std::make_shared<VariableList>();
  B.SetVariableList(List);
  makeLexicalBlocks(F);
  ObjectID::Kind Kind = ObjectID(B.GetID()).kind();
  if (Kind != ObjectID::Range && Kind != ObjectID::Lexical)
    return;
  if (Block *Theirs = dwarfBlock(B))
    copyVariables(*Theirs, B,
                  F.GetAddressRange().GetBaseAddress().GetFileAddress(), *List);
}

size_t SymbolFileLidia::ParseVariablesForContext(const SymbolContext &Context) {
  std::lock_guard<std::recursive_mutex> Guard(GetModuleMutex());
  if (!Context.comp_unit || !dwarf())
    return 0;
  if (!isOurs(*Context.comp_unit))
    return reader()->ParseVariablesForContext(Context);
  if (Context.function) {
    Block &B = Context.block ? *Context.block
                             : Context.function->GetBlock(/*can_create=*/true);
    parseBlockVariables(*Context.function, B);
    return B.GetBlockVariableList(/*can_create=*/false)->GetSize();
  }
  // Whenever LLDB shows a variable, it also requests the globals of the frame's
  // file, and finds them with its index of all units. Do not build the index
  // for that. Without a list, LLDB will request them again.
  if (!dwarf()->isIndexed())
    return 0;
  CompileUnit *Theirs = dwarfUnit(*Context.comp_unit);
  VariableListSP Globals =
      Theirs ? Theirs->GetVariableList(/*can_create=*/true) : nullptr;
  if (!Globals)
    Globals = std::make_shared<VariableList>();
  Context.comp_unit->SetVariableList(Globals);
  return Globals->GetSize();
}

/// LLDB calls this if a frame has no variables.
Status SymbolFileLidia::CalculateFrameVariableError(StackFrame &Frame) {
  std::lock_guard<std::recursive_mutex> Guard(GetModuleMutex());
  if (!dwarf()) {
    return Status(llvm::createStringError(
        m_objfile_sp->GetFileSpec().GetPath() +
        (hasVariables(*archive())
             ? " has variables, which could not be exported for LLDB"
             : " is an archive, which has no types and no variables, and the "
               "program's DWARF, which has them, was not found")));
  }
  Function *F = Frame.GetSymbolContext(eSymbolContextFunction).function;
  if (!F || !ObjectID::isOurs(F->GetID()) || dwarfFunction(*F))
    return Status();
  // Code without DWARF, such as the C library's frame_dummy(). LLDB does not
  // take that for an error, either.
  if (!dwarf()->unitAt(F->GetAddressRange().GetBaseAddress()))
    return Status();
  return Status(llvm::createStringError(
      "the DWARF in " + dwarf()->path() + " has no function " +
      F->GetName().GetString() +
      " at its address, or it is in a .dwo file that is missing"));
}

void SymbolFileLidia::FindGlobalVariables(ConstString Name,
                                          const CompilerDeclContext &Parent,
                                          uint32_t MaxMatches,
                                          VariableList &Variables) {
  if (SymbolFile *R = readerForNames())
    R->FindGlobalVariables(Name, Parent, MaxMatches, Variables);
}

void SymbolFileLidia::FindGlobalVariables(const RegularExpression &Regex,
                                          uint32_t MaxMatches,
                                          VariableList &Variables) {
  if (SymbolFile *R = readerForNames())
    R->FindGlobalVariables(Regex, MaxMatches, Variables);
}

//===----------------------------------------------------------------------===//
// Types and declarations
//===----------------------------------------------------------------------===//

Type *SymbolFileLidia::ResolveTypeUID(user_id_t ID) {
  std::lock_guard<std::recursive_mutex> Guard(GetModuleMutex());
  if (!dwarf())
    return nullptr;
  if (!ObjectID::isOurs(ID))
    return reader()->ResolveTypeUID(ID);
  FunctionSP F = function(rootOf(ObjectID(ID)));
  Function *Theirs = F ? dwarfFunction(*F) : nullptr;
  return Theirs ? Theirs->GetType() : nullptr;
}

std::optional<SymbolFile::ArrayInfo>
SymbolFileLidia::GetDynamicArrayInfoForUID(user_id_t ID,
                                           const ExecutionContext *Context) {
  if (ObjectID::isOurs(ID) || !reader())
    return std::nullopt;
  return reader()->GetDynamicArrayInfoForUID(ID, Context);
}

bool SymbolFileLidia::CompleteType(CompilerType &Type) {
  return reader() && reader()->CompleteType(Type);
}

void SymbolFileLidia::ParseDeclsForContext(CompilerDeclContext Decls) {
  if (reader())
    reader()->ParseDeclsForContext(Decls);
}

CompilerDecl SymbolFileLidia::GetDeclForUID(user_id_t ID) {
  std::lock_guard<std::recursive_mutex> Guard(GetModuleMutex());
  if (ObjectID::isOurs(ID))
    ID = toDWARF(ID);
  return ID != LLDB_INVALID_UID && reader() ? reader()->GetDeclForUID(ID)
                                            : CompilerDecl();
}

CompilerDeclContext SymbolFileLidia::GetDeclContextForUID(user_id_t ID) {
  std::lock_guard<std::recursive_mutex> Guard(GetModuleMutex());
  if (ObjectID::isOurs(ID))
    ID = toDWARF(ID);
  return ID != LLDB_INVALID_UID && reader() ? reader()->GetDeclContextForUID(ID)
                                            : CompilerDeclContext();
}

CompilerDeclContext SymbolFileLidia::GetDeclContextContainingUID(user_id_t ID) {
  std::lock_guard<std::recursive_mutex> Guard(GetModuleMutex());
  if (ObjectID::isOurs(ID))
    ID = toDWARF(ID);
  return ID != LLDB_INVALID_UID && reader()
             ? reader()->GetDeclContextContainingUID(ID)
             : CompilerDeclContext();
}

std::vector<CompilerContext>
SymbolFileLidia::GetCompilerContextForUID(user_id_t ID) {
  std::lock_guard<std::recursive_mutex> Guard(GetModuleMutex());
  if (ObjectID::isOurs(ID))
    ID = toDWARF(ID);
  return ID != LLDB_INVALID_UID && reader()
             ? reader()->GetCompilerContextForUID(ID)
             : std::vector<CompilerContext>();
}

void SymbolFileLidia::FindTypes(const TypeQuery &Query, TypeResults &Results) {
  std::lock_guard<std::recursive_mutex> Guard(GetModuleMutex());
  if (SymbolFile *R = readerForNames())
    R->FindTypes(Query, Results);
}

CompilerDeclContext SymbolFileLidia::FindNamespace(
    ConstString Name, const CompilerDeclContext &Parent, bool OnlyRoot) {
  std::lock_guard<std::recursive_mutex> Guard(GetModuleMutex());
  SymbolFile *R = readerForNames();
  return R ? R->FindNamespace(Name, Parent, OnlyRoot) : CompilerDeclContext();
}

void SymbolFileLidia::GetTypes(SymbolContextScope *Scope, TypeClass TypeMask,
                               TypeList &Types) {
  std::lock_guard<std::recursive_mutex> Guard(GetModuleMutex());
  if (!dwarf())
    return;
  CompileUnit *Unit =
      Scope ? Scope->CalculateSymbolContextCompileUnit() : nullptr;
  CompileUnit *Theirs = Unit ? toDWARF(*Unit) : nullptr;
  if (!Scope || Theirs)
    reader()->GetTypes(Theirs, TypeMask, Types);
}

llvm::Expected<TypeSystemSP>
SymbolFileLidia::GetTypeSystemForLanguage(LanguageType Language) {
  return reader() ? reader()->GetTypeSystemForLanguage(Language)
                  : SymbolFileCommon::GetTypeSystemForLanguage(Language);
}

//===----------------------------------------------------------------------===//
// Units and functions
//===----------------------------------------------------------------------===//

bool SymbolFileLidia::ParseDebugMacros(CompileUnit &Unit) {
  std::lock_guard<std::recursive_mutex> Guard(GetModuleMutex());
  if (!dwarf())
    return false;
  CompileUnit *Theirs = toDWARF(Unit);
  if (!Theirs || Theirs == &Unit)
    return Theirs && reader()->ParseDebugMacros(Unit);
  DebugMacros *Macros = Theirs->GetDebugMacros();
  if (!Macros)
    return false;
  // The other unit owns them, and lives as long as this unit.
  Unit.SetDebugMacros(DebugMacrosSP(DebugMacrosSP(), Macros));
  return true;
}

bool SymbolFileLidia::ParseIsOptimized(CompileUnit &Unit) {
  return !isOurs(Unit) && reader() && reader()->ParseIsOptimized(Unit);
}

size_t SymbolFileLidia::ParseTypes(CompileUnit &Unit) {
  std::lock_guard<std::recursive_mutex> Guard(GetModuleMutex());
  CompileUnit *Theirs = dwarf() ? toDWARF(Unit) : nullptr;
  return Theirs ? reader()->ParseTypes(*Theirs) : 0;
}

bool SymbolFileLidia::ParseImportedModules(const SymbolContext &Context,
                                           std::vector<SourceModule> &Modules) {
  return Context.comp_unit && !isOurs(*Context.comp_unit) && reader() &&
         reader()->ParseImportedModules(Context, Modules);
}

bool SymbolFileLidia::ForEachExternalModule(
    CompileUnit &Unit, llvm::DenseSet<SymbolFile *> &Visited,
    llvm::function_ref<bool(Module &)> Visit) {
  return !isOurs(Unit) && reader() &&
         reader()->ForEachExternalModule(Unit, Visited, Visit);
}

bool SymbolFileLidia::GetSeparateDebugInfo(StructuredData::Dictionary &Result,
                                           bool ErrorsOnly) {
  return reader() && reader()->GetSeparateDebugInfo(Result, ErrorsOnly);
}

ModuleList SymbolFileLidia::GetDebugInfoModules() {
  return DWARF && *DWARF ? reader()->GetDebugInfoModules() : ModuleList();
}

void SymbolFileLidia::DumpClangAST(Stream &S) {
  if (reader())
    reader()->DumpClangAST(S);
}

} // namespace lidia
