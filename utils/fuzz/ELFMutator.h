//===- ELFMutator.h - Mutates ELF files by their sections -------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_UTILS_FUZZ_ELFMUTATOR_H
#define LIDIA_UTILS_FUZZ_ELFMUTATOR_H

#include <cstddef>
#include <cstdint>

namespace lidia {

/// Mutates the \p Size bytes at \p Data, which has space for \p MaxSize, and
/// returns the new size. All choices depend on \p Seed and libFuzzer.
///
/// An ELF file rarely survives libFuzzer's own mutations: inserting a byte
/// moves everything after it away from the offsets in the headers, and changing
/// a byte of a compressed section makes it unreadable. This function chooses a
/// section by its header, decompresses, mutates and compresses it, puts it
/// back, and updates the headers. Sometimes it mutates a header instead or,
/// like libFuzzer, the file as a whole.
size_t mutateELF(uint8_t *Data, size_t Size, size_t MaxSize, unsigned Seed);

} // namespace lidia

#endif // LIDIA_UTILS_FUZZ_ELFMUTATOR_H
