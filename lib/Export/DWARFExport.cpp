//===- DWARFExport.cpp - From an archive to DWARF -------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Export/DWARFExport.h"
#include "CallFrameWriter.h"
#include "CallSites.h"
#include "ELFWriter.h"
#include "EmptyRanges.h"
#include "LineProgram.h"
#include "LoadedParts.h"
#include "NameIndex.h"
#include "StringSection.h"
#include "SymbolTableWriter.h"
#include "VariableExport.h"
#include "lidia/Archive/Aliases.h"
#include "lidia/Archive/Copies.h"
#include "lidia/Archive/ExportLimits.h"
#include "lidia/Archive/FunctionLines.h"
#include "lidia/Archive/InlinedCalls.h"
#include "lidia/Archive/Sources.h"
#include "lidia/Error.h"
#include "lidia/Export/MethodNames.h"
#include "lidia/Symbolize/Language.h"
#include "lidia/Symbolize/Names.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/DebugInfo/DWARF/DWARFAcceleratorTable.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"
#include <deque>
#include <map>

using namespace llvm;
using namespace llvm::dwarf;

namespace lidia {

namespace {

/// The exported forms of a function's name, as offsets in .debug_str.
struct ExportedName {
  /// DW_AT_name: the name without scopes and parameters. Zero for no name.
  uint32_t Name = 0;
  /// DW_AT_linkage_name: the name as stored in the archive; zero if that is the
  /// same. GCC gives static functions no mangled name, so it may be `ns::f`:
  /// debuggers look up functions by their base names.
  uint32_t Linkage = 0;
  /// Whether Linkage is not mangled.
  bool IsPlain = false;
  /// The name without its template arguments, if it has any; none until
  /// requested.
  std::optional<uint32_t> Plain;
};

/// A range of depth 0 and everything inlined into it.
struct Tree {
  uint64_t Root = 0;
  /// One past the last range.
  uint64_t End = 0;
  /// Whether it is a piece of the function whose entry is the last tree before
  /// it that is not a piece.
  bool IsPiece = false;
};

/// The functions of one compile unit or, if the archive has no units, of one
/// source file.
struct UnitPlan {
  /// The primary file.
  StringOffset File = 0;
  /// The archive's record of the unit.
  FunctionUnit Unit;
  std::vector<Tree> Trees;
  /// Functions in other units of which this unit had copies. Only their rows
  /// are written.
  std::vector<uint64_t> Copies;
  /// The number of ranges of its functions.
  uint64_t Ranges = 0;
};

class Exporter {
public:
  Exporter(const Archive &A, const DWARFExportOptions &Options)
      : A(A), Limits(A), Options(Options), Info(infoOf(A)),
        Parts(A, Options, Info), T(targetOf(Info, Parts)), Abbrevs(T), Debug(T),
        Lines(T), RangeLists(T), ARanges(T), Strings(T), LineStrings(T),
        Symbols(T, Parts.module()), Sites(A, Debug, Options.ForLLDB), Reader(A),
        CopyReader(A, Reader), Sources(A) {}

  Error run(raw_ostream &OS);

private:
  static ArchiveInfo infoOf(const Archive &A);
  static Target targetOf(const ArchiveInfo &Info, const LoadedParts &Parts);

  std::vector<UnitPlan> planUnits() const;
  void planCopies(std::vector<UnitPlan> &Units) const;
  void writeAbbreviations();
  void writeUnit(const UnitPlan &Plan);
  void writeUnitHeader();
  void writeNames(const ExportedName &N, const Declaration &D);
  void writeAbstracts(const UnitPlan &Plan);
  void addAbstract(StringOffset Function, StringOffset File);
  void writeAbstract(StringOffset Function, StringOffset File);
  void writeCallee(StringOffset Function);
  Error openVariables();
  StringRef sourceNameOf(StringOffset Function);
  void writeRoot(uint64_t Root, ArrayRef<Tree> Pieces);
  void writePiece(uint64_t Root, ArrayRef<Tree> Pieces, bool HasVariables);
  void writeFunction(const RangeEntry &R, uint64_t Index, bool HasChildren,
                     bool HasVariables);
  void writeInside(ArrayRef<InlinedCall> Calls, uint32_t Call, uint32_t First,
                   StringOffset Function, StringOffset File);
  std::optional<uint32_t> declaringFile(StringOffset Function,
                                        StringOffset File);
  void writeCall(ArrayRef<InlinedCall> Calls, const InlinedCall &Call);
  void placeBlocks(ArrayRef<InlinedCall> Calls, uint64_t Root);
  void writeBlocks(uint32_t Call);
  void writeRangeList(const InlinedCall &Call);
  void index(StringOffset Function, uint64_t DIE, Tag T, bool IsCall);
  bool isCalledAsSymbol(StringOffset Function) const;
  void writeNameOnly(StringOffset Function, uint64_t DIE);
  bool canIndex(StringOffset Function, uint64_t Number);
  void writeRanges(const UnitPlan &Plan);
  void writeSymbols();
  void writeAliases();
  SectionWriter buildIDNote() const;
  void addDebugSections(std::vector<ELFSection> &Sections,
                        const SectionWriter &NameIndexSection,
                        const SectionWriter &EmptyIndex,
                        const SectionWriter &Frames) const;
  void addRelocations(std::vector<ELFSection> &Sections, size_t SymbolTable);
  void writeFile(raw_ostream &OS);

  void warnOnce(Error E);
  void collectPoints(const UnitPlan &Plan);
  void addPoints();
  uint32_t pathOf(StringOffset File);
  uint32_t sourceOf(StringOffset File);
  uint32_t fileIndex(StringOffset File);
  ExportedName nameOf(StringOffset Function);
  uint32_t withoutTemplateArguments(StringOffset Function);
  StringRef directoryOf(const FunctionUnit &Unit) const;
  SourceLanguage unitLanguage(const UnitPlan &Plan) const;

  /// The maximum number of ranges in a source file's unit for LLDB. LLDB reads
  /// all functions of a unit to show one of them, and finds a name like `init`
  /// in a hundred units. So large units (headers of libraries) are split into
  /// parts of about 70 KB.
  static constexpr uint64_t MaxRanges = 4096;

  /// LLDB visits the calls inlined into a function up to the one that it found
  /// by name: a function with 100,000 calls of one other function would block
  /// LLDB for an hour. So the index contains the calls of a function only until
  /// LLDB would visit StepFactor calls for each range of the archive, plus
  /// StepFloor. ceph-osd needs 3.3 for each range.
  static constexpr uint64_t StepFactor = 32, StepFloor = uint64_t(1) << 23;

