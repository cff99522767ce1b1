//===- PerfStacks.cpp - Stacks that perf recorded as bytes ----------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PerfStacks.h"
#include "lidia/Profile/ProfileSymbolizer.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Path.h"
#include <cstring>

using namespace llvm;

namespace lidia {

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

void PerfStacks::readRows(Module &M) const {
  if (!M.Its.A) {
    M.WhyNoRows = M.Its.Reason.Text;
    return;
  }
  M.Rows = ModuleRows(M.Its.A, M.Its.Loaded.File.get());
  if (!M.Rows.table())
    M.WhyNoRows = "its archive has no unwind rows: make it again, without "
                  "--no-unwind";
}

/// Whether \p M is the vdso of this system, in a recording without build IDs,
/// such as one with compressed records. 32-bit programs have another vdso.
static bool isOwnVDSO(const Profile &P, const Profile::Mapping &M,
                      const ModuleFinder &Files) {
  return P.Strings[M.File] == "[vdso]" && M.BuildID == 0 &&
         M.Start > UINT32_MAX && Files.isOfThisSystem();
}

const PerfStacks::Module &PerfStacks::moduleOf(const Profile::Mapping &Mapped) {
  const Profile &P = Samples.P;
  Profile::Mapping Known = Mapped;
  Known.BuildID = Samples.buildIDOf(Mapped);
  std::unique_ptr<Module> &M = Modules[{Known.File, Known.BuildID}];
  if (M)
    return *M;
  M = std::make_unique<Module>();
  StringRef File = P.Strings[Known.File];
  if (!Resolver)
    M->WhyNoRows = "archives are not looked for";
  else if (File.empty() ||
           !(ProfileModule::isFile(P, Known, Resolver->files()) ||
             isOwnVDSO(P, Known, Resolver->files())))
    M->WhyNoRows = "it is not a file";
  else if (File.size() > ProfileModule::LongestPath)
    M->WhyNoRows = "its file's name is longer than any path";
  else
    M->Its = ProfileModule::open(P, Known, /*IsProgram=*/false, *Resolver);
  if (M->WhyNoRows.empty())
    readRows(*M);
  // By default, perf only records the build IDs of innermost frames' files.
  if (!M->WhyNoRows.empty() && Known.BuildID == 0 &&
      !isWithoutFile(P.Strings[Known.File]))
    M->WhyNoRows += "; its build ID was not recorded either (use perf record "
                    "--buildid-all)";
  return *M;
}

UnwindModules::Place PerfStacks::find(uint64_t Address) {
  UnwindModules::Place Result;
  uint32_t Index = Space ? Space->find(Address) : Profile::None;
  if (Index == Profile::None)
    return Result;
  Result.IsCode = true;
  Profile::Mapping Mapped = Samples.P.Mappings[Index];
  if (PerfNames::isMadeAtRunTime(Samples.P.Strings[Mapped.File]))
    if (UnwindModules::Place Compiled =
            Names.rowsInProcess(PID, Address, *Machine);
        Compiled.Table)
      return Compiled;
  if (Resolver)
    Mapped = Packed.resolve(Samples.P, Mapped, Resolver->files());
  const Module &M = moduleOf(Mapped);
  if (!M.Rows.table() && !M.Rows.tailCalls())
    return Result;
  std::optional<uint64_t> Own = M.Its.addressOf(Mapped, Address);
  if (!Own)
    return Result;
  Result.Table = M.Rows.table();
  Result.TailCalls = M.Rows.tailCalls();
  Result.Bias = Address - *Own;
  return Result;
}

size_t PerfStacks::readCode(uint64_t Address, MutableArrayRef<uint8_t> To) {
  uint32_t Index = Space ? Space->find(Address) : Profile::None;
  if (Index == Profile::None)
    return 0;
  Profile::Mapping Mapped = Samples.P.Mappings[Index];
  if (Resolver)
    Mapped = Packed.resolve(Samples.P, Mapped, Resolver->files());
  const Module &M = moduleOf(Mapped);
  if (!M.Its.A)
    return 0;
  std::optional<uint64_t> Own = M.Its.addressOf(Mapped, Address);
  return Own ? M.Its.Loaded.read(*Own, To) : 0;
}

//===----------------------------------------------------------------------===//
// Stacks
//===----------------------------------------------------------------------===//

Unwinder &PerfStacks::unwinder() {
  // An unwinder takes some hundred kilobytes, and processes run in turn.
  constexpr size_t Max = 64;
  UnwinderKey Key(Space ? Space->version() : 0, Names.rowsVersion(PID),
                  Machine);
  auto Found = Unwinders.find(Key);
  if (Found != Unwinders.end())
    return *Found->second;
  if (Unwinders.size() >= Max)
    Unwinders.clear();
  UnwindModules &Its = *this;
  return *(Unwinders[Key] = std::make_unique<Unwinder>(*Machine, Its));
}

std::vector<UnwoundFrame> PerfStacks::unwind(const PerfRegisters &Registers,
                                             const PerfSample &S,
                                             const PerfSpace *ItsSpace) {
  Space = ItsSpace;
  PID = S.Who.PID;
  Machine = Registers.Machine;
  ++Stacks;
  uint64_t SP = Registers.Values.get(Registers.Machine->SP).value_or(0);
  auto Read = [&](uint64_t Address, MutableArrayRef<uint8_t> To) -> size_t {
    if (Address < SP || Address - SP >= S.Stack.size())
      return 0;
    StringRef Bytes = S.Stack.drop_front(Address - SP).take_front(To.size());
    std::memcpy(To.data(), Bytes.data(), Bytes.size());
    return Bytes.size();
  };
  UnwindOptions Options = Unwinding;
  // A recording does not say which bits of a signed address hold the signature.
  // No program uses more address bits, unless it requests them.
  if (Registers.Machine->ELFMachine == ELF::EM_AARCH64)
    Options.CodeMask = ~maskTrailingOnes<uint64_t>(48);
  UnwoundStack Stack = unwinder().unwind(Registers.Values, Read, Options);
  noteEnd(Stack, SP, S);
  return std::move(Stack.Frames);
}

void PerfStacks::noteEnd(const UnwoundStack &Stack, uint64_t SP,
                         const PerfSample &S) {
  switch (Stack.End) {
  case StackEnd::Complete:
  case StackEnd::TooLong:
  case StackEnd::OtherStack:
    return;
  case StackEnd::NoMemory:
    // A word may be only partly in the recorded bytes.
    if (Stack.FailedAddress + 8 > SP + S.Stack.size())
      ++CutStacks;
    else
      ++BrokenStacks;
    return;
  case StackEnd::NoRows:
    return noteMissing(Stack.FailedAddress);
  case StackEnd::Corrupt:
    ++BrokenStacks;
    return;
  }
}

/// Counts a stack that ends at \p Address, in code without unwind rows.
void PerfStacks::noteMissing(uint64_t Address) {
  uint32_t Index = Space ? Space->find(Address) : Profile::None;
  if (Index == Profile::None) {
    ++BrokenStacks;
    return;
  }
  const Profile::Mapping &Mapped = Samples.P.Mappings[Index];
  ++EndsIn[Mapped.File];
  auto [Reason, IsNew] = Reasons.try_emplace(Mapped.File);
  if (!IsNew)
    return;
  if (PerfNames::isMadeAtRunTime(Samples.P.Strings[Mapped.File]))
    Reason->second = Names.whyNoRows(PID, Address);
  else if (const Module &M = moduleOf(Mapped); !M.WhyNoRows.empty())
    Reason->second = M.WhyNoRows;
  else
    Reason->second = "it has code without unwind rows";
}

void PerfStacks::report(StringRef Name, WarningFunction Warn) const {
  constexpr size_t MaxModules = 5;
  auto WarnOf = [&](uint64_t Count, const Twine &Text) {
    if (Count != 0)
      Warn(Name + ": " + Twine(Count) + " of " + Twine(Stacks) +
           " stacks end " + Text);
  };
  std::vector<std::pair<uint64_t, Profile::StringID>> Modules;
  for (const auto &[File, Count] : EndsIn)
    Modules.push_back({~Count, File});
  llvm::sort(Modules);
  uint64_t Rest = 0;
  for (size_t I = 0; I != Modules.size(); ++I) {
    auto [Count, File] = Modules[I];
    if (I >= MaxModules) {
      Rest += ~Count;
      continue;
    }
    StringRef Module = sys::path::filename(Samples.P.Strings[File]);
    WarnOf(~Count, "in " + (Module.empty() ? "code without a file" : Module) +
                       ": " + Reasons.find(File)->second);
  }
  WarnOf(Rest,
         "in " + Twine(Modules.size() - std::min(Modules.size(), MaxModules)) +
             " other modules");
  WarnOf(CutStacks, "at the limit of the bytes that perf recorded: record more "
                    "with --call-graph dwarf,SIZE");
  WarnOf(BrokenStacks, "where their contents are invalid");
}

} // namespace lidia
