//===- FacadeProcesses.cpp - Processes behind the facade ------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FacadeErrors.h"
#include "Object/Binary.h"
#include "Support/URLText.h"
#include "lidia/Extract/Convert.h"
#include "lidia/Process/AddressNormalizer.h"
#include "lidia/Process/ProcessSymbolizer.h"
#include "lidia/Process/Stacks.h"
#include "lidia/Store/SymbolStore.h"
#include "lidia/Support/ForkLocal.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"

using namespace lidia;
using namespace lidia::python;
using namespace llvm;

namespace {

/// Cancels the conversions for a call when its caller no longer wants the
/// result.
class InterestObserver final : public ConvertObserver {
public:
  void warning(const Twine &) override {}
  void progress(StringRef, uint64_t, uint64_t) override {}
  bool isCancelled() override {
    std::lock_guard<std::mutex> Lock(Mutex);
    return any_of(Asking, [](const Interest *GoOn) { return !(*GoOn)(); });
  }

  void add(const Interest &GoOn) {
    std::lock_guard<std::mutex> Lock(Mutex);
    Asking.push_back(&GoOn);
  }
  void remove(const Interest &GoOn) {
    std::lock_guard<std::mutex> Lock(Mutex);
    Asking.erase(find(Asking, &GoOn));
  }

private:
  std::mutex Mutex;
  std::vector<const Interest *> Asking;
};

/// Lets unwinders in several threads use the modules of one address space.
class SharedModules final : public UnwindModules {
public:
  SharedModules(const AddressSpace &Space, ModuleResolver &Resolver)
      : Modules(Space, Resolver) {}

  Place find(uint64_t Address) override {
    std::lock_guard<std::mutex> Lock(Mutex);
    return Modules.find(Address);
  }

private:
  std::mutex Mutex;
  SpaceUnwindModules Modules;
};

/// The open objects of a process.
struct OpenState {
  explicit OpenState(const ProcessOptions &Given)
      : TheCache(Given.CacheFolder) {}

  InterestObserver Observer;
  Cache TheCache;
  std::unique_ptr<ModuleResolver> Resolver;
  std::optional<ProcessSymbolizer> Tool;
  std::optional<SharedModules> Modules;
  std::optional<AddressNormalizer> Places;
};

class OpenedProcess final : public ProcessHandle {
public:
  explicit OpenedProcess(ProcessOptions Given) : Given(std::move(Given)) {}

  Expected<std::shared_ptr<OpenState>> state();

  Result<StackText> unwind(const UnwindRequest &Request,
                           const Interest &GoOn) override;
  Result<StackFrame> answer(uint64_t Address, bool IsReturn,
                            const Interest &GoOn) override;
  Result<Nothing> prepare(const std::vector<uint64_t> &Addresses,
                          unsigned Threads, const Interest &GoOn) override;
  Result<LocationText> locate(uint64_t Address) override;

private:
  template <typename F> auto interruptibly(const Interest &GoOn, F Function);

  const ProcessOptions Given;
  struct Slot {
    std::mutex Mutex;
    /// Null before the first call, and after a call that was interrupted,
    /// because unfinished archives may be remembered as missing.
    std::shared_ptr<OpenState> Open;
  };
  ForkLocal<Slot> SlotOfProcess;
};

} // namespace

//===----------------------------------------------------------------------===//
// Opening
//===----------------------------------------------------------------------===//

static Expected<SymbolSources> sourcesOf(const ProcessOptions &Given) {
  SymbolSources S;
  S.Root = Given.Root;
  S.HowToAllow = "root allows it";
  S.Archives.Columns = true;
  S.Archives.NamesOnly = Given.NamesOnly;
  S.Archives.LinesLater = Given.LinesLater;
  S.Archives.NeedsStore = Given.NeedsStore;
  // A mapped file that is truncated would crash the caller.
  S.Archives.Open.Access = FileAccess::Copy;
  S.Archives.StoreName = urlForMessages(Given.Store);
  if (!Given.Store.empty())
    if (Error E = openArchiveSource(Given.Store, S.Archives.Open)
                      .moveInto(S.Archives.Store))
      return std::move(E);
  return S;
}

