//===- KeptCore.h - A core that can be read once ----------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_PROCESS_KEPTCORE_H
#define LIDIA_LIB_PROCESS_KEPTCORE_H

#include "ByteStream.h"
#include "lidia/Process/ByteReader.h"
#include "lidia/Process/CoreFile.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <map>
#include <vector>

namespace lidia {

/// Parts of a file, by their offsets in it, in memory.
class KeptBytes final : public ByteReader {
public:
  size_t read(uint64_t Offset,
              llvm::MutableArrayRef<uint8_t> To) const override;

  /// Adds the bytes at \p Offset, of which none were added before.
  void add(uint64_t Offset, std::vector<uint8_t> Bytes);

  /// The bytes of all parts.
  uint64_t size() const;

private:
  /// By offset.
  std::map<uint64_t, std::vector<uint8_t>> Parts;
};

/// What was kept of a core.
struct KeptCore {
  std::unique_ptr<KeptBytes> Bytes;
  /// How much memory that the process could write to, and that is no stack of
  /// a thread, was left out.
  uint64_t LeftOut = 0;
  /// Whether stacks were shortened to stay within the memory.
  bool StacksShortened = false;
  /// The number of bytes of the core, if it ended before what is needed.
  std::optional<uint64_t> CutAt;
};

/// Opens the core from its begin on.
using OpenStream =
    llvm::function_ref<llvm::Expected<std::unique_ptr<ByteStream>>()>;

/// Reads a core from its begin on, and keeps in memory what stacks need,
/// \p Most bytes at most: the notes, of each stack what is above the thread's
/// stack pointer, the first page of each mapped file, and, if there is room,
/// other memory that the process could write to, small pieces first. Reads no
/// more than needed.
///
/// Linux writes notes before memory. gdb writes them after it: then the core is
/// opened and read twice, or, if that \p IsOnce, stacks count as other memory.
/// \p Name is for errors.
llvm::Expected<KeptCore> keepCore(OpenStream Open, bool IsOnce, uint64_t Most,
                                  const llvm::Twine &Name);

} // namespace lidia

#endif // LIDIA_LIB_PROCESS_KEPTCORE_H
