//===- PDBReader.cpp - Functions of a PDB file ----------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Object/PDBFile.h"
#include "PDBInlineSites.h"
#include "PDBLines.h"
#include "PDBNames.h"
#include "PDBPublics.h"
#include "PDBSymbols.h"
#include "SymbolFileReader.h"
#include "lidia/Error.h"
#include "llvm/ADT/BitVector.h"

using namespace llvm;
using namespace llvm::codeview;

namespace lidia {

namespace {

/// Reads the symbols of modules one after the other.
class ModuleReader {
public:
  ModuleReader(const PDBFile &File, StringRef FileNames, WorkLimit &Work,
               PDBPublics &Publics, RangeVisitor &Visitor)
      : File(File), Work(Work), Publics(Publics), Visitor(Visitor),
        Lines(File, FileNames), Names(File, Work), Tree(Work) {}

  /// Passes the functions of \p M to the visitor. Returns false if the visitor
  /// wants no more.
  bool read(const PDBFile::Module &M, StringRef Stream);

  /// Parts that were broken and left out.
  uint64_t Broken = 0;

private:
  enum class Scope : uint8_t { Function, Call, Other };

  bool visitSymbols();
  bool visitSymbol(uint16_t Kind, StringRef Record);
  void openScope(uint16_t Kind, StringRef Record);
  bool closeScope();
  void openFunction(StringRef Record);
  void openCall(StringRef Record, bool HasCount);
  bool visitThunk(StringRef Record);
  bool visitSeparatedCode(StringRef Record);
  StringRef nameOfProcedure(uint32_t Offset) const;
  StringRef nameOfProcedureAt(uint32_t Address);
  bool giveFunction();
  bool visitOtherCode();
  bool hasLine(PDBArea Code) const;
  bool visitOtherPart(PDBArea Part, StringRef Symbol);
  SourceRow rowOf(const PDBRow &R);

  const PDBFile &File;
  WorkLimit &Work;
  PDBPublics &Publics;
  RangeVisitor &Visitor;
  PDBLines Lines;
  PDBNames Names;
  PDBFunctionTree Tree;

