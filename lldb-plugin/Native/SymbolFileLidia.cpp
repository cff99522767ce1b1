//===- SymbolFileLidia.cpp - Debug information from an archive ------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SymbolFileLidia.h"
#include "ObjectFileLidia.h"
#include "lidia/Archive/Aliases.h"
#include "lidia/Symbolize/Language.h"
#include "lidia/Symbolize/Names.h"
#include "lldb/Core/Mangled.h"
#include "lldb/Core/Module.h"
#include "lldb/Core/PluginManager.h"
#include "lldb/Core/Section.h"
#include "lldb/Symbol/Block.h"
#include "lldb/Symbol/CompileUnit.h"
#include "lldb/Symbol/SymbolContext.h"
#include "lldb/Symbol/Symtab.h"
#include "lldb/Symbol/TypeMap.h"
#include <dlfcn.h>
#include <set>

using namespace lldb;
using namespace lldb_private;
using llvm::StringRef;

namespace lidia {

char SymbolFileLidia::ID;

SymbolFileLidia::SymbolFileLidia(ObjectFileSP File)
    : SymbolFileCommon(std::move(File)) {}

void SymbolFileLidia::Initialize() {
  PluginManager::RegisterPlugin(GetPluginNameStatic(),
                                GetPluginDescriptionStatic(), CreateInstance);
}

void SymbolFileLidia::Terminate() {
  PluginManager::UnregisterPlugin(CreateInstance);
}

const Archive *SymbolFileLidia::archive() const {
  auto *File = llvm::dyn_cast_or_null<ObjectFileLidia>(m_objfile_sp.get());
  return File ? &File->archive() : nullptr;
}

uint32_t SymbolFileLidia::CalculateAbilities() {
  return archive() ? CompileUnits | LineTables | Functions | Blocks : 0;
}

//===----------------------------------------------------------------------===//
// Compile units
//===----------------------------------------------------------------------===//

const FunctionIndex &SymbolFileLidia::index() {
  if (!Index) {
    Timer Time(*this, IndexTime);
    Index.emplace(*archive());
  }
  return *Index;
}

uint32_t SymbolFileLidia::CalculateNumCompileUnits() {
  return index().units().size();
}

CompUnitSP SymbolFileLidia::ParseCompileUnitAtIndex(uint32_t Number) {
  return unit(index().units()[Number]);
}

SupportFileSP SymbolFileLidia::supportFile(StringOffset File) {
  SupportFileSP &Result = SupportFiles[File];
  if (!Result)
    Result = std::make_shared<SupportFile>(
        File ? FileSpec(archive()->string(File)) : FileSpec());
  return Result;
}

CompUnitSP SymbolFileLidia::unit(UnitOfFunctions U) {
  Unit &Known = Units[U.ID];
  if (!Known.SP) {
    Known.File = U.File;
    Known.SP = std::make_shared<CompileUnit>(
        m_objfile_sp->GetModule(), /*user_data=*/nullptr, supportFile(U.File),
        U.ID, eLanguageTypeUnknown, eLazyBoolNo);
  }
  return Known.SP;
}

/// LLDB's constants equal those of DWARF, except for those of vendors. LLDB
/// uses them as indices, and asserts that they are known.
static LanguageType languageForLLDB(llvm::dwarf::SourceLanguage Language) {
  if (Language == llvm::dwarf::DW_LANG_Mips_Assembler)
    return eLanguageTypeMipsAssembler;
  auto Number = LanguageType(Language);
  return Number < eLanguageTypeMipsAssembler ? Number : eLanguageTypeUnknown;
}

LanguageType SymbolFileLidia::ParseLanguage(CompileUnit &Unit) {
  if (!isOurs(Unit))
    return reader() ? reader()->ParseLanguage(Unit) : eLanguageTypeUnknown;
  FunctionUnit U;
  if (uint64_t ID = Unit.GetID(); ID & UnitOfFunctions::RealMask) {
    U.Number = ID & ~UnitOfFunctions::RealMask;
    archive()->addLanguage(U);
  }
  return languageForLLDB(
      languageOf(U, archive()->string(Units.lookup(Unit.GetID()).File)));
}

//===----------------------------------------------------------------------===//
// Functions and blocks
//===----------------------------------------------------------------------===//

AddressRange SymbolFileLidia::addressRange(uint64_t Start, uint64_t Length) {
  return AddressRange(Start, Length,
                      m_objfile_sp->GetModule()->GetSectionList());
}

/// LLDB uses a function's type to get its declaration. Otherwise the type is
/// that of the function in DWARF, to which the ID leads (ResolveTypeUID), and
/// `void` without DWARF. Null if the declaration is unknown.
TypeSP SymbolFileLidia::typeOf(uint64_t Root, const RangeEntry &R) {
  lidia::Declaration D = archive()->lastDeclaration(R.Function, R.File);
  if (!D.Line)
    return nullptr;
  lldb_private::Declaration Declared(supportFile(D.File)->GetSpecOnly(),
                                     D.Line);
  ObjectID ID(ObjectID::Range, Root);
  return MakeType(ID, ConstString(archive()->string(R.Function)),
                  /*byte_size=*/std::nullopt, /*context=*/nullptr,
                  /*encoding_uid=*/ID, Type::eEncodingIsUID, Declared,
                  CompilerType(), Type::ResolveState::Unresolved);
}

/// Null if the module has no section at the function's address.
FunctionSP SymbolFileLidia::function(uint64_t Root) {
  const Archive &A = *archive();
  RangeEntry R = A.range(Root);
  CompUnitSP Unit = unit(unitOfFunction(A, Root));
  ObjectID ID(ObjectID::Range, Root);
  if (FunctionSP F = Unit->FindFunctionByUID(ID))
    return F;
  AddressRange Range = addressRange(R.VA, R.Length);
  if (!Range.GetBaseAddress().GetSection())
    return nullptr;
  auto F = std::make_shared<Function>(
      Unit.get(), /*func_uid=*/ID, /*type_uid=*/ID,
      nameForLLDB(A.string(R.Function)), typeOf(Root, R).get(), Range);
  Unit->AddFunction(F);
  return F;
}

size_t SymbolFileLidia::ParseFunctions(CompileUnit &Unit) {
  std::lock_guard<std::recursive_mutex> Guard(GetModuleMutex());
  if (!isOurs(Unit))
    return reader() ? reader()->ParseFunctions(Unit) : 0;
  Timer Time(*this, ParseTime);
  size_t Count = 0;
  for (uint64_t Root : index().functions(Unit.GetID()))
    Count += function(Root) != nullptr;
  return Count;
}

/// Whether \p Call begins with a range. If not, it begins inside one, or has no
/// code.
static bool beginsWithRange(const Archive &A, const InlinedCall &Call) {
  return !Call.Code.empty() &&
         A.range(Call.Code.front().Range).VA == Call.Code.front().Start;
}

/// The block of \p Call in the function at \p Root, without its addresses.
BlockSP SymbolFileLidia::makeBlock(uint64_t Root, const InlinedCall &Call) {
  uint64_t Index;
  if (beginsWithRange(*archive(), Call)) {
    Index = Call.Code.front().Range;
  } else {
    Index = archive()->rangeCount() + RootsOfOthers.size();
    RootsOfOthers.push_back(Root);
  }
  auto Result = std::make_shared<Block>(ObjectID(ObjectID::Range, Index));
  StringRef Linkage = archive()->string(Call.Function);
  StringOffset Plain = archive()->plainName(Call.Function);
  std::string Short = Plain == Call.Function
                          ? shortName(Linkage, OlderRust::Plain)
                          : archive()->string(Plain).str();
  // LLDB accepts line zero: the compiler knows the file, but not the line.
  bool HasSite = Call.CallLine || Call.CallFile;
  uint32_t Line = HasSite ? Call.CallLine : LLDB_INVALID_LINE_NUMBER;
  lldb_private::Declaration Site(supportFile(Call.CallFile)->GetSpecOnly(),
                                 Line, uint16_t(Call.CallColumn));
  std::optional<lldb_private::Declaration> Declared;
  StringOffset File =
      Call.Code.empty() ? 0 : archive()->range(Call.Code.front().Range).File;
  lidia::Declaration D = archive()->declaration(Call.Function, File);
  if (D.Line)
    Declared.emplace(supportFile(D.File)->GetSpecOnly(), D.Line);
  Result->SetInlinedFunctionInfo(
      Short.c_str(), Short == Linkage ? nullptr : Linkage.str().c_str(),
      Declared ? &*Declared : nullptr, &Site);
  return Result;
}

size_t SymbolFileLidia::ParseBlocksRecursive(Function &F) {
  std::lock_guard<std::recursive_mutex> Guard(GetModuleMutex());
  if (!ObjectID::isOurs(F.GetID()))
    return reader() ? reader()->ParseBlocksRecursive(F) : 0;
  Timer Time(*this, ParseTime);
  const Archive &A = *archive();
  uint64_t Root = ObjectID(F.GetID()).index();
  RangeEntry Outer = A.range(Root);
  Block &Top = F.GetBlock(/*can_create=*/false);
  Top.AddRange(Block::Range(0, Outer.Length));
  Top.FinalizeRanges();

  if (!MayHaveDWARF)
    MayHaveDWARF = ProgramDWARF::mayExist(*m_objfile_sp->GetModule(), A);
  std::vector<Block *> Blocks;
  std::vector<CallNote> Notes;
  std::vector<Statement> Unused;
  llvm::consumeError(statements().read(Root, Unused, &Notes));
  std::vector<InlinedCall> Calls = inlinedCalls(A, Root, Notes);
  for (const InlinedCall &Call : Calls) {
    BlockSP New = makeBlock(Root, Call);
    Block *Parent =
        Call.Parent == InlinedCall::None ? &Top : Blocks[Call.Parent];
    // A block that already has its parent would add its empty ranges to the
    // parent's ranges, which are sorted and searched.
    auto Add = [&](const BlockSP &B) {
      if (Call.Start)
        B->AddRange(Block::Range(*Call.Start - Outer.VA, 0));
      for (const CallCode &C : Call.Code)
        B->AddRange(Block::Range(C.Start - Outer.VA, C.End - C.Start));
      B->FinalizeRanges();
      Parent->AddChild(B);
      Parent = B.get();
    };
    if (*MayHaveDWARF && beginsWithRange(A, Call))
      Add(std::make_shared<Block>(
          ObjectID(ObjectID::Surroundings, Call.Code.front().Range)));
    Add(New);
    Blocks.push_back(New.get());
  }
  BlocksOf[Root] =
      InlinedBlocks(Calls, Blocks, Outer.VA, Outer.VA + Outer.Length);
  return Blocks.size();
}

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

/// The block for \p Address alone, which corresponds to the innermost of
/// DWARF's blocks there without reading DWARF. Created when it is first needed.
Block &SymbolFileLidia::placeBlock(uint64_t Root, Block &Inner,
                                   uint64_t Address) {
  // Limited, because LLDB visits all blocks of a function to find one.
  constexpr size_t MaxPlaces = 4096;
  if (auto Made = PlaceAt.find(Address); Made != PlaceAt.end())
    return *Made->second;
  if (PlacesOf[Root] == MaxPlaces)
    return Inner;
  ++PlacesOf[Root];
  auto New = std::make_shared<Block>(ObjectID(ObjectID::Place, Places.size()));
  Places.push_back({Root, Address});
  Inner.AddChild(New);
  New->AddRange(Block::Range(Address - archive()->range(Root).VA, 1));
  New->FinalizeRanges();
  PlaceAt.emplace(Address, New.get());
  if (HasLexicalBlocks.contains(Inner.CalculateSymbolContextFunction()))
    moveIntoLexicalBlock(*New);
  return *New;
}

/// Whether a query with \p Scope is for a frame. All other queries for a block
/// ask for everything, but those for a frame only for what depends on the
/// module. Breakpoints by line ask for everything, and LLDB sets one in each
/// block, so they get the blocks of single addresses only where DWARF has
/// another block.
static bool asksForFrame(SymbolContextItem Scope) {
  return !(Scope & (eSymbolContextTarget | eSymbolContextModule));
}

uint32_t SymbolFileLidia::ResolveSymbolContext(const Address &Where,
                                               SymbolContextItem Scope,
                                               SymbolContext &Context) {
  std::lock_guard<std::recursive_mutex> Guard(GetModuleMutex());
  if (!(Scope & (eSymbolContextCompUnit | eSymbolContextFunction |
                 eSymbolContextBlock | eSymbolContextLineEntry)))
    return 0;
  Timer Time(*this, ParseTime);
  const Archive &A = *archive();
  uint64_t Address = Where.GetFileAddress();
  llvm::SmallVector<Frame, 8> Frames;
  A.lookup(Address, Frames);
  if (Frames.empty() || !isFunction(A, Frames.back().Range))
    return 0;
  uint64_t Root = Frames.back().Range;
  FunctionSP F = function(Root);
  if (!F)
    return 0;

  uint32_t Resolved = eSymbolContextCompUnit;
  Context.comp_unit = F->GetCompileUnit();
  if (Scope & (eSymbolContextFunction | eSymbolContextBlock)) {
    Context.function = F.get();
    Resolved |= eSymbolContextFunction;
  }
  if (Scope & eSymbolContextBlock) {
    Block *Inner = &F->GetBlock(/*can_create=*/true);
    if (Block *Call = BlocksOf[Root].at(Address))
      Inner = Call;
    // `finish` does not leave an inlined call if a frame's block is inside the
    // call's block, so this block is only created if necessary.
    if (asksForFrame(Scope) ? *MayHaveDWARF : isInOtherBlock(Root, Address))
      Inner = &placeBlock(Root, *Inner, Address);
    Context.block = Inner;
    Resolved |= eSymbolContextBlock;
  }
  if (Scope & eSymbolContextLineEntry &&
      findLineEntry(Root, Address, Context.line_entry))
    Resolved |= eSymbolContextLineEntry;
  if (Scope & eSymbolContextSymbol && (Context.symbol = symbolOf(Root)))
    Resolved |= eSymbolContextSymbol;
  return Resolved;
}

uint32_t SymbolFileLidia::ResolveSymbolContext(const SourceLocationSpec &Where,
                                               SymbolContextItem Scope,
                                               SymbolContextList &Contexts) {
  std::lock_guard<std::recursive_mutex> Guard(GetModuleMutex());
  if (!(Scope & eSymbolContextCompUnit))
    return 0;
  uint32_t Before = Contexts.GetSize();
  for (UnitOfFunctions U : index().units()) {
    CompUnitSP Unit = unit(U);
    // As with DWARF. If the units of DWARF are unknown, a unit may contain code
    // of any file.
    if (Where.GetCheckInlines() || !U.isReal() ||
        FileSpec::Match(Where.GetFileSpec(), Unit->GetPrimaryFile()))
      Unit->ResolveSymbolContext(Where, Scope, Contexts);
  }
  return Contexts.GetSize() - Before;
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

/// For each call of one of \p Names in the function at \p Root, appends
/// \p Context with the block of the call.
void SymbolFileLidia::appendCalls(uint64_t Root, const NameSet &Names,
                                  SymbolContext Context,
                                  SymbolContextList &Contexts) {
  // Creates the blocks.
  Context.function->GetBlock(/*can_create=*/true);
  for (const InlinedBlocks::Call &Call : BlocksOf[Root].calls())
    if (Names.contains(Call.Function)) {
      Context.block = Call.B;
      Contexts.Append(Context);
    }
}

bool SymbolFileLidia::appendContexts(const NameSet &Names, bool Inlined,
                                     bool OnlyTyped,
                                     SymbolContextList &Contexts) {
  const Archive &A = *archive();
  std::optional<uint64_t> CallsOf;
  bool All = true;
  visitRanges(A, Names, Inlined, [&](uint64_t Root, uint64_t Index) {
    if (!isFunction(A, Root)) {
      All &= Index != Root;
      return;
    }
    FunctionSP F = function(Root);
    if (!F)
      return;
    if (OnlyTyped && !dwarfFunction(*F)) {
      All = false;
      return;
    }
    SymbolContext Context(m_objfile_sp->GetModule());
    Context.comp_unit = F->GetCompileUnit();
    Context.function = F.get();
    if (Index == Root)
      Contexts.Append(Context);
    else if (CallsOf != Root)
      appendCalls(*(CallsOf = Root), Names, Context, Contexts);
  });
  return All;
}

/// Set by FindFunctions() for the following call of GetSymtab(), if no symbol
/// of the module could add to the result.
static thread_local const SymbolFile *AllFoundIn = nullptr;

bool SymbolFileLidia::keepMethods(const Module::LookupInfo &Info,
                                  NameSet &Names) {
  constexpr auto Kinds =
      eFunctionNameTypeFull | eFunctionNameTypeBase | eFunctionNameTypeMethod;
  if ((Info.GetNameTypeMask() & Kinds) != eFunctionNameTypeMethod)
    return true;
  if (!Methods)
    Methods.emplace(*archive());
  bool AllKept = true;
  for (StringOffset Name : llvm::to_vector(Names))
    if (!Methods->mayBeMethod(Name)) {
      Names.erase(Name);
      AllKept = false;
    }
  return AllKept;
}

/// Whether an expression searches for a function to call. LLDB takes a function
/// without a type for `void f(void)`, but lets the user say what a symbol
/// returns.
static bool asksForExpression(const Module::LookupInfo &Info, bool Inlined) {
  constexpr auto Kinds =
      eFunctionNameTypeFull | eFunctionNameTypeBase | eFunctionNameTypeMethod;
  return !Inlined && (Info.GetNameTypeMask() & Kinds) ==
                         (eFunctionNameTypeFull | eFunctionNameTypeBase);
}

void SymbolFileLidia::FindFunctions(const Module::LookupInfo &Info,
                                    const CompilerDeclContext &Parent,
                                    bool Inlined, SymbolContextList &Contexts) {
  std::lock_guard<std::recursive_mutex> Guard(GetModuleMutex());
  AllFoundIn = nullptr;
  // DWARF declares the scope.
  if (Parent.IsValid()) {
    if (SymbolFile *R = readerForNames())
      R->FindFunctions(Info, Parent, Inlined, Contexts);
    return;
  }
  Timer Time(*this, IndexTime);
  uint32_t Before = Contexts.GetSize();
  NameSet Names = findNames(*archive(), Info);
  // LLDB takes symbols for methods if it does not know their scopes.
  bool AllKept = keepMethods(Info, Names);
  if (appendContexts(Names, Inlined, asksForExpression(Info, Inlined),
                     Contexts) &&
      AllKept && !hasSymbolTable() &&
      GetMainObjectFile()->GetPluginName() == "elf" &&
      !hasOtherSymbol(*archive(), *m_objfile_sp->GetModule(), Info)) {
    appendSymbols(Contexts, Before);
    AllFoundIn = this;
  }
}

void SymbolFileLidia::FindFunctions(const RegularExpression &Regex,
                                    bool Inlined, SymbolContextList &Contexts) {
  std::lock_guard<std::recursive_mutex> Guard(GetModuleMutex());
  AllFoundIn = nullptr;
  Timer Time(*this, IndexTime);
  appendContexts(findNames(*archive(), Regex), Inlined, /*OnlyTyped=*/false,
                 Contexts);
}

void SymbolFileLidia::GetMangledNamesForFunction(
    const std::string &QualifiedName, std::vector<ConstString> &MangledNames) {
  std::lock_guard<std::recursive_mutex> Guard(GetModuleMutex());
  Module::LookupInfo Info(ConstString(QualifiedName), eFunctionNameTypeFull,
                          eLanguageTypeUnknown);
  for (StringOffset Name : findNames(*archive(), Info))
    MangledNames.push_back(ConstString(archive()->string(Name)));
}

//===----------------------------------------------------------------------===//
// Symbols
//===----------------------------------------------------------------------===//

/// The name of the symbol for the range of depth 0 at \p Root, stored in
/// \p Storage if necessary; empty if there is none. Cold code that was moved
/// away from its function has another name than the function, because otherwise
/// a search for the function's name would also find the cold code.
static StringRef symbolName(const Archive &A, uint64_t Root,
                            std::string &Storage) {
  StringRef Name = A.string(A.function(Root));
  if (Name.empty() || A.entry(Root) == Root || !isFunction(A, Root))
    return Name;
  Storage = pieceName(Name);
  return Storage;
}

/// Whether \p S has the linkage name \p Name. Does not demangle.
static bool hasName(Symbol &S, StringRef Name) {
  ConstString Linkage = S.GetMangled().GetMangledName();
  return (Linkage ? Linkage : S.GetMangled().GetDemangledName()) == Name;
}

/// The symbol named \p Name in \p Symbols at \p Address, or null.
static Symbol *findSymbol(Symtab &Symbols, addr_t Address, StringRef Name) {
  Symbol *Found = nullptr;
  Symbols.ForEachSymbolContainingFileAddress(Address, [&](Symbol *S) {
    if (S->GetFileAddress() == Address && hasName(*S, Name))
      Found = S;
    return !Found;
  });
  return Found;
}

/// Whether \p Symbols has a symbol named \p Name at the beginning of \p Known,
/// or \p Name is that of a PLT entry.
static bool isKnown(Symtab &Symbols, Symbol &Known, StringRef Name) {
  return Name.ends_with("@plt") || hasName(Known, Name) ||
         findSymbol(Symbols, Known.GetFileAddress(), Name);
}

static Symbol makeSymbol(uint32_t ID, StringRef Name,
                         const AddressRange &Range) {
  return Symbol(ID, nameForLLDB(Name), eSymbolTypeCode,
                /*external=*/true, /*is_debug=*/false, /*is_trampoline=*/false,
                /*is_artificial=*/false, Range, /*size_is_valid=*/true,
                /*contains_linker_annotations=*/false, /*flags=*/0);
}

bool SymbolFileLidia::hasSymbolTable() {
  if (!HasSymbolTable)
    HasSymbolTable =
        m_objfile_sp->GetModule()->GetSectionList()->FindSectionByType(
            eSectionTypeELFSymbolTable, /*check_children=*/true) != nullptr;
  return *HasSymbolTable;
}

Symbol *SymbolFileLidia::symbolOf(uint64_t Root) {
  if (hasSymbolTable())
    return nullptr;
  // LLDB compares symbols by address, so a symbol must stay.
  if (auto Made = SymbolsOf.find(Root); Made != SymbolsOf.end())
    return Made->second.get();
  RangeEntry R = archive()->range(Root);
  std::string Storage;
  StringRef Name = symbolName(*archive(), Root, Storage);
  AddressRange Range = addressRange(R.VA, R.Length);
  if (HasLLDBSymbols || Name.empty() || !Range.GetBaseAddress().GetSection())
    return nullptr;
  std::unique_ptr<Symbol> &S = SymbolsOf[Root];
  S = std::make_unique<Symbol>(makeSymbol(uint32_t(Root), Name, Range));
  return S.get();
}

/// Adds the symbols to the functions from \p Start on, like LLDB does when it
/// searches its symbol table for the same name.
void SymbolFileLidia::appendSymbols(SymbolContextList &Contexts,
                                    uint32_t Start) {
  Symtab *Symbols = HasLLDBSymbols ? SymbolFileCommon::GetSymtab() : nullptr;
  for (uint32_t I = Start; I < Contexts.GetSize(); ++I) {
    SymbolContext &Context = Contexts[I];
    if (Context.block)
      continue;
    uint64_t Root = ObjectID(Context.function->GetID()).index();
    Context.symbol = symbolOf(Root);
    if (!Context.symbol && Symbols)
      Context.symbol = findSymbol(*Symbols, archive()->range(Root).VA,
                                  archive()->string(archive()->function(Root)));
  }
}

/// Whether \p Address is inside Module::FindFunctions(). Remembers the answer,
/// because dladdr() reads all symbols of LLDB, and each module asks.
static bool isInFindFunctions(const void *Address) {
  static thread_local llvm::DenseMap<const void *, bool> Known;
  auto [It, New] = Known.try_emplace(Address, false);
  Dl_info Info;
  if (New && dladdr(Address, &Info) && Info.dli_sname)
    It->second = StringRef(Info.dli_sname)
                     .starts_with("_ZN12lldb_private6Module13FindFunctionsE");
  return It->second;
}

Symtab *SymbolFileLidia::GetSymtab() {
  if (std::exchange(AllFoundIn, nullptr) == this &&
      isInFindFunctions(__builtin_return_address(0)))
    return nullptr;
  HasLLDBSymbols = true;
  return SymbolFileCommon::GetSymtab();
}

/// Appends aliases of functions to \p Added, with IDs above \p LastID. They
/// follow the functions, so LLDB prefers the functions' names for addresses.
void SymbolFileLidia::addAliases(Symtab &Symbols, uint32_t LastID,
                                 std::vector<Symbol> &Added) {
  const Archive &A = *archive();
  // verify() reports damage.
  llvm::consumeError(visitAliases(A, [&](const FunctionAlias &Alias) {
    RangeEntry Root = A.range(Alias.Root);
    // AddSymbols() has already named this piece of a function.
    std::string Storage;
    if (findSymbol(Symbols, Alias.Address, Alias.Name) ||
        (Alias.Address == Root.VA &&
         symbolName(A, Alias.Root, Storage) == Alias.Name))
      return;
    AddressRange Range =
        addressRange(Alias.Address, Root.Length - (Alias.Address - Root.VA));
    if (Range.GetBaseAddress().GetSection())
      Added.push_back(makeSymbol(++LastID, Alias.Name, Range));
  }));
}

using NamesAt = std::set<std::pair<uint64_t, std::string>>;

/// The aliases in the middle of functions, at the ends of the functions. A
/// symbol without a size extends to the next symbol, so it also names the
/// padding after its function, where no function begins.
static NamesAt namesBehindFunctions(const Archive &A) {
  NamesAt Names;
  llvm::consumeError(visitAliases(A, [&](const FunctionAlias &Alias) {
    RangeEntry Root = A.range(Alias.Root);
    if (Alias.Address != Root.VA)
      Names.emplace(Root.VA + Root.Length, Alias.Name);
  }));
  return Names;
}

void SymbolFileLidia::AddSymbols(Symtab &Symbols) {
  const Archive &A = *archive();
  Timer Time(*this, ParseTime);
  NamesAt Behind = namesBehindFunctions(A);
  std::vector<Symbol> Added;
  uint32_t LastID = Symbols.GetNumSymbols();
  std::string Storage;
  visitRoots(A, [&](uint64_t I) {
    StringRef Name = symbolName(A, I, Storage);
    if (Name.empty())
      return;
    RangeEntry R = A.range(I);
    if (!Behind.empty() && Behind.count({R.VA, Name.str()}))
      return;
    // LLDB creates nameless symbols from unwind information.
    Symbol *Known = Symbols.FindSymbolAtFileAddress(R.VA);
    bool Replaces = Known && Known->IsSyntheticWithAutoGeneratedName();
    // A symbol table already has the aliases of functions.
    if (Known && !Replaces &&
        (hasSymbolTable() || isKnown(Symbols, *Known, Name)))
      return;
    AddressRange Range = addressRange(R.VA, R.Length);
    if (!Range.GetBaseAddress().GetSection())
      return;
    uint32_t ID = Replaces ? Known->GetID() : ++LastID;
    Symbol S = makeSymbol(ID, Name, Range);
    if (Replaces)
      *Known = S;
    else
      Added.push_back(std::move(S));
  });
  if (!hasSymbolTable())
    addAliases(Symbols, LastID, Added);
  Symbols.Reserve(Symbols.GetNumSymbols() + Added.size());
  for (const Symbol &S : Added)
    Symbols.AddSymbol(S);
  Symbols.Finalize();
}

void SymbolFileLidia::Dump(Stream &S) {
  // Create units without the base class's knowledge first, because it only
  // prints the units that it knows.
  for (uint32_t I = 0, E = GetNumCompileUnits(); I != E; ++I)
    if (Units.count(index().units()[I].ID))
      GetCompileUnitAtIndex(I);
  SymbolFileCommon::Dump(S);
}

} // namespace lidia
