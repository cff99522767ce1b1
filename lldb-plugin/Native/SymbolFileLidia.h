//===- SymbolFileLidia.h - Debug information from an archive ----*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLDB_PLUGIN_NATIVE_SYMBOLFILELIDIA_H
#define LLDB_PLUGIN_NATIVE_SYMBOLFILELIDIA_H

#include "FunctionIndex.h"
#include "InlinedBlocks.h"
#include "NameSearch.h"
#include "ObjectID.h"
#include "ProgramDWARF.h"
#include "lidia/Archive/Copies.h"
#include "lidia/Archive/FunctionLines.h"
#include "lidia/Archive/InlinedCalls.h"
#include "lidia/Archive/Statements.h"
#include "lidia/Export/MethodNames.h"
#include "lldb/Symbol/SymbolFile.h"
#include <atomic>
#include <map>

namespace lidia {

/// The symbols of a module, read from an archive.
///
/// Optimised for sessions with few queries on a large module: looking up an
/// address only reads the archive, and creates one compile unit, function and
/// line entry. A compile unit is that of the debug information from which the
/// archive was made or, if that is unknown, a source file. Each range of depth
/// 0 is a function, and each other range a block of an inlined call. Operations
/// on all functions of a file (its line table, a breakpoint by line) first
/// build the index of functions, in one pass.
///
/// IDs of LLDB's objects are positions in the archive: see UnitOfFunctions for
/// compile units, and ObjectID for functions and blocks.
///
/// Types and variables come from the program's DWARF, if there is any
/// (ProgramDWARF, Variables.cpp). Its objects (units, functions, blocks, types)
/// belong to the same module, so LLDB queries them through this class, which
/// recognises them by their IDs and forwards such queries.
///
/// Archives have no lexical blocks. This class creates a block for each address
/// of a frame, and one around each inlined call, which correspond to DWARF's
/// blocks there, and all of DWARF's lexical blocks in a function whose
/// variables are requested.
class SymbolFileLidia : public lldb_private::SymbolFileCommon {
public:
  explicit SymbolFileLidia(lldb::ObjectFileSP File);

  static void Initialize();
  static void Terminate();
  static llvm::StringRef GetPluginNameStatic() { return "lidia"; }
  static llvm::StringRef GetPluginDescriptionStatic() {
    return "Lidia archive symbol file reader.";
  }
  static lldb_private::SymbolFile *CreateInstance(lldb::ObjectFileSP File) {
    return new SymbolFileLidia(std::move(File));
  }

  llvm::StringRef GetPluginName() override { return GetPluginNameStatic(); }

  static char ID;
  bool isA(const void *ClassID) const override {
    return ClassID == &ID || SymbolFileCommon::isA(ClassID);
  }
  static bool classof(const SymbolFile *F) { return F->isA(&ID); }

  uint32_t CalculateAbilities() override;

  lldb::LanguageType ParseLanguage(lldb_private::CompileUnit &Unit) override;
  size_t ParseFunctions(lldb_private::CompileUnit &Unit) override;
  bool ParseLineTable(lldb_private::CompileUnit &Unit) override;
  bool ParseSupportFiles(lldb_private::CompileUnit &Unit,
                         lldb_private::SupportFileList &Files) override;
  size_t ParseBlocksRecursive(lldb_private::Function &F) override;

  uint32_t ResolveSymbolContext(const lldb_private::Address &Where,
                                lldb::SymbolContextItem Scope,
                                lldb_private::SymbolContext &Context) override;
  uint32_t
  ResolveSymbolContext(const lldb_private::SourceLocationSpec &Where,
                       lldb::SymbolContextItem Scope,
                       lldb_private::SymbolContextList &Contexts) override;

  void FindFunctions(const lldb_private::Module::LookupInfo &Info,
                     const lldb_private::CompilerDeclContext &Parent,
                     bool Inlined,
                     lldb_private::SymbolContextList &Contexts) override;
  void FindFunctions(const lldb_private::RegularExpression &Regex, bool Inlined,
                     lldb_private::SymbolContextList &Contexts) override;
  void GetMangledNamesForFunction(
      const std::string &QualifiedName,
      std::vector<lldb_private::ConstString> &MangledNames) override;