  StringRef Symbols;
  SmallVector<Scope, 16> Scopes;
  /// The open function. End is 0 if there is none.
  uint32_t Start = 0, End = 0;
  StringRef Name;
  /// The code of the module's functions, in the order of the stream and by
  /// address.
  std::vector<PDBArea> Functions, Known;
  /// The starts and names of the functions of the stream, by start; none before
  /// they are needed.
  std::optional<std::vector<std::pair<uint32_t, StringRef>>> Procedures;
  std::vector<PDBPiece> Pieces;
  std::vector<SourceRow> Rows;
  std::vector<InlinedRange> Calls;
};

} // namespace

SourceRow ModuleReader::rowOf(const PDBRow &R) {
  return {R.Address, Lines.path(R.Position.File), R.Position.Line,
          R.Position.Column};
}

/// Passes the function from Start to End, whose calls and lines are in Tree, to
/// the visitor.
bool ModuleReader::giveFunction() {
  Rows.clear();
  Calls.clear();
  for (const PDBRow &R : Tree.rows())
    Rows.push_back(rowOf(R));
  for (const PDBFunctionTree::Call &C : Tree.calls())
    Calls.push_back({C.Start, C.End, C.Depth, Names.functionName(C.Inlinee),
                     Lines.path(C.From.File), C.From.Line, C.From.Column});
  FunctionRange F;
  F.Start = Start;
  F.End = End;
  F.Name = Name;
  F.Origin = NameOrigin::PDB;
  F.Calls = Calls;
  F.Rows = Rows;
  Publics.addFunction(Start, End);
  Functions.push_back({Start, End});
  return Visitor.visit(F);
}

/// Whether a line begins in \p Code.
bool ModuleReader::hasLine(PDBArea Code) const {
  const PDBRow *Row = partition_point(
      Lines.rows(), [&](const PDBRow &R) { return R.Address < Code.Start; });
  for (; Row != Lines.rows().end() && Row->Address < Code.End; ++Row)
    if (Row->Position.File != PDBLines::NoFile)
      return true;
  return false;
}

/// Visits the code in \p Part that is outside of functions and has lines of its
/// own. \p Part begins with the linker's symbol \p Symbol, which names the
/// code.
bool ModuleReader::visitOtherPart(PDBArea Part, StringRef Symbol) {
  auto Next =
      upper_bound(Known, Part.Start, [](uint32_t Address, const PDBArea &A) {
        return Address < A.Start;
      });
  if (Next != Known.begin())
    Part.Start = std::max(Part.Start, std::prev(Next)->End);
  for (bool GoOn = true; GoOn && Part.Start < Part.End; ++Next) {
    Start = Part.Start;
    End = Next == Known.end() ? Part.End : std::min(Part.End, Next->Start);
    Part.Start = Next == Known.end() ? Part.End : std::max(End, Next->End);
    Name = Symbol;
    if (Start < End && hasLine({Start, End})) {
      Tree.begin(Start, End, Lines.rows());
      GoOn = Work.take(1) && giveFunction();
    }
    if (!GoOn || Next == Known.end())
      return GoOn;
  }
  return true;
}

/// Visits code that has lines but no function, such as assembly.
bool ModuleReader::visitOtherCode() {
  Known.swap(Functions);
  llvm::sort(Known, [](const PDBArea &A, const PDBArea &B) {
    return A.Start < B.Start;
  });
  bool GoOn = true;
  for (const PDBArea &A : Lines.areas())
    Publics.visitCode(A, [&](PDBArea Part, StringRef Symbol) {
      GoOn = GoOn && visitOtherPart(Part, Symbol);
    });
  End = 0;
  return GoOn;
}

/// Begins the function of \p Record. A function whose code the linker has
/// removed is not in a section.
void ModuleReader::openFunction(StringRef Record) {
  auto P = structAt<pdb::Procedure>(Record, 0);
  std::optional<uint32_t> Address =
      P ? File.address(P->Section, P->Offset) : std::nullopt;
  End = 0;
  if (!Address || P->Size > UINT32_MAX - *Address)
    return;
  Start = *Address;
  End = Start + P->Size;
  Name = pdb::nameAt(Record, sizeof(*P));
  Tree.begin(Start, End, Lines.rows());
}

void ModuleReader::openCall(StringRef Record, bool HasCount) {
  auto Site = structAt<pdb::InlineSite>(Record, 0);
  uint64_t At = sizeof(*Site) + (HasCount ? sizeof(Site->Inlinee) : 0);
  Pieces.clear();
  if (Site && !readAnnotations(Record.substr(At), Start,
                               Lines.beginOf(Site->Inlinee), Pieces))
    ++Broken;
  Tree.enterCall(Site ? uint32_t(Site->Inlinee) : 0, Pieces);
}

void ModuleReader::openScope(uint16_t Kind, StringRef Record) {
  switch (Kind) {
  case S_GPROC32:
  case S_LPROC32:
  case S_GPROC32_ID:
  case S_LPROC32_ID:
  case S_LPROC32_DPC:
  case S_LPROC32_DPC_ID:
    openFunction(Record);
    Scopes.push_back(Scope::Function);
    break;
  case S_INLINESITE:
  case S_INLINESITE2:
    if (End)
      openCall(Record, Kind == S_INLINESITE2);
    Scopes.push_back(End ? Scope::Call : Scope::Other);
    break;
  default:
    Scopes.push_back(Scope::Other);
    break;
  }
}

/// Visits the function that ends, if any.
bool ModuleReader::closeScope() {
  if (Scopes.empty())
    return true;
  Scope Closed = Scopes.pop_back_val();
  if (Closed == Scope::Call && Tree.isInCall())
    Tree.leaveCall();
  if (Closed != Scope::Function || !End)
    return true;
  bool GoOn = giveFunction();
  End = 0;
  return GoOn;
}

bool ModuleReader::visitThunk(StringRef Record) {
  auto T = structAt<pdb::Thunk>(Record, 0);
  std::optional<uint32_t> Address =
      T ? File.address(T->Section, T->Offset) : std::nullopt;
  if (!Address || End)
    return true;
  FunctionRange F;
  F.Start = *Address;
  F.End = F.Start + T->Size;
  F.Name = pdb::nameAt(Record, sizeof(*T));
  Publics.addFunction(F.Start, F.End);
  return Visitor.visit(F);
}

static bool isProcedure(uint16_t Kind) {
  switch (Kind) {
  case S_GPROC32:
  case S_LPROC32:
  case S_GPROC32_ID:
  case S_LPROC32_ID:
  case S_LPROC32_DPC:
  case S_LPROC32_DPC_ID:
    return true;
  default:
    return false;
  }
}

/// The name of the function whose record is at \p Offset in the stream; empty
/// if there is none.
StringRef ModuleReader::nameOfProcedure(uint32_t Offset) const {
  auto Header = structAt<pdb::RecordHeader>(Symbols, Offset);
  if (!Header || !isProcedure(Header->Kind))
    return {};
  StringRef Record =
      Symbols.substr(Offset + sizeof(Header->Size), Header->Size);
  return pdb::nameAt(Record, sizeof(Header->Kind) + sizeof(pdb::Procedure));
}

/// The name of the function of the stream that starts at \p Address; empty if
/// there is none.
StringRef ModuleReader::nameOfProcedureAt(uint32_t Address) {
  if (!Procedures) {
    Procedures.emplace();
    uint64_t At = sizeof(support::ulittle32_t);
    while (auto Header = structAt<pdb::RecordHeader>(Symbols, At)) {
      auto P = structAt<pdb::Procedure>(Symbols, At + sizeof(*Header));
      if (P && isProcedure(Header->Kind))
        if (auto Start = File.address(P->Section, P->Offset))
          Procedures->emplace_back(*Start, nameOfProcedure(At));
      At += sizeof(Header->Size) + Header->Size;
    }
    llvm::sort(*Procedures);
  }
  auto It = partition_point(*Procedures,
                            [&](const auto &P) { return P.first < Address; });
  return It != Procedures->end() && It->first == Address ? It->second : "";
}

bool ModuleReader::visitSeparatedCode(StringRef Record) {
  auto C = structAt<pdb::SeparatedCode>(Record, 0);
  std::optional<uint32_t> Address =
      C ? File.address(C->Section, C->Offset) : std::nullopt;
  if (!Address || End || C->Size > UINT32_MAX - *Address)
    return true;
  Start = *Address;
  End = Start + C->Size;
  Name = nameOfProcedure(C->Parent);
  // At the top level, Microsoft's linker writes no parent, only its address.
  if (Name.empty())
    if (auto Of = File.address(C->ParentSection, C->ParentOffset))
      Name = nameOfProcedureAt(*Of);
  Tree.begin(Start, End, Lines.rows());
  bool GoOn = giveFunction();
  End = 0;
  return GoOn;
}

bool ModuleReader::visitSymbol(uint16_t Kind, StringRef Record) {
  switch (Kind) {
  case S_END:
  case S_INLINESITE_END:
  case S_PROC_ID_END:
    return closeScope();
  case S_THUNK32:
    Scopes.push_back(Scope::Other);
    return visitThunk(Record);
  case S_SEPCODE:
    Scopes.push_back(Scope::Other);
    return visitSeparatedCode(Record);
  case S_GPROC32:
  case S_LPROC32:
  case S_GPROC32_ID:
  case S_LPROC32_ID:
  case S_LPROC32_DPC:
  case S_LPROC32_DPC_ID:
  case S_INLINESITE:
  case S_INLINESITE2:
  case S_BLOCK32:
  case S_WITH32:
    openScope(Kind, Record);
    return true;
  default:
    return true;
  }
}

bool ModuleReader::visitSymbols() {
  Scopes.clear();
  Functions.clear();
  Procedures.reset();
  End = 0;
  // A signature comes first.
  uint64_t At = sizeof(support::ulittle32_t);
  while (auto Header = structAt<pdb::RecordHeader>(Symbols, At)) {
    At += sizeof(*Header);
    std::optional<StringRef> Record;
    if (Header->Size >= sizeof(Header->Kind))
      Record = bytesAt(Symbols, At, Header->Size - sizeof(Header->Kind));
    if (!Record) {
      ++Broken;
      break;
    }
    At += Record->size();
    if (!visitSymbol(Header->Kind, *Record))
      return false;
  }
  return true;
}

bool ModuleReader::read(const PDBFile::Module &M, StringRef Stream) {
  uint64_t LinesAt = uint64_t(M.SymbolBytes) + M.OldLineBytes;
  std::optional<StringRef> SymbolPart = bytesAt(Stream, 0, M.SymbolBytes);
  std::optional<StringRef> LinePart = bytesAt(Stream, LinesAt, M.LineBytes);
  Broken += !SymbolPart || !LinePart;
  Symbols = SymbolPart.value_or(Stream);
  Broken += !Lines.read(LinePart.value_or(StringRef()));
  return visitSymbols() && visitOtherCode();
}

namespace {

class PDBReader final : public RangeExtractor {
public:
  explicit PDBReader(const SymbolFile &File) : File(File), Work(File.size()) {}

