//===- UnwindRows.cpp - The unwind rows of a binary -----------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "UnwindRows.h"
#include "DWARF/CallFrames.h"
#include "GoUnwindRows.h"
#include "Support/StableSort.h"
#include "UnwindInfo/ArmExceptionTable.h"
#include "UnwindInfo/CompactUnwindTable.h"
#include "UnwindInfo/SignalTrampolines.h"
#include "UnwindInfo/WindowsTable.h"
#include "lidia/Extract/UnwindSection.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"
#include <tuple>

using namespace llvm;

namespace lidia {

using dwarf::CallFrames;
using dwarf::CallFrameSection;

/// The maximum size of padding between two functions.
static constexpr uint64_t MaxPadding = 16;

/// The number of low bits that are zero in all code addresses.
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

const UnwindMachine *unwindMachineOf(const Binary &File) {
  const ELFIdentity &I = File.identity();
  return UnwindMachine::find(I.Machine, I.Class == ELF::ELFCLASS64 ? 8 : 4,
                             File.isLittleEndian());
}

/// The column of the return address in the machine's ABI. Rows with other
/// columns are kept as well: each of their rules names its column.
static uint32_t returnAddressColumn(const Binary &File) {
  const UnwindMachine *M = unwindMachineOf(File);
  return M ? M->RA : 14;
}

namespace {

/// Collects the rows of one binary's sections, the most trusted first.
class UnwindRowReader {
public:
  UnwindRowReader(const Binary &Main, const CodeMap &Code, uint64_t MaxRules,
                  UnwindStatistics &Statistics)
      : UnwindRowReader(Main.identity().Machine, returnAddressColumn(Main),
                        Main.identity().Class == ELF::ELFCLASS64 ? 8 : 4, Code,
                        MaxRules, Statistics) {}
  UnwindRowReader(uint16_t Machine, uint32_t ReturnAddress, uint8_t Word,
                  const CodeMap &Code, uint64_t MaxRules,
                  UnwindStatistics &Statistics)
      : Machine(Machine), Code(Code), Statistics(Statistics),
        Builder(ReturnAddress, addressShift(Machine), MaxRules, Word) {}

  /// Adds the rows of \p Table where there are none yet. Returns, with rules 0,
  /// the code for which it is not known whether it has rows.
  template <class TableT>
  std::vector<UnwindRow> addTable(StringRef Name, TableT Table);
  void addGo(const Binary &File, bool Search);
  /// Adds the rows of signal trampolines, in place of any others.
  void addTrampolines(Binary &File);
  /// Adds rows for stubs of the procedure linkage table, which LLD does not
  /// describe, where there are none yet.
  void addStubs(const Binary &File);
  /// Extends the rules at a function's end to the padding after it.
  void addPadding(ArrayRef<uint64_t> FunctionStarts);
  /// Adds rows with \p Rules for code without rows, except for \p Unknown.
  void addRest(const UnwindRules &Rules, ArrayRef<UnwindRow> Unknown);
  std::string section();

private:
  template <class FunctionT>
  void dropOverlaps(std::vector<FunctionT> &Functions);
  template <class TableT>
  bool readRows(TableT &Table, const typename TableT::Function &F,
                std::vector<UnwindRow> &Into);
  bool isAligned(uint64_t Address) const {
    return (Address & ((uint64_t(1) << addressShift(Machine)) - 1)) == 0;
  }