  /// Null if FindFunctions() of this class was called before, the caller is
  /// Module::FindFunctions(), and no symbol could add to the result: LLDB would
  /// create an index of all demangled names, which takes longer than everything
  /// else.
  lldb_private::Symtab *GetSymtab() override;

  /// Adds the names of functions to a symbol table that lacks them.
  void AddSymbols(lldb_private::Symtab &Symbols) override;

  void Dump(lldb_private::Stream &S) override;

  /// The size of the archive, plus that of the DWARF that has been opened.
  uint64_t GetDebugInfoSize(bool LoadAll) override;
  lldb_private::StatsDuration::Duration GetDebugInfoParseTime() override;
  lldb_private::StatsDuration::Duration GetDebugInfoIndexTime() override;

  // The program's DWARF answers these queries.
  SymbolFile *GetBackingSymbolFile() override;
  size_t ParseVariablesForContext(const lldb_private::SymbolContext &) override;
  lldb_private::Status
  CalculateFrameVariableError(lldb_private::StackFrame &Frame) override;
  bool ParseDebugMacros(lldb_private::CompileUnit &Unit) override;
  bool ParseIsOptimized(lldb_private::CompileUnit &Unit) override;
  size_t ParseTypes(lldb_private::CompileUnit &Unit) override;
  bool ParseImportedModules(
      const lldb_private::SymbolContext &Context,
      std::vector<lldb_private::SourceModule> &Modules) override;
  bool ForEachExternalModule(
      lldb_private::CompileUnit &Unit,
      llvm::DenseSet<lldb_private::SymbolFile *> &Visited,
      llvm::function_ref<bool(lldb_private::Module &)> Visit) override;
  lldb_private::Type *ResolveTypeUID(lldb::user_id_t ID) override;
  std::optional<ArrayInfo> GetDynamicArrayInfoForUID(
      lldb::user_id_t ID,
      const lldb_private::ExecutionContext *Context) override;
  bool CompleteType(lldb_private::CompilerType &Type) override;
  void ParseDeclsForContext(lldb_private::CompilerDeclContext Decls) override;
  lldb_private::CompilerDecl GetDeclForUID(lldb::user_id_t ID) override;
  lldb_private::CompilerDeclContext
  GetDeclContextForUID(lldb::user_id_t ID) override;
  lldb_private::CompilerDeclContext
  GetDeclContextContainingUID(lldb::user_id_t ID) override;
  std::vector<lldb_private::CompilerContext>
  GetCompilerContextForUID(lldb::user_id_t ID) override;
  void FindGlobalVariables(lldb_private::ConstString Name,
                           const lldb_private::CompilerDeclContext &Parent,
                           uint32_t MaxMatches,
                           lldb_private::VariableList &Variables) override;
  void FindGlobalVariables(const lldb_private::RegularExpression &Regex,
                           uint32_t MaxMatches,
                           lldb_private::VariableList &Variables) override;
  void FindTypes(const lldb_private::TypeQuery &Query,
                 lldb_private::TypeResults &Results) override;
  void GetTypes(lldb_private::SymbolContextScope *Scope,
                lldb::TypeClass TypeMask,
                lldb_private::TypeList &Types) override;
  llvm::Expected<lldb::TypeSystemSP>
  GetTypeSystemForLanguage(lldb::LanguageType Language) override;
  lldb_private::CompilerDeclContext
  FindNamespace(lldb_private::ConstString Name,
                const lldb_private::CompilerDeclContext &Parent,
                bool OnlyRoot) override;
  std::vector<std::unique_ptr<lldb_private::CallEdge>>
  ParseCallEdgesInFunction(lldb_private::UserID ID) override;
  bool GetSeparateDebugInfo(lldb_private::StructuredData::Dictionary &Result,
                            bool ErrorsOnly) override;
  lldb_private::ModuleList GetDebugInfoModules() override;
  void DumpClangAST(lldb_private::Stream &S) override;

protected:
  uint32_t CalculateNumCompileUnits() override;
  lldb::CompUnitSP ParseCompileUnitAtIndex(uint32_t Index) override;

private:
  /// Null if the object file is not an ObjectFileLidia.
  const Archive *archive() const;
  const FunctionIndex &index();
  /// If \p Info asks for methods only, removes functions in C++ that are none
  /// from \p Names. Returns whether it removed none.
  bool keepMethods(const lldb_private::Module::LookupInfo &Info,
                   NameSet &Names);

