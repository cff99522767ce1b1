//===- Explain.cpp - llvm-lidia explain: why an address has its answer ----===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AddressSpaceOptions.h"
#include "BinaryInput.h"
#include "CacheOptions.h"
#include "Progress.h"
#include "SourceOptions.h"
#include "lidia/Extract/SourceAnswers.h"
#include "lidia/Output/ExplanationPrinter.h"
#include "lidia/Output/FrameJSON.h"
#include "lidia/Process/AddressSpace.h"
#include "lidia/Process/SpaceModule.h"
#include "lidia/Process/Stacks.h"
#include "lidia/Symbolize/Names.h"
#include "lidia/Symbolize/PrintableText.h"
#include "lidia/Symbolize/Query.h"
#include "lidia/Symbolize/UnwindText.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Object/BuildID.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace {
/// The parsed command line.
struct ExplainRequest {
  /// A binary, an archive, or BUILDID: and a build ID; empty if Space is set.
  std::string Module;
  std::vector<uint64_t> Addresses;
  lidia::AddressSpaceOptions Space;
  lidia::SymbolSources Sources;
  lidia::CacheOptions Cache;
  bool JSON = false;
  bool Quiet = false;
};
} // namespace

namespace lidia {

static ExplainRequest readExplainRequest(CommandLine &Line) {
  const opt::InputArgList &Args = Line.args();
  ExplainRequest R;
  R.Space = readAddressSpaceOptions(Line);
  std::vector<std::string> Operands = Line.operands();
  if (!R.Space.isSet()) {
    if (const opt::Arg *A = Args.getLastArg(OPT_obj_EQ))
      R.Module = A->getValue();
    else if (Operands.empty())
      Line.fail("no binary or archive given (see llvm-lidia explain --help)");
    else {
      R.Module = Operands.front();
      Operands.erase(Operands.begin());
    }
  }
  for (StringRef Text : Operands) {
    Query Q;
    if (Q.parse(Text) || Q.Type != Query::Kind::Code || !Q.Symbol.empty())
      Line.fail("'" + Text + "': expected an address, such as 0x1234");
    R.Addresses.push_back(Q.Offset);
  }
  if (R.Addresses.empty())
    Line.fail("no address given (see llvm-lidia explain --help)");
  StringRef Format = Args.getLastArgValue(OPT_format_EQ, "text");
  R.JSON = Format == "json";
  if (!R.JSON && Format != "text")
    Line.fail("--format=: expected text or json, but got '" + Format + "'");
  R.Quiet = Args.hasArg(OPT_quiet);
  R.Sources = readSymbolSources(Line, R.Space.Core.empty() ? "" : "/");
  R.Cache = readCacheOptions(Line);
  return R;
}

namespace {

class ExplainCommand {
public:
  ExplainCommand(const ExplainRequest &R, ModuleResolver &Modules,
                 ConvertObserver &Observer)
      : R(R), Modules(Modules), Observer(Observer) {}

  Error run();

private:
  Error explainInModule();
  Error explainInSpace();
  void explainInMapping(const AddressSpace &Space, const Mapping &M,
                        ArrayRef<size_t> Asked);
  void explain(const Archive &A, ArrayRef<size_t> Asked, StringRef Binary);
  void addSources(ExplainedAddress &E, StringRef Binary);
  void addStacks(const AddressSpace &Space);

