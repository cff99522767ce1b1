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
#include "lidia/Unwind/TailCalls.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <memory>
#include <string>
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
  /// By a word on the stack that looks like a return address, or by the link
  /// register when it is not known whether it still holds the return address.
  Scan,
};

/// "context", "cfi", "frame_pointer" or "scan".
llvm::StringRef toString(FrameTrust T);

/// A function's activation, without the calls inlined into it.
struct UnwoundFrame {
  /// The runtime address: of the next instruction, or a return address.
  uint64_t Address = 0;
  /// Whether Address is a return address, so that the call is before it. False
  /// for the innermost frame and for a frame that a signal interrupted.
  bool IsReturnAddress = false;
  /// Whether the frame is a signal frame, which the kernel put on the stack.
  bool IsSignalFrame = false;
  FrameTrust Trust = FrameTrust::Context;
  /// The stack pointer at Address.
  uint64_t SP = 0;
  /// Whether the function made a tail call, so that the stack has no frame of
  /// it: it is known from the calls of the functions around. Address is then
  /// that of the call, or the address after it if IsReturnAddress.
  bool IsTailCall = false;
  /// Whether a scan of the stack took the address for a return address, and no
  /// instruction says that there was a call. Trust is then Scan.
  bool IsGuess = false;
  /// The name, not demangled, by which the caller calls the function, if it has
  /// several and that is not the one of the range; otherwise null.
  std::shared_ptr<const std::string> CalledAs;
};

/// Why a stack has no more frames.
enum class StackEnd : uint8_t {
  /// The rows of the outermost function say that it has no caller, or the
  /// return address is zero.
  Complete,
  /// Memory could not be read at UnwoundStack::FailedAddress.
  NoMemory,
  /// No rows cover the address, which may not be in code, and no other method
  /// found the caller.
  NoRows,
  /// The stack pointer did not advance, or a return address is not in code.
  Corrupt,
  /// MaxFrames was reached.
  TooLong,
  /// The function continues on another stack than its caller's, which is not
  /// known. Unwinder does not find this out; see printThreadStacks().
  OtherStack,
};

/// "complete", "no_memory", "no_rows", "corrupt", "too_long" or "other_stack".
llvm::StringRef nameOf(StackEnd End);

struct UnwoundStack {
  /// Innermost first.
  std::vector<UnwoundFrame> Frames;
  /// The number of frames left out before Frames[OmittedAt].
  uint64_t Omitted = 0;
  size_t OmittedAt = 0;
  /// The known registers of the first UnwindOptions::FramesWithRegisters
  /// frames.
  std::vector<RegisterSet> Registers;
  StackEnd End = StackEnd::Complete;
  /// The address that could not be read, is not in code, or has no rows.
  uint64_t FailedAddress = 0;
};

/// The modules of an address space, as an unwinder needs them. Programs with
/// RTTI can derive from it.
class UnwindModules {
public:
  virtual ~UnwindModules() = default;

  struct Place {
    /// Null if there is no module or it has no table. Valid as long as the
    /// UnwindModules object.
    const UnwindTable *Table = nullptr;
    /// Subtract this from a runtime address to get the module's own address.
    uint64_t Bias = 0;
    /// Whether the address may be executable, as far as that is known.
    bool IsCode = false;
    /// Finds the tail calls of the module's functions; null if they are not
    /// known. Same lifetime as Table.
    TailCallFinder *TailCalls = nullptr;
  };
  virtual Place find(uint64_t Address) = 0;

  /// Reads code at the runtime address \p Address from the file of its module,
  /// which cores, minidumps and recordings do not contain. Returns how many
  /// bytes it has put into \p To: 0 if the file is not there.
  virtual size_t readCode(uint64_t Address, llvm::MutableArrayRef<uint8_t> To) {
    (void)Address;
    (void)To;
    return 0;
  }
};

struct UnwindOptions {
  size_t MaxFrames = 1024;
  /// Of a stack with more than MaxFrames frames, keep this many of the
  /// outermost ones in place of others. Takes time in proportion to all frames.
  size_t OutermostFrames = 0;
  /// If no other method finds the caller, look for a return address on the
  /// stack. For crash dumps.
  bool Scan = false;
  /// The bits of a return address that hold no address (AArch64's pointer
  /// authentication); zero if not known.
  uint64_t CodeMask = 0;
  size_t FramesWithRegisters = 0;
  /// Whether the first address is a return address, as in registers that the
  /// program saved itself.
  bool IsReturnAddress = false;
  /// Whether to add frames of functions that tail calls replaced.
  bool TailCalls = true;
};

/// Unwinds the stacks of one address space, whose modules must not move.
/// Unwinding always ends, whatever the contents of memory and rows: the number
/// of frames is limited, and the stack pointer of each frame is above that of
/// the previous one, except for a limited number of frames. Not
/// thread-safe: use one unwinder per thread.
class Unwinder {
public:
  /// Reads memory from \p Address on, and returns the number of bytes read.
  using ReadMemory = llvm::function_ref<size_t(
      uint64_t Address, llvm::MutableArrayRef<uint8_t> To)>;

  /// \p Machine and \p Modules must outlive this object.
  Unwinder(const UnwindMachine &Machine, UnwindModules &Modules);
  ~Unwinder();

  /// The stack of the thread with the registers \p Context.
  UnwoundStack unwind(const RegisterSet &Context, ReadMemory Read,
                      const UnwindOptions &Options = {});

private:
  class Walk;
  /// The rules at an address that was looked up before.
  struct KnownRules;
  /// The tail calls between two addresses that were looked up before.
  struct KnownTailCalls;
  struct WaysOut;

  const KnownRules &rulesAt(uint64_t Address);

  const UnwindMachine &Machine;
  UnwindModules &Modules;
  /// A hash table: the index is the remainder of the address.
  std::vector<KnownRules> Known;
  /// The same, by the return address.
  std::vector<KnownTailCalls> KnownTails;
  /// By the address, how code without rows returns.
  std::unique_ptr<WaysOut> KnownWaysOut;
};

} // namespace lidia

#endif // LIDIA_UNWIND_UNWINDER_H