static Expected<std::shared_ptr<OpenState>>
openState(const ProcessOptions &Given) {
  Expected<SymbolSources> Sources = sourcesOf(Given);
  if (!Sources)
    return Sources.takeError();
  auto State = std::make_shared<OpenState>(Given);
  if (Error E = ModuleResolver::create(std::move(*Sources), State->TheCache,
                                       State->Observer)
                    .moveInto(State->Resolver))
    return std::move(E);
  auto Warn = [](const Twine &) {};
  Expected<std::unique_ptr<AddressSpace>> Space =
      Given.PID ? AddressSpace::ofProcess(*Given.PID, Warn)
                : AddressSpace::ofMaps(Given.Maps, "maps",
                                       &State->Resolver->files(), Warn);
  if (!Space)
    return Space.takeError();
  ProcessSymbolizerOptions Options;
  Options.Symbolizer.Text = TextForm::UTF8;
  Options.Symbolizer.Demangle = Given.Demangle;
  Options.JIT = (*Space)->findPerfMap(Warn);
  if (Given.Kernel)
    Options.Kernel = runningKernel(Given.VMLinux, Warn);
  State->Tool.emplace(std::move(*Space), *State->Resolver, std::move(Options));
  State->Modules.emplace(State->Tool->space(), *State->Resolver);
  State->Places.emplace(State->Tool->space());
  return State;
}

Expected<std::shared_ptr<OpenState>> OpenedProcess::state() {
  Slot &S = SlotOfProcess.get();
  std::lock_guard<std::mutex> Lock(S.Mutex);
  if (!S.Open)
    if (Error E = openState(Given).moveInto(S.Open))
      return std::move(E);
  return S.Open;
}

Result<ProcessHandle::Pointer> ProcessHandle::open(ProcessOptions Options) {
  auto Handle = std::make_shared<OpenedProcess>(std::move(Options));
  if (auto State = Handle->state(); !State)
    return failure(State.takeError());
  return ProcessHandle::Pointer(std::move(Handle));
}

template <typename F>
auto OpenedProcess::interruptibly(const Interest &GoOn, F Function) {
  using Answer = decltype(Function(std::declval<OpenState &>()));
  Expected<std::shared_ptr<OpenState>> State = state();
  if (!State)
    return Answer(failure(State.takeError()));
  (*State)->Observer.add(GoOn);
  Answer Done = Function(**State);
  (*State)->Observer.remove(GoOn);
  if (!GoOn()) {
    Slot &S = SlotOfProcess.get();
    std::lock_guard<std::mutex> Lock(S.Mutex);
    if (S.Open == *State)
      S.Open.reset();
  }
  return Done;
}

//===----------------------------------------------------------------------===//
// Answers
//===----------------------------------------------------------------------===//

/// The error if \p Answer is incomplete because the store did not answer.
static Error missingAnswer(const ProcessAnswer &Answer,
                           ModuleResolver &Modules) {
  bool Needs = Modules.archives().needsStore();
  return Needs && Answer.Reason.Code == MissCode::NoAnswer
             ? Modules.archives().outage()
             : Error::success();
}

Result<StackFrame> OpenedProcess::answer(uint64_t Address, bool IsReturn,
                                         const Interest &GoOn) {
  return interruptibly(GoOn, [&](OpenState &S) -> Result<StackFrame> {
    StackFrame F;
    F.Address = Address;
    F.IsReturn = IsReturn;
    F.Answer = S.Tool->answer(Address, IsReturn);
    if (Error E = missingAnswer(*F.Answer, *S.Resolver))
      return failure(std::move(E));
    return F;
  });
}

Result<Nothing> OpenedProcess::prepare(const std::vector<uint64_t> &Addresses,
                                       unsigned Threads, const Interest &GoOn) {
  return interruptibly(GoOn, [&](OpenState &S) -> Result<Nothing> {
    S.Tool->prepare(Addresses, Threads);
    return Nothing();
  });
}

static std::optional<std::string> digitsOf(ArrayRef<uint8_t> BuildID) {
  if (BuildID.empty())
    return std::nullopt;
  return toHex(BuildID, /*LowerCase=*/true);
}

Result<LocationText> OpenedProcess::locate(uint64_t Address) {
  Expected<std::shared_ptr<OpenState>> State = state();
  if (!State)
    return failure(State.takeError());
  NormalizedAddress N = (*State)->Places->normalize(Address);
  return LocationText{N.Source ? json::fixUTF8(N.Source->Path) : "",
                      digitsOf(N.BuildID), N.FileOffset, N.Address};
}