  const ExplainRequest &R;
  ModuleResolver &Modules;
  ConvertObserver &Observer;
  /// By the index of R.Addresses.
  std::vector<ExplainedAddress> Found;
};

} // namespace

/// Adds what each source of \p Binary says.
void ExplainCommand::addSources(ExplainedAddress &E, StringRef Binary) {
  if (Expected<std::string> Place = placeInBinary(Binary, E.Its.Address)) {
    if (!Place->empty())
      E.Places.emplace_back("section", escapeText(*Place));
    else if (E.Its.Frames.empty()) {
      E.NoArchive = MissCode::NotMapped;
      E.Advice.push_back("no section of the file has this address");
    }
  } else {
    // The sources have the same error.
    consumeError(Place.takeError());
  }
  ConvertOptions Options = R.Sources.Archives.Conversion;
  Expected<std::vector<SourceAnswer>> Answers =
      sourceAnswers(Binary, Options, E.Its.Address, Observer);
  if (!Answers) {
    E.Advice.push_back(escapeText(toString(Answers.takeError())));
    return;
  }
  for (const SourceAnswer &A : *Answers)
    E.Sources.push_back({A.Source,
                         escapeText(readableName(A.Name)),
                         {A.Begin, A.End},
                         A.Origin});
}

/// Explains those of Found that have the indices \p Asked. Their own addresses
/// are known.
void ExplainCommand::explain(const Archive &A, ArrayRef<size_t> Asked,
                             StringRef Binary) {
  std::vector<uint64_t> Addresses;
  for (size_t I : Asked)
    Addresses.push_back(Found[I].Its.Address);
  for (auto [I, Its] : zip_equal(Asked, lidia::explain(A, Addresses))) {
    Found[I].Its = std::move(Its);
    if (!Binary.empty())
      addSources(Found[I], Binary);
    addAdvice(Found[I]);
  }
}

Error ExplainCommand::explainInModule() {
  StringRef Name = R.Module;
  std::string Path = R.Module;
  object::BuildID ID;
  if (Name.consume_front("BUILDID:")) {
    ID = object::parseBuildID(Name);
    Path.clear();
  }
  ModuleArchives::Result A = Modules.archives().get(Path, ID);
  if (!A)
    return A.takeError();
  SmallVector<size_t> All;
  for (auto [I, Address] : enumerate(R.Addresses)) {
    Found[I].Module = escapeText(R.Module);
    Found[I].Its.Address = Address;
    // The answer may be older than the binary's debug file.
    if ((*A)->name() == Path + ".lidia")
      Found[I].Places.emplace_back("archive", escapeText((*A)->name()));
    All.push_back(I);
  }
  explain(**A, All, !Path.empty() && isBinary(Path) ? StringRef(Path) : "");
  return Error::success();
}

/// Explains the addresses with the indices \p Asked, which are in \p M.
void ExplainCommand::explainInMapping(const AddressSpace &Space,
                                      const Mapping &M,
                                      ArrayRef<size_t> Asked) {
  ResolvedModule Module = openModule(Space, M, Modules);
  SmallVector<size_t> Known;
  for (size_t I : Asked) {
    ExplainedAddress &E = Found[I];
    uint64_t Address = R.Addresses[I];
    E.Module = escapeText(Space.mappings().file(M).Path);
    E.Places.emplace_back("runtime", hex(Address));
    E.Places.emplace_back("mapping", hex(M.Begin) + ".." + hex(M.End) +
                                         ", from offset " + hex(M.Offset));
    std::optional<uint64_t> Own =
        addressIn(Module, Space.mappings(), M, Address);
    E.Its.Address = Own.value_or(Address);
    if (Module.Loaded.File)
      E.Places.emplace_back("file", escapeText(Module.Loaded.File->path()));
    if (Module.A && Own) {
      Known.push_back(I);
      continue;
    }
    Miss Why = Module.A ? Module.whyNoAddress() : Module.Reason;
    E.NoArchive = Why.Code;
    E.Advice.push_back(escapeText(Why.Text));
    addAdvice(E);
  }
  if (Known.empty())
    return;
  std::string Binary;
  if (Module.Loaded.File && isBinary(Module.Loaded.File->path()))
    Binary = Module.Loaded.File->path().str();
  explain(*Module.A, Known, Binary);
}

Error ExplainCommand::explainInSpace() {
  auto Warn = [&](const Twine &Message) { Observer.warning(Message); };
  Expected<std::unique_ptr<AddressSpace>> Space =
      openAddressSpace(R.Space, Modules, Warn);
  if (!Space)
    return Space.takeError();
  MapVector<const Mapping *, SmallVector<size_t>> Mapped;
  for (auto [I, Address] : enumerate(R.Addresses)) {
    const Mapping *M = (*Space)->mappings().find(Address);
    if (M &&
        (*Space)->mappings().file(*M).Type != MappedFile::Kind::Anonymous) {
      Mapped[M].push_back(I);
      continue;
    }
    Found[I].Its.Address = Address;
    Found[I].Module = M ? "[anon]" : "[unknown]";
    Found[I].NoArchive = M ? MissCode::NoMap : MissCode::NotMapped;
    addAdvice(Found[I]);
  }
  for (const auto &[M, Asked] : Mapped)
    explainInMapping(**Space, *M, Asked);
  addStacks(**Space);
  return Error::success();
}

using StackFrame = ExplainedAddress::StackFrame;

namespace {
/// Two frames that follow each other, and the rules that lead from the first
/// one to its caller.
struct FrameStep {
  const UnwindMachine &Machine;
  const RegisterSet &Here;
  /// Null for the outermost frame.
  const RegisterSet *Caller = nullptr;
  UnwindRules Rules;
};
} // namespace

/// The address \p Offset bytes after that in \p Base, as the machine adds.
static std::optional<uint64_t> sum(const UnwindMachine &Machine,
                                   std::optional<uint64_t> Base,
                                   int64_t Offset) {
  if (!Base)
    return std::nullopt;
  uint64_t Sum = *Base + uint64_t(Offset);
  return Machine.WordSize == 4 ? uint64_t(uint32_t(Sum)) : Sum;
}

/// Sets how the registers of the caller of \p To were found.
static void addCaller(const FrameStep &Step, StackFrame &To) {
  using Kind = RegisterRule::Kind;
  const auto &[Machine, Here, Caller, Rules] = Step;
  To.CFARule = unwindRuleText(Rules.CFA, &Machine);
  if (Rules.CFA.How == Kind::IsRegister)
    To.CFA = sum(Machine, Here.get(Rules.CFA.Register), Rules.CFA.Offset);
  for (const auto &[Register, Rule] : Rules.Registers) {
    StackFrame::Found Found;
    Found.Name = Machine.registerName(Register);
    Found.Rule = unwindRuleText(Rule, &Machine);
    if (Rule.How == Kind::AtCFA)
      Found.Place = sum(Machine, To.CFA, Rule.Offset);
    else if (Rule.How == Kind::AtRegister)
      Found.Place = sum(Machine, Here.get(Rule.Register), Rule.Offset);
    if (Caller)
      Found.Value =
          Register == Rules.ReturnAddress ? Caller->PC : Caller->get(Register);
    To.Caller.push_back(std::move(Found));
  }
}

/// The frame \p Number of \p Stack with its registers.
static StackFrame explainFrame(const UnwoundStack &Stack, size_t Number,
                               const UnwindMachine &Machine,
                               UnwindModules &Modules) {
  StackFrame Result;
  Result.Number = Number;
  const UnwoundFrame &F = Stack.Frames[Number];
  const RegisterSet &Here = Stack.Registers[Number];
  Result.Registers.push_back({"pc", F.Address});
  for (unsigned I = 0; I != RegisterSet::Count; ++I)
    if (std::optional<uint64_t> Value = Here.get(I))
      Result.Registers.push_back({Machine.registerName(I), *Value});
  const RegisterSet *Caller = Number + 1 < Stack.Registers.size()
                                  ? &Stack.Registers[Number + 1]
                                  : nullptr;
  // Unless a rule says otherwise, the caller's stack pointer is the CFA.
  if (Caller)
    Result.CFA = Caller->get(Machine.SP);
  uint64_t Address = F.Address - F.IsReturnAddress;
  UnwindModules::Place Place = Modules.find(Address);
  if (!Place.Table)
    return Result;
  if (std::optional<UnwindRow> Row = Place.Table->find(Address - Place.Bias))
    if (std::optional<UnwindRules> Rules = Place.Table->rules(Row->Rules))
      addCaller({Machine, Here, Caller, std::move(*Rules)}, Result);
  return Result;
}

/// Adds the first frame of a stack that has the address, to each address that
/// has one. The threads of a live process are stopped one at a time.
void ExplainCommand::addStacks(const AddressSpace &Space) {
  const UnwindMachine *Machine = Space.machine();
  if (!Machine)
    return;
  UnwindOptions Options;
  Options.FramesWithRegisters = Options.MaxFrames;
  // Nothing of these is on the stack.
  Options.TailCalls = false;
  Options.Scan = !R.Space.Minidump.empty();
  // Any number of threads of a minidump may have the same stack.
  size_t FramesLeft = size_t(1) << 18;
  SpaceUnwindModules Rows(Space, Modules);
  Unwinder U(*Machine, Rows);
  auto Visit = [&](const ThreadState &T, Unwinder::ReadMemory Read) {
    if (!T.HasRegisters || FramesLeft == 0 ||
        all_of(Found, [](const ExplainedAddress &E) { return !!E.Stack; }))
      return;
    Options.CodeMask = T.CodeMask;
    Options.MaxFrames = std::min(Options.MaxFrames, FramesLeft);
    UnwoundStack Stack = U.unwind(T.Registers, Read, Options);
    FramesLeft -= std::min(FramesLeft, Stack.Frames.size());
    size_t Count = std::min(Stack.Frames.size(), Stack.Registers.size());
    for (size_t I = 0; I != Count; ++I)
      for (size_t J = 0; J != Found.size(); ++J)
        if (!Found[J].Stack && R.Addresses[J] == Stack.Frames[I].Address) {
          Found[J].Stack = explainFrame(Stack, I, *Machine, Rows);
          Found[J].Stack->Thread = T.ID;
        }
  };
  // The addresses are explained without stacks, too.
  consumeError(Space.visitThreads(Visit, /*Only=*/std::nullopt).takeError());
}

Error ExplainCommand::run() {
  Found.resize(R.Addresses.size());
  if (Error E = R.Space.isSet() ? explainInSpace() : explainInModule())
    return E;
  if (R.JSON) {
    json::OStream J(outs());
    J.array([&] {
      for (const ExplainedAddress &E : Found)
        writeExplanation(J, E);
    });
    outs() << '\n';
    return Error::success();
  }
  for (const ExplainedAddress &E : Found) {
    if (&E != &Found.front())
      outs() << '\n';
    printExplanation(outs(), E);
  }
  return Error::success();
}

Error runExplain(CommandLine &Line) {
  ExplainRequest R = readExplainRequest(Line);
  if (Error E = Line.takeErrors())
    return E;
  Progress Observer(R.Quiet);
  CommandCache C(R.Cache, Observer);
  Expected<std::unique_ptr<ModuleResolver>> Modules =
      ModuleResolver::create(R.Sources, C, Observer);
  if (!Modules)
    return Modules.takeError();
  return ExplainCommand(R, **Modules, Observer).run();
}

} // namespace lidia
