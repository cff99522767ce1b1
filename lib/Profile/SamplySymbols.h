//===- SamplySymbols.h - Names beside a profile of samply -------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_PROFILE_SAMPLYSYMBOLS_H
#define LIDIA_LIB_PROFILE_SAMPLYSYMBOLS_H

#include "lidia/Archive/DebugID.h"
#include "lidia/Profile/Profile.h"
#include "llvm/Support/MemoryBufferRef.h"
#include <string>
#include <utility>
#include <vector>

namespace lidia {

/// Names the locations of \p P that have no names with \p Symbols, the file
/// (x.syms.json) that `samply record --unstable-presymbolicate` writes beside a
/// profile: PrecogSymbolInfo in samply/src/shared/symbol_precog.rs, as of
/// commit 0d1c5e653d13a9649e81813ae5ce1024b6a7b0cf. The names are provisional:
/// those of an archive replace them. \p Modules are the mappings by debug ID.
llvm::Error
addSamplySymbols(llvm::MemoryBufferRef Symbols,
                 llvm::ArrayRef<std::pair<DebugID, uint32_t>> Modules,
                 Profile &P);

} // namespace lidia

#endif // LIDIA_LIB_PROFILE_SAMPLYSYMBOLS_H
