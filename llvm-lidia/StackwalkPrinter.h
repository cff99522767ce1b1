//===- StackwalkPrinter.h - A minidump in another tool's JSON ---*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLVM_LIDIA_STACKWALKPRINTER_H
#define LLVM_LIDIA_STACKWALKPRINTER_H

#include "lidia/Minidump/MinidumpSpace.h"
#include "lidia/Stack/BoundedAnswers.h"
#include "lidia/Symbolize/PrintableText.h"
#include "lidia/Unwind/Unwinder.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/JSON.h"
#include <map>

namespace lidia {

/// Prints a minidump with its stacks as the JSON of `minidump-stackwalk
/// --json`, for programs that read that (json-schema.md in
/// https://github.com/rust-minidump/rust-minidump). Unknown values are null, as
/// in the original, including the analyses of the crashing instruction.
class StackwalkPrinter {
public:
  /// Unwinds a thread with registers.
  using Unwind = llvm::function_ref<UnwoundStack(const ThreadState &,
                                                 Unwinder::ReadMemory)>;

  /// \p Space must be that of \p S; both must outlive this object. Calls
  /// \p Warn when the printer begins to shorten names.
  StackwalkPrinter(llvm::raw_ostream &OS, const MinidumpSpace &Space,
                   ProcessSymbolizer &S,
                   std::function<void(const llvm::Twine &)> Warn)
      : OS(OS), Space(Space), Dump(Space.dump()), Bounded(S, std::move(Warn)) {}

  void print(Unwind UnwindThread);

  /// The number of frames printed so far, without inlined calls.
  uint64_t frames() const { return FramesPrinted; }

private:
  using Value = llvm::json::Value;

  std::string hex(uint64_t Address) const;
  void printThreads(Unwind UnwindThread);
  void printModules();
  Value thread(size_t Index, const UnwoundStack &Stack);
  Value frame(size_t Number, const UnwoundFrame &F);
  Value unloadedModules(uint64_t Address) const;
  Value registers(const RegisterSet &Registers) const;
  Value crashInfo() const;
  Value systemInfo() const;
  Value release() const;
  Value mapCount() const;
  Value uptime() const;

  llvm::raw_ostream &OS;
  JSONEscaper Escaper{OS};
  llvm::json::OStream JSON{Escaper};
  const MinidumpSpace &Space;
  const Minidump &Dump;
  BoundedAnswers Bounded;
  uint64_t FramesPrinted = 0;
  /// For each module with frames: whether it has an archive.
  std::map<const MinidumpModule *, bool> Asked;
};

} // namespace lidia

#endif // LLVM_LIDIA_STACKWALKPRINTER_H
