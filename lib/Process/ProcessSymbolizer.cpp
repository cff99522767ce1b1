//===- ProcessSymbolizer.cpp - From runtime addresses to frames -----------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Process/ProcessSymbolizer.h"
#include "KernelImage.h"
#include "Modules/ELFHeaders.h"
#include "Object/Notes.h"
#include "Support/Threads.h"
#include "lidia/MissError.h"
#include "lidia/Process/SpaceModule.h"
#include "lidia/Symbolize/PrintableText.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Threading.h"
#include <atomic>

using namespace llvm;

namespace lidia {

//===----------------------------------------------------------------------===//
// What is kept
//===----------------------------------------------------------------------===//

/// An open module. Its mutex is held while it is opened and used, because a
/// Symbolizer serves one thread at a time.
struct ProcessSymbolizer::Module {
  std::mutex Mutex;
  bool IsOpen = false;
  /// ModuleArchives::improvements() when it was opened.
  uint64_t Improvements = 0;
  ResolvedModule Opened;
  std::optional<Symbolizer> S;
};

/// The kernel's image.
struct ProcessSymbolizer::Kernel {
  std::mutex Mutex;
  std::once_flag SymbolsRead;
  std::shared_ptr<const KernelSymbols> Symbols;
  bool IsOpen = false;
  std::shared_ptr<const Archive> A;
  std::optional<Symbolizer> S;
  /// The runtime addresses are the image's addresses plus this.
  uint64_t Offset = 0;
  Miss Reason;
};

/// The answers to the addresses asked for most recently.
class ProcessSymbolizer::Answers {
public:
  using Answer = std::shared_ptr<const ProcessAnswer>;

  Answers(size_t MaxAnswers, uint64_t MaxBytes)
      : MaxBytes(MaxAnswers ? MaxBytes : 0), Kept(MaxAnswers, MaxBytes) {}

  Answer find(uint64_t Address) {
    const Answer *Known = Kept.find(Address);
    return Known ? *Known : nullptr;
  }

  void add(uint64_t Address, Answer Value) {
    uint64_t Size = sizeOf(*Value);
    // Two threads may have found it.
    if (Size <= MaxBytes && !Kept.find(Address))
      Kept.add(Address, std::move(Value), Size);
  }

  size_t size() const { return Kept.size(); }
  uint64_t bytes() const { return Kept.totalCost(); }

private:
  static uint64_t sizeOf(const ProcessAnswer &A) {
    uint64_t Size =
        sizeof(A) + EntrySize + A.Module.size() + A.Reason.Text.size();
    for (const SymbolizedFrame &F : A.Frames) {
      Size += sizeof(F) + F.Function.size() + F.File.size();
      if (F.From)
        Size += sizeof(*F.From) + F.From->File.size();
    }
    return Size;
  }

  /// The approximate size of an answer's entries in the list and the table.
  static constexpr uint64_t EntrySize = 64;

