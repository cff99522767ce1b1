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
#include "NameSearch.h"
#include "lidia/Archive/FunctionLines.h"
#include "lidia/Archive/InlinedCalls.h"
#include "lidia/Archive/Statements.h"
#include "lldb/Symbol/SymbolFile.h"

namespace lidia {

/// The symbols of a module, read from an archive.
///
/// Optimised for sessions with few queries on a large module: looking up an
/// address reads the archive only, and creates one compile unit, function and
/// line entry. Each source file of a function is a compile unit, each range of
/// depth 0 a function, and each other range a block of an inlined call.
/// Operations on all functions of a file (its line table, a breakpoint by line)
/// first build the index of functions, in one pass.
///
/// IDs of LLDB's objects are positions in the archive: a compile unit's ID is
/// the offset of the file's name, that of a function or a block is the index of
/// the range.
///
/// There are no types and no variables.
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

  /// Adds the names of functions to a symbol table that lacks them.
  void AddSymbols(lldb_private::Symtab &Symbols) override;

  void Dump(lldb_private::Stream &S) override;

  /// The archive's size.
  uint64_t GetDebugInfoSize(bool LoadAll) override;
  lldb_private::StatsDuration::Duration GetDebugInfoParseTime() override {
    return ParseTime;
  }
  lldb_private::StatsDuration::Duration GetDebugInfoIndexTime() override {
    return IndexTime;
  }

  /// Says that an archive has no variables, for `frame variable`.
  lldb_private::Status
  CalculateFrameVariableError(lldb_private::StackFrame &Frame) override;

  // An archive has none of these.
  bool ParseDebugMacros(lldb_private::CompileUnit &) override { return false; }
  size_t ParseTypes(lldb_private::CompileUnit &) override { return 0; }
  bool
  ParseImportedModules(const lldb_private::SymbolContext &,
                       std::vector<lldb_private::SourceModule> &) override {
    return false;
  }
  size_t
  ParseVariablesForContext(const lldb_private::SymbolContext &) override {
    return 0;
  }
  lldb_private::Type *ResolveTypeUID(lldb::user_id_t) override {
    return nullptr;
  }
  std::optional<ArrayInfo>
  GetDynamicArrayInfoForUID(lldb::user_id_t,
                            const lldb_private::ExecutionContext *) override {
    return std::nullopt;
  }
  bool CompleteType(lldb_private::CompilerType &) override { return false; }
  void GetTypes(lldb_private::SymbolContextScope *, lldb::TypeClass,
                lldb_private::TypeList &) override {}

protected:
  uint32_t CalculateNumCompileUnits() override;
  lldb::CompUnitSP ParseCompileUnitAtIndex(uint32_t Index) override;

private:
  /// Null if the object file is not one of ours.
  const Archive *archive() const;
  const FunctionIndex &index();

  lldb::SupportFileSP supportFile(StringOffset File);
  lldb::CompUnitSP unitOf(StringOffset File);
  lldb::FunctionSP function(uint64_t Root);
  lldb::TypeSP typeOf(uint64_t Root, const RangeEntry &R);
  lldb::BlockSP makeBlock(const InlinedCall &Call);
  lldb_private::AddressRange addressRange(uint64_t Start, uint64_t Length);
  /// The rows of the function at \p Root, as long as no other is asked for.
  llvm::ArrayRef<Statement> rows(uint64_t Root);
  bool findLineEntry(uint64_t Root, uint64_t Address,
                     lldb_private::LineEntry &Entry);
  void appendContexts(const NameSet &Names, bool Inlined,
                      lldb_private::SymbolContextList &Contexts);

  llvm::DenseMap<StringOffset, lldb::SupportFileSP> SupportFiles;
  llvm::DenseMap<StringOffset, lldb::CompUnitSP> Units;
  std::optional<FunctionIndex> Index;

  /// The lines of the function that was asked for last: stepping asks for one
  /// again and again.
  std::optional<StatementReader> Reader;
  std::optional<uint64_t> RowsOf;
  std::vector<Statement> Rows;

  /// Adds its lifetime to one of the durations, unless nested in another Timer:
  /// functions that we call in LLDB call back.
  class Timer;
  unsigned OpenTimers = 0;
  lldb_private::StatsDuration ParseTime;
  lldb_private::StatsDuration IndexTime;
};

} // namespace lidia

#endif // LLDB_PLUGIN_NATIVE_SYMBOLFILELIDIA_H
