//===- Processes.cpp - Processes in the C interface -----------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Modules.h"
#include "Names.h"
#include "lidia/Process/AddressNormalizer.h"
#include "lidia/Process/ProcessSymbolizer.h"
#include "lidia/Process/Stacks.h"
#include <mutex>

using namespace lidia;
using namespace llvm;

namespace {

/// A process as one process of the program has opened it.
struct OpenProcess {
  OpenProcess(std::unique_ptr<AddressSpace> Space,
              std::unique_ptr<ModuleResolver> Resolver,
              ProcessSymbolizerOptions Options)
      : Modules(std::move(Resolver)),
        Tool(std::move(Space), *Modules, std::move(Options)),
        Places(Tool.space()), Rows(Tool.space(), *Modules) {}

  const std::unique_ptr<ModuleResolver> Modules;
  ProcessSymbolizer Tool;
  AddressNormalizer Places;
  /// Guards the members below.
  std::mutex Mutex;
  SpaceUnwindModules Rows;
  const UnwindMachine *Machine = nullptr;
  std::optional<Unwinder> TheUnwinder;
};

/// How the address space of a process is opened.
struct ProcessArguments {
  uint32_t Flags = 0;
  /// Empty for none.
  std::string VMLinux;
  /// A live process, or the mappings Maps.
  std::optional<uint64_t> PID;
  std::string Maps;
  FileSources Files;

  Expected<std::unique_ptr<AddressSpace>> open(ModuleResolver &Modules,
                                               WarningFunction Warn) const {
    if (PID)
      return AddressSpace::ofProcess(*PID, Warn);
    return AddressSpace::ofMaps(Maps, "maps", &Modules.files(), Warn);
  }
};

} // namespace

struct lidia_process {
  lidia_process(lidia_modules &Modules, ProcessArguments Given)
      : Modules(Modules), Given(std::move(Given)) {}

  Expected<OpenProcess &> open();

private:
  lidia_modules &Modules;
  const ProcessArguments Given;
  PerProcess<OpenProcess> Opened;
};

struct lidia_answer {
  std::shared_ptr<const ProcessAnswer> A;
};

static Expected<std::unique_ptr<OpenProcess>>
openProcess(OpenModules &Modules, const ProcessArguments &Given) {
  auto Warn = [&](const Twine &Message) { Modules.Observer.warning(Message); };
  Expected<std::unique_ptr<ModuleResolver>> Resolver =
      ModuleResolver::sharing(Modules.Archives, Given.Files);
  if (!Resolver)
    return Resolver.takeError();
  Expected<std::unique_ptr<AddressSpace>> Space = Given.open(**Resolver, Warn);
  if (!Space)
    return Space.takeError();
  ProcessSymbolizerOptions O;
  setNameOptions(Given.Flags, O.Symbolizer);
  if (Given.Flags & LIDIA_PROCESS_KERNEL)
    O.Kernel = runningKernel(Given.VMLinux, [&Modules](const Twine &Message) {
      Modules.Observer.warning(Message);
    });
  O.JIT = (*Space)->findPerfMap(Warn);
  return std::make_unique<OpenProcess>(std::move(*Space), std::move(*Resolver),
                                       std::move(O));
}

Expected<OpenProcess &> lidia_process::open() {
  return Opened.get([&]() -> Expected<std::unique_ptr<OpenProcess>> {
    Expected<OpenModules &> Found = Modules.open();
    if (!Found)
      return Found.takeError();
    return openProcess(*Found, Given);
  });
}

static lidia_status giveProcess(lidia_modules &Modules,
                                const lidia_process_options *Options,
                                ProcessArguments Given, lidia_process **Result,
                                lidia_error **Error) {
  lidia_process_options Copy;
  if (lidia_status S =
          readOptions(Options, NameFlags | LIDIA_PROCESS_KERNEL, Copy, Error))
    return S;
  if (Copy.vmlinux && !(Copy.flags & LIDIA_PROCESS_KERNEL))
    return failArgument(Error, "vmlinux needs LIDIA_PROCESS_KERNEL");
  Given.Flags = Copy.flags;
  Given.VMLinux = Copy.vmlinux ? Copy.vmlinux : "";
  auto New = std::make_unique<lidia_process>(Modules, std::move(Given));
  if (Expected<OpenProcess &> Opened = New->open(); !Opened)
    return fail(Error, Opened.takeError());
  *Result = New.release();
  return succeed(Error);
}

