//===- PerfStacks.h - Stacks that perf recorded as bytes --------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_PROFILE_PERFSTACKS_H
#define LIDIA_LIB_PROFILE_PERFSTACKS_H

#include "PerfNames.h"
#include "PerfProfile.h"
#include "PerfRegisters.h"
#include "ProfileModule.h"
#include "lidia/Process/Stacks.h"
#include "lidia/Profile/ProfileFile.h"
#include "lidia/Support/RecentlyUsed.h"
#include "lidia/Unwind/Unwinder.h"
#include "llvm/ADT/MapVector.h"
#include <map>
#include <memory>

namespace lidia {

/// Unwinds stacks of user code that perf recorded with --call-graph dwarf as
/// registers and the bytes starting at the stack pointer. The unwind rows are
/// in the archives of the code's modules, which are found or made when the
/// first stack needs them, and stay open, and in dumps of compiled code.
class PerfStacks final : private UnwindModules {
public:
  /// Uses Modules and TailCalls of \p Options. Without modules, stacks have
  /// only the innermost frame and frames found by frame pointers or dumps.
  PerfStacks(PerfProfile &Samples, PerfNames &Names,
             const ProfileReadOptions &Options)
      : Samples(Samples), Names(Names), Resolver(Options.Modules) {
    Unwinding.TailCalls = Options.TailCalls;
  }

  /// The frames of the sample \p S with \p Registers. \p Space has the mappings
  /// of its process, and may be null.
  std::vector<UnwoundFrame> unwind(const PerfRegisters &Registers,
                                   const PerfSample &S, const PerfSpace *Space);

  /// Warns about incomplete stacks, with the module, the reason and what to do.
  void report(llvm::StringRef Name, WarningFunction Warn) const;

private:
  struct Module {
    ProfileModule Its;
    ModuleRows Rows;
    /// Why the module has no rows; empty if it has some.
    std::string WhyNoRows;
  };
  /// The module in which stacks ended, and the reason.
  using Place = std::pair<std::string, std::string>;

  UnwindModules::Place find(uint64_t Address) override;
  size_t readCode(uint64_t Address, llvm::MutableArrayRef<uint8_t> To) override;
  const Module &moduleOf(const Profile::Mapping &M);
  Unwinder &unwinder();
  void noteEnd(const UnwoundStack &Stack, uint64_t SP, const PerfSample &S);
  void noteMissing(uint64_t Address);
  void readRows(Module &M) const;

  PerfProfile &Samples;
  PerfNames &Names;
  ModuleResolver *Resolver;
  UnwindOptions Unwinding;
  /// Of the stack that is unwound.
  const PerfSpace *Space = nullptr;
  uint32_t PID = 0;
  const UnwindMachine *Machine = nullptr;
  /// By file and build ID.
  std::map<std::pair<Profile::StringID, Profile::StringID>,
           std::unique_ptr<Module>>
      Modules;
  PackedMappings Packed;
  /// Unwinders by the versions of the mappings and of the rows of compiled
  /// code, because their cached data are valid only until one changes.
  using UnwinderKey = std::tuple<uint64_t, size_t, const UnwindMachine *>;
  std::map<UnwinderKey, std::unique_ptr<Unwinder>> Unwinders;

  uint64_t Stacks = 0;
  uint64_t CutStacks = 0;
  uint64_t BrokenStacks = 0;
  llvm::MapVector<Profile::StringID, uint64_t> EndsIn;
  std::map<Profile::StringID, std::string> Reasons;
};

} // namespace lidia

#endif // LIDIA_LIB_PROFILE_PERFSTACKS_H