  const uint16_t Machine;
  const CodeMap &Code;
  UnwindStatistics &Statistics;
  UnwindTableBuilder Builder;
  /// In order of address, without overlaps.
  std::vector<UnwindRow> Rows;
};

} // namespace

/// Sorts functions, and drops those that are not in code or begin where another
/// one begins. A function ends where the next one begins.
template <class FunctionT>
void UnwindRowReader::dropOverlaps(std::vector<FunctionT> &Functions) {
  erase_if(Functions, [&](FunctionT &F) {
    bool IsCode = Code.clip(F.Begin, F.End) && isAligned(F.Begin);
    Statistics.Outside += !IsCode;
    return !IsCode;
  });
  auto IsRepeated = [&](const FunctionT &A, const FunctionT &B) {
    Statistics.Repeated += A.Begin == B.Begin;
    return A.Begin == B.Begin;
  };
  // If several begin at one address, the first one in the section is kept.
  stableSort(Functions, [](const FunctionT &F) { return F.Begin; });
  Functions.erase(llvm::unique(Functions, IsRepeated), Functions.end());
  // The rules of a signal trampoline begin before its code, in the padding of
  // the previous function, because debuggers look up the byte before a return
  // address.
  for (size_t I = 1; I < Functions.size(); ++I)
    Functions[I - 1].End = std::min(Functions[I - 1].End, Functions[I].Begin);
}

/// Returns false if the function has no rows.
template <class TableT>
bool UnwindRowReader::readRows(TableT &Table,
                               const typename TableT::Function &F,
                               std::vector<UnwindRow> &Into) {
  bool IsGood = true, HasRows = false;
  // Go's linker begins the last row at the function's last byte. What begins
  // within the last instruction begins at no instruction.
  const uint64_t Instruction = uint64_t(1) << addressShift(Machine);
  auto WithoutTail = [&](uint64_t Address) {
    uint64_t Next = alignTo(Address, Instruction);
    return Next >= F.End ? Next : Address;
  };
  auto Visit = [&](uint64_t Begin, uint64_t End, const UnwindRules &Rules) {
    Begin = WithoutTail(Begin);
    End = WithoutTail(End);
    // Some CIEs do not define the CFA and leave this to their functions.
    if (Rules.CFA.How == RegisterRule::Kind::Same)
      return true;
    std::optional<uint32_t> Number = Builder.intern(Rules);
    if (!Number || !isAligned(Begin) || !isAligned(End)) {
      IsGood = false;
      return false;
    }
    HasRows = true;
    if (!Into.empty() && Into.back().End == Begin &&
        Into.back().Rules == *Number && !Rules.HoldAtCallsOnly)
      Into.back().End = End;
    else if (Begin < End)
      Into.push_back({Begin, End, *Number});
    return true;
  };
  if (!Table.visitRows(F, Visit) || !IsGood)
    ++Statistics.Broken;
  return HasRows;
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

template <class TableT>
std::vector<UnwindRow> UnwindRowReader::addTable(StringRef Name, TableT Table) {
  std::vector<typename TableT::Function> Functions = Table.functions();
  dropOverlaps(Functions);
  Statistics.Broken += Table.broken();
  uint64_t WithRows = 0;
  std::vector<UnwindRow> Found, Unknown;
  for (const typename TableT::Function &F : Functions) {
    WithRows += readRows(Table, F, Found);
    uint64_t End = Found.empty() ? 0 : Found.back().End;
    if (End < F.End)
      Unknown.push_back({std::max(F.Begin, End), F.End, 0});
  }
  Statistics.Functions.push_back({Name.str(), WithRows});
  Rows = overlay(std::move(Rows), Found);
  return Unknown;
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
  if (const UnwindMachine *M = unwindMachineOf(File))
    visitGoUnwindRows(**Tables, *M, Visit);
  Statistics.Functions.push_back({"Go", (*Tables)->functions().size()});
  Rows = overlay(std::move(Rows), Found);
}

/// Sorts \p Rows and drops those that begin within another one.
static void sortRows(std::vector<UnwindRow> &Rows) {
  stableSort(Rows, [](const UnwindRow &R) { return R.Begin; });
  uint64_t End = 0;
  erase_if(Rows, [&](const UnwindRow &R) {
    bool Overlaps = R.Begin < End;
    if (!Overlaps)
      End = R.End;
    return Overlaps;
  });
}

void UnwindRowReader::addTrampolines(Binary &File) {
  std::vector<UnwindRow> Certain, Likely;
  uint8_t Word = File.identity().Class == ELF::ELFCLASS64 ? 8 : 4;
  auto Visit = [&](UnwindRow R, const UnwindRules &Rules, bool IsCertain) {
    std::optional<uint32_t> Number = Builder.intern(Rules);
    if (!Number || !isAligned(R.Begin) || !isAligned(R.End))
      return;
    R.Rules = *Number;
    (IsCertain ? Certain : Likely).push_back(R);
  };
  for (const LoadedBytes &Part : File.codeBytes())
    unwindinfo::visitSignalTrampolines(Machine, Word, Part.Address, Part.Bytes,
                                       Visit);
  sortRows(Certain);
  sortRows(Likely);
  if (!Certain.empty())
    Rows = overlay(std::move(Certain), Rows);
  if (!Likely.empty())
    Rows = overlay(std::move(Rows), Likely);
}

/// The rules of a stub that jumps to a function: the stack is as the call of
/// the function left it. On x86-64 and i386, stubs that are bound on their
/// first call push a number in their eleventh byte, and the first stub another
/// one.
static UnwindRules rulesOfStub(const UnwindMachine &Machine, bool IsLazy,
                               SmallVectorImpl<uint8_t> &Expression) {
  UnwindRules Rules;
  Rules.ReturnAddress = Machine.RA;
  Rules.CFA.How = RegisterRule::Kind::IsRegister;
  Rules.CFA.Register = Machine.SP;
  if (!Machine.PushesReturnAddress)
    return Rules;
  const uint8_t Word = Machine.WordSize;
  Rules.CFA.Offset = Word;
  RegisterRule ReturnAddress;
  ReturnAddress.How = RegisterRule::Kind::AtCFA;
  ReturnAddress.Offset = -int64_t(Word);
  Rules.Registers.push_back({Machine.RA, ReturnAddress});
  if (!IsLazy)
    return Rules;
  // sp + Word + ((pc & 15) >= 11) * Word, as GNU ld has it.
  const uint8_t Bytes[] = {
      uint8_t(llvm::dwarf::DW_OP_breg0 + Machine.SP),
      Word,
      uint8_t(llvm::dwarf::DW_OP_breg0 + Machine.RA),
      0,
      llvm::dwarf::DW_OP_lit15,
      llvm::dwarf::DW_OP_and,
      llvm::dwarf::DW_OP_lit11,
      llvm::dwarf::DW_OP_ge,
      uint8_t(Word == 8 ? llvm::dwarf::DW_OP_lit3 : llvm::dwarf::DW_OP_lit2),
      llvm::dwarf::DW_OP_shl,
      llvm::dwarf::DW_OP_plus};
  Expression.assign(std::begin(Bytes), std::end(Bytes));
  Rules.CFA.How = RegisterRule::Kind::IsExpression;
  Rules.CFA.Expression = Expression;
  return Rules;
}

void UnwindRowReader::addStubs(const Binary &File) {
  const UnwindMachine *M = unwindMachineOf(File);
  if (!M)
    return;
  std::vector<UnwindRow> Stubs;
  for (StringRef Name : {".plt", ".plt.sec", ".plt.got", ".iplt"}) {
    const Section *S = File.findSection(Name);
    if (!S || !(S->Flags & ELF::SHF_EXECINSTR))
      continue;
    SmallVector<uint8_t, 16> Expression;
    std::optional<uint32_t> Number =
        Builder.intern(rulesOfStub(*M, Name == ".plt", Expression));
    uint64_t Begin = S->Address, End = Begin + S->Size;
    // The first stub of .plt calls the loader.
    if (Name == ".plt")
      Begin += std::min<uint64_t>(S->Size, 16);
    if (Number && Begin < End && Code.clip(Begin, End) && isAligned(Begin) &&
        isAligned(End))
      Stubs.push_back({Begin, End, *Number});
  }
  sortRows(Stubs);
  Rows = overlay(std::move(Rows), Stubs);
}

/// This saves one or two rows for each function, because most functions end
/// with the rules that they begin with.
void UnwindRowReader::addPadding(ArrayRef<uint64_t> FunctionStarts) {
  // A small function without rules is not padding.
  auto HasFunction = [&](uint64_t Begin, uint64_t End) {
    const uint64_t *Start = llvm::lower_bound(FunctionStarts, Begin);
    return Start != FunctionStarts.end() && *Start < End;
  };
  for (size_t I = 0; I + 1 < Rows.size(); ++I)
    if (Rows[I + 1].Begin - Rows[I].End < MaxPadding &&
        !HasFunction(Rows[I].End, Rows[I + 1].Begin))
      Rows[I].End = Rows[I + 1].Begin;
}

void UnwindRowReader::addRest(const UnwindRules &Rules,
                              ArrayRef<UnwindRow> Unknown) {
  std::optional<uint32_t> Number = Builder.intern(Rules);
  if (!Number)
    return;
  const uint64_t Mask = (uint64_t(1) << addressShift(Machine)) - 1;
  std::vector<UnwindRow> All;
  for (const CodeMap::Area &A : Code.areas())
    if (uint64_t Begin = alignTo(A.Start, Mask + 1), End = A.End & ~Mask;
        Begin < End)
      All.push_back({Begin, End, *Number});
  Rows = overlay(overlay(std::move(Rows), Unknown), All);
  erase_if(Rows, [](const UnwindRow &R) { return R.Rules == 0; });
}

std::string UnwindRowReader::section() {
  for (const UnwindRow &R : Rows)
    // The rows are sorted and aligned.
    cantFail(Builder.addRow(R));
  Rows.clear();
  std::string Bytes = Builder.bytes().value_or("");
  if (Bytes.empty())
    return Bytes;
  UnwindTable Table = cantFail(UnwindTable::open(Bytes));
  Statistics.Rows = Table.rowCount();
  Statistics.Rules = Table.ruleCount();
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

/// The loaded bytes of \p File by their addresses.
static unwindinfo::LoadedImage loadedImage(const Binary &File) {
  std::vector<LoadedBytes> Parts = File.loadedBytes();
  stableSort(Parts, [](const LoadedBytes &P) { return P.Address; });
  return [Parts = std::move(Parts)](uint64_t Address) -> StringRef {
    auto Next =
        llvm::upper_bound(Parts, Address, [](uint64_t A, const LoadedBytes &P) {
          return A < P.Address;
        });
    if (Next == Parts.begin())
      return {};
    const LoadedBytes &Part = *std::prev(Next);
    return Part.Bytes.drop_front(
        std::min<uint64_t>(Address - Part.Address, Part.Bytes.size()));
  };
}

/// The address where an ELF program of 32 bits starts.
static uint64_t entryPoint(const Binary &File) {
  StringRef Bytes = File.buffer().getBuffer();
  constexpr size_t At = offsetof(ELF::Elf32_Ehdr, e_entry);
  if (File.identity().Format != BinaryFormat::ELF || Bytes.size() < At + 4)
    return 0;
  uint64_t Entry = support::endian::read<uint32_t>(
      Bytes.data() + At,
      File.isLittleEndian() ? endianness::little : endianness::big);
  return Entry & ~uint64_t(1);
}

namespace {
/// Code without rows.
struct Rest {
  UnwindRules Rules;
  /// Code to which these rules do not apply, with rules 0.
  std::vector<UnwindRow> Unknown;
};
} // namespace

/// Calls \p Visit with the .pdata of a PE file, if there is one.
template <class VisitorT>
static void visitWindowsTable(ArrayRef<Binary *> Files, VisitorT Visit,
                              function_ref<void(Error)> Warn) {
  auto [File, S] = findBytes(Files, ".pdata");
  if (!File || File->identity().Type == ELF::ET_REL)
    return;
  Expected<StringRef> Bytes = File->contents(*S);
  if (!Bytes)
    return Warn(Bytes.takeError());
  unwindinfo::WindowsSection Section;
  Section.Table = *Bytes;
  Section.ImageBase = File->imageBase();
  Section.Image = loadedImage(*File);
  Section.MaxRows = File->size();
  if (File->identity().Machine == ELF::EM_X86_64)
    Visit(unwindinfo::X64UnwindTable(std::move(Section)));
  else if (File->identity().Machine == ELF::EM_AARCH64)
    Visit(unwindinfo::Arm64UnwindTable(std::move(Section)));
}

/// Adds the rows of a PE file's .pdata. Code without an entry has no frame.
static std::optional<Rest> addWindowsTable(ArrayRef<Binary *> Files,
                                           UnwindRowReader &Reader,
                                           function_ref<void(Error)> Warn) {
  std::optional<Rest> Result;
  auto Add = [&](auto Table) {
    Result.emplace();
    Result->Rules = Table.withoutFrame();
    Result->Unknown = Reader.addTable(".pdata", std::move(Table));
  };
  visitWindowsTable(Files, Add, Warn);
  return Result;
}

/// Calls \p Visit with Arm's exception tables. Linux programs have no other
/// unwind information unless they have debug information.
static void
visitArmTable(ArrayRef<Binary *> Files,
              function_ref<void(unwindinfo::ArmExceptionTable)> Visit,
              function_ref<void(Error)> Warn) {
  auto [File, S] = findBytes(Files, ".ARM.exidx");
  if (!File || File->identity().Type == ELF::ET_REL)
    return;
  Expected<StringRef> Bytes = File->contents(*S);
  if (!Bytes)
    return Warn(Bytes.takeError());
  unwindinfo::ArmExceptionSection Section;
  Section.Index = *Bytes;
  Section.Address = S->Address;
  Section.IsLittleEndian = File->isLittleEndian();
  Section.Image = loadedImage(*File);
  Section.EntryPoint = entryPoint(*File);
  Section.MaxBytes = File->size();
  Visit(unwindinfo::ArmExceptionTable(std::move(Section)));
}

/// Calls \p Visit with a Mach-O file's __unwind_info. Returns false if there is
/// none.
static bool
visitCompactTable(ArrayRef<Binary *> Files,
                  function_ref<void(unwindinfo::CompactUnwindTable)> Visit,
                  function_ref<void(Error)> Warn) {
  auto [File, S] = findBytes(Files, ".unwind_info");
  if (!File || File->identity().Class != ELF::ELFCLASS64)
    return false;
  Expected<StringRef> Bytes = File->contents(*S);
  if (!Bytes) {
    Warn(Bytes.takeError());
    return false;
  }
  unwindinfo::CompactSection Section;
  Section.Bytes = *Bytes;
  Section.ImageBase = File->imageBase();
  Section.IsArm64 = File->identity().Machine == ELF::EM_AARCH64;
  Section.Image = loadedImage(*File);
  Visit(unwindinfo::CompactUnwindTable(std::move(Section)));
  return true;
}

/// Calls \p Visit with the section \p Name of call frame information, if one of
/// \p Files has it.
static void visitCallFrames(ArrayRef<Binary *> Files, StringRef Name,
                            function_ref<void(const CallFrameSection &)> Visit,
                            function_ref<void(Error)> Warn) {
  auto [File, S] = findBytes(Files, Name);
  // Relocations of .eh_frame are not applied.
  if (!File || File->identity().Type == ELF::ET_REL)
    return;
  Expected<StringRef> Bytes = File->contents(*S);
  if (!Bytes)
    return Warn(Bytes.takeError());
  Visit(callFrameSection(*File, *S, *Bytes));
  File->forgetContents(*S);
}

std::string readUnwindRows(ArrayRef<Binary *> Files, const CodeMap &Code,
                           ArrayRef<uint64_t> FunctionStarts, bool MayBeGo,
                           UnwindStatistics &Statistics,
                           function_ref<void(Error)> Warn) {
  // The rules of libc take a thousandth of the file on most machines, and a
  // tenth on PowerPC, where functions save 18 registers at individual offsets.
  uint64_t MaxRules = 1 << 16;
  for (Binary *File : Files)
    MaxRules += File->size() / 2;
  UnwindRowReader Reader(*Files.front(), Code, MaxRules, Statistics);
  auto AddCallFrames = [&](StringRef Name) {
    visitCallFrames(
        Files, Name,
        [&](const CallFrameSection &S) {
          Reader.addTable(Name, CallFrames(S));
        },
        Warn);
  };
  const ELFIdentity &I = Files.front()->identity();
  // GCC's .debug_frame for Windows is wrong where functions with a frame
  // pointer end.
  std::optional<Rest> Others;
  if (I.Format == BinaryFormat::PE)
    Others = addWindowsTable(Files, Reader, Warn);
  AddCallFrames(".eh_frame");
  Reader.addGo(*Files.front(), MayBeGo);
  AddCallFrames(".debug_frame");
  auto AddAs = [&](StringRef Name) {
    return [&Reader, Name](auto Table) {
      Reader.addTable(Name, std::move(Table));
    };
  };
  bool HasCompact = I.Format == BinaryFormat::MachO &&
                    visitCompactTable(Files, AddAs("__unwind_info"), Warn);
  // The other rows determine where functions end.
  if (Others)
    Reader.addRest(Others->Rules, Others->Unknown);
  else if (!HasCompact)
    Reader.addPadding(FunctionStarts);
  if (I.Machine == ELF::EM_ARM)
    visitArmTable(Files, AddAs(".ARM.exidx"), Warn);
  if (I.Format == BinaryFormat::ELF)
    Reader.addTrampolines(*Files.front());
  if (I.Format == BinaryFormat::ELF && I.Type != ELF::ET_REL)
    Reader.addStubs(*Files.front());
  return Reader.section();
}

std::vector<FunctionExtent> readFunctionExtents(ArrayRef<Binary *> Files,
                                                const CodeMap &Code) {
  std::vector<FunctionExtent> Result;
  auto Ignore = [](Error E) { consumeError(std::move(E)); };
  auto Add = [&](auto Table) {
    for (auto F : Table.functions())
      if (Code.clip(F.Begin, F.End))
        Result.push_back({F.Begin, F.End});
  };
  auto AddWindows = [&](auto Table) {
    for (auto F : Table.functions())
      if (!Table.isContinued(F) && Code.clip(F.Begin, F.End))
        Result.push_back({F.Begin, F.End});
  };
  // An entry may cover several functions with the same rules.
  auto AddBegins = [&](auto Table) {
    for (auto F : Table.functions())
      if (Code.clip(F.Begin, F.End))
        Result.push_back({F.Begin, F.Begin});
  };
  auto AddSection = [&](const CallFrameSection &S) { Add(CallFrames(S)); };
  visitCallFrames(Files, ".eh_frame", AddSection, Ignore);
  visitCallFrames(Files, ".debug_frame", AddSection, Ignore);
  const ELFIdentity &I = Files.front()->identity();
  if (I.Format == BinaryFormat::PE)
    visitWindowsTable(Files, AddWindows, Ignore);
  std::vector<uint64_t> Starts = Files.front()->functionStarts();
  for (size_t N = 0; N != Starts.size(); ++N) {
    uint64_t Begin = Starts[N];
    uint64_t End = N + 1 != Starts.size() ? Starts[N + 1] : UINT64_MAX;
    if (Code.clip(Begin, End))
      Result.push_back({Begin, End});
  }
  if (I.Format == BinaryFormat::MachO && Starts.empty())
    visitCompactTable(Files, AddBegins, Ignore);
  if (I.Machine == ELF::EM_ARM)
    visitArmTable(Files, AddBegins, Ignore);
  llvm::sort(Result, [](const FunctionExtent &A, const FunctionExtent &B) {
    return std::tie(A.Begin, B.End) < std::tie(B.Begin, A.End);
  });
  // Of those that begin at one address, keep the longest.
  Result.erase(
      llvm::unique(Result,
                   [](const FunctionExtent &A, const FunctionExtent &B) {
                     return A.Begin == B.Begin;
                   }),
      Result.end());
  return Result;
}

const FunctionExtent *firstExtentAfter(ArrayRef<FunctionExtent> Extents,
                                       uint64_t Address) {
  return llvm::upper_bound(
      Extents, Address,
      [](uint64_t A, const FunctionExtent &E) { return A < E.Begin; });
}

Expected<std::string> readUnwindSection(StringRef Path) {
  Expected<std::unique_ptr<Binary>> File = Binary::open(Path);
  if (!File)
    return File.takeError();
  UnwindStatistics Statistics;
  return readUnwindRows({File->get()}, (*File)->code(),
                        /*FunctionStarts=*/{}, /*MayBeGo=*/false, Statistics,
                        [](Error E) { consumeError(std::move(E)); });
}

CodeRows readCodeRows(StringRef EHFrame, uint64_t CodeSize,
                      const UnwindMachine &Machine) {
  // Entries may begin before the code.
  constexpr uint64_t CodeBegin = 1 << 28;
  CodeRows Result;
  Result.Begin = CodeBegin;
  if (CodeSize == 0 || CodeSize > UINT32_MAX)
    return Result;
  CallFrameSection Section;
  Section.Bytes = EHFrame;
  Section.Address = CodeBegin + alignTo(CodeSize, 8);
  Section.IsLittleEndian = Machine.IsLittleEndian;
  Section.AddressSize = Machine.WordSize;
  Section.Machine = Machine.ELFMachine;
  // CPython's offset of the code is that of x86-64 on all machines.
  std::vector<CallFrames::Function> Functions = CallFrames(Section).functions();
  bool AreInCode = all_of(Functions, [&](const CallFrames::Function &F) {
    return F.Begin >= CodeBegin && F.End <= CodeBegin + CodeSize;
  });
  if (!AreInCode)
    Result.Begin =
        llvm::min_element(Functions, [](const auto &A, const auto &B) {
          return A.Begin < B.Begin;
        })->Begin;
  if (Result.Begin > UINT64_MAX - CodeSize)
    return Result;
  CodeMap Code({{Result.Begin, Result.Begin + CodeSize}});
  UnwindStatistics Statistics;
  UnwindRowReader Reader(Machine.ELFMachine, Machine.RA, Machine.WordSize, Code,
                         (1 << 16) + EHFrame.size() / 2, Statistics);
  Reader.addTable(".eh_frame", CallFrames(Section));
  Result.Section = Reader.section();
  return Result;
}

} // namespace lidia
