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
#include "lidia/Modules/ByteReader.h"
#include "lidia/Process/CoreFile.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <map>
#include <vector>

namespace lidia {

/// Parts of a file in memory, by their offsets in the file.
class KeptBytes final : public ByteReader {
public:
  size_t read(uint64_t Offset,
              llvm::MutableArrayRef<uint8_t> To) const override;

  /// Adds the bytes at \p Offset. None of them may have been added before.
  /// Returns how many of them are kept: pages of zeros take no memory.
  uint64_t add(uint64_t Offset, std::vector<uint8_t> Bytes);

  /// The total size of all parts.
  uint64_t size() const;

private:
  /// By offset.
  std::map<uint64_t, std::vector<uint8_t>> Parts;
  /// The ends of runs of zeros by their offsets.
  std::map<uint64_t, uint64_t> Zeros;
};

/// The parts of a core that were kept.
struct KeptCore {
  std::unique_ptr<KeptBytes> Bytes;
  /// The number of bytes that were left out of memory that the process could
  /// write to and that is not a thread's stack.
  uint64_t LeftOut = 0;
  /// Whether stacks were shortened to stay within the limit.
  bool StacksShortened = false;
  /// The size of the core, if it ended before the needed parts.
  std::optional<uint64_t> CutAt;
};

/// Opens the core at its beginning.
using OpenStream =
    llvm::function_ref<llvm::Expected<std::unique_ptr<ByteStream>>()>;

/// Reads a core from its beginning, and keeps in memory at most \p Max bytes
/// that are needed for stacks: the notes, the part of each stack above the
/// thread's stack pointer, the first page of each mapped file, and, if there is
/// room, other memory that the process could write to, small pieces first.
/// Reads no more than needed.
///
/// Linux writes notes before memory. gdb writes them after memory: the core is
/// then opened and read twice or, if it can be opened only once (\p IsOnce),
/// stacks are treated like other memory, of which pages of zeros do not count,
/// and which is kept in order of address. \p Name is for errors.
llvm::Expected<KeptCore> keepCore(OpenStream Open, bool IsOnce, uint64_t Max,
                                  const llvm::Twine &Name);

} // namespace lidia

#endif // LIDIA_LIB_PROCESS_KEPTCORE_H
