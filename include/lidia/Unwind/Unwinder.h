//===- Unwinder.h - From registers and memory to frames ---------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_UNWIND_UNWINDER_H
#define LIDIA_UNWIND_UNWINDER_H

#include "lidia/Archive/UnwindTable.h"
#include "lidia/Unwind/Registers.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <vector>

namespace lidia {

/// How a frame was found, from the most to the least certain. Crash tools use
/// the same words.
enum class FrameTrust : uint8_t {
  /// From the thread's registers: the innermost frame.
  Context,
  /// By unwind rows.
  CFI,
  /// By the frame pointer, in code without rows.
  FramePointer,
  /// A word on the stack that looks like a return address; or the link
  /// register,
  /// where nothing says whether it still has it.
  Scan,
};

/// "context", "cfi", "frame_pointer" or "scan".
llvm::StringRef toString(FrameTrust T);

/// A function's activation, without the calls inlined into it.
struct UnwoundFrame {
  /// The runtime address: of the next instruction, or a return address.
  uint64_t Address = 0;
  /// Whether Address is that after a call, so that the call is before it: not
  /// so in the innermost frame and in one that a signal interrupted.
  bool IsReturnAddress = false;
  /// Whether the frame is that of a signal's return code, which the kernel
  /// put on the stack.
  bool IsSignalFrame = false;
  FrameTrust Trust = FrameTrust::Context;
  /// The stack pointer at Address.
  uint64_t SP = 0;
};

/// Why a stack has no more frames.
enum class StackEnd : uint8_t {
  /// The outermost function's rows say so, or the return address is zero.
  Complete,
  /// Memory that is needed could not be read; UnwoundStack::FailedAddress.
  NoMemory,
  /// No rows cover the address, and nothing else led on.
  NoRows,
  /// The stack pointer did not move on, or a return address is in no code.
  Corrupt,
  /// MaxFrames was reached.
  TooLong,
};

/// "complete", "no_memory", "no_rows", "corrupt" or "too_long".
llvm::StringRef nameOf(StackEnd End);

struct UnwoundStack {
  /// Innermost first.
  std::vector<UnwoundFrame> Frames;
  /// What is known of the registers in each of the first frames, as many as
  /// UnwindOptions::FramesWithRegisters.
  std::vector<RegisterSet> Registers;
  StackEnd End = StackEnd::Complete;
  /// The address that could not be read, or in no code, or without rows.
  uint64_t FailedAddress = 0;
};

/// The modules of an address space, as an unwinder needs them.
class UnwindModules {
public:
  virtual ~UnwindModules();

  struct Place {
    /// Null if the module has none, or there is no module. Valid as long as
    /// this object.
    const UnwindTable *Table = nullptr;
    /// What to subtract from a runtime address to get the module's own.
    uint64_t Bias = 0;
    /// Whether it may be executed at all, as far as that is known.
    bool IsCode = false;
  };
  virtual Place find(uint64_t Address) = 0;
};

struct UnwindOptions {
  size_t MaxFrames = 1024;
  /// Look for return addresses on the stack where nothing else leads on; for
  /// crash dumps.
  bool Scan = false;
  /// The bits of a return address that hold no address (AArch64's pointer
  /// authentication); zero if not known.
  uint64_t CodeMask = 0;
  size_t FramesWithRegisters = 0;
  /// Whether the first address is that after a call, as in registers that a
  /// program has saved itself.
  bool IsReturnAddress = false;
};

/// Unwinds the stacks of one address space, whose modules stay where they are.
/// Always ends, whatever memory and rows say: frames are bounded, and the stack
/// pointer of each is above that of the one before, but for the few that
/// signals interrupted. Not safe for threads; each needs its own.
class Unwinder {
public:
  /// Reads memory from \p Address on, and returns the number of bytes read.
  using ReadMemory = llvm::function_ref<size_t(
      uint64_t Address, llvm::MutableArrayRef<uint8_t> To)>;

  /// \p Machine and \p Modules must outlive it.
  Unwinder(const UnwindMachine &Machine, UnwindModules &Modules);
  ~Unwinder();

  /// The stack of the thread with \p Context.
  UnwoundStack unwind(const RegisterSet &Context, ReadMemory Read,
                      const UnwindOptions &Options = {});

private:
  class Walk;
  /// The rules at an address that was asked for before.
  struct KnownRules;

  const KnownRules &rulesAt(uint64_t Address);

  const UnwindMachine &Machine;
  UnwindModules &Modules;
  /// By address, one entry for each remainder.
  std::vector<KnownRules> Known;
};

} // namespace lidia

#endif // LIDIA_UNWIND_UNWINDER_H
