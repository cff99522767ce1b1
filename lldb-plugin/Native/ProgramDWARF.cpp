//===- ProgramDWARF.cpp - The program's DWARF -----------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgramDWARF.h"
#include "lidia/Archive/Archive.h"
#include "lidia/Cache/CachedFiles.h"
#include "lldb/Core/Debugger.h"
#include "lldb/Core/Module.h"
#include "lldb/Core/ModuleSpec.h"
#include "lldb/Core/PluginManager.h"
#include "lldb/Core/Progress.h"
#include "lldb/Core/Section.h"
#include "lldb/Host/FileSystem.h"
#include "lldb/Symbol/ObjectFile.h"
#include "lldb/Symbol/SymbolContext.h"
#include "lldb/Symbol/Variable.h"
#include "lldb/Symbol/VariableList.h"
#include "lldb/Target/Target.h"
#include "lldb/Utility/DataExtractor.h"
#include "llvm/ADT/StringExtras.h"
#include <cstdlib>
#include <mutex>

using namespace lldb;
using namespace lldb_private;

namespace lidia {

//===----------------------------------------------------------------------===//
// Opening
//===----------------------------------------------------------------------===//

static SectionSP debugInfo(ObjectFile &File) {
  SectionList *Sections = File.GetSectionList();
  return Sections ? Sections->FindSectionByType(eSectionTypeDWARFDebugInfo,
                                                /*check_children=*/true)
                  : nullptr;
}

/// The name in .gnu_debuglink, empty if there is none.
static std::string debugLink(ObjectFile &File) {
  SectionList *Sections = File.GetSectionList();
  SectionSP Link =
      Sections ? Sections->FindSectionByName(ConstString(".gnu_debuglink"))
               : nullptr;
  lldb_private::DataExtractor Data;
  if (!Link || !File.ReadSectionData(Link.get(), Data))
    return "";
  offset_t Offset = 0;
  const char *Name = Data.GetCStr(&Offset);
  return Name ? Name : "";
}

bool hasVariables(const Archive &A) {
  return A.findExtensionSection(format::ET_Variables).has_value();
}

bool ProgramDWARF::mayExist(Module &Module, const Archive &A) {
  ObjectFile *Own = Module.GetObjectFile();
  if (!Own)
    return false;
  if (hasVariables(A))
    return true;
  if (debugInfo(*Own) || !debugLink(*Own).empty() || getenv("DEBUGINFOD_URLS"))
    return true;
  llvm::ArrayRef<uint8_t> ID = Own->GetUUID().GetBytes();
  if (ID.empty())
    return false;
  std::string Digits = llvm::toHex(ID, /*LowerCase=*/true);
  std::string Name =
      "/.build-id/" + Digits.substr(0, 2) + "/" + Digits.substr(2) + ".debug";
  FileSpecList Folders = Target::GetDefaultDebugFileSearchPaths();
  // LLDB's default on all systems but Windows and macOS.
  Folders.AppendIfUnique(FileSpec("/usr/lib/debug"));
  return llvm::any_of(Folders, [&](const FileSpec &Folder) {
    return FileSystem::Instance().Exists(Folder.GetPath() + Name);
  });
}

static ObjectFileSP openFile(Module &Module, const FileSpec &Path) {
  DataBufferSP Data;
  offset_t DataOffset = 0;
  ObjectFileSP File = ObjectFile::FindPlugin(
      Module.shared_from_this(), &Path, /*file_offset=*/0,
      FileSystem::Instance().GetByteSize(Path), Data, DataOffset);
  if (!File)
    return nullptr;
  File->SetType(ObjectFile::eTypeDebugInfo);
  return debugInfo(*File) ? File : nullptr;
}

/// The debug file that LLDB itself finds for \p Module, by the same search as
/// its symbol vendor for ELF; null if there is none.
static ObjectFileSP openDebugFile(Module &Module, ObjectFile &Own) {
  ModuleSpec Wanted;
  Wanted.GetFileSpec() = Own.GetFileSpec();
  FileSystem::Instance().Resolve(Wanted.GetFileSpec());
  Wanted.GetUUID() = Own.GetUUID();
  std::string Link = debugLink(Own);
  if (!Link.empty())
    Wanted.GetSymbolFileSpec() = FileSpec(Link);
  if (!Wanted.GetUUID().IsValid() && Link.empty())
    return nullptr;
  FileSpecList Folders = Target::GetDefaultDebugFileSearchPaths();
  FileSpec Path = PluginManager::LocateExecutableSymbolFile(Wanted, Folders);
  if (!Path || Path == Own.GetFileSpec())
    return nullptr;
  return openFile(Module, Path);
}

/// The file that \p A is exported as. Warns the debugger's user and returns
/// null if that fails.
static ObjectFileSP openExported(Module &Module, ObjectFile &Own,
                                 const Archive &A) {
  // LLDB opens modules by several threads.
  static std::mutex Lock;
  std::lock_guard<std::mutex> Guard(Lock);
  // Its destruction at exit removes private files.
  static Cache C;
  C.setWarningHandler([](const llvm::Twine &Message) {
    Debugger::ReportWarning(Message.str());
  });
  Progress Shown("Exporting variables", A.name().str());
  llvm::Expected<CachedFile> Exported =
      cachedDWARFForLLDB(C, A, Own.GetFileSpec().GetPath());
  if (!Exported) {
    Debugger::ReportWarning("the variables in the archive cannot be used: " +
                            llvm::toString(Exported.takeError()));
    return nullptr;
  }
  return openFile(Module, FileSpec(Exported->Path));
}

/// Adds the DWARF sections to those of the module, where LLDB's reader finds
/// them.
static void addSectionsOfDWARF(Module &Module, ObjectFile &File) {
  SectionList *All = Module.GetSectionList();
  for (SectionType Type :
       {eSectionTypeDWARFDebugAbbrev,     eSectionTypeDWARFDebugAddr,
        eSectionTypeDWARFDebugAranges,    eSectionTypeDWARFDebugCuIndex,
        eSectionTypeDWARFDebugFrame,      eSectionTypeDWARFDebugInfo,
        eSectionTypeDWARFDebugLine,       eSectionTypeDWARFDebugLineStr,
        eSectionTypeDWARFDebugLoc,        eSectionTypeDWARFDebugLocLists,
        eSectionTypeDWARFDebugMacInfo,    eSectionTypeDWARFDebugMacro,
        eSectionTypeDWARFDebugNames,      eSectionTypeDWARFDebugPubNames,
        eSectionTypeDWARFDebugPubTypes,   eSectionTypeDWARFDebugRanges,
        eSectionTypeDWARFDebugRngLists,   eSectionTypeDWARFDebugStr,
        eSectionTypeDWARFDebugStrOffsets, eSectionTypeDWARFDebugTypes,
        eSectionTypeDWARFGNUDebugAltLink}) {
    SectionSP New = File.GetSectionList()->FindSectionByType(Type, true);
    if (!New)
      continue;
    if (SectionSP Old = All->FindSectionByType(Type, true))
      All->ReplaceSection(Old->GetID(), New);
    else
      All->AddSection(New);
  }
}

/// Creates LLDB's DWARF reader through its registry, because LLDB does not
/// install its headers. Null if it cannot read the file.
static std::unique_ptr<SymbolFile> makeReader(const ObjectFileSP &File) {
  SymbolFileCreateInstance Create;
  for (uint32_t I = 0;
       (Create = PluginManager::GetSymbolFileCreateCallbackAtIndex(I)); ++I) {
    std::unique_ptr<SymbolFile> Reader(Create(File));
    if (!Reader || Reader->GetPluginName() != "dwarf")
      continue;
    if (!(Reader->GetAbilities() & SymbolFile::LocalVariables))
      return nullptr;
    Reader->InitializeObject();
    return Reader;
  }
  return nullptr;
}

std::unique_ptr<ProgramDWARF> ProgramDWARF::open(Module &Module,
                                                 const Archive &A) {
  ObjectFile *Own = Module.GetObjectFile();
  if (!Own)
    return nullptr;
  ObjectFileSP File;
  if (debugInfo(*Own))
    File = Own->shared_from_this();
  else if ((File = openDebugFile(Module, *Own)) ||
           (hasVariables(A) && (File = openExported(Module, *Own, A))))
    addSectionsOfDWARF(Module, *File);
  else
    return nullptr;
  std::unique_ptr<SymbolFile> Reader = makeReader(File);
  if (!Reader)
    return nullptr;
  return std::unique_ptr<ProgramDWARF>(
      new ProgramDWARF(std::move(File), std::move(Reader)));
}

std::string ProgramDWARF::path() const { return File->GetFileSpec().GetPath(); }

bool ProgramDWARF::isIndexed() {
  // Smaller files take no noticeable time.
  constexpr uint64_t Large = 4 << 20;
  return Reader->GetDebugInfoIndexTime().count() > 0 ||
         debugInfo(*File)->GetFileSize() < Large ||
         File->GetSectionList()->FindSectionByType(eSectionTypeDWARFDebugNames,
                                                   true);
}

void ProgramDWARF::warnOfIndexing() {
  if (!std::exchange(Warned, true) && !isIndexed())
    Debugger::ReportWarning("LLDB reads all debug information of " + path() +
                            " to find a name; this may take a while, once");
}

//===----------------------------------------------------------------------===//
// Finding the objects of an archive
//===----------------------------------------------------------------------===//

CompileUnit *ProgramDWARF::unitAt(const Address &Where) {
  SymbolContext Context;
  Reader->ResolveSymbolContext(Where, eSymbolContextCompUnit, Context);
  return Context.comp_unit;
}

Function *ProgramDWARF::functionAt(const Address &Where) {
  SymbolContext Context;
  Reader->ResolveSymbolContext(
      Where, eSymbolContextCompUnit | eSymbolContextFunction, Context);
  return Context.function;
}

Block *ProgramDWARF::blockAt(Function &F, const Address &Where) {
  SymbolContext Context;
  Reader->ResolveSymbolContext(Where,
                               eSymbolContextCompUnit | eSymbolContextFunction |
                                   eSymbolContextBlock,
                               Context);
  return Context.function == &F ? Context.block : nullptr;
}

llvm::SmallVector<Block *, 8> inlinedCallsAround(Block *B) {
  llvm::SmallVector<Block *, 8> Calls;
  for (; B; B = B->GetParent())
    if (B->GetInlinedFunctionInfo())
      Calls.push_back(B);
  std::reverse(Calls.begin(), Calls.end());
  return Calls;
}

/// Whether two blocks are calls of the same function. Compares base names,
/// because compilers leave out the linkage names of static functions.
static bool sameCallee(Block &A, Block &B) {
  return A.GetInlinedFunctionInfo()->FunctionInfo::GetName() ==
         B.GetInlinedFunctionInfo()->FunctionInfo::GetName();
}

static bool sameSite(Block &A, Block &B) {
  return A.GetInlinedFunctionInfo()->GetCallSite().GetLine() ==
         B.GetInlinedFunctionInfo()->GetCallSite().GetLine();
}

Block *ProgramDWARF::inlinedCall(Function &F, Block &Call) {
  // A call that the archive has once and DWARF has in pieces is matched to the
  // first matching piece.
  constexpr size_t MaxPieces = 16;
  size_t Depth = inlinedCallsAround(&Call).size();
  AddressRange Piece;
  for (uint32_t I = 0; I < MaxPieces && Call.GetRangeAtIndex(I, Piece); ++I) {
    llvm::SmallVector<Block *, 8> Theirs =
        inlinedCallsAround(blockAt(F, Piece.GetBaseAddress()));
    if (Depth <= Theirs.size() && sameCallee(*Theirs[Depth - 1], Call))
      return Theirs[Depth - 1];
    for (Block *B : Theirs)
      if (sameCallee(*B, Call) && sameSite(*B, Call))
        return B;
  }
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Variables
//===----------------------------------------------------------------------===//

namespace {
/// A copy of a DWARF variable with another owner, which only the constructor
/// can set.
class VariableCopy : public Variable {
public:
  VariableCopy(Variable &V, Block &Owner, addr_t Base)
      : Variable(V.GetID(), V.GetUnqualifiedName().GetCString(),
                 /*mangled=*/nullptr, V.*&VariableCopy::m_symfile_type_sp,
                 V.GetScope(), &Owner, V.GetScopeRange(), declaration(V),
                 V.LocationExpressionList(), V.IsExternal(), V.IsArtificial(),
                 V.GetLocationIsConstantValueData(), V.IsStaticMember()) {
    m_mangled = V.*&VariableCopy::m_mangled;
    // LLDB computes addresses relative to the beginning of the owner's
    // function.
    if (!m_location_list.IsAlwaysValidSingleExpr())
      m_location_list.SetFuncFileAddress(Base);
  }

private:
  static lldb_private::Declaration *declaration(Variable &V) {
    // The parameter is a pointer, but the constructor only copies from it.
    return const_cast<lldb_private::Declaration *>(&V.GetDeclaration());
  }
};
} // namespace

void copyVariables(Block &Theirs, Block &Ours, addr_t Base,
                   VariableList &Variables) {
  VariableListSP List = Theirs.GetBlockVariableList(/*can_create=*/true);
  if (!List)
    return;
  for (const VariableSP &V : *List)
    Variables.AddVariable(std::make_shared<VariableCopy>(*V, Ours, Base));
}

} // namespace lidia