  StringRef name() const override { return "PDB"; }
  uint64_t inputSize() const override { return File.size(); }
  Error extract(RangeVisitor &Visitor) override;

private:
  bool visitModules(const PDBFile &PDB, PDBPublics &Publics,
                    RangeVisitor &Visitor);

  const SymbolFile &File;
  WorkLimit Work;
};

} // namespace

/// Visits the functions of all modules. Returns false if the visitor wants no
/// more. Modules do not share streams, but may do so in a broken file.
bool PDBReader::visitModules(const PDBFile &PDB, PDBPublics &Publics,
                             RangeVisitor &Visitor) {
  SmallVector<char, 0> NamesMemory, Memory;
  ModuleReader Reader(PDB, PDB.names().readAll(NamesMemory), Work, Publics,
                      Visitor);
  BitVector Seen(PDB.streams().streamCount());
  bool GoOn = true;
  for (const PDBFile::Module &M : PDB.modules()) {
    constexpr uint16_t None = UINT16_MAX;
    if (M.Stream == None)
      continue;
    if (M.Stream >= Seen.size() || Seen[M.Stream]) {
      ++Reader.Broken;
      continue;
    }
    Seen.set(M.Stream);
    const MSFStream &Stream = PDB.streams().stream(M.Stream);
    GoOn = Reader.read(M, Stream.readAll(Memory));
    Stream.forEachRun([&](StringRef Run) { File.release(Run); });
    if (!GoOn || Work.exhausted())
      break;
  }
  if (Reader.Broken)
    Visitor.warning(File.path() + ": " + Twine(Reader.Broken) +
                    " parts of its modules are broken and are left out");
  return GoOn;
}

Error PDBReader::extract(RangeVisitor &Visitor) {
  Expected<PDBFile> PDB = PDBFile::open(File.bytes(), File.path());
  if (!PDB)
    return PDB.takeError();
  if (PDB->isRearranged())
    return make_error<UnsupportedError>(
        File.path(), "of a program that was rearranged after it was linked "
                     "(OMAP), which is not supported");
  PDBPublics Publics(*PDB);
  if (visitModules(*PDB, Publics, Visitor) && !Work.exhausted())
    Publics.visitRest(Visitor);
  if (Work.exhausted())
    Visitor.warning(File.path() + ": its parts refer to more than it holds; "
                                  "the rest is left out");
  return Error::success();
}

std::unique_ptr<RangeExtractor> createPDBReader(const SymbolFile &File) {
  return std::make_unique<PDBReader>(File);
}

} // namespace lidia
