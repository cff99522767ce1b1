//===- DumpFacts.cpp - What a dossier says of a dump ----------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Beside the stacks: which function to look at, its source, registers and the
/// instruction where the thread stopped, and what is uncertain or missing.
/// Nothing of a dump is executed or evaluated.
///
//===----------------------------------------------------------------------===//

#include "Blame.h"
#include "Dossier.h"
#include "Support/CutText.h"
#include "lidia/Output/FrameJSON.h"
#include "lidia/Output/FramePrinter.h"
#include "lidia/Process/SpaceModule.h"
#include "lidia/Symbolize/Explain.h"
#include "lidia/Symbolize/Symbolizer.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/JSON.h"

using namespace llvm;

namespace lidia {

/// The stacks with a line of their own, and the frames that are looked at.
static constexpr size_t MaxCauses = 8;
static constexpr size_t MaxFramesRead = 256;
static constexpr size_t MaxExcerpts = 3;
static constexpr size_t MaxUncertain = 16;
/// Names, paths and lines of source are cut after so many bytes.
static constexpr size_t MaxNameSize = 200;
static constexpr size_t MaxLineSize = 160;

/// The end of \p Path, which says more than its beginning.
static StringRef endOf(StringRef Path) {
  if (Path.size() <= MaxNameSize)
    return Path;
  StringRef End = Path.take_back(MaxNameSize);
  size_t Slash = End.find('/');
  // Not within a character of UTF-8.
  return Slash == StringRef::npos ? End.drop_while([](char C) {
    return (uint8_t(C) & 0xc0) == 0x80;
  })
                                  : End.drop_front(Slash);
}

std::string describeFrame(const FrameView &F) {
  std::string Text = cutText(orUnknown(F.Function), MaxNameSize);
  Text += uncertainMark(F);
  if (F.Line == 0)
    return Text;
  Text += " at ";
  Text += endOf(F.File);
  Text += ":" + std::to_string(F.Line);
  return F.Column ? Text + ":" + std::to_string(F.Column) : Text;
}

void addExcerpt(const SymbolizedFrame &F,
                std::vector<DossierFacts::Excerpt> &To) {
  if (F.SourceLines.empty() || To.size() >= MaxExcerpts)
    return;
  for (const DossierFacts::Excerpt &Known : To)
    if (Known.File == F.File && Known.Line == F.Line)
      return;
  DossierFacts::Excerpt E{cutText(F.Function, MaxNameSize),
                          F.File,
                          F.Line,
                          firstSourceLine(F.Line, ReportOptions::SourceLines),
                          {}};
  SmallVector<StringRef, 8> Lines;
  StringRef(F.SourceLines).rtrim('\n').split(Lines, '\n');
  for (StringRef Line : Lines)
    E.Lines.push_back(cutText(Line, MaxLineSize));
  To.push_back(std::move(E));
}

namespace {

/// A call of a stack with its answer.
struct Call {
  const UnwoundFrame *Frame = nullptr;
  std::shared_ptr<const ProcessAnswer> Answer;
  /// Null for a frame without names.
  const SymbolizedFrame *Its = nullptr;

  bool hasName() const { return Its && !Its->Function.empty(); }
  bool isMachinery() const {
    return hasName() && lidia::isMachinery(Its->Function, Answer->Module);
  }
};

class DumpFacts {
public:
  DumpFacts(ReportInput &In, ProcessSymbolizer &S, ReportKind Kind, bool IsJSON,
            DossierFacts &To)
      : In(In), S(S), Kind(Kind), IsJSON(IsJSON), To(To) {}

  void addCauses(ArrayRef<StackPrinter::Group> Groups);
  /// Adds the rest, of the stack \p First.
  void addFirst(const StackPrinter::Group &First);
  void addModules();

private:
  std::string printable(StringRef Text) const {
    return IsJSON ? json::fixUTF8(Text) : escapeText(Text);
  }
  std::vector<Call> callsOf(const UnwoundStack &Stack);
  std::string titleOf(const StackPrinter::Group &G) const;
  std::string causeOf(ArrayRef<Call> Calls) const;
  void addSource(ArrayRef<Call> Calls);
  void addSourceOf(const UnwoundFrame &F);
  void addRegisters(const RegisterSet &Registers);
  void addInstruction(uint64_t Address);
  void addUncertain(ArrayRef<Call> Calls);
  void addFolded(const Call &C);
  void addModuleOf(const Call &C);
  void addIncomplete(ArrayRef<Call> Calls);
  void doubt(const Twine &Text) {
    if (To.Uncertain.size() < MaxUncertain &&
        !is_contained(To.Uncertain, Text.str()))
      To.Uncertain.push_back(Text.str());
  }
  /// The module at \p Address, and its own address there.
  std::pair<ResolvedModule, std::optional<uint64_t>> open(uint64_t Address);