lidia_status lidia_process_open(lidia_modules *modules, uint64_t pid,
                                const lidia_process_options *options,
                                lidia_process **process, lidia_error **error) {
  if (!modules || !process)
    return failArgument(error, "lidia_process_open needs modules and a result");
  ProcessArguments Given;
  Given.PID = pid;
  return giveProcess(*modules, options, std::move(Given), process, error);
}

lidia_status lidia_process_open_maps(lidia_modules *modules, const char *maps,
                                     size_t size, const char *root,
                                     const lidia_process_options *options,
                                     lidia_process **process,
                                     lidia_error **error) {
  if (!modules || !process || (!maps && size))
    return failArgument(error, "lidia_process_open_maps needs modules, maps "
                               "and a result");
  ProcessArguments Given;
  Given.Maps.assign(maps ? maps : "", size);
  Given.Files.Root = root ? root : "";
  Given.Files.HowToAllow = "root allows it";
  return giveProcess(*modules, options, std::move(Given), process, error);
}

void lidia_process_free(lidia_process *process) { delete process; }

lidia_status lidia_process_prepare(lidia_process *process,
                                   const uint64_t *addresses, size_t count,
                                   uint32_t threads, lidia_error **error) {
  if (!process || (!addresses && count))
    return failArgument(error,
                        "lidia_process_prepare needs a process and addresses");
  Expected<OpenProcess &> Opened = process->open();
  if (!Opened)
    return fail(error, Opened.takeError());
  Opened->Tool.prepare(ArrayRef(addresses, count), threads);
  return succeed(error);
}

lidia_status lidia_process_answer(lidia_process *process, uint64_t address,
                                  int is_return_address, lidia_answer **answer,
                                  lidia_error **error) {
  if (!process || !answer)
    return failArgument(error,
                        "lidia_process_answer needs a process and a result");
  Expected<OpenProcess &> Opened = process->open();
  if (!Opened)
    return fail(error, Opened.takeError());
  auto Found = Opened->Tool.answer(address, is_return_address != 0);
  const ModuleArchives &Archives = Opened->Modules->archives();
  if (Found->Reason.Code == MissCode::NoAnswer && Archives.needsStore())
    return fail(error, Archives.outage());
  *answer = new lidia_answer{std::move(Found)};
  return succeed(error);
}

void lidia_answer_free(lidia_answer *answer) { delete answer; }

const char *lidia_miss_name(uint32_t miss) {
  return miss < MissCodeCount ? toString(MissCode(miss)) : "";
}

lidia_status lidia_answer_get_info(const lidia_answer *answer,
                                   lidia_answer_info *info,
                                   lidia_error **error) {
  if (!answer)
    return failArgument(error, "lidia_answer_get_info needs an answer");
  const ProcessAnswer &A = *answer->A;
  lidia_answer_info Result = {sizeof(Result),        uint32_t(A.Type),
                              A.HasAddress,          A.Address,
                              A.Module.c_str(),      A.Module.size(),
                              A.Reason.Text.c_str(), A.Reason.Text.size(),
                              A.Frames.size(),       uint32_t(A.miss())};
  return writeResult(info, Result, error);
}

lidia_status lidia_answer_get_frame(const lidia_answer *answer, size_t number,
                                    lidia_frame *frame, lidia_error **error) {
  if (!answer || number >= answer->A->Frames.size())
    return failArgument(error, "the answer has no frame " + Twine(number));
  const SymbolizedFrame &F = answer->A->Frames[number];
  lidia_frame Result = {
      sizeof(Result), F.Function.data(), F.Function.size(),
      F.File.data(),  F.File.size(),     F.Line,
      F.Column,       F.IsInlined,       F.StartAddress.value_or(0),
      F.FunctionSize, F.FunctionOffset};
  return writeResult(frame, Result, error);
}

