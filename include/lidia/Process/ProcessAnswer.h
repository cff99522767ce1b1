//===- ProcessAnswer.h - What is at a runtime address -----------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Needs only the standard library, like SymbolizedFrame.h.
///
//===----------------------------------------------------------------------===//

#ifndef LIDIA_PROCESS_PROCESSANSWER_H
#define LIDIA_PROCESS_PROCESSANSWER_H

#include "lidia/Miss.h"
#include "lidia/Symbolize/SymbolizedFrame.h"
#include <vector>

namespace lidia {

/// The answer to one runtime address.
struct ProcessAnswer {
  enum class Kind : uint8_t {
    /// Nothing is mapped at the address.
    Unmapped,
    /// Memory without a file that no map of just-in-time compiled code covers.
    Anonymous,
    /// A file or the vdso.
    Module,
    /// Code in a map of just-in-time compiled code.
    JIT,
    /// The kernel or one of its modules.
    Kernel,
  };

  Kind Type = Kind::Unmapped;
  /// The path as mapped; "[vdso]", "[heap]", ...; "[anon]" for memory without a
  /// name; "[jit]"; "[kernel]" or a kernel module's name in brackets;
  /// "[unknown]". Escaped or not, as SymbolizerOptions::Text says.
  std::string Module;
  /// If HasAddress, the address in the module's own address space. For other
  /// kinds, the offset from the name in Frames.
  uint64_t Address = 0;
  bool HasAddress = false;
  /// The frames, innermost first; empty if nothing is known of the function. If
  /// only its start is, one frame without a name.
  std::vector<SymbolizedFrame> Frames;
  /// Why the module has no archive; empty if it has one.
  Miss Reason;

  /// ResolvedModule::LeftOut.
  MissCode LeftOut = MissCode::None;

  /// Why the address has no name or no line.
  MissCode miss() const {
    if (hasName())
      return missOfFrames(Frames, LeftOut);
    if (!Reason.empty())
      return Reason.Code;
    switch (Type) {
    case Kind::Unmapped:
      return MissCode::NotMapped;
    case Kind::Anonymous:
      return MissCode::NoMap;
    default:
      return HasAddress ? missOfFrames(Frames, LeftOut) : MissCode::NotMapped;
    }
  }

  bool hasName() const {
    return !Frames.empty() &&
           (!Frames.back().Function.empty() || Frames.front().Line != 0);
  }
};

} // namespace lidia

#endif // LIDIA_PROCESS_PROCESSANSWER_H
