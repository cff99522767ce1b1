//===- FrameSearch.h - Converts unwind instructions to rules ----*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_UNWINDINFO_FRAMESEARCH_H
#define LIDIA_LIB_UNWINDINFO_FRAMESEARCH_H

#include "lidia/Archive/UnwindTable.h"
#include <map>

namespace lidia::unwindinfo {

/// The locations at which an unwinder's instructions, which undo a function's
/// frame step by step, have found registers. A virtual stack pointer moves from
/// the function's, \p SP, to its caller's.
class FrameSearch {
public:
  /// A location in memory, relative to the value of one of the function's
  /// registers.
  struct Place {
    uint32_t Register;
    int64_t Offset;
  };

  explicit FrameSearch(uint32_t SP) : SP({SP, 0}) {}

  Place stackPointer() const { return SP; }
  bool isSaved(uint32_t Register) const { return Saved.count(Register); }

  /// Moves the stack pointer. Returns false if its value is in memory.
  bool move(int64_t By) {
    SP.Offset += By;
    return !IsLoaded;
  }
  /// Sets the stack pointer to \p Register plus \p Offset. Returns false if
  /// \p Register was saved, so that its value is in memory.
  bool setStackPointer(uint32_t Register, int64_t Offset) {
    SP = {Register, Offset};
    return !IsLoaded && !isSaved(Register);
  }
  void save(uint32_t Register, Place At) { Saved[Register] = At; }
  /// Restores \p Register from the stack pointer, and moves the stack pointer
  /// by \p Size.
  bool pop(uint32_t Register, int64_t Size) {
    save(Register, SP);
    return move(Size);
  }
  /// Sets the stack pointer to the caller's, which is in memory at \p At.
  void loadStackPointer(Place At) {
    SP = At;
    IsLoaded = true;
  }
  bool isLoaded() const { return IsLoaded; }

  /// Sets the CFA of \p Rules to the stack pointer, and sets the registers of
  /// \p Rules.
  void take(UnwindRules &Rules) const;

private:
  Place SP;
  /// Whether the stack pointer is the value in memory at SP.
  bool IsLoaded = false;
  std::map<uint32_t, Place> Saved;
};

} // namespace lidia::unwindinfo

#endif // LIDIA_LIB_UNWINDINFO_FRAMESEARCH_H
