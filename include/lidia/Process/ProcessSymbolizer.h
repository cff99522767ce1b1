//===- ProcessSymbolizer.h - From runtime addresses to frames ---*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_PROCESS_PROCESSSYMBOLIZER_H
#define LIDIA_PROCESS_PROCESSSYMBOLIZER_H

#include "lidia/Modules/ModuleResolver.h"
#include "lidia/Process/AddressSpace.h"
#include "lidia/Process/ProcessAnswer.h"
#include "lidia/Support/RecentlyUsed.h"
#include "lidia/Symbolize/Symbolizer.h"
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace lidia {

/// Which kernel an address space belongs to. All parts are optional.
struct KernelOptions {
  /// Called once, for the first address outside all mappings. May return null.
  std::function<std::shared_ptr<const KernelSymbols>()> Symbols;
  /// The kernel's image with debug information, or its debug file. Used for
  /// lines if Symbols has the kernel's address and BuildID is empty or that of
  /// the file.
  std::string VMLinux;
  std::vector<uint8_t> BuildID;
};

/// The kernel that is running, by /proc/kallsyms, with lines by \p VMLinux,
/// unless that is empty. \p Warn must exist as long as the result is used.
KernelOptions runningKernel(std::string VMLinux,
                            std::function<void(const llvm::Twine &)> Warn);

struct ProcessSymbolizerOptions {
  /// AdjustVMA and ReturnAddresses are ignored.
  SymbolizerOptions Symbolizer;
  KernelOptions Kernel;
  /// Names of code without a file; may be null.
  std::shared_ptr<const PerfMap> JIT;
  /// The number of modules that are kept open; at least one.
  unsigned MaxModules = 128;
  /// The number of answers that are kept, and the bytes of their text.
  size_t MaxAnswers = 1 << 16;
  uint64_t MaxAnswerBytes = uint64_t(64) << 20;
};

/// Figures of a ProcessSymbolizer, from its construction on.
struct ProcessStatistics {
  /// Addresses looked up, and those of them that were answered from memory.
  uint64_t Requests = 0;
  uint64_t Hits = 0;
  /// The number of times that a module was opened, and that one was closed to
  /// stay within MaxModules.
  uint64_t ModulesOpened = 0;
  uint64_t ModulesForgotten = 0;
  /// The answers in memory, and their bytes.
  uint64_t AnswersKept = 0;
  uint64_t BytesKept = 0;

  double hitRate() const { return Requests ? double(Hits) / Requests : 0; }
};

/// Symbolizes addresses of one address space, for profilers. It opens the
/// archive of a module when its first address is looked up, and keeps the most
/// recent answers. The options limit its memory. Thread-safe; threads wait for
/// each other only in the same module.
///
/// \code
///   auto Space = lidia::AddressSpace::ofProcess(PID, Warn);
///   if (!Space)
///     return Space.takeError();
///   lidia::ProcessSymbolizer S(std::move(*Space), Resolver, Options);
///   std::shared_ptr<const lidia::ProcessAnswer> A = S.answer(PC, false);
/// \endcode
class ProcessSymbolizer {
public:
  /// \p Resolver, which several address spaces can share, must outlive this
  /// object.
  ProcessSymbolizer(std::unique_ptr<const AddressSpace> Space,
                    ModuleResolver &Resolver, ProcessSymbolizerOptions Options);
  ~ProcessSymbolizer();
  ProcessSymbolizer(const ProcessSymbolizer &) = delete;
  ProcessSymbolizer &operator=(const ProcessSymbolizer &) = delete;

  /// Looks up \p Address or, if \p IsReturnAddress, the call before it. Never
  /// null.
  std::shared_ptr<const ProcessAnswer> answer(uint64_t Address,
                                              bool IsReturnAddress);

  /// Opens the modules of \p Addresses, \p Threads of them at once (0: as many
  /// as the machine has processors). Their archives are made then, if they are
  /// missing.
  void prepare(llvm::ArrayRef<uint64_t> Addresses, unsigned Threads);

  const AddressSpace &space() const { return *Space; }

  /// The build ID of the module that contains \p Address; empty if it is not
  /// known. Opens the module each time.
  std::vector<uint8_t> buildIDAt(uint64_t Address) const;

  ProcessStatistics statistics() const;

private:
  struct Module;
  struct Kernel;
  class Answers;

  ProcessAnswer find(uint64_t Address);
  void open(Module &Of, const Mapping &M);
  ProcessAnswer findInModule(const Mapping &M, uint64_t Address);
  bool findInKernel(uint64_t Address, ProcessAnswer &Result);
  const KernelSymbols *kernelSymbols();
  std::shared_ptr<Module> module(uint32_t File);
  void openKernel();
  std::string text(llvm::StringRef Raw) const;

  const std::unique_ptr<const AddressSpace> Space;
  ModuleResolver &Resolver;
  const ProcessSymbolizerOptions Options;
  std::unique_ptr<Kernel> TheKernel;

  /// Guards the members below.
  mutable std::mutex Mutex;
  std::unique_ptr<Answers> Kept;
  /// By index of the file.
  RecentlyUsed<std::shared_ptr<Module>, uint32_t> Modules;
  ProcessStatistics Statistics;
};

/// The build ID of the running kernel, from /sys/kernel/notes; empty if there
/// is none.
std::vector<uint8_t> runningKernelBuildID();

} // namespace lidia

#endif // LIDIA_PROCESS_PROCESSSYMBOLIZER_H