  lldb::SupportFileSP supportFile(StringOffset File);
  lldb::CompUnitSP unit(UnitOfFunctions U);
  lldb::FunctionSP function(uint64_t Root);
  lldb::TypeSP typeOf(uint64_t Root, const RangeEntry &R);
  lldb::BlockSP makeBlock(uint64_t Root, const InlinedCall &Call);
  lldb_private::Block &placeBlock(uint64_t Root, lldb_private::Block &Inner,
                                  uint64_t Address);
  lldb_private::AddressRange addressRange(uint64_t Start, uint64_t Length);
  class LineTableBuilder;
  void appendLines(lldb_private::CompileUnit &Unit, LineTableBuilder &Lines);
  StatementReader &statements();
  /// The rows of the function at \p Root, valid until the next call.
  llvm::ArrayRef<Statement> rows(uint64_t Root);
  CopiedRows &copies();
  /// The rows of the function at \p Root for a unit that had a copy of it,
  /// valid until the next call.
  llvm::ArrayRef<Statement> copiedRows(uint64_t Root);
  bool findLineEntry(uint64_t Root, uint64_t Address,
                     lldb_private::LineEntry &Entry);
  /// Whether the row at \p Address has SF_OtherBlock.
  bool isInOtherBlock(uint64_t Root, uint64_t Address);
  void appendCalls(uint64_t Root, const NameSet &Names,
                   lldb_private::SymbolContext Context,
                   lldb_private::SymbolContextList &Contexts);
  /// Returns whether all functions with these names could be appended:
  /// functions without source information are only symbols. With \p OnlyTyped,
  /// leaves out functions whose types are unknown.
  bool appendContexts(const NameSet &Names, bool Inlined, bool OnlyTyped,
                      lldb_private::SymbolContextList &Contexts);
  void appendSymbols(lldb_private::SymbolContextList &Contexts, uint32_t Start);
  /// The symbol of the function at \p Root. Null if the module has other
  /// symbols of functions, or if LLDB's symbol table was created before the
  /// first call for this function, which it then contains.
  lldb_private::Symbol *symbolOf(uint64_t Root);
  bool hasSymbolTable();
  void addAliases(lldb_private::Symtab &Symbols, uint32_t LastID,
                  std::vector<lldb_private::Symbol> &Added);

  /// Opens the program's DWARF in the first call; null if there is none.
  ProgramDWARF *dwarf();
  /// The DWARF reader; null if there is none.
  lldb_private::SymbolFile *reader();
  /// The reader for a query by name, which may have to index all units.
  lldb_private::SymbolFile *readerForNames();
  /// Whether \p Unit was made from the archive, not from DWARF.
  bool isOurs(const lldb_private::CompileUnit &Unit) const;
  /// The DWARF objects that correspond to objects made from the archive; null
  /// if there are none.
  lldb_private::Function *dwarfFunction(lldb_private::Function &F);
  lldb_private::Block *dwarfBlock(lldb_private::Block &B);
  lldb_private::CompileUnit *dwarfUnit(lldb_private::CompileUnit &Unit);
  /// The same, but \p Unit itself if it is one of DWARF.
  lldb_private::CompileUnit *toDWARF(lldb_private::CompileUnit &Unit);
  /// The ID of the DWARF function or block that corresponds to our \p ID.
  lldb::user_id_t toDWARF(lldb::user_id_t ID);
  uint64_t rootOf(ObjectID ID);
  void makeLexicalBlocks(lldb_private::Function &F);
  void makeLexicalBlocks(lldb_private::Block &Theirs, lldb_private::Block &Ours,
                         uint64_t Root, int64_t Shift);
  void moveIntoLexicalBlock(lldb_private::Block &B);
  void parseBlockVariables(lldb_private::Function &F, lldb_private::Block &B);