  ReportInput &In;
  ProcessSymbolizer &S;
  const ReportKind Kind;
  const bool IsJSON;
  DossierFacts &To;
  StringSet<> Named;
};

} // namespace

std::vector<Call> DumpFacts::callsOf(const UnwoundStack &Stack) {
  std::vector<Call> Calls;
  for (const UnwoundFrame &F : Stack.Frames) {
    if (Calls.size() >= MaxFramesRead)
      break;
    std::shared_ptr<const ProcessAnswer> A =
        S.answer(F.Address, F.IsReturnAddress);
    if (A->Frames.empty())
      Calls.push_back({&F, A, nullptr});
    for (const SymbolizedFrame &Its : A->Frames)
      Calls.push_back({&F, A, &Its});
  }
  return Calls;
}

//===----------------------------------------------------------------------===//
// Causes
//===----------------------------------------------------------------------===//

std::string DumpFacts::titleOf(const StackPrinter::Group &G) const {
  if (G.Threads.empty())
    return std::to_string(G.size()) + " goroutines";
  const ThreadState &T = G.Threads.front();
  std::string Text = G.Threads.size() > 1
                         ? std::to_string(G.Threads.size()) + " threads, first "
                         : std::string("Thread ");
  Text += std::to_string(T.ID);
  if (!T.Name.empty())
    Text += " \"" + printable(cutText(T.Name, MaxNameSize)) + "\"";
  if (T.Stop.isKnown())
    Text += " " + printable(cutText(toString(T.Stop), MaxNameSize));
  return Text;
}

static std::string describeCall(const Call &C) {
  std::string Text = describeFrame(*C.Its);
  return C.Its->Line != 0
             ? Text
             : Text + " (" + cutText(C.Answer->Module, MaxNameSize) + ")";
}

/// Says so if the function of the first of \p Calls calls itself often: what
/// overflows a stack is the call, and not the line that needs more of it.
static std::string recursionOf(ArrayRef<Call> Calls) {
  constexpr size_t Often = 16;
  auto IsSame = [&](const Call &C) {
    return C.hasName() && C.Its->Function == Calls.front().Its->Function;
  };
  size_t Count = find_if_not(Calls, IsSame) - Calls.begin();
  return Count < Often
             ? ""
             : ", called again and again by " + describeCall(Calls[1]);
}

/// The function to look at first: the innermost that is not machinery, and what
/// it called. After a handler of a signal, also the one that was interrupted.
std::string DumpFacts::causeOf(ArrayRef<Call> Calls) const {
  std::string Text;
  const Call *Machinery = nullptr;
  bool IsFound = false, HasLine = false;
  for (const Call &C : Calls) {
    if (C.Frame->IsSignalFrame) {
      if (IsFound)
        Text += ", the handler of a signal";
      IsFound = HasLine = false;
      Machinery = nullptr;
      continue;
    }
    if (!C.hasName() || C.isMachinery()) {
      if (!IsFound && C.hasName())
        Machinery = &C;
      continue;
    }
    if (IsFound && (HasLine || C.Its->Line == 0))
      continue;
    Text += IsFound ? ", called by " : Text.empty() ? "in " : " in ";
    Text += describeCall(C);
    HasLine = C.Its->Line != 0;
    if (std::exchange(IsFound, true))
      continue;
    if (Machinery)
      Text +=
          ", which called " + cutText(Machinery->Its->Function, MaxNameSize);
    Text += recursionOf(Calls.drop_front(&C - Calls.data()));
  }
  if (!Text.empty())
    return Text;
  if (Calls.empty())
    return "no frames are known";
  if (Calls.front().hasName())
    return "in " + describeCall(Calls.front());
  return "at " + hex(Calls.front().Frame->Address) + " (" +
         cutText(Calls.front().Answer->Module, MaxNameSize) +
         "), which has no name";
}

void DumpFacts::addCauses(ArrayRef<StackPrinter::Group> Groups) {
  for (const StackPrinter::Group &G :
       Groups.take_front(std::min(Groups.size(), MaxCauses)))
    To.Causes.push_back(titleOf(G) + ": " + causeOf(callsOf(G.Stack)));
  To.OtherStacks = Groups.size() - To.Causes.size();
}

//===----------------------------------------------------------------------===//
// The first stack
//===----------------------------------------------------------------------===//

std::pair<ResolvedModule, std::optional<uint64_t>>
DumpFacts::open(uint64_t Address) {
  const MappingList &List = S.space().mappings();
  const Mapping *M = List.find(Address);
  if (!M || List.file(*M).Type == MappedFile::Kind::Anonymous)
    return {};
  std::pair<ResolvedModule, std::optional<uint64_t>> Found;
  Found.first = openModule(S.space(), *M, In.Modules);
  Found.second = addressIn(Found.first, List, *M, Address);
  return Found;
}

void DumpFacts::addSourceOf(const UnwoundFrame &F) {
  auto [Module, Own] = open(F.Address - F.IsReturnAddress);
  if (!Module.A || !Own)
    return;
  SymbolizerOptions Options;
  Options.Rust = OlderRust::Plain;
  Options.Text = IsJSON ? TextForm::UTF8 : TextForm::Printable;
  Options.Sources = true;
  std::vector<SymbolizedFrame> Frames =
      Symbolizer(*Module.A, Options).symbolize(*Own);
  In.Options.AddSource(Frames, Module.Loaded.BuildID);
  for (const SymbolizedFrame &Its : Frames)
    if (!isMachinery(Its.Function, ""))
      addExcerpt(Its, To.Source);
}

/// Adds lines of source, of the first frames that are not machinery.
void DumpFacts::addSource(ArrayRef<Call> Calls) {
  if (!In.Options.AddSource)
    return;
  size_t Tried = 0;
  const UnwoundFrame *Last = nullptr;
  for (const Call &C : Calls) {
    if (!C.hasName() || C.Its->Line == 0 || C.isMachinery() ||
        std::exchange(Last, C.Frame) == C.Frame)
      continue;
    addSourceOf(*C.Frame);
    if (To.Source.size() >= MaxExcerpts || ++Tried >= 2 * MaxExcerpts)
      return;
  }
}

void DumpFacts::addRegisters(const RegisterSet &Registers) {
  const UnwindMachine *Machine = S.space().machine();
  if (!Machine)
    return;
  To.WordSize = Machine->WordSize;
  To.Registers.emplace_back("pc", Registers.PC);
  for (unsigned Number = 0; Number != RegisterSet::Count; ++Number)
    if (std::optional<uint64_t> Value = Registers.get(Number))
      To.Registers.emplace_back(Machine->registerName(Number), *Value);
}

void DumpFacts::addInstruction(uint64_t Address) {
  const UnwindMachine *Machine = S.space().machine();
  if (!Machine || !In.Options.Disassemble)
    return;
  // The longest instruction of all machines has 15 bytes.
  uint8_t Bytes[16];
  size_t Count = S.space().readMemory(Address, Bytes);
  if (Count == 0) {
    auto [Module, Own] = open(Address);
    Count = Own ? Module.Loaded.read(*Own, Bytes) : 0;
  }
  std::vector<CodeLine> Code = In.Options.Disassemble(
      *Machine, Address, ArrayRef(Bytes, Count), /*Max=*/1);
  if (Code.empty())
    return;
  std::shared_ptr<const ProcessAnswer> A =
      S.answer(Address, /*IsReturnAddress=*/false);
  std::string Place = cutText(A->Module, MaxNameSize);
  if (A->HasAddress)
    Place += "+" + hex(A->Address);
  To.Stopped = {Address, std::move(Place),
                toHex(ArrayRef(Bytes, Code.front().Size), /*LowerCase=*/true),
                printable(cutText(Code.front().Text, MaxNameSize))};
}

/// Says so if other functions have the code of \p C.
void DumpFacts::addFolded(const Call &C) {
  auto [Module, Own] = open(C.Frame->Address - C.Frame->IsReturnAddress);
  if (!Module.A || !Own)
    return;
  std::vector<std::string> Others = explain(*Module.A, *Own).front().Aliases;
  if (Others.empty())
    return;
  constexpr size_t MaxNames = 3;
  size_t Count = Others.size();
  Others.resize(std::min(Count, MaxNames));
  for (std::string &Name : Others)
    Name = cutText(Name, MaxNameSize);
  doubt(cutText(C.Its->Function, MaxNameSize) + ": " + Twine(Count) +
        " more names are of this code (" + join(Others, ", ") +
        (Count > MaxNames ? ", ..." : "") +
        "): aliases, or folded by the linker; the caller may have meant "
        "another");
}

void DumpFacts::addUncertain(ArrayRef<Call> Calls) {
  size_t Folded = 0, Number = 0;
  for (const Call &C : Calls) {
    std::string Frame = "#" + std::to_string(Number++) + " ";
    Frame += C.Its ? cutText(orUnknown(C.Its->Function), MaxNameSize)
                   : hex(C.Frame->Address);
    if (C.Its && C.Its->IsUncertain)
      doubt(Frame + ": a symbol without a size; the function may not reach "
                    "this address");
    if (C.Frame->IsGuess)
      doubt(Frame + ": found by a scan of the stack; it may be left from an "
                    "earlier call");
    else if (C.Frame->Trust == FrameTrust::FramePointer)
      doubt(Frame + ": found by the frame pointer, in code without unwind "
                    "information");
    if (C.hasName() && !C.isMachinery() && !C.Its->IsInlined &&
        Folded++ < MaxExcerpts)
      addFolded(C);
  }
}

void DumpFacts::addFirst(const StackPrinter::Group &First) {
  std::vector<Call> Calls = callsOf(First.Stack);
  addSource(Calls);
  if (!First.Threads.empty() && First.Threads.front().HasRegisters) {
    addRegisters(First.Threads.front().Registers);
    addInstruction(First.Threads.front().Registers.PC);
  }
  addUncertain(Calls);
  addIncomplete(Calls);
  for (const Call &C : Calls)
    addModuleOf(C);
}

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

void DumpFacts::addModuleOf(const Call &C) {
  using AnswerKind = ProcessAnswer::Kind;
  AnswerKind Type = C.Answer->Type;
  if (Type != AnswerKind::Module && Type != AnswerKind::Kernel)
    return;
  if (!Named.insert(C.Answer->Module).second)
    return;
  std::vector<uint8_t> ID = S.buildIDAt(C.Frame->Address);
  // Minidumps have other identifiers, too.
  if (ID.empty() && Type == AnswerKind::Module && Kind == ReportKind::Core)
    doubt(cutText(C.Answer->Module, MaxNameSize) +
          ": it has no build ID; the file of that name may be another build");
  To.Modules.push_back({C.Answer->Module, std::move(ID)});
}

/// Adds the modules with an archive that has no name or no line for a frame.
void DumpFacts::addIncomplete(ArrayRef<Call> Calls) {
  StringMap<size_t> Known;
  for (const Call &C : Calls) {
    const ProcessAnswer &A = *C.Answer;
    MissCode Code = A.miss();
    if (A.Type != ProcessAnswer::Kind::Module || !A.Reason.empty() ||
        Code == MissCode::None)
      continue;
    auto [It, IsNew] = Known.try_emplace(A.Module, To.Incomplete.size());
    Miss Why = {Code, C.hasName() ? "functions of the stack have no lines"
                                  : "functions of the stack have no names"};
    if (IsNew)
      To.Incomplete.push_back(
          {A.Module, S.buildIDAt(C.Frame->Address), std::move(Why)});
    else if (!C.hasName())
      To.Incomplete[It->second].Reason = std::move(Why);
  }
}

void DumpFacts::addModules() {
  for (const MappedFile &F : S.space().mappings().files()) {
    std::string Name = printable(F.Path);
    if (!F.BuildID.empty() && Named.insert(Name).second)
      To.OtherModules.push_back({std::move(Name), F.BuildID});
  }
}

DossierFacts factsOfDump(ReportInput &In, ProcessSymbolizer &S,
                         ArrayRef<StackPrinter::Group> Groups, ReportKind Kind,
                         bool IsJSON) {
  DossierFacts Result;
  DumpFacts Facts(In, S, Kind, IsJSON, Result);
  Facts.addCauses(Groups);
  if (!Groups.empty())
    Facts.addFirst(Groups.front());
  Facts.addModules();
  return Result;
}

} // namespace lidia
