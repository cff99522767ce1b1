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

/// Mutates the \p Size bytes at \p Data, which has room for \p MaxSize, and
/// returns the new size. Every choice comes from \p Seed and libFuzzer.
///
/// An ELF file rarely survives libFuzzer's own mutations: a byte that is
/// inserted moves everything behind it away from where the headers say it is,
/// and a byte that is changed within a compressed section makes it unreadable.
/// Here one section is chosen by its header, unpacked, mutated, packed again
/// and put back, and the headers follow. Some of the time it is a header that
/// is mutated, or the file as a whole, as libFuzzer does.
size_t mutateELF(uint8_t *Data, size_t Size, size_t MaxSize, unsigned Seed);

} // namespace lidia

#endif // LIDIA_UTILS_FUZZ_ELFMUTATOR_H
