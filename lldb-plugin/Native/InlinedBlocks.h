//===- InlinedBlocks.h - Blocks of inlined calls ----------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLDB_PLUGIN_NATIVE_INLINEDBLOCKS_H
#define LLDB_PLUGIN_NATIVE_INLINEDBLOCKS_H

#include "lidia/Archive/InlinedCalls.h"
#include "lldb/Symbol/Block.h"

namespace lidia {

/// The blocks of the calls inlined into one function, which owns them.
///
/// LLDB looks for a block starting from the function's first one, so finding
/// the block of each call in a function takes quadratic time.
class InlinedBlocks {
public:
  InlinedBlocks() = default;
  /// \p Blocks has one block for each of \p Calls, which are those of the
  /// function at [\p Start, \p End).
  InlinedBlocks(llvm::ArrayRef<InlinedCall> Calls,
                llvm::ArrayRef<lldb_private::Block *> Blocks, uint64_t Start,
                uint64_t End);

  struct Call {
    StringOffset Function;
    lldb_private::Block *B;
  };
  /// In the order of inlinedCalls().
  llvm::ArrayRef<Call> calls() const { return Calls; }

  /// The block of the innermost call with code at \p Address; null if that code
  /// belongs to the function itself.
  lldb_private::Block *at(uint64_t Address) const;

private:
  std::vector<Call> Calls;
  InnermostCalls Innermost;
};

} // namespace lidia

#endif // LLDB_PLUGIN_NATIVE_INLINEDBLOCKS_H
