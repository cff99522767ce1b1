//===- StackPrinter.cpp - Prints the stacks of threads --------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Stack/StackPrinter.h"
#include "Support/MessageText.h"
#include "Support/StableSort.h"
#include "lidia/Output/FrameJSON.h"
#include "lidia/Output/FramePrinter.h"
#include "lidia/Symbolize/Names.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/SHA256.h"

using namespace llvm;

namespace lidia {

StackPrinter::StackPrinter(raw_ostream &OS, StackPrintOptions Options,
                           ProcessSymbolizer &S, const UnwindMachine *Machine,
                           std::function<void(const Twine &)> Warn)
    : S(S), Options(std::move(Options)), Bounded(S, Warn), Machine(Machine),
      Warn(Warn), OS(OS) {
  if (!isJSON())
    return;
  JSON.emplace(Escaper, *this->Options.JSON);
  JSON->arrayBegin();
}

/// Names of threads are as untrusted as those of functions.
std::string StackPrinter::printable(StringRef Text) const {
  return isJSON() ? json::fixUTF8(Text) : escapeText(Text);
}

/// The name of a function without its return type, the arguments of a template,
/// and its own.
static StringRef stemOf(StringRef Name) {
  StringRef Stem = Name.take_front(Name.find_first_of("<("));
  // "(anonymous namespace)::f()" stays as it is.
  return Stem.empty() ? Name : Stem.substr(Stem.rfind(' ') + 1);
}

/// \p A with the name by which the caller of \p F calls the function. If that
/// is not another instance of the same template, the lines are another
/// function's.
StackPrinter::Answer StackPrinter::asCalled(const UnwoundFrame &F,
                                            Answer A) const {
  if (!F.CalledAs || A->Frames.empty() || A->Frames.back().Function.empty() ||
      F.CalledAs->size() > BoundedAnswers::LongestName)
    return A;
  auto Renamed = std::make_shared<ProcessAnswer>(*A);
  SymbolizedFrame &Its = Renamed->Frames.back();
  std::string Name = printable(readableName(*F.CalledAs));
  if (stemOf(Name) != stemOf(Its.Function)) {
    SymbolizedFrame Nameless;
    Nameless.StartAddress = Its.StartAddress;
    Nameless.FunctionSize = Its.FunctionSize;
    Nameless.FunctionOffset = Its.FunctionOffset;
    Nameless.Origin = Its.Origin;
    Nameless.Aliases = Its.Aliases;
    Renamed->Frames = {std::move(Nameless)};
  }
  Renamed->Frames.back().Function = std::move(Name);
  return Renamed;
}

StackPrinter::Answer StackPrinter::ask(const UnwoundFrame &F) {
  Answer A = asCalled(F, Bounded.answer(F.Address, F.IsReturnAddress));
  if (!A->Reason.empty() && Reported.insert(A->Module).second) {
    Missing.push_back(
        {A->Module,
         S.buildIDAt(F.Address),
         {A->Reason.Code, withoutPath(A->Reason.Text, A->Module)}});
    Warn(A->Module + ": " + Missing.back().Reason.Text);
  }
  Answers.add(A->Frames.empty() ? NameOrigin::Unknown : A->Frames.back().Origin,
              A->miss());
  HasUnnamedMemory |= A->Type == ProcessAnswer::Kind::Anonymous;
  if (!A->Frames.empty() && A->Frames.front().Line != 0) {
    // Where there are lines, code without a function has never had one.
    erase(Nameless, A->Module);
    WithLines.insert(A->Module);
  }
  constexpr size_t MaxNameless = 4;
  if (Nameless.size() < MaxNameless && A->HasAddress && A->Reason.empty() &&
      !A->hasName() && !WithLines.contains(A->Module) &&
      !is_contained(Nameless, A->Module))
    Nameless.push_back(A->Module);
  return A;
}

void StackPrinter::print(const ThreadState &T, UnwoundStack Stack) {
  if (!Options.Group)
    return printGroup({{T}, {}, std::move(Stack)});
  groupOf(std::move(Stack), T.HasRegisters ? "" : "no " + T.WhyNoRegisters)
      .Threads.push_back(T);
}

void StackPrinter::print(const Goroutine &G, const ThreadState *T,
                         UnwoundStack Stack) {
  StoppedGoroutine S{G, T ? T->Stop : ThreadStop()};
  if (!Options.Group)
    return printGroup({{}, {std::move(S)}, std::move(Stack)});
  groupOf(std::move(Stack), G.Status).Goroutines.push_back(std::move(S));
}

StackPrinter::Group &StackPrinter::groupOf(UnwoundStack Stack,
                                           const Twine &Kind) {
  auto [Known, IsNew] =
      GroupIndices.try_emplace(keyOf(Stack, Kind.str()), Groups.size());
  if (IsNew)
    Groups.push_back({{}, {}, std::move(Stack)});
  return Groups[Known->second];
}

void StackPrinter::finish() {
  printGroups();
  if (isJSON()) {
    JSON->arrayEnd();
    Escaper << '\n';
  } else if (AnyUncertain) {
    OS << "name?: a symbol without a size, whose function may not reach here\n";
  }
  Escaper.flush();
}

void StackPrinter::printGroup(const Group &G) {
  if (isJSON())
    return printJSON(G);
  printText(G);
}

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

/// A key that is equal for stacks of threads or goroutines of one \p Kind that
/// look the same except for addresses. It is a hash of the printed text,
/// because names can be long and repeat in each frame.
std::string StackPrinter::keyOf(const UnwoundStack &Stack, StringRef Kind) {
  SHA256 Hash;
  auto AddText = [&](StringRef Text) {
    Hash.update(Text);
    Hash.update(StringRef("", 1));
  };
  auto AddNumber = [&](uint64_t Number) { AddText(std::to_string(Number)); };
  AddText(Kind);
  for (const UnwoundFrame &F : Stack.Frames) {
    Answer A = ask(F);
    AddText(A->Module);
    AddNumber(A->Frames.empty() ? F.Address : 0);
    for (const SymbolizedFrame &Call : A->Frames) {
      if (Call.Function.empty())
        AddNumber(Call.StartAddress.value_or(0));
      AddText(Call.Function);
      AddText(Call.File);
      AddNumber(Call.Line);
    }
  }
  AddNumber(unsigned(Stack.End));
  AddNumber(Stack.Omitted);
  return toStringRef(Hash.final()).str();
}

/// Prints the first thread's group first, then the others by number of threads.
void StackPrinter::printGroups() {
  if (Groups.size() > 1)
    stableSort(MutableArrayRef(Groups).drop_front(),
               [](const Group &G) { return -int64_t(G.size()); });
  for (const Group &G :
       ArrayRef(Groups).take_front(std::min(Groups.size(), Options.MaxGroups)))
    printGroup(G);
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

/// Why \p Stack is incomplete, as text; empty if it is complete. Memory was
/// read from \p Source ("the core"). The stack must have frames.
static std::string describeEnd(const UnwoundStack &Stack, ProcessSymbolizer &S,
                               StringRef Source) {
  std::string Address = "0x" + utohexstr(Stack.FailedAddress, true);
  const std::string Here = "the stack ends here: ";
  switch (Stack.End) {
  case StackEnd::Complete:
    return "";
  case StackEnd::NoMemory:
    return (Here + Source + " does not have the memory at " + Address).str();
  case StackEnd::NoRows:
    break;
  case StackEnd::Corrupt:
    return Here + "it is damaged, or was unwound wrongly, at " + Address;
  case StackEnd::TooLong:
    return "there are more frames: see --max-frames of llvm-lidia stack";
  case StackEnd::OtherStack:
    return Here + "Go's runtime has switched stacks, and it is not known where "
                  "the one before is";
  }
  using Kind = ProcessAnswer::Kind;
  Kind What = S.answer(Stack.FailedAddress, /*IsReturnAddress=*/false)->Type;
  if (What == Kind::Unmapped)
    return Here + Address + " is not in code";
  std::string Nothing = Here + "nothing says how to unwind " + Address;
  if (What == Kind::Anonymous || What == Kind::JIT)
    Nothing += ", which is in memory without a file: code made at run time is "
               "unwound if it keeps frame pointers";
  return Nothing;
}

void StackPrinter::printText(const Group &G) {
  if (!std::exchange(IsFirst, false))
    OS << '\n';
  const ThreadState *T = G.Threads.empty() ? nullptr : &G.Threads.front();
  if (T)
    printHeader(G);
  else
    printGoroutineHeader(G);
  if (T && Options.Registers && T->HasRegisters)
    printRegisters(T->Registers);
  printFrames(G.Stack);
  bool IsKnown = G.hasRegisters();
  std::string End = IsKnown ? describeEnd(G.Stack, S, Options.Source)
                    : T     ? T->WhyNoRegisters
                            : "";
  if (!IsKnown && End.empty())
    End = "its registers are not known";
  if (!End.empty())
    OS << "    (" << End << ")\n";
  printCreators(G);
}

void StackPrinter::printHeader(const Group &G) {
  const std::string &Name = G.Threads.front().Name;
  bool AreAlike =
      all_of(G.Threads, [&](const ThreadState &T) { return T.Name == Name; });
  if (G.Threads.size() > 1) {
    OS << G.Threads.size() << " threads";
    if (AreAlike && !Name.empty())
      OS << " \"" << printable(Name) << '"';
    OS << ": ";
  }
  ListSeparator Comma;
  for (const ThreadState &T : ArrayRef(G.Threads).take_front(MaxIDs)) {
    OS << Comma << (G.Threads.size() > 1 ? "" : "Thread ") << T.ID;
    if (!T.Name.empty() && (!AreAlike || G.Threads.size() == 1))
      OS << " \"" << printable(T.Name) << '"';
    if (T.Stop.isKnown())
      OS << ' ' << printable(toString(T.Stop));
  }
  printRest(G.Threads.size());
  OS << '\n';
}

/// Says how many of \p Count IDs have not been printed.
void StackPrinter::printRest(size_t Count) {
  if (Count > MaxIDs)
    OS << " and " << Count - MaxIDs << " more";
}

/// The frames of \p A to print, with an unknown one if there is none.
ArrayRef<SymbolizedFrame> StackPrinter::framesOf(const ProcessAnswer &A) const {
  static const SymbolizedFrame Unknown;
  if (A.Frames.empty())
    return Unknown;
  return ArrayRef(A.Frames).take_back(Options.Inlines ? A.Frames.size() : 1);
}

void StackPrinter::count(const SymbolizedFrame &F) {
  ++FramesPrinted;
  FramesWithLines += F.Line != 0;
  FramesWithNames += F.Line == 0 && !F.Function.empty();
  if (Options.Files && !F.File.empty())
    Options.Files->insert(F.File);
}

/// Prints " file:line:column", as far as they are known.
static void printLine(raw_ostream &OS, const SymbolizedFrame &F) {
  if (F.Line != 0)
    OS << ' ' << F.File << ':' << F.Line;
  if (F.Line != 0 && F.Column != 0)
    OS << ':' << F.Column;
}

/// In Go's format: "goroutine 18 [chan receive, 3 minutes]:".
void StackPrinter::printGoroutineHeader(const Group &G) {
  const Goroutine &First = G.Goroutines.front().G;
  if (G.Goroutines.size() > 1) {
    OS << G.Goroutines.size() << " goroutines [" << printable(First.Status)
       << "]: ";
    ListSeparator Comma;
    for (const StoppedGoroutine &S :
         ArrayRef(G.Goroutines).take_front(MaxIDs)) {
      OS << Comma << S.G.ID;
      if (S.Stop.isKnown())
        OS << ' ' << printable(toString(S.Stop));
    }
    printRest(G.Goroutines.size());
    OS << '\n';
    return;
  }
  OS << "goroutine " << First.ID << " [" << printable(First.Status);
  constexpr uint64_t Minute = 60'000'000'000;
  if (First.Waited && *First.Waited >= Minute)
    OS << ", " << *First.Waited / Minute << " minutes";
  if (First.Thread)
    OS << ", thread " << *First.Thread;
  OS << "]:";
  if (const ThreadStop &Stop = G.Goroutines.front().Stop; Stop.isKnown())
    OS << ' ' << printable(toString(Stop));
  OS << '\n';
}

/// The frame of the go statement that created \p G.
static UnwoundFrame creationOf(const Goroutine &G) {
  UnwoundFrame F;
  F.Address = G.CreatedAt;
  F.IsReturnAddress = true;
  return F;
}

/// Prints "created by main.main in goroutine 1 main.go:41:5 (...)" if it is the
/// same for all goroutines of \p G.
void StackPrinter::printCreators(const Group &G) {
  if (G.Goroutines.empty())
    return;
  const Goroutine &First = G.Goroutines.front().G;
  auto AreAlike = [&](uint64_t Goroutine::*Member) {
    return First.*Member != 0 && all_of(G.Goroutines, [&](auto &Other) {
             return Other.G.*Member == First.*Member;
           });
  };
  // Like Go, print nothing for the first goroutine, which the runtime starts.
  if (!AreAlike(&Goroutine::CreatedAt) || First.ID == 1)
    return;
  UnwoundFrame F = creationOf(First);
  Answer A = ask(F);
  SymbolizedFrame Call = A->Frames.empty() ? SymbolizedFrame() : A->Frames[0];
  OS << "created by " << orUnknown(Call.Function);
  if (AreAlike(&Goroutine::Creator))
    OS << " in goroutine " << First.Creator;
  printLine(OS, Call);
  printPlace(A, F);
  OS << '\n';
}

void StackPrinter::printRegisters(const RegisterSet &Registers) {
  unsigned Column = 0;
  auto Print = [&](StringRef Name, uint64_t Value) {
    OS << (Column % 4 == 0 ? "    " : "  ")
       << llvm::format("%-4s 0x%0*llx", Name.str().c_str(),
                       int(Machine->WordSize) * 2, (unsigned long long)Value);
    if (++Column % 4 == 0)
      OS << '\n';
  };
  Print("pc", Registers.PC);
  for (unsigned Number = 0; Number != RegisterSet::Count; ++Number) {
    if (Registers.has(Number))
      Print(Machine->registerName(Number), *Registers.get(Number));
  }
  if (Column % 4 != 0)
    OS << '\n';
}

/// Prints the name of \p Call, or "<function at 0x1234>+0x10" if only its start
/// is known.
void StackPrinter::printFunction(const Answer &A, const UnwoundFrame &F,
                                 const SymbolizedFrame &Call) {
  if (!Call.Function.empty() || !Call.StartAddress || !A->HasAddress) {
    OS << orUnknown(Call.Function) << uncertainMark(Call);
    return;
  }
  uint64_t Address = A->Address + F.IsReturnAddress;
  OS << unnamedFunction(*Call.StartAddress) << "+0x"
     << utohexstr(Address - *Call.StartAddress, /*LowerCase=*/true);
}

/// Prints " (module+0x1234)".
void StackPrinter::printPlace(const Answer &A, const UnwoundFrame &F) {
  OS << " (" << A->Module;
  if (A->HasAddress)
    OS << "+0x"
       << utohexstr(A->Address + F.IsReturnAddress, /*LowerCase=*/true);
  OS << ')';
}

/// How often the first \p Period frames of \p Frames follow each other.
static size_t repetitions(ArrayRef<UnwoundFrame> Frames, size_t Period) {
  size_t I = Period;
  while (I != Frames.size() && Frames[I].Address == Frames[I - Period].Address)
    ++I;
  return I / Period;
}

/// Prints frames that a recursion repeats once.
void StackPrinter::printFrames(const UnwoundStack &Stack) {
  // Functions that call each other in turn are rarely more.
  constexpr size_t LongestPeriod = 8, Fewest = 4;
  unsigned Number = 0;
  ArrayRef<UnwoundFrame> All = Stack.Frames;
  for (size_t I = 0; I != All.size();) {
    bool IsBefore = Stack.Omitted && I < Stack.OmittedAt;
    ArrayRef<UnwoundFrame> Rest =
        IsBefore ? All.slice(I, Stack.OmittedAt - I) : All.drop_front(I);
    size_t Period = 1, Times = 1;
    for (size_t P = 1; P <= std::min(LongestPeriod, Rest.size()); ++P)
      if (size_t Found = repetitions(Rest, P); Found >= Fewest) {
        Period = P;
        Times = Found;
        break;
      }
    const unsigned First = Number;
    const uint64_t Before[] = {FramesPrinted, FramesWithLines, FramesWithNames};
    for (const UnwoundFrame &F : Rest.take_front(Period))
      printFrame(F, Number);
    FramesPrinted += (FramesPrinted - Before[0]) * (Times - 1);
    FramesWithLines += (FramesWithLines - Before[1]) * (Times - 1);
    FramesWithNames += (FramesWithNames - Before[2]) * (Times - 1);
    if (Times > 1)
      OS << "    (" << Times - 1 << " more of "
         << (Period == 1 ? "this" : "these " + std::to_string(Period)) << ")\n";
    Number += unsigned(Times - 1) * (Number - First);
    I += Period * Times;
    if (Stack.Omitted && I == Stack.OmittedAt) {
      OS << "    (" << Stack.Omitted
         << " more frames: see --max-frames of llvm-lidia stack)\n";
      Number += unsigned(Stack.Omitted);
    }
  }
}

void StackPrinter::printFrame(const UnwoundFrame &F, unsigned &Number) {
  Answer A = ask(F);
  for (const SymbolizedFrame &Call : framesOf(*A)) {
    count(Call);
    OS << llvm::format("#%-2u 0x%0*llx in ", Number++,
                       int(Machine->WordSize) * 2,
                       (unsigned long long)F.Address);
    if (F.IsSignalFrame)
      OS << "<signal handler called>";
    else
      printFunction(A, F, Call);
    AnyUncertain |= Call.IsUncertain;
    printLine(OS, Call);
    if (Call.IsInlined)
      OS << " [inlined]";
    else if (F.IsTailCall)
      OS << " [tail call]";
    printPlace(A, F);
    if (Options.Trust || F.IsGuess)
      OS << " [" << toString(F.Trust) << ']';
    if (Options.Trust && Call.Origin != NameOrigin::Unknown)
      OS << " [" << toString(Call.Origin) << ']';
    OS << '\n';
  }
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

void StackPrinter::printJSON(const Group &G) {
  JSON->object([&] {
    if (!G.Threads.empty())
      JSON->attributeArray("Threads", [&] {
        for (const ThreadState &T : G.Threads)
          printThreadJSON(T);
      });
    else
      JSON->attributeArray("Goroutines", [&] {
        for (const StoppedGoroutine &S : G.Goroutines)
          printGoroutineJSON(S);
      });
    JSON->attributeArray("Frames", [&] {
      for (const UnwoundFrame &F : G.Stack.Frames)
        printFrameJSON(F);
    });
    if (G.Stack.Omitted) {
      JSON->attribute("OmittedFrames", int64_t(G.Stack.Omitted));
      JSON->attribute("OmittedBefore", int64_t(G.Stack.OmittedAt));
    }
    JSON->attribute("End",
                    G.hasRegisters() ? nameOf(G.Stack.End) : "no_registers");
    if (is_contained({StackEnd::NoMemory, StackEnd::NoRows, StackEnd::Corrupt},
                     G.Stack.End))
      JSON->attribute("EndAddress", hex(G.Stack.FailedAddress));
  });
}

void StackPrinter::printGoroutineJSON(const StoppedGoroutine &S) {
  const Goroutine &G = S.G;
  JSON->object([&] {
    JSON->attribute("ID", int64_t(G.ID));
    JSON->attribute("Status", printable(G.Status));
    if (G.Waited)
      JSON->attribute("WaitedSeconds", int64_t(*G.Waited / 1'000'000'000));
    if (G.Thread)
      JSON->attribute("Thread", int64_t(*G.Thread));
    if (S.Stop.isKnown())
      JSON->attribute("Stop", printable(toString(S.Stop)));
    if (G.Creator != 0)
      JSON->attribute("Creator", int64_t(G.Creator));
    if (G.CreatedAt == 0 || G.ID == 1)
      return;
    JSON->attributeBegin("CreatedBy");
    printFrameJSON(creationOf(G));
    JSON->attributeEnd();
  });
}

void StackPrinter::printThreadJSON(const ThreadState &T) {
  JSON->object([&] {
    JSON->attribute("ID", int64_t(T.ID));
    if (!T.Name.empty())
      JSON->attribute("Name", printable(T.Name));
    if (T.Stop.isKnown())
      JSON->attribute("Stop", printable(toString(T.Stop)));
    if (T.Stop.Signal != 0)
      JSON->attribute("Signal", int64_t(T.Stop.Signal));
    if (T.Stop.Code)
      JSON->attribute("SignalCode", *T.Stop.Code);
    if (T.Stop.FaultAddress)
      JSON->attribute("FaultAddress", hex(*T.Stop.FaultAddress));
    if (!T.WhyNoRegisters.empty())
      JSON->attribute("Failure", printable(T.WhyNoRegisters));
    if (!Options.Registers || !T.HasRegisters)
      return;
    JSON->attributeObject("Registers", [&] {
      JSON->attribute("pc", hex(T.Registers.PC));
      for (unsigned Number = 0; Number != RegisterSet::Count; ++Number) {
        if (T.Registers.has(Number))
          JSON->attribute(Machine->registerName(Number),
                          hex(*T.Registers.get(Number)));
      }
    });
  });
}

void StackPrinter::printCallJSON(const SymbolizedFrame &F) {
  if (JSON->isOwn())
    return writeFrameMembers(F, &Options.Links,
                             [&](StringRef Name, const auto &Value) {
                               JSON->attribute(Name, Value);
                             });
  JSON->attribute("FunctionName", F.Function);
  JSON->attribute("FileName", F.File);
  JSON->attribute("Line", F.Line);
  JSON->attribute("Column", F.Column);
  if (std::string URL = Options.Links.urlOf(F); !URL.empty())
    JSON->attribute("SourceURL", URL);
}

/// Prints what a server that has the archive needs to explain the answer.
void StackPrinter::printBuildID(const UnwoundFrame &F, const ProcessAnswer &A) {
  const MappingList &List = S.space().mappings();
  const Mapping *M = List.find(F.Address - F.IsReturnAddress);
  if (!M || !A.HasAddress || List.file(*M).BuildID.empty())
    return;
  JSON->attribute("BuildID", toHex(List.file(*M).BuildID, /*LowerCase=*/true));
  JSON->attribute("LookupAddress", hex(A.Address));
}

void StackPrinter::printFrameJSON(const UnwoundFrame &F) {
  Answer A = ask(F);
  JSON->object([&] {
    JSON->attribute("Address", hex(F.Address));
    JSON->attribute("ModuleName", A->Module);
    if (A->HasAddress)
      JSON->attribute("ModuleAddress", hex(A->Address + F.IsReturnAddress));
    if (Options.BuildIDs)
      printBuildID(F, *A);
    JSON->attribute("Trust", toString(F.Trust));
    if (F.IsSignalFrame)
      JSON->attribute("SignalFrame", true);
    if (F.IsTailCall)
      JSON->attribute("TailCall", true);
    if (MissCode Code = A->miss(); JSON->isOwn() && Code != MissCode::None)
      JSON->attribute("Miss", toString(Code));
    JSON->attributeArray("Symbol", [&] {
      for (const SymbolizedFrame &Call : framesOf(*A)) {
        count(Call);
        if (A->Frames.empty())
          break;
        JSON->object([&] { printCallJSON(Call); });
      }
    });
  });
}

} // namespace lidia
