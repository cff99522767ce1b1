//===- TailCalls.h - Functions that tail calls replaced ---------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A function that ends with a call may jump to its callee, so the stack has no
/// frame of it: `top` calls `middle`, which jumps to `leaf`, and the stack has
/// only `top` and `leaf`. The call in `top` is known to lead to `middle`, and
/// if the tail calls leave only one way from there to `leaf`, `middle` was on
/// it. Debuggers add frames for these functions.
///
//===----------------------------------------------------------------------===//

#ifndef LIDIA_UNWIND_TAILCALLS_H
#define LIDIA_UNWIND_TAILCALLS_H

#include "lidia/Archive/Archive.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

namespace lidia {

/// A tail call by its place.
struct TailCall {
  /// An address of the archive: the one after the call if IsReturnAddress, that
  /// of the call otherwise.
  uint64_t Address = 0;
  bool IsReturnAddress = false;
};

/// Finds the tail calls that led from a call to a function, by the section CALL
/// of an archive. Thread-safe.
class TailCallFinder {
public:
  explicit TailCallFinder(std::shared_ptr<const Archive> TheA)
      : Owner(std::move(TheA)), A(*Owner) {}

  /// Whether the call before \p ReturnAddress is listed as one of a function by
  /// its name. Only such a call can have led to tail calls. Takes a binary
  /// search.
  bool hasCall(uint64_t ReturnAddress) const;

  /// Sets \p Calls to the tail calls that led from the call before
  /// \p ReturnAddress to the function at \p Address of the module of
  /// \p Callee, the last one first. \p Target is the address that the call
  /// instruction contains, if it is known; the call's callee must begin there.
  /// If there are several ways, only those tail calls are found that all ways
  /// begin or end with, as in gdb. Empty if there were none, or if a function
  /// on the way also tail-calls a function of which it is not known what that
  /// calls. Tries a bounded number of ways.
  void find(uint64_t ReturnAddress, std::optional<uint64_t> Target,
            TailCallFinder &Callee, uint64_t Address,
            llvm::SmallVectorImpl<TailCall> &Calls);

  /// The name by which the call before \p ReturnAddress calls the function at
  /// \p Address of the module of \p Callee, if that is one of its other names
  /// (functions that the linker folded); otherwise empty.
  std::string calledAs(uint64_t ReturnAddress, TailCallFinder &Callee,
                       uint64_t Address);

  /// The end of the code of the function at \p Address, an address of the
  /// archive; the largest number if the archive has no function there.
  uint64_t functionEnd(uint64_t Address) const;

private:
  class Search;
  struct Edge {
    TailCall Call;
    /// Zero if it is not known.
    StringOffset Callee = 0;
  };
  /// The functions with one name of which the debug information is known.
  struct Node {
    uint64_t Entry = 0;
    bool IsAmbiguous = false;
  };

  std::optional<StringOffset> calleeBefore(uint64_t ReturnAddress) const;
  llvm::StringRef text(StringOffset Name) const;
  uint64_t entryOf(uint64_t Root) const;
  void read();
  void readFunctions();
  void readTailCalls();
  void readAliases();

  const std::shared_ptr<const Archive> Owner;
  const Archive &A;
  std::once_flag IsRead;
  /// By name.
  llvm::DenseMap<StringOffset, Node> Nodes;
  /// The tail calls of each function, by its entry.
  std::unordered_map<uint64_t, llvm::SmallVector<Edge, 1>> Edges;
  /// The range of depth 0 of each alias; none if several functions have it.
  llvm::StringMap<std::optional<uint64_t>> Aliases;
};

} // namespace lidia

#endif // LIDIA_UNWIND_TAILCALLS_H