Result<std::optional<std::string>>
lidia::python::buildIDOfFile(const std::string &Path) {
  Expected<std::unique_ptr<Binary>> File = Binary::open(Path);
  if (!File)
    return failure(File.takeError());
  return digitsOf((*File)->buildID());
}

//===----------------------------------------------------------------------===//
// Unwinding
//===----------------------------------------------------------------------===//

/// Applies \p Given to \p To. Returns false if the machine has no such
/// register.
static bool setRegister(const UnwindMachine &Machine,
                        const std::pair<RegisterKey, uint64_t> &Given,
                        RegisterSet &To) {
  unsigned Number = RegisterSet::Count;
  if (const auto *Plain = std::get_if<unsigned>(&Given.first)) {
    Number = *Plain;
  } else {
    StringRef Name = std::get<std::string>(Given.first);
    if (Name == "pc") {
      To.PC = Given.second;
      return true;
    }
    for (unsigned I = 0; I != RegisterSet::Count; ++I)
      if (Machine.registerName(I) == Name)
        Number = I;
    if (Number == RegisterSet::Count && Name == "sp")
      Number = Machine.SP;
    if (Number == RegisterSet::Count && Name == "fp")
      Number = Machine.FP;
  }
  if (Number >= RegisterSet::Count)
    return false;
  if (Machine.PushesReturnAddress && Number == Machine.RA)
    To.PC = Given.second;
  else
    To.set(Number, Given.second);
  return true;
}

static Failure argumentFailure(std::string Message) {
  return Failure{"ValueError", std::move(Message), ""};
}

Result<StackText> OpenedProcess::unwind(const UnwindRequest &Request,
                                        const Interest &GoOn) {
  return interruptibly(GoOn, [&](OpenState &S) -> Result<StackText> {
    const AddressSpace &Space = S.Tool->space();
    const UnwindMachine *Machine = Request.Machine.empty()
                                       ? Space.machine()
                                       : UnwindMachine::named(Request.Machine);
    if (!Machine && Request.Machine.empty())
      Machine = UnwindMachine::own();
    if (!Machine)
      return argumentFailure("stacks of the machine '" + Request.Machine +
                             "' cannot be unwound");
    RegisterSet Registers;
    for (const auto &Given : Request.Registers)
      if (!setRegister(*Machine, Given, Registers)) {
        const auto *Name = std::get_if<std::string>(&Given.first);
        return argumentFailure(
            "the machine has no register " +
            (Name ? "'" + *Name + "'"
                  : std::to_string(std::get<unsigned>(Given.first))));
      }
    if (!Registers.has(Machine->SP))
      return argumentFailure("the stack pointer is not among the registers");
    UnwindOptions O;
    O.MaxFrames = Request.MaxFrames;
    O.Scan = Request.Scan;
    O.CodeMask = Request.CodeMask;
    auto Read = [&](uint64_t Address, MutableArrayRef<uint8_t> To) -> size_t {
      // Returning no memory makes the unwinder end soon.
      if (!GoOn())
        return 0;
      if (!Request.Read)
        return Space.readMemory(Address, To);
      return Request.Read(Address, reinterpret_cast<char *>(To.data()),
                          To.size());
    };
    // No lock is held, because the callback may call this object.
    UnwoundStack Stack =
        Unwinder(*Machine, *S.Modules).unwind(Registers, Read, O);
    StackText Result;
    Result.End = nameOf(Stack.End).str();
    if (Stack.End != StackEnd::Complete && Stack.End != StackEnd::TooLong)
      Result.EndAddress = Stack.FailedAddress;
    for (const UnwoundFrame &F : Stack.Frames) {
      if (!GoOn())
        break;
      Result.Frames.push_back({F.Address, F.IsReturnAddress, F.IsSignalFrame,
                               F.IsTailCall, F.SP, toString(F.Trust).str(),
                               S.Tool->answer(F.Address, F.IsReturnAddress)});
      if (Error E = missingAnswer(*Result.Frames.back().Answer, *S.Resolver))
        return failure(std::move(E));
    }
    return Result;
  });
}
