//===- Processes.cpp - Processes in the C interface -----------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Modules.h"
#include "Names.h"
#include "lidia/Process/ProcessSymbolizer.h"
#include "lidia/Process/Stacks.h"
#include <mutex>

using namespace lidia;
using namespace llvm;

struct lidia_process {
  lidia_process(std::unique_ptr<AddressSpace> Space,
                std::unique_ptr<ModuleResolver> Resolver,
                ProcessSymbolizerOptions Options)
      : Modules(std::move(Resolver)),
        Tool(std::move(Space), *Modules, std::move(Options)),
        Rows(Tool.space(), *Modules) {}

  const std::unique_ptr<ModuleResolver> Modules;
  ProcessSymbolizer Tool;
  /// Guards the members below.
  std::mutex Mutex;
  SpaceUnwindModules Rows;
  const UnwindMachine *Machine = nullptr;
  std::optional<Unwinder> TheUnwinder;
};

struct lidia_answer {
  std::shared_ptr<const ProcessAnswer> A;
};

/// Opens a process with \p Open, a function that returns its address space.
template <typename OpenFunction>
static lidia_status openProcess(lidia_modules &Modules,
                                const lidia_process_options *Options,
                                const FileSources &Files, OpenFunction Open,
                                lidia_process **Result, lidia_error **Error) {
  lidia_process_options Given;
  if (lidia_status S = readOptions(Options, NameFlags, Given, Error))
    return S;
  auto Warn = [&](const Twine &Message) { Modules.Observer.warning(Message); };
  Expected<std::unique_ptr<ModuleResolver>> Resolver =
      ModuleResolver::sharing(Modules.Archives, Files);
  if (!Resolver)
    return fail(Error, Resolver.takeError());
  Expected<std::unique_ptr<AddressSpace>> Space = Open(**Resolver, Warn);
  if (!Space)
    return fail(Error, Space.takeError());
  ProcessSymbolizerOptions O;
  setNameOptions(Given.flags, O.Symbolizer);
  O.JIT = (*Space)->findPerfMap(Warn);
  *Result =
      new lidia_process(std::move(*Space), std::move(*Resolver), std::move(O));
  return succeed(Error);
}

lidia_status lidia_process_open(lidia_modules *modules, uint64_t pid,
                                const lidia_process_options *options,
                                lidia_process **process, lidia_error **error) {
  if (!modules || !process)
    return failArgument(error, "lidia_process_open needs modules and a result");
  return openProcess(
      *modules, options, {},
      [&](ModuleResolver &, WarningFunction Warn) {
        return AddressSpace::ofProcess(pid, Warn);
      },
      process, error);
}

lidia_status lidia_process_open_maps(lidia_modules *modules, const char *maps,
                                     size_t size, const char *root,
                                     const lidia_process_options *options,
                                     lidia_process **process,
                                     lidia_error **error) {
  if (!modules || !process || (!maps && size))
    return failArgument(error, "lidia_process_open_maps needs modules, maps "
                               "and a result");
  FileSources Files;
  Files.Root = root ? root : "";
  Files.HowToAllow = "root allows it";
  auto Open = [&](ModuleResolver &Resolver, WarningFunction Warn) {
    return AddressSpace::ofMaps(StringRef(maps, size), "maps",
                                &Resolver.files(), Warn);
  };
  return openProcess(*modules, options, Files, Open, process, error);
}

void lidia_process_free(lidia_process *process) { delete process; }

lidia_status lidia_process_answer(lidia_process *process, uint64_t address,
                                  int is_return_address, lidia_answer **answer,
                                  lidia_error **error) {
  if (!process || !answer)
    return failArgument(error,
                        "lidia_process_answer needs a process and a result");
  *answer =
      new lidia_answer{process->Tool.answer(address, is_return_address != 0)};
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
  lidia_frame Result = {sizeof(Result), F.Function.data(), F.Function.size(),
                        F.File.data(),  F.File.size(),     F.Line,
                        F.Column,       F.IsInlined};
  return writeResult(frame, Result, error);
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

static UnwoundStack unwind(lidia_process &Process, const UnwindMachine &Machine,
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
  UnwoundStack Stack = unwind(*process, *Machine, Given, capacity);
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