  llvm::DenseMap<StringOffset, lldb::SupportFileSP> SupportFiles;
  struct Unit {
    lldb::CompUnitSP SP;
    StringOffset File = 0;
  };
  /// By ID.
  llvm::DenseMap<lldb::user_id_t, Unit> Units;
  std::optional<FunctionIndex> Index;
  /// Set by the first search for methods.
  std::optional<MethodNames> Methods;

  struct Place {
    uint64_t Root;
    uint64_t Address;
  };
  /// The addresses that have their own block.
  std::vector<Place> Places;
  std::map<uint64_t, lldb_private::Block *> PlaceAt;
  /// The number of such addresses in each function, by root.
  llvm::DenseMap<uint64_t, size_t> PlacesOf;
  struct LexicalBlock {
    uint64_t Root;
    lldb_private::Block *Theirs;
  };
  /// DWARF's lexical blocks in functions whose variables were requested.
  std::vector<LexicalBlock> LexicalBlocks;
  /// Our blocks, by DWARF's.
  llvm::DenseMap<const lldb_private::Block *, lldb_private::Block *> LexicalOf;
  llvm::DenseSet<const lldb_private::Function *> HasLexicalBlocks;
  /// For functions whose blocks were created, by root.
  llvm::DenseMap<uint64_t, InlinedBlocks> BlocksOf;
  /// The functions of blocks that do not begin with a range, by the index in
  /// the block's ID minus the number of ranges.
  std::vector<uint64_t> RootsOfOthers;

  std::optional<bool> MayHaveDWARF;
  std::optional<std::unique_ptr<ProgramDWARF>> DWARF;
  /// DWARF's functions, by the functions of the archive.
  llvm::DenseMap<lldb_private::Function *, lldb_private::Function *> Known;

  std::optional<bool> HasSymbolTable;
  /// Whether LLDB has created its symbol table since the archive was added.
  std::atomic<bool> HasLLDBSymbols = false;
  llvm::DenseMap<uint64_t, std::unique_ptr<lldb_private::Symbol>> SymbolsOf;

  /// The lines of the last requested function, because stepping requests the
  /// same function repeatedly.
  std::optional<StatementReader> Reader;
  std::optional<CopiedRows> CopyReader;
  std::vector<Statement> RowsOfCopy;
  std::optional<uint64_t> RowsOf;
  std::vector<Statement> Rows;
  /// If not null, ParseSupportFiles() also adds the lines here.
  LineTableBuilder *LinesToMake = nullptr;

  /// Adds its lifetime to one of the durations, unless another Timer exists,
  /// because LLDB's functions that are called here call back.
  class Timer {
  public:
    Timer(SymbolFileLidia &File, lldb_private::StatsDuration &Duration)
        : File(File), Duration(Duration),
          Start(lldb_private::StatsClock::now()) {
      ++File.OpenTimers;
    }
    ~Timer() {
      if (--File.OpenTimers == 0)
        Duration += lldb_private::StatsClock::now() - Start;
    }

  private:
    SymbolFileLidia &File;
    lldb_private::StatsDuration &Duration;
    const lldb_private::StatsTimepoint Start;
  };
  unsigned OpenTimers = 0;
  lldb_private::StatsDuration ParseTime;
  lldb_private::StatsDuration IndexTime;
};

} // namespace lidia

#endif // LLDB_PLUGIN_NATIVE_SYMBOLFILELIDIA_H