  const uint64_t MaxBytes;
  RecentlyUsed<Answer, uint64_t> Kept;
};

//===----------------------------------------------------------------------===//
// Answers
//===----------------------------------------------------------------------===//

ProcessSymbolizer::ProcessSymbolizer(std::unique_ptr<const AddressSpace> Space,
                                     ModuleResolver &Resolver,
                                     ProcessSymbolizerOptions ItsOptions)
    : Space(std::move(Space)), Resolver(Resolver), Options([&] {
        ItsOptions.Symbolizer.AdjustVMA = 0;
        ItsOptions.Symbolizer.ReturnAddresses = false;
        return std::move(ItsOptions);
      }()),
      TheKernel(std::make_unique<Kernel>()),
      Kept(std::make_unique<Answers>(Options.MaxAnswers,
                                     Options.MaxAnswerBytes)),
      Modules(Options.MaxModules) {}

ProcessSymbolizer::~ProcessSymbolizer() = default;

std::shared_ptr<const ProcessAnswer>
ProcessSymbolizer::answer(uint64_t Address, bool IsReturnAddress) {
  // The call may be the last instruction of its function and of its mapping.
  Address -= IsReturnAddress;
  {
    std::lock_guard<std::mutex> Lock(Mutex);
    ++Statistics.Requests;
    if (std::shared_ptr<const ProcessAnswer> Known = Kept->find(Address)) {
      ++Statistics.Hits;
      return Known;
    }
  }
  auto Found = std::make_shared<const ProcessAnswer>(find(Address));
  // The store may answer the next request, and lines may follow.
  if (Found->Reason.Code == MissCode::NoAnswer ||
      (Found->LeftOut == MissCode::NamesOnly &&
       Resolver.archives().makesLinesLater()))
    return Found;
  std::lock_guard<std::mutex> Lock(Mutex);
  Kept->add(Address, Found);
  return Found;
}

std::string ProcessSymbolizer::text(StringRef Raw) const {
  switch (Options.Symbolizer.Text) {
  case TextForm::Printable:
    return escapeText(Raw);
  case TextForm::UTF8:
    return json::fixUTF8(Raw);
  case TextForm::Raw:
    return Raw.str();
  }
  llvm_unreachable("no other form");
}

/// The frame of a name without lines.
static SymbolizedFrame namedFrame(std::string Name, uint64_t Begin,
                                  uint64_t Address, NameOrigin Origin) {
  SymbolizedFrame F;
  F.FunctionOffset = Address - Begin;
  F.Origin = Origin;
  F.Function = std::move(Name);
  F.StartAddress = Begin;
  return F;
}

ProcessAnswer ProcessSymbolizer::find(uint64_t Address) {
  ProcessAnswer Result;
  const MappingList &List = Space->mappings();
  const Mapping *M = List.find(Address);
  if (!M) {
    if (!findInKernel(Address, Result))
      Result.Module = "[unknown]";
    return Result;
  }
  const MappedFile &Source = List.file(*M);
  bool IsModule = Source.Type != MappedFile::Kind::Anonymous;
  bool MayBeJIT = Options.JIT && (!IsModule || M->IsMoved);
  const NamedRange *Code = MayBeJIT ? Options.JIT->find(Address) : nullptr;
  if (IsModule && !Code)
    return findInModule(*M, Address);
  if (Code) {
    Result.Type = ProcessAnswer::Kind::JIT;
    Result.Module = "[jit]";
    Result.Address = Address - Code->Begin;
    if (Options.Symbolizer.Functions != DINameKind::None)
      Result.Frames.push_back(namedFrame(text(Code->Name), Code->Begin, Address,
                                         NameOrigin::PerfMap));
    return Result;
  }
  Result.Type = ProcessAnswer::Kind::Anonymous;
  Result.Module = Source.Path.empty() ? "[anon]" : text(Source.Path);
  return Result;
}

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

std::shared_ptr<ProcessSymbolizer::Module>
ProcessSymbolizer::module(uint32_t File) {
  std::lock_guard<std::mutex> Lock(Mutex);
  if (const std::shared_ptr<Module> *Known = Modules.find(File))
    return *Known;
  ++Statistics.ModulesOpened;
  return Modules.add(File, std::make_shared<Module>());
}

/// Opens \p Of, the module of \p M, if it is not open, or again if it has a
/// better archive since. The caller holds its mutex.
void ProcessSymbolizer::open(Module &Of, const Mapping &M) {
  const ResolvedModule &Opened = Of.Opened;
  const ModuleArchives &Archives = Resolver.archives();
  bool HasBetter = Opened.A && Archives.mayImprove(*Opened.A) &&
                   Archives.improvements() != Of.Improvements;
  if (Of.IsOpen && !HasBetter)
    return;
  Of.Improvements = Archives.improvements();
  Of.S.reset();
  Of.Opened = openModule(*Space, M, Resolver);
  Of.IsOpen = Opened.Reason.Code != MissCode::NoAnswer;
  // From here on only the archive is needed.
  Of.Opened.Loaded.File.reset();
  if (Opened.A)
    Of.S.emplace(*Opened.A, Options.Symbolizer);
}

void ProcessSymbolizer::prepare(ArrayRef<uint64_t> Addresses,
                                unsigned Threads) {
  const MappingList &List = Space->mappings();
  DenseSet<uint32_t> Files;
  std::vector<const Mapping *> Wanted;
  for (uint64_t Address : Addresses) {
    const Mapping *M = List.find(Address);
    if (M && List.file(*M).Type != MappedFile::Kind::Anonymous &&
        Files.insert(M->File).second)
      Wanted.push_back(M);
  }
  // More would not stay open.
  Wanted.resize(std::min<size_t>(Wanted.size(), Options.MaxModules));
  std::atomic<size_t> Next{0};
  if (!Threads)
    Threads = hardware_concurrency().compute_thread_count();
  runOnThreads(std::min<size_t>(Threads, Wanted.size()), [&] {
    for (size_t I; (I = Next.fetch_add(1)) < Wanted.size();) {
      std::shared_ptr<Module> Of = module(Wanted[I]->File);
      std::lock_guard<std::mutex> Lock(Of->Mutex);
      open(*Of, *Wanted[I]);
    }
  });
}

ProcessAnswer ProcessSymbolizer::findInModule(const Mapping &M,
                                              uint64_t Address) {
  ProcessAnswer Result;
  Result.Type = ProcessAnswer::Kind::Module;
  Result.Module = text(Space->mappings().file(M).Path);
  const MappingList &List = Space->mappings();
  std::shared_ptr<Module> Of = module(M.File);
  std::lock_guard<std::mutex> Lock(Of->Mutex);
  open(*Of, M);
  const ResolvedModule &Opened = Of->Opened;
  Result.Reason = Opened.Reason;
  std::optional<uint64_t> Own = addressIn(Opened, List, M, Address);
  if (!Own && !Opened.Loaded.Headers && Opened.A)
    Result.Reason = Opened.whyNoAddress();
  if (!Own)
    return Result;
  Result.Address = *Own;
  Result.HasAddress = true;
  if (Of->S)
    Result.Frames = Of->S->symbolize(*Own);
  Result.LeftOut = Opened.LeftOut;
  return Result;
}

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

std::vector<uint8_t> runningKernelBuildID() {
  ErrorOr<std::unique_ptr<MemoryBuffer>> Notes =
      MemoryBuffer::getFileAsStream("/sys/kernel/notes");
  if (!Notes)
    return {};
  return findBuildID(arrayRefFromStringRef<uint8_t>((*Notes)->getBuffer()), 4,
                     endianness::native)
      .vec();
}

KernelOptions runningKernel(std::string VMLinux,
                            std::function<void(const Twine &)> Warn) {
  KernelOptions O;
  O.VMLinux = std::move(VMLinux);
  O.BuildID = runningKernelBuildID();
  O.Symbols = [Warn]() -> std::shared_ptr<const KernelSymbols> {
    Expected<KernelSymbols> Symbols = KernelSymbols::ofThisSystem(Warn);
    if (Symbols)
      return std::make_shared<const KernelSymbols>(std::move(*Symbols));
    Warn(toString(Symbols.takeError()));
    return nullptr;
  };
  return O;
}

void ProcessSymbolizer::openKernel() {
  Kernel &K = *TheKernel;
  const KernelOptions &Asked = Options.Kernel;
  K.IsOpen = true;
  if (Asked.VMLinux.empty())
    return;
  auto Fail = [&](Error E) { K.Reason = missOf(std::move(E)); };
  Expected<uint64_t> Offset =
      kernelOffset(Asked.VMLinux, Asked.BuildID, K.Symbols->imageBeginSymbol(),
                   K.Symbols->imageBegin());
  if (!Offset)
    return Fail(Offset.takeError());
  K.Offset = *Offset;
  ModuleArchives::Result A =
      Resolver.archives().get(Asked.VMLinux, Asked.BuildID);
  if (!A)
    return Fail(A.takeError());
  K.A = std::move(*A);
  K.S.emplace(*K.A, Options.Symbolizer);
}

/// Null if they are not known.
const KernelSymbols *ProcessSymbolizer::kernelSymbols() {
  std::call_once(TheKernel->SymbolsRead, [&] {
    if (Options.Kernel.Symbols)
      TheKernel->Symbols = Options.Kernel.Symbols();
  });
  return TheKernel->Symbols.get();
}

/// Returns false if \p Address is not in the kernel.
bool ProcessSymbolizer::findInKernel(uint64_t Address, ProcessAnswer &Result) {
  const KernelSymbols *Symbols = kernelSymbols();
  const NamedRange *Name = Symbols ? Symbols->find(Address) : nullptr;
  if (!Name)
    return false;
  Result.Type = ProcessAnswer::Kind::Kernel;
  Result.Module =
      Name->Module.empty() ? "[kernel]" : "[" + text(Name->Module) + "]";
  Result.Address = Address - Name->Begin;
  if (Name->Module.empty() && Symbols->inImage(Address)) {
    std::lock_guard<std::mutex> Lock(TheKernel->Mutex);
    if (!TheKernel->IsOpen)
      openKernel();
    Result.Reason = TheKernel->Reason;
    uint64_t Own = Address - TheKernel->Offset;
    if (TheKernel->S)
      Result.Frames = TheKernel->S->symbolize(Own);
    if (!Result.Frames.empty()) {
      Result.Address = Own;
      Result.HasAddress = true;
      return true;
    }
  }
  if (!Name->Name.empty() && Options.Symbolizer.Functions != DINameKind::None)
    Result.Frames.push_back(namedFrame(text(Name->Name), Name->Begin, Address,
                                       NameOrigin::Kallsyms));
  return true;
}

std::vector<uint8_t> ProcessSymbolizer::buildIDAt(uint64_t Address) const {
  const Mapping *M = Space->mappings().find(Address);
  return M ? Space->load(*M).BuildID : std::vector<uint8_t>();
}

ProcessStatistics ProcessSymbolizer::statistics() const {
  std::lock_guard<std::mutex> Lock(Mutex);
  ProcessStatistics Result = Statistics;
  Result.AnswersKept = Kept->size();
  Result.BytesKept = Kept->bytes();
  Result.ModulesForgotten = Modules.dropped();
  return Result;
}

} // namespace lidia