lidia_status lidia_process_locate(lidia_process *process, uint64_t address,
                                  lidia_location *location,
                                  lidia_error **error) {
  if (!process)
    return failArgument(error, "lidia_process_locate needs a process");
  Expected<OpenProcess &> Opened = process->open();
  if (!Opened)
    return fail(error, Opened.takeError());
  NormalizedAddress N = Opened->Places.normalize(address);
  uint32_t Flags = (N.FileOffset ? LIDIA_LOCATION_HAS_OFFSET : 0) |
                   (N.Address ? LIDIA_LOCATION_HAS_ADDRESS : 0);
  lidia_location Result = {sizeof(Result),
                           uint32_t(N.Type),
                           Flags,
                           N.FileOffset.value_or(0),
                           N.Address.value_or(0),
                           N.Source ? N.Source->Path.c_str() : "",
                           N.Source ? N.Source->Path.size() : 0,
                           N.BuildID.empty() ? nullptr : N.BuildID.data(),
                           N.BuildID.size()};
  return writeResult(location, Result, error);
}

//===----------------------------------------------------------------------===//
// Stacks
//===----------------------------------------------------------------------===//

/// If a machine has several word sizes or byte orders, takes the usual ones.
static const UnwindMachine *findMachine(uint32_t ELFMachine) {
  if (ELFMachine == 0)
    return UnwindMachine::own();
  for (uint8_t WordSize : {8, 4})
    for (bool IsLittleEndian : {true, false})
      if (const UnwindMachine *M = UnwindMachine::find(
              uint16_t(ELFMachine), WordSize, IsLittleEndian))
        return M;
  return nullptr;
}

static RegisterSet registersOf(const lidia_unwind_options &Given) {
  RegisterSet Result;
  Result.PC = Given.pc;
  size_t Count = std::min<size_t>(Given.register_count, 64);
  for (unsigned I = 0; I != Count; ++I)
    if (Given.known_registers >> I & 1)
      Result.set(I, Given.registers[I]);
  return Result;
}

static UnwoundStack unwind(OpenProcess &Process, const UnwindMachine &Machine,
                           const lidia_unwind_options &Given,
                           size_t MaxFrames) {
  auto Read = [&](uint64_t Address, MutableArrayRef<uint8_t> To) -> size_t {
    if (!Given.read_memory)
      return Process.Tool.space().readMemory(Address, To);
    return std::min(
        Given.read_memory(Given.context, Address, To.data(), To.size()),
        To.size());
  };
  UnwindOptions O;
  O.MaxFrames = MaxFrames;
  O.Scan = Given.flags & LIDIA_UNWIND_SCAN;
  O.CodeMask = Given.code_mask;
  std::lock_guard<std::mutex> Lock(Process.Mutex);
  if (Process.Machine != &Machine) {
    Process.Machine = &Machine;
    Process.TheUnwinder.emplace(Machine, Process.Rows);
  }
  return Process.TheUnwinder->unwind(registersOf(Given), Read, O);
}

lidia_status lidia_process_unwind(lidia_process *process,
                                  const lidia_unwind_options *options,
                                  lidia_stack_frame *frames, size_t capacity,
                                  size_t *count, uint32_t *end,
                                  lidia_error **error) {
  if (!process || !options || !frames || !capacity || !count)
    return failArgument(error, "lidia_process_unwind needs a process, options, "
                               "room for frames and a result");
  lidia_unwind_options Given;
  if (lidia_status S = readOptions(options, LIDIA_UNWIND_SCAN, Given, error))
    return S;
  if (!Given.registers && Given.register_count)
    return failArgument(error, "registers is NULL");
  const UnwindMachine *Machine = findMachine(Given.machine);
  if (!Machine)
    return failArgument(error, "stacks of this machine cannot be unwound");
  if (!registersOf(Given).get(Machine->SP))
    return failArgument(error, "the stack pointer is not among the registers");
  Expected<OpenProcess &> Opened = process->open();
  if (!Opened)
    return fail(error, Opened.takeError());
  UnwoundStack Stack = unwind(*Opened, *Machine, Given, capacity);
  for (auto [Out, F] : zip(MutableArrayRef(frames, capacity), Stack.Frames)) {
    uint32_t Flags = (F.IsReturnAddress ? LIDIA_FRAME_IS_RETURN_ADDRESS : 0) |
                     (F.IsSignalFrame ? LIDIA_FRAME_IS_SIGNAL : 0) |
                     (F.IsTailCall ? LIDIA_FRAME_IS_TAIL_CALL : 0);
    Out = {F.Address, F.SP, uint32_t(F.Trust), Flags};
  }
  *count = Stack.Frames.size();
  if (end)
    *end = uint32_t(Stack.End);
  return succeed(error);
}
