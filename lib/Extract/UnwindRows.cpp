//===- UnwindRows.cpp - The unwind rows of a binary -----------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "UnwindRows.h"
#include "ADT/StableSort.h"
#include "DWARF/CallFrames.h"
#include "GoUnwindRows.h"
#include "lidia/Extract/UnwindSection.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/BinaryFormat/ELF.h"

using namespace llvm;

namespace lidia {

using dwarf::CallFrames;
using dwarf::CallFrameSection;

/// The most bytes between two functions that pad the first one.
static constexpr uint64_t MostPadding = 16;

/// The lowest bits that addresses of code do not have.
static unsigned addressShift(uint16_t Machine) {
  switch (Machine) {
  case ELF::EM_AARCH64:
  case ELF::EM_PPC:
  case ELF::EM_PPC64:
    return 2;
  case ELF::EM_ARM:
  case ELF::EM_RISCV:
  case ELF::EM_S390:
    return 1;
  default:
    return 0;
  }
}

static const UnwindMachine *machineOf(const Binary &File) {
  const ELFIdentity &I = File.identity();
  return UnwindMachine::find(I.Machine, I.Class == ELF::ELFCLASS64 ? 8 : 4,
                             File.isLittleEndian());
}

/// The column of the return address by the machine's ABI. Of others rows are
/// kept, too: each of their rules says where the return address is.
static uint32_t returnAddressColumn(const Binary &File) {
  const UnwindMachine *M = machineOf(File);
  return M ? M->RA : 14;
}

namespace {

/// Collects the rows of one binary's sections, the most trusted first.
class UnwindRowReader {
public:
  UnwindRowReader(const Binary &Main, const CodeMap &Code, uint64_t MostRules,
                  UnwindStatistics &Figures)
      : Machine(Main.identity().Machine), Code(Code), Figures(Figures),
        Builder(returnAddressColumn(Main), addressShift(Machine), MostRules,
                Main.identity().Class == ELF::ELFCLASS64 ? 8 : 4) {}

  void addCallFrames(StringRef Name, const CallFrameSection &Section);
  void addGo(const Binary &File, bool Search);
  std::string section(ArrayRef<uint64_t> FunctionStarts);

private:
  using Function = CallFrames::Function;

  void dropOverlaps(std::vector<Function> &Functions);
  void readRows(CallFrames &Frames, const Function &F,
                std::vector<UnwindRow> &Into);
  bool isAligned(uint64_t Address) const {
    return (Address & ((uint64_t(1) << addressShift(Machine)) - 1)) == 0;
  }