  const Archive &A;
  const ExportLimits Limits;
  const DWARFExportOptions Options;
  ArchiveInfo Info;
  const LoadedParts Parts;
  Target T;
  SectionWriter Abbrevs, Debug, Lines, RangeLists, ARanges;
  StringSection Strings, LineStrings;
  SymbolTableWriter Symbols;
  /// The relocations of the other sections.
  std::deque<SectionWriter> Tables;
  CallSites Sites;
  /// None if the archive has no variables.
  std::optional<VariableExport> Variables;
  NameIndex Names;
  MethodNames Methods;
  std::vector<uint32_t> UnitOffsets;
  DenseMap<StringOffset, ExportedName> NameCache;
  /// For finding the variables of functions.
  DenseMap<StringOffset, std::string> SourceNames;
  uint64_t SourceNameBytes = 0;
  DenseMap<StringOffset, uint32_t> PathCache;
  DenseMap<StringOffset, uint32_t> SourceCache;
  /// For LLDB, by the called function: the number of calls that LLDB visits.
  DenseMap<StringOffset, uint64_t> SearchSteps;
  uint64_t TextStart = UINT64_MAX, TextEnd = 0;

  // State of the unit being written.
  uint64_t UnitStart = 0;
  /// Zero if LLVM does not know the language.
  SourceLanguage UnitLanguage = SourceLanguage(0);
  DenseMap<StringOffset, uint32_t> FileIndices;
  std::vector<LineFile> LineFiles;
  DenseMap<StringOffset, uint32_t> Abstracts;
  /// The methods in Abstracts, and their files.
  std::vector<std::pair<StringOffset, StringOffset>> UnitMethods;
  std::vector<LinePoint> Points;
  /// By range of depth 0.
  DenseMap<uint64_t, std::vector<CallNote>> CallNotes;
  /// The addresses of the statements with SF_OtherBlock, by range of depth 0.
  DenseMap<uint64_t, std::vector<uint64_t>> OtherBlocks;
  /// Those of the function that is being written, by the index of the call
  /// around them, or InlinedCall::None.
  std::multimap<uint32_t, uint64_t> BlocksOfCalls;
  StatementReader Reader;
  CopiedRows CopyReader;
  EmbeddedSources Sources;
  std::vector<Statement> Statements;
  uint64_t StatementCount = 0;
  bool HasWarned = false;
};

// Abbreviation codes: a base for each kind of DIE, plus flags for its
// attributes. They are written in order and without gaps: otherwise LLVM
// searches the abbreviations linearly for each DIE.
enum : uint32_t {
  CodeUnit = 1,
  CodeAbstract = 2,
  CodeFunction = 10,
  CodePiece = 26,
  CodeCall = 42,
  CodeCallee = 58,
  CodeClass = 62,
  CodeBlock = 63,
  CodeNameOnlyParent = 64,
  CodeNameOnly = 65,
  HasLinkageName = 1,
  HasName = 2,
  HasDeclaration = 4,
  HasColumn = 1,
  HasRangeList = 2,
  HasNearOrigin = 4,
};

} // namespace

ArchiveInfo Exporter::infoOf(const Archive &A) {
  if (A.info())
    return *A.info();
  ArchiveInfo Info;
  Info.Machine = ELF::EM_X86_64;
  Info.Type = ELF::ET_DYN;
  Info.Class = ELF::ELFCLASS64;
  Info.Data = ELF::ELFDATA2LSB;
  return Info;
}

Target Exporter::targetOf(const ArchiveInfo &Info, const LoadedParts &Parts) {
  Target T;
  T.Order =
      Info.Data == ELF::ELFDATA2MSB ? endianness::big : endianness::little;
  T.AddressSize = Info.Class == ELF::ELFCLASS32 ? 4 : 8;
  T.MovableSections = Parts.movableSections();
  return T;
}

/// Units in the order in which their functions first appear. A function's
/// pieces are in the unit of its entry, after it.
std::vector<UnitPlan> Exporter::planUnits() const {
  std::vector<Tree> Functions;
  DenseMap<uint64_t, SmallVector<Tree, 1>> Pieces;
  for (uint64_t I = 0; I < A.rangeCount();) {
    uint64_t End = functionEnd(A, I);
    std::optional<uint64_t> Entry = A.entry(I);
    if (Entry && *Entry != I)
      Pieces[*Entry].push_back({I, End, /*IsPiece=*/true});
    else
      Functions.push_back({I, End});
    I = End;
  }
  std::vector<UnitPlan> Units;
  // By unit number or, without units, by file.
  DenseMap<std::pair<uint64_t, StringOffset>, size_t> Known;
  for (const Tree &F : Functions) {
    FunctionUnit U = A.unit(F.Root);
    StringOffset File = U.Number ? U.Name : A.range(F.Root).File;
    auto [It, New] = Known.try_emplace({U.Number, File}, Units.size());
    // Real units stay whole, because LLDB looks for the closest line in one
    // unit.
    if (!New && Options.ForLLDB && !U.Number &&
        Units[It->second].Ranges > MaxRanges) {
      It->second = Units.size();
      New = true;
    }
    if (New) {
      Units.emplace_back().File = File;
      Units.back().Unit = U;
    }
    Units[It->second].Ranges += F.End - F.Root;
    std::vector<Tree> &Trees = Units[It->second].Trees;
    Trees.push_back(F);
    if (auto Rest = Pieces.find(F.Root); Rest != Pieces.end())
      Trees.insert(Trees.end(), Rest->second.begin(), Rest->second.end());
  }
  // Only LLDB's answers depend on copies.
  if (Options.ForLLDB)
    planCopies(Units);
  return Units;
}

/// Adds to \p Units the functions of which they had copies. Units that had only
/// copies come last.
void Exporter::planCopies(std::vector<UnitPlan> &Units) const {
  DenseMap<uint64_t, size_t> PlanOf;
  for (size_t I = 0; I < Units.size(); ++I)
    if (!Units[I].Trees.empty())
      PlanOf.try_emplace(A.unit(Units[I].Trees.front().Root).Number, I);
  // run() has verified the section.
  consumeError(visitCopies(A, [&](const UnitCopies &C) {
    auto [It, New] = PlanOf.try_emplace(C.Unit.Number, Units.size());
    if (New) {
      Units.emplace_back().File = C.Unit.Name;
      Units.back().Unit = C.Unit;
    }
    Units[It->second].Copies = C.Roots;
  }));
}

void Exporter::writeAbbreviations() {
  auto AddNames = [&](unsigned What) {
    if (What & HasName)
      Abbrevs.attribute(DW_AT_name, DW_FORM_strp);
    if (What & HasLinkageName)
      Abbrevs.attribute(DW_AT_linkage_name, DW_FORM_strp);
    if (What & HasDeclaration) {
      Abbrevs.attribute(DW_AT_decl_file, DW_FORM_udata);
      Abbrevs.attribute(DW_AT_decl_line, DW_FORM_udata);
    }
  };
  Abbrevs.beginAbbreviation(CodeUnit, DW_TAG_compile_unit, true);
  Abbrevs.attribute(DW_AT_producer, DW_FORM_strp);
  Abbrevs.attribute(DW_AT_language, DW_FORM_data2);
  Abbrevs.attribute(DW_AT_name, DW_FORM_line_strp);
  Abbrevs.attribute(DW_AT_comp_dir, DW_FORM_line_strp);
  Abbrevs.attribute(DW_AT_stmt_list, DW_FORM_sec_offset);
  Abbrevs.attribute(DW_AT_low_pc, DW_FORM_addr);
  Abbrevs.attribute(DW_AT_ranges, DW_FORM_sec_offset);
  Abbrevs.endAbbreviation();
  for (unsigned What = 0; What < 8; ++What) {
    Abbrevs.beginAbbreviation(CodeAbstract + What, DW_TAG_subprogram, false);
    AddNames(What);
    Abbrevs.attribute(DW_AT_inline, DW_FORM_implicit_const);
    Abbrevs.sleb(DW_INL_inlined);
    Abbrevs.endAbbreviation();
  }
  auto AddFunction = [&](unsigned What, bool IsEntry) {
    AddNames(What);
    if (!IsEntry && !Options.ForLLDB)
      Abbrevs.attribute(DW_AT_declaration, DW_FORM_flag_present);
    Abbrevs.attribute(DW_AT_low_pc, DW_FORM_addr);
    Abbrevs.attribute(DW_AT_high_pc, DW_FORM_udata);
    // LLDB looks for call sites only if the function claims to list all of
    // them.
    if (Sites.any())
      Abbrevs.attribute(DW_AT_call_all_calls, DW_FORM_flag_present);
  };
  for (unsigned Base : {CodeFunction, CodePiece})
    for (unsigned What = 0; What < 8; ++What)
      for (bool Children : {false, true}) {
        Abbrevs.beginAbbreviation(Base + What * 2 + Children, DW_TAG_subprogram,
                                  Children);
        AddFunction(What, Base == CodeFunction);
        Abbrevs.endAbbreviation();
      }
  for (unsigned What = 0; What < 8; ++What)
    for (bool Children : {false, true}) {
      Abbrevs.beginAbbreviation(CodeCall + What * 2 + Children,
                                DW_TAG_inlined_subroutine, Children);
      Abbrevs.attribute(DW_AT_abstract_origin,
                        What & HasNearOrigin ? DW_FORM_ref2 : DW_FORM_ref4);
      if (What & HasRangeList) {
        Abbrevs.attribute(DW_AT_ranges, DW_FORM_sec_offset);
      } else {
        Abbrevs.attribute(DW_AT_low_pc, DW_FORM_addr);
        Abbrevs.attribute(DW_AT_high_pc, DW_FORM_udata);
      }
      Abbrevs.attribute(DW_AT_call_file, DW_FORM_udata);
      Abbrevs.attribute(DW_AT_call_line, DW_FORM_udata);
      if (What & HasColumn)
        Abbrevs.attribute(DW_AT_call_column, DW_FORM_udata);
      Abbrevs.endAbbreviation();
    }
  for (unsigned What = 0; What < 4; ++What) {
    Abbrevs.beginAbbreviation(CodeCallee + What, DW_TAG_subprogram, false);
    AddNames(What);
    Abbrevs.attribute(DW_AT_declaration, DW_FORM_flag_present);
    Abbrevs.endAbbreviation();
  }
  Abbrevs.beginAbbreviation(CodeClass, DW_TAG_structure_type, true);
  Abbrevs.attribute(DW_AT_declaration, DW_FORM_flag_present);
  Abbrevs.endAbbreviation();
  Abbrevs.beginAbbreviation(CodeBlock, DW_TAG_lexical_block, false);
  Abbrevs.attribute(DW_AT_low_pc, DW_FORM_addr);
  Abbrevs.attribute(DW_AT_high_pc, DW_FORM_udata);
  Abbrevs.endAbbreviation();
  Abbrevs.beginAbbreviation(CodeNameOnlyParent, DW_TAG_module, true);
  Abbrevs.endAbbreviation();
  Abbrevs.beginAbbreviation(CodeNameOnly, DW_TAG_inlined_subroutine, false);
  Abbrevs.attribute(DW_AT_abstract_origin, DW_FORM_ref4);
  Abbrevs.endAbbreviation();
  if (Sites.any())
    CallSites::writeAbbreviations(Abbrevs);
  if (Variables)
    Variables->writeAbbreviations(Abbrevs,
                                  CallSites::FirstCode +
                                      (Sites.any() ? CallSites::CodeCount : 0),
                                  AddFunction);
  Abbrevs.uleb(0);
}

/// The exported form of \p Name. Readers demangle each name that looks mangled,
/// and LLVM and LLDB do so without a limit; so a name that would expand beyond
/// the limit is put in parentheses.
static std::string exportedName(StringRef Name) {
  std::string Text = withReadableStub(asUTF8(Name));
  return !mayBeMangled(Text) || canDemangle(Text) ? Text : "(" + Text + ")";
}

/// A mangled form of any name, as if it were that of a variable in C++.
static std::string manglingOf(StringRef Name) {
  return ("_Z" + Twine(Name.size()) + Name).str();
}

ExportedName Exporter::nameOf(StringOffset Function) {
  auto [It, New] = NameCache.try_emplace(Function);
  // run() reports the excess.
  if (!New || Strings.section().size() > Limits.text())
    return It->second;
  StringRef Own = A.string(Function);
  std::string Text = exportedName(Own);
  StringOffset Plain = A.plainName(Function);
  // The lengths in a mangled name may split a character.
  std::string Short = Plain == Function
                          ? asUTF8(shortName(Own, OlderRust::Plain))
                          : exportedName(A.string(Plain));
  if (Short == Own && !canDemangle(Short))
    Short = Text;
  else if (Options.ForLLDB && isUnreadableInLLDB(Text))
    Text = readableName(Own) != Own ? readableName(Own) : manglingOf(Own);
  ExportedName &N = It->second;
  N.IsPlain = Plain != Function;
  N.Name = Strings.add(Short);
  if (Short != Text)
    N.Linkage = Strings.add(Text);
  return N;
}

/// The offset of "f" for the name "f<int>"; zero for a name without arguments,
/// and in Rust, where LLDB and gdb do not find "f<int>" by "f".
uint32_t Exporter::withoutTemplateArguments(StringOffset Function) {
  ExportedName &N = NameCache.find(Function)->second;
  if (!N.Plain) {
    StringRef Text = Strings.section().bytes().drop_front(N.Name).data();
    std::optional<StringRef> Plain;
    if (!isRustName(A.string(Function)))
      Plain = StripTemplateParameters(Text);
    N.Plain = Plain ? Strings.add(Plain->str()) : 0;
  }
  return *N.Plain;
}

/// gdb 13 crashes on a file without a name when asked for any line. "??" is
/// what gdb and other tools print for unknown files.
uint32_t Exporter::pathOf(StringOffset File) {
  auto [It, New] = PathCache.try_emplace(File);
  // run() reports the excess.
  if (!New || LineStrings.section().size() > Limits.text())
    return It->second;
  StringRef Path = A.string(File);
  return It->second = LineStrings.add(Path.empty() ? "??" : Path);
}

/// The contents of \p File; 0 if the archive does not have them, if they are
/// damaged, or if they exceed the limit.
uint32_t Exporter::sourceOf(StringOffset File) {
  std::optional<uint64_t> Index = Sources.find(File);
  if (!Index)
    return 0;
  auto [It, New] = SourceCache.try_emplace(File);
  if (!New ||
      LineStrings.section().size() + Sources.textSize(*Index) > Limits.text())
    return It->second;
  Expected<std::string> Text = Sources.text(*Index);
  if (!Text)
    consumeError(Text.takeError());
  else if (!StringRef(*Text).contains('\0'))
    It->second = LineStrings.append(*Text);
  return It->second;
}

uint32_t Exporter::fileIndex(StringOffset File) {
  auto [It, New] = FileIndices.try_emplace(File, LineFiles.size());
  if (New)
    LineFiles.push_back({pathOf(File), sourceOf(File)});
  return It->second;
}

/// LLDB_INVALID_LINE_NUMBER (lldb/lldb-defines.h).
static constexpr uint64_t NoLineOfLLDB = UINT32_MAX;

/// The language of \p Plan. LLDB must be able to parse the language of a unit.
SourceLanguage Exporter::unitLanguage(const UnitPlan &Plan) const {
  if (Plan.Unit.Language && !Options.ForLLDB)
    return languageOf(Plan.Unit, StringRef());
  bool AnyMangled = false;
  for (const Tree &Tree : Plan.Trees) {
    StringRef Name = A.string(A.range(Tree.Root).Function);
    if (Name.starts_with("_R") && !Plan.Unit.Language)
      return DW_LANG_Rust;
    AnyMangled |= Name.starts_with("_Z");
  }
  SourceLanguage Language = languageOf(Plan.Unit, A.string(Plan.File));
  if (!Language)
    return DW_LANG_C11;
  // LLDB puts "::" before a C++ name without a linkage name.
  if (isCPlusPlus(Language) && !AnyMangled)
    return DW_LANG_C11;
  return Options.ForLLDB ? SourceLanguage(languageInLLDB(Language)) : Language;
}

/// The compilation directory of \p Unit. A relative directory is already part
/// of all paths, and readers would prepend it again.
StringRef Exporter::directoryOf(const FunctionUnit &Unit) const {
  StringRef Directory = A.string(Unit.Directory);
  return sys::path::is_absolute(Directory) ? Directory : StringRef();
}

/// \p T is the tag of \p DIE.
void Exporter::index(StringOffset Function, uint64_t DIE, Tag T, bool IsCall) {
  ExportedName N = nameOf(Function);
  uint32_t Unit = UnitOffsets.size() - 1;
  auto Add = [&](uint32_t Offset) {
    const char *Text = Strings.section().bytes().drop_front(Offset).data();
    Names.add(Text, Offset, Unit, uint32_t(DIE - UnitStart), T);
  };
  if (N.Name)
    Add(N.Name);
  // A linkage name that is not mangled is the name of a symbol, so it names the
  // function but not its inlined copies.
  if (N.Linkage && (!N.IsPlain || !IsCall))
    Add(N.Linkage);
  // As LLVM's own indexes do, so that `b f` stops at each f<T>.
  if (uint32_t Plain = withoutTemplateArguments(Function))
    Add(Plain);
}

static unsigned namesOf(const ExportedName &N, const Declaration &D) {
  unsigned What = 0;
  if (N.Name)
    What |= HasName;
  if (N.Linkage)
    What |= HasLinkageName;
  if (D.Line)
    What |= HasDeclaration;
  return What;
}

/// Writes the attributes that namesOf() counts.
void Exporter::writeNames(const ExportedName &N, const Declaration &D) {
  if (N.Name)
    Debug.u32(N.Name);
  if (N.Linkage)
    Debug.u32(N.Linkage);
  if (D.Line) {
    Debug.uleb(fileIndex(D.File));
    Debug.uleb(D.Line);
  }
}

/// Writes the abstract functions of the calls inlined into those of \p Plan.
void Exporter::writeAbstracts(const UnitPlan &Plan) {
  UnitMethods.clear();
  for (const Tree &T : Plan.Trees)
    for (uint64_t I = T.Root + 1; I < T.End; ++I)
      addAbstract(A.range(I).Function, A.range(I).File);
  // Notes do not have the file, which leads to the declaration. Other calls of
  // the same function may.
  for (const Tree &T : Plan.Trees)
    for (const CallNote &N : CallNotes.lookup(T.Root))
      if (N.Kind == CallNote::Empty)
        addAbstract(N.Function, /*File=*/0);
  if (UnitMethods.empty())
    return;
  Debug.uleb(CodeClass);
  for (const auto &[Function, File] : UnitMethods)
    writeAbstract(Function, File);
  Debug.uleb(0);
}

/// Writes the function, or records it if it is a method. Methods come last.
void Exporter::addAbstract(StringOffset Function, StringOffset File) {
  if (!Abstracts.try_emplace(Function, 0).second)
    return;
  if (Methods.isMethod(Function))
    UnitMethods.emplace_back(Function, File);
  else
    writeAbstract(Function, File);
}

void Exporter::writeAbstract(StringOffset Function, StringOffset File) {
  Abstracts[Function] = uint32_t(Debug.size() - UnitStart);
  ExportedName N = nameOf(Function);
  Declaration D = A.declaration(Function, File);
  Debug.uleb(CodeAbstract + namesOf(N, D));
  writeNames(N, D);
}

/// A breakpoint on a function should stop at its entry, so debuggers must not
/// find its other pieces by name. One DIE with DW_AT_ranges would work for gdb,
/// but LLDB before version 20 assumes that such a function begins at its lowest
/// address and contains everything between its pieces. So each piece has its
/// own DIE inside that of the entry, where gdb treats it as a local function.
/// DW_AT_declaration keeps it out of the name index (DWARF 5, section 6.1.1.1),
/// which LLDB uses. Files for LLDB alone omit the attribute: LLDB 22 finds no
/// address in a declaration.
void Exporter::writeFunction(const RangeEntry &R, uint64_t Index,
                             bool HasChildren, bool HasVariables) {
  ExportedName N = nameOf(R.Function);
  // LLDB turns the name of a C++ function without a linkage name into `::f()`.
  if (!N.Linkage && UnitLanguage && isCPlusPlus(UnitLanguage))
    N.Linkage = N.Name;
  // LLDB needs a name to display. Other tools print "??" by themselves.
  if (!N.Name && Options.ForLLDB)
    N.Name = Strings.add("??");
  bool IsEntry = A.entry(Index) == Index;
  if (IsEntry)
    Sites.addFunction(R.Function, Debug.size());
  if (IsEntry && (HasVariables || !isCalledAsSymbol(R.Function)))
    index(R.Function, Debug.size(), DW_TAG_subprogram, /*IsCall=*/false);
  Declaration D = Options.ForLLDB ? A.lastDeclaration(R.Function, R.File)
                                  : A.declaration(R.Function, R.File);
  if (HasVariables)
    Debug.uleb(Variables->functionCode(IsEntry) + namesOf(N, D));
  else
    Debug.uleb((IsEntry ? CodeFunction : CodePiece) + namesOf(N, D) * 2 +
               HasChildren);
  writeNames(N, D);
  Debug.codeAddress(R.VA);
  Debug.uleb(R.Length);
  if (HasVariables)
    Variables->writeFunctionAttributes();
}

/// Whether LLDB is to find \p Function, which has no type, as a symbol when an
/// expression calls it.
///
/// LLDB takes a function without a type for `void f(void)`, which an expression
/// cannot call with arguments or for a value. For symbols, it lets the user say
/// what they return, but it looks for them only if it finds no function. For
/// expressions alone, LLDB searches without inlined calls, and finds none if
/// the index has such a call, here one without code; for all else it takes the
/// function around it. The price is that `source list -n` does not find the
/// function, so it must find main(). LLDB knows other mangled names only as
/// full names.
bool Exporter::isCalledAsSymbol(StringOffset Function) const {
  StringRef Name = A.string(Function);
  if (!Options.ForLLDB || Name.empty() || Name == "main" ||
      A.plainName(Function) != Function || isUnreadableInLLDB(Name))
    return false;
  if (Name.starts_with("_Z"))
    return !isRustName(Name);
  // Those of C.
  return all_of(Name, [](char C) { return isAlnum(C) || C == '_'; }) &&
         readableName(Name) == Name;
}

/// Writes what the index has for the function \p DIE if isCalledAsSymbol(). The
/// DIE around the call hides it from the function's blocks.
void Exporter::writeNameOnly(StringOffset Function, uint64_t DIE) {
  Debug.uleb(CodeNameOnlyParent);
  index(Function, Debug.size(), DW_TAG_inlined_subroutine, /*IsCall=*/false);
  Debug.uleb(CodeNameOnly);
  Debug.u32(uint32_t(DIE - UnitStart));
  Debug.uleb(0);
}

/// Writes the declaration of a function that is called but not in the archive.
void Exporter::writeCallee(StringOffset Function) {
  ExportedName N = nameOf(Function);
  Debug.uleb(CodeCallee + namesOf(N, Declaration()));
  writeNames(N, Declaration());
}

/// Appends the list of address ranges of \p Call to .debug_rnglists.
void Exporter::writeRangeList(const InlinedCall &Call) {
  auto Add = [&](uint64_t Start, uint64_t Length) {
    RangeLists.u8(DW_RLE_start_length);
    RangeLists.codeAddress(Start);
    RangeLists.uleb(Length);
  };
  if (Call.Start)
    Add(*Call.Start, 0);
  for (const CallCode &C : Call.Code)
    Add(C.Start, C.End - C.Start);
  RangeLists.u8(DW_RLE_end_of_list);
}

/// Whether the name index should contain \p Number, the index of a call of
/// \p Function among the calls inlined into one function.
bool Exporter::canIndex(StringOffset Function, uint64_t Number) {
  if (!Options.ForLLDB)
    return true;
  uint64_t &Steps = SearchSteps[Function];
  Steps += Number;
  return Steps <= StepFactor * A.rangeCount() + StepFloor;
}

void Exporter::writeCall(ArrayRef<InlinedCall> Calls, const InlinedCall &Call) {
  uint32_t Index = &Call - Calls.begin();
  bool HasChildren = Call.FirstChild != InlinedCall::None ||
                     BlocksOfCalls.count(Index) ||
                     (Variables && Variables->any(Index));
  unsigned What = 0;
  if (Call.CallColumn)
    What |= HasColumn;
  // LLDB reads each page of .debug_info but skips most calls there, so files
  // for LLDB have the addresses elsewhere, in .debug_rnglists.
  if (Options.ForLLDB || Call.Code.size() + Call.Start.has_value() > 1)
    What |= HasRangeList;
  uint32_t Origin = Abstracts.lookup(Call.Function);
  if (Origin <= UINT16_MAX)
    What |= HasNearOrigin;
  if (canIndex(Call.Function, Index))
    index(Call.Function, Debug.size(), DW_TAG_inlined_subroutine,
          /*IsCall=*/true);
  Debug.uleb(CodeCall + What * 2 + HasChildren);
  if (What & HasNearOrigin)
    Debug.u16(uint16_t(Origin));
  else
    Debug.u32(Origin);
  if (What & HasRangeList) {
    Debug.u32(RangeLists.size());
    writeRangeList(Call);
  } else {
    Debug.codeAddress(Call.Start ? *Call.Start : Call.Code[0].Start);
    Debug.uleb(Call.Start ? 0 : Call.Code[0].End - Call.Code[0].Start);
  }
  Debug.uleb(fileIndex(Call.CallFile));
  bool HasSite = Call.CallLine || Call.CallFile;
  Debug.uleb(Options.ForLLDB && !HasSite ? NoLineOfLLDB : Call.CallLine);
  if (Call.CallColumn)
    Debug.uleb(Call.CallColumn);
  if (HasChildren)
    writeInside(Calls, Index, Call.FirstChild, Call.Function,
                Call.Code.empty() ? 0 : A.range(Call.Code.front().Range).File);
}

/// The number of the file in which \p Function, with code of \p File, is
/// declared; none if that is unknown.
std::optional<uint32_t> Exporter::declaringFile(StringOffset Function,
                                                StringOffset File) {
  Declaration D = A.declaration(Function, File);
  return D.Line ? std::optional(fileIndex(D.File)) : std::nullopt;
}

/// Writes the children of \p Call, or of the function (InlinedCall::None), and
/// ends their list. \p First is the first call among them, \p Function what is
/// called, and \p File that of its code. The depth of the recursion is that of
/// inlining, which verify() limits.
void Exporter::writeInside(ArrayRef<InlinedCall> Calls, uint32_t Call,
                           uint32_t First, StringOffset Function,
                           StringOffset File) {
  writeBlocks(Call);
  auto Write = [&](uint32_t Inside) { writeCall(Calls, Calls[Inside]); };
  if (Variables && Variables->any(Call))
    Variables->writeInside(Call, First, declaringFile(Function, File), Write);
  else
    for (uint32_t I = First; I != InlinedCall::None; I = Calls[I].NextSibling)
      Write(I);
  Debug.uleb(0);
}

/// Sets BlocksOfCalls for the function at \p Root.
void Exporter::placeBlocks(ArrayRef<InlinedCall> Calls, uint64_t Root) {
  BlocksOfCalls.clear();
  auto Blocks = OtherBlocks.find(Root);
  if (Blocks == OtherBlocks.end())
    return;
  RangeEntry R = A.range(Root);
  InnermostCalls Innermost(Calls, R.VA, R.VA + R.Length);
  for (uint64_t Address : Blocks->second)
    BlocksOfCalls.emplace(Innermost.at(Address), Address);
}

/// Writes a block for each statement with SF_OtherBlock in \p Call. The block
/// has one byte, because only its identity matters, and only at the statement:
/// debuggers set a breakpoint by line in each block.
void Exporter::writeBlocks(uint32_t Call) {
  auto [Begin, End] = BlocksOfCalls.equal_range(Call);
  for (const auto &[_, Address] : make_range(Begin, End)) {
    if (Variables && Variables->any(InlinedCall::None) &&
        Variables->isInBlock(Call, Address))
      continue;
    Debug.uleb(CodeBlock);
    Debug.codeAddress(Address);
    Debug.uleb(1);
  }
}

/// The name of \p Function in the source, without scopes: DW_AT_name in DWARF.
/// Valid until the next call.
StringRef Exporter::sourceNameOf(StringOffset Function) {
  if (SourceNameBytes > Limits.text()) {
    SourceNames.clear();
    SourceNameBytes = 0;
  }
  auto [It, New] = SourceNames.try_emplace(Function);
  if (New) {
    StringOffset Plain = A.plainName(Function);
    It->second = Plain != Function ? A.string(Plain).str()
                                   : shortName(exportedName(A.string(Function)),
                                               OlderRust::Plain);
    SourceNameBytes += It->second.size();
  }
  return It->second;
}

void Exporter::writePiece(uint64_t Root, ArrayRef<Tree> Pieces,
                          bool HasVariables) {
  std::vector<InlinedCall> Inlined =
      inlinedCalls(A, Root, CallNotes.lookup(Root));
  if (Options.ForLLDB) {
    moveEmptyCalls(Inlined);
    removeHarmfulStarts(Inlined);
  }
  RangeEntry R = A.range(Root);
  bool IsNameOnly =
      !HasVariables && A.entry(Root) == Root && isCalledAsSymbol(R.Function);
  bool HasChildren = HasVariables || IsNameOnly || !Inlined.empty() ||
                     !Pieces.empty() || Sites.any(R.VA, R.VA + R.Length) ||
                     OtherBlocks.count(Root);
  uint64_t DIE = Debug.size();
  writeFunction(R, Root, HasChildren, HasVariables);
  if (IsNameOnly)
    writeNameOnly(R.Function, DIE);
  // Functions have two pieces, rarely three; crafted ones may have thousands,
  // each with all variables.
  constexpr size_t MaxWithVariables = 8;
  for (auto [I, Piece] : enumerate(Pieces))
    writePiece(Piece.Root, {}, HasVariables && I < MaxWithVariables);
  if (Variables)
    Variables->endPiece();
  if (HasVariables)
    Variables->beginPiece(
        Inlined, {R.VA, R.VA + R.Length},
        [&](StringOffset Function) { return sourceNameOf(Function); });
  placeBlocks(Inlined, Root);
  Sites.write(R.VA, R.VA + R.Length);
  if (HasChildren)
    writeInside(Inlined, InlinedCall::None,
                Inlined.empty() ? InlinedCall::None : 0, R.Function, R.File);
}

/// Writes the function at \p Root with its \p Pieces inside. LLDB knows methods
/// of C++ by the names of symbols, but those of Rust by their class only.
void Exporter::writeRoot(uint64_t Root, ArrayRef<Tree> Pieces) {
  RangeEntry R = A.range(Root);
  StringRef Name;
  if (Variables)
    Name = sourceNameOf(R.Function);
  bool HasVariables = Variables && Variables->beginFunction(R.VA, Name);
  bool NeedsClass = Methods.isRustMethod(R.Function);
  if (NeedsClass)
    Debug.uleb(CodeClass);
  writePiece(Root, Pieces, HasVariables);
  if (NeedsClass)
    Debug.uleb(0);
}

void Exporter::warnOnce(Error E) {
  std::string Text = toString(std::move(E));
  if (Options.Warn && !std::exchange(HasWarned, true))
    Options.Warn(Text + ": functions have their lines only");
}

/// Appends the lines of the unit's functions to the points of the line table,
/// and keeps the notes on their calls.
void Exporter::collectPoints(const UnitPlan &Plan) {
  for (const Tree &Tree : Plan.Trees) {
    std::vector<CallNote> Calls;
    if (Error E = Reader.readForDebugger(Tree.Root, Statements, &Calls))
      warnOnce(std::move(E));
    StatementCount += Statements.size() + Calls.size();
    // run() reports the excess.
    if (StatementCount > Limits.rows())
      return;
    if (!Calls.empty())
      CallNotes[Tree.Root] = std::move(Calls);
    for (const Statement &S : Statements)
      if (S.Flags & SF_OtherBlock)
        OtherBlocks[Tree.Root].push_back(S.Address);
    CopyReader.keep(Tree.Root, Statements);
    addPoints();
  }
  for (uint64_t Root : Plan.Copies) {
    CopyReader.read(Root, Statements);
    addPoints();
  }
}

/// Appends Statements, the lines of one function, to the points.
void Exporter::addPoints() {
  for (const Statement &S : Statements) {
    LinePoint P;
    P.Address = S.Address;
    P.Flags = S.Flags;
    if (!(S.Flags & SF_Unknown)) {
      P.Line = S.Line;
      P.Column = S.Column;
      P.File = fileIndex(S.File);
    }
    Points.push_back(P);
  }
}

void Exporter::writeRanges(const UnitPlan &Plan) {
  uint64_t Start = ARanges.beginLength();
  ARanges.u16(2);
  ARanges.u32(UnitStart);
  ARanges.u8(T.AddressSize);
  ARanges.u8(0); // segment selector size
  // The tuples are aligned to their size, relative to the start of the set.
  while ((ARanges.size() - (Start - 4)) % (2 * T.AddressSize))
    ARanges.u8(0);
  for (const Tree &Tree : Plan.Trees) {
    RangeEntry R = A.range(Tree.Root);
    ARanges.codeAddress(R.VA);
    ARanges.address(R.Length);
    RangeLists.u8(DW_RLE_start_length);
    RangeLists.codeAddress(R.VA);
    RangeLists.uleb(R.Length);
    TextStart = std::min(TextStart, R.VA);
    TextEnd = std::max(TextEnd, R.VA + R.Length);
  }
  ARanges.address(0);
  ARanges.address(0);
  ARanges.endLength(Start);
  RangeLists.u8(DW_RLE_end_of_list);
}

void Exporter::writeUnit(const UnitPlan &Plan) {
  FileIndices.clear();
  LineFiles.clear();
  Abstracts.clear();
  Points.clear();
  CallNotes.clear();
  OtherBlocks.clear();
  UnitStart = Debug.size();
  UnitLanguage = unitLanguage(Plan);
  UnitOffsets.push_back(UnitStart);
  // The unit's own file is number 0.
  fileIndex(Plan.File);
  collectPoints(Plan);

  uint64_t Start = Debug.beginLength();
  Debug.u16(5);
  Debug.u8(DW_UT_compile);
  Debug.u8(T.AddressSize);
  Debug.u32(0); // offset of the only abbreviation table
  Debug.uleb(CodeUnit);
  Debug.u32(Strings.add("llvm-lidia"));
  Debug.u16(UnitLanguage);
  Debug.u32(pathOf(Plan.File));
  Debug.u32(LineStrings.add(directoryOf(Plan.Unit)));
  Debug.u32(Lines.size());
  Debug.address(0);
  Debug.u32(RangeLists.size());
  writeRanges(Plan);
  if (Variables) {
    Variables->beginUnit(UnitStart);
    std::vector<uint64_t> Entries;
    for (const Tree &Tree : Plan.Trees)
      Entries.push_back(A.range(Tree.Root).VA);
    Variables->writeGlobals(Entries, UnitOffsets.size() - 1, Names);
  }

  writeAbstracts(Plan);
  for (ArrayRef<Tree> Rest = Plan.Trees; !Rest.empty();) {
    ArrayRef<Tree> Pieces = Rest.drop_front().take_while(
        [](const Tree &Tree) { return Tree.IsPiece; });
    writeRoot(Rest.front().Root, Pieces);
    Rest = Rest.drop_front(1 + Pieces.size());
  }
  Sites.endUnit([&](StringOffset Callee) { writeCallee(Callee); });
  Debug.uleb(0);
  Debug.endLength(Start);
  writeLineTable(Lines, LineFiles, Points);
}

void Exporter::writeSymbols() {
  for (uint64_t I = 0; I < A.rangeCount(); ++I) {
    RangeEntry R = A.range(I);
    if (R.Depth || !R.Function)
      continue;
    bool IsEntry = A.entry(I) == I;
    StringRef Name = A.string(R.Function);
    // LLDB would set breakpoints on f at the symbol "f@plt", too.
    if (Options.Module && Name.ends_with("@plt"))
      continue;
    // libdw finds no DIE for a piece, because its DIE is inside that of the
    // entry.
    Symbols.addFunction(IsEntry ? exportedName(Name)
                                : exportedName(pieceName(Name)),
                        R.VA, R.Length);
  }
  if (Options.Module)
    writeAliases();
}

/// Writes the other names of functions, which LLDB finds among the symbols.
/// Other readers would show them for addresses, instead of the names of DIEs.
void Exporter::writeAliases() {
  // run() has verified the section.
  consumeError(visitAliases(A, [&](const FunctionAlias &Alias) {
    if (Symbols.textSize() > Limits.text())
      return;
    RangeEntry Root = A.range(Alias.Root);
    // writeSymbols() has written this name of a piece.
    if (Alias.Address == Root.VA && A.entry(Alias.Root) != Alias.Root &&
        pieceName(A.string(Root.Function)) == Alias.Name)
      return;
    Symbols.addFunction(exportedName(Alias.Name), Alias.Address,
                        Root.Length - (Alias.Address - Root.VA));
  }));
}

SectionWriter Exporter::buildIDNote() const {
  SectionWriter Note(T);
  if (Info.BuildID.empty())
    return Note;
  Note.u32(4);
  Note.u32(Info.BuildID.size());
  Note.u32(ELF::NT_GNU_BUILD_ID);
  Note.append(StringRef("GNU\0", 4));
  Note.append(toStringRef(Info.BuildID));
  Note.alignTo(4);
  return Note;
}

void Exporter::addDebugSections(std::vector<ELFSection> &Sections,
                                const SectionWriter &NameIndexSection,
                                const SectionWriter &EmptyIndex,
                                const SectionWriter &Frames) const {
  auto Add = [&](StringRef Name, StringRef Contents) -> ELFSection & {
    ELFSection &S = Sections.emplace_back();
    S.Name = Name;
    S.Type = ELF::SHT_PROGBITS;
    S.Contents = Contents;
    return S;
  };
  auto AddStrings = [&](StringRef Name, const StringSection &Contents) {
    ELFSection &S = Add(Name, Contents.section().bytes());
    S.Flags = ELF::SHF_MERGE | ELF::SHF_STRINGS;
    S.EntrySize = 1;
  };
  Add(".debug_info", Debug.bytes());
  Add(".debug_abbrev", Abbrevs.bytes());
  Add(".debug_line", Lines.bytes());
  AddStrings(".debug_str", Strings);
  AddStrings(".debug_line_str", LineStrings);
  Add(".debug_rnglists", RangeLists.bytes());
  if (Variables)
    Add(".debug_loclists", Variables->lists().bytes());
  Add(".debug_aranges", ARanges.bytes());
  Add(".debug_names", NameIndexSection.bytes());
  // gdb 13 ends with an internal error if it uses the index of a file with
  // references from unit to unit, like those to types.
  if (Variables || Options.ForLLDB)
    Add(NameIndex::SectionForGDB, EmptyIndex.bytes());
  if (Frames.size()) {
    ELFSection &S = Add(".debug_frame", Frames.bytes());
    S.Alignment = T.AddressSize;
  }
}

/// Adds a section of relocations for each section with code addresses, after
/// the symbol table, which is at \p SymbolTable.
void Exporter::addRelocations(std::vector<ELFSection> &Sections,
                              size_t SymbolTable) {
  std::optional<RelocationKind> Kind = RelocationKind::of(Info);
  SmallVector<SectionWriter *, 5> Relocated = {&Debug, &Lines, &RangeLists,
                                               &ARanges};
  if (Variables)
    Relocated.push_back(&Variables->lists());
  for (SectionWriter *From : Relocated) {
    if (From->codeAddresses().empty())
      continue;
    const SectionWriter &Table =
        Tables.emplace_back(relocationsOf(*From, *Kind, [&](uint64_t Address) {
          return Symbols.baseOf(Address);
        }));
    size_t Target = find_if(Sections,
                            [&](const ELFSection &S) {
                              return S.Contents.data() == From->bytes().data();
                            }) -
                    Sections.begin();
    ELFSection S;
    S.Name = (Kind->HasAddend ? ".rela" : ".rel") + Sections[Target].Name;
    S.Type = Kind->HasAddend ? ELF::SHT_RELA : ELF::SHT_REL;
    S.Flags = ELF::SHF_INFO_LINK;
    S.Alignment = T.AddressSize;
    S.EntrySize = T.AddressSize * (Kind->HasAddend ? 3 : 2);
    S.Link = uint32_t(SymbolTable + 1);
    S.Info = uint32_t(Target + 1);
    S.Contents = Table.bytes();
    Sections.push_back(std::move(S));
  }
}

void Exporter::writeFile(raw_ostream &OS) {
  SectionWriter Note = buildIDNote(), NameIndexSection(T), EmptyIndex(T);
  Names.write(NameIndexSection, UnitOffsets);
  NameIndex::writeEmpty(EmptyIndex);
  std::vector<ELFSection> Sections;
  Parts.addSections(Sections, Note.bytes(), TextStart, TextEnd);
  std::vector<ELFSegment> Segments = Parts.segments(Sections);
  size_t Occupied = std::min<size_t>(Options.BinarySections, MaxSections);
  // The first section has index 1.
  if (Sections.size() + 1 < Occupied)
    Sections.resize(Occupied - 1);
  // LLDB reads the unwind information of the binary.
  SectionWriter Frames =
      Options.ForLLDB ? SectionWriter(T) : writeCallFrames(A, T, Limits.text());
  addDebugSections(Sections, NameIndexSection, EmptyIndex, Frames);
  size_t SymbolTable = Sections.size();
  if (Options.SymbolTable)
    Symbols.addSections(Sections);
  addRelocations(Sections, SymbolTable);
  writeELF(OS, T, Info, Segments, std::move(Sections));
}

Error Exporter::openVariables() {
  Expected<std::optional<VariableTable>> Table = A.variables();
  if (!Table)
    return Table.takeError();
  if (*Table)
    Sites.setVariables(Variables.emplace(std::move(**Table), Debug, Strings,
                                         RangeLists, Limits.text(),
                                         Options.ForLLDB));
  return Error::success();
}

Error Exporter::run(raw_ostream &OS) {
  if (Error E = Limits.check())
    return E;
  if (Error E = openVariables())
    return E;
  writeAbbreviations();
  uint64_t Start = RangeLists.beginLength();
  RangeLists.u16(5);
  RangeLists.u8(T.AddressSize);
  RangeLists.u8(0);  // segment selector size
  RangeLists.u32(0); // no table of offsets
  // For `breakpoint set --method`, LLDB distinguishes methods from functions by
  // the parents of their DIEs.
  if (Options.ForLLDB)
    Methods = MethodNames(A);
  if (Variables)
    Variables->writeTypes(Strings.add("llvm-lidia"), UnitOffsets, Names);
  for (const UnitPlan &Plan : planUnits())
    writeUnit(Plan);
  Sites.finish();
  if (Variables) {
    Variables->writeOtherGlobals(Strings.add("llvm-lidia"), UnitOffsets, Names);
    Variables->finish();
  }
  RangeLists.endLength(Start);
  if (Variables && Variables->exceeds())
    return Limits.exceeded("bytes of expressions");
  if (StatementCount > Limits.rows())
    return Limits.exceeded("rows");
  if (Strings.section().size() > Limits.text())
    return Limits.exceeded("bytes of names");
  if (LineStrings.section().size() > Limits.text())
    return Limits.exceeded("bytes of paths");
  if (Options.SymbolTable)
    writeSymbols();
  if (Symbols.textSize() > Limits.text())
    return Limits.exceeded("bytes of symbols");
  for (uint64_t Size :
       {Debug.size(), Lines.size(), RangeLists.size(), ARanges.size(),
        Strings.section().size(), LineStrings.section().size(),
        Symbols.namesSize(), Variables ? Variables->lists().size() : 0})
    if (Size > UINT32_MAX)
      return make_error<LimitError>(A.name(),
                                    "too large to be written as 32-bit DWARF");
  writeFile(OS);
  return Error::success();
}

Error exportDWARF(const Archive &A, raw_ostream &OS,
                  const DWARFExportOptions &Options) {
  return Exporter(A, Options).run(OS);
}

} // namespace lidia