  const uint16_t Machine;
  const CodeMap &Code;
  UnwindStatistics &Figures;
  UnwindTableBuilder Builder;
  /// In order of address, without overlaps.
  std::vector<UnwindRow> Rows;
};

} // namespace

/// Puts functions in order and drops those that are not code, or that begin
/// where another one does. A function ends where the next one begins.
void UnwindRowReader::dropOverlaps(std::vector<Function> &Functions) {
  erase_if(Functions, [&](Function &F) {
    bool IsCode = Code.clip(F.Begin, F.End) && isAligned(F.Begin);
    Figures.Outside += !IsCode;
    return !IsCode;
  });
  auto IsRepeated = [&](const Function &A, const Function &B) {
    Figures.Repeated += A.Begin == B.Begin;
    return A.Begin == B.Begin;
  };
  // Of those that begin together the first in the section stays.
  stableSort(Functions, [](const Function &F) { return F.Begin; });
  Functions.erase(llvm::unique(Functions, IsRepeated), Functions.end());
  // The rules of a signal's return code begin before it, in the padding of the
  // function before: debuggers look up the byte before a return address.
  for (size_t I = 1; I < Functions.size(); ++I)
    Functions[I - 1].End = std::min(Functions[I - 1].End, Functions[I].Begin);
}

void UnwindRowReader::readRows(CallFrames &Frames, const Function &F,
                               std::vector<UnwindRow> &Into) {
  bool IsGood = true;
  auto Visit = [&](uint64_t Begin, uint64_t End, const UnwindRules &Rules) {
    // Some CIEs leave the CFA to their functions.
    if (Rules.CFA.How == RegisterRule::Kind::Same)
      return true;
    std::optional<uint32_t> Number = Builder.intern(Rules);
    if (!Number || !isAligned(Begin) || !isAligned(End)) {
      IsGood = false;
      return false;
    }
    if (!Into.empty() && Into.back().End == Begin &&
        Into.back().Rules == *Number)
      Into.back().End = End;
    else if (Begin < End)
      Into.push_back({Begin, End, *Number});
    return true;
  };
  if (!Frames.visitRows(F, Visit) || !IsGood)
    ++Figures.Broken;
}

/// Merges \p Less into \p Rows, where these have none.
static std::vector<UnwindRow> overlay(std::vector<UnwindRow> Rows,
                                      ArrayRef<UnwindRow> Less) {
  if (Rows.empty())
    return Less.vec();
  std::vector<UnwindRow> Out;
  size_t Next = 0;
  uint64_t At = 0;
  // Adds the parts of Less that lie in [At, End).
  auto AddUpTo = [&](uint64_t End) {
    while (Next != Less.size() && Less[Next].Begin < End) {
      UnwindRow R = Less[Next];
      R.Begin = std::max(R.Begin, At);
      bool Ends = R.End <= End;
      R.End = std::min(R.End, End);
      if (R.Begin < R.End)
        Out.push_back(R);
      if (!Ends)
        break;
      ++Next;
    }
  };
  for (const UnwindRow &R : Rows) {
    AddUpTo(R.Begin);
    Out.push_back(R);
    At = R.End;
  }
  AddUpTo(UINT64_MAX);
  return Out;
}

void UnwindRowReader::addCallFrames(StringRef Name,
                                    const CallFrameSection &Section) {
  CallFrames Frames(Section);
  std::vector<Function> Functions = Frames.functions();
  dropOverlaps(Functions);
  Figures.Broken += Frames.broken();
  Figures.Functions.push_back({Name.str(), Functions.size()});
  std::vector<UnwindRow> Found;
  for (const Function &F : Functions)
    readRows(Frames, F, Found);
  Rows = overlay(std::move(Rows), Found);
}

/// Go's own table: stripped programs have it, too, and the compiler's debug
/// information does not say where the frame pointer is.
void UnwindRowReader::addGo(const Binary &File, bool Search) {
  Expected<std::unique_ptr<GoTables>> Tables =
      GoTables::open(File, Code, Search);
  // Errors were reported when the table was read for its names.
  if (!Tables)
    return consumeError(Tables.takeError());
  if (!*Tables)
    return;
  std::vector<UnwindRow> Found;
  uint64_t LastEnd = 0;
  auto Visit = [&](uint64_t Begin, uint64_t End, const UnwindRules &Rules) {
    if (Begin < LastEnd || !Code.clip(Begin, End) || !isAligned(Begin | End))
      return;
    if (std::optional<uint32_t> Number = Builder.intern(Rules)) {
      Found.push_back({Begin, End, *Number});
      LastEnd = End;
    }
  };
  if (const UnwindMachine *M = machineOf(File))
    visitGoUnwindRows(**Tables, *M, Visit);
  Figures.Functions.push_back({"Go", (*Tables)->functions().size()});
  Rows = overlay(std::move(Rows), Found);
}

/// Padding after a function gets the rules of its end, which saves a row or
/// two: most functions end as they begin.
std::string UnwindRowReader::section(ArrayRef<uint64_t> FunctionStarts) {
  // A small function without rules is no padding.
  auto HasFunction = [&](uint64_t Begin, uint64_t End) {
    const uint64_t *Start = llvm::lower_bound(FunctionStarts, Begin);
    return Start != FunctionStarts.end() && *Start < End;
  };
  for (size_t I = 0; I + 1 < Rows.size(); ++I)
    if (Rows[I + 1].Begin - Rows[I].End < MostPadding &&
        !HasFunction(Rows[I].End, Rows[I + 1].Begin))
      Rows[I].End = Rows[I + 1].Begin;
  for (const UnwindRow &R : Rows)
    // They are in order and aligned.
    cantFail(Builder.addRow(R));
  Rows.clear();
  std::string Bytes = Builder.bytes().value_or("");
  if (Bytes.empty())
    return Bytes;
  UnwindTable Table = cantFail(UnwindTable::open(Bytes));
  Figures.Rows = Table.rowCount();
  Figures.Rules = Table.ruleCount();
  return Bytes;
}

/// The first of \p Files that has the bytes of section \p Name, with it.
static std::pair<Binary *, const Section *> findBytes(ArrayRef<Binary *> Files,
                                                      StringRef Name) {
  for (Binary *File : Files)
    if (const Section *S = File->findSection(Name))
      if (S->Type != ELF::SHT_NOBITS && S->Size)
        return {File, S};
  return {};
}

static CallFrameSection callFrameSection(Binary &File, const Section &S,
                                         StringRef Bytes) {
  CallFrameSection Out;
  Out.Bytes = Bytes;
  Out.Address = S.Address;
  Out.IsEH = S.Name == ".eh_frame";
  Out.IsLittleEndian = File.isLittleEndian();
  Out.AddressSize = File.identity().Class == ELF::ELFCLASS64 ? 8 : 4;
  Out.Machine = File.identity().Machine;
  if (const Section *Text = File.findSection(".text"))
    Out.TextBase = Text->Address;
  if (const Section *GOT = File.findSection(".got"))
    Out.DataBase = GOT->Address;
  return Out;
}

std::string readUnwindRows(ArrayRef<Binary *> Files, const CodeMap &Code,
                           ArrayRef<uint64_t> FunctionStarts, bool MayBeGo,
                           UnwindStatistics &Figures,
                           function_ref<void(Error)> Warn) {
  // Those of libc take a thousandth of the file on most machines, and a tenth
  // on PowerPC, whose functions save each of 18 registers at its own place.
  uint64_t MostRules = 1 << 16;
  for (Binary *File : Files)
    MostRules += File->size() / 2;
  UnwindRowReader Reader(*Files.front(), Code, MostRules, Figures);
  auto AddCallFrames = [&](StringRef Name) {
    auto [File, S] = findBytes(Files, Name);
    // Relocations of .eh_frame are not applied.
    if (!File || File->identity().Type == ELF::ET_REL)
      return;
    Expected<StringRef> Bytes = File->contents(*S);
    if (!Bytes)
      return Warn(Bytes.takeError());
    Reader.addCallFrames(Name, callFrameSection(*File, *S, *Bytes));
    File->forgetContents(*S);
  };
  AddCallFrames(".eh_frame");
  Reader.addGo(*Files.front(), MayBeGo);
  AddCallFrames(".debug_frame");
  return Reader.section(FunctionStarts);
}

Expected<std::string> readUnwindSection(StringRef Path) {
  Expected<std::unique_ptr<Binary>> File = Binary::open(Path);
  if (!File)
    return File.takeError();
  UnwindStatistics Figures;
  return readUnwindRows({File->get()}, (*File)->code(),
                        /*FunctionStarts=*/{}, /*MayBeGo=*/false, Figures,
                        [](Error E) { consumeError(std::move(E)); });
}

} // namespace lidia
