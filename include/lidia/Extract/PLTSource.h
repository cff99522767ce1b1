//===- PLTSource.h - Ranges of PLT stubs ------------------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_EXTRACT_PLTSOURCE_H
#define LIDIA_EXTRACT_PLTSOURCE_H

#include "lidia/Extract/Range.h"
#include "lidia/Object/Binary.h"

namespace lidia {

/// The stubs in the procedure linkage tables of \p File through which calls go
/// to functions of other files, as "f@plt".
///
/// On x86 and AArch64 a stub says which word it jumps through, and a relocation
/// of that word has the name. Elsewhere (Arm, RISC-V, LoongArch, s390x) stubs
/// have the order of the relocations in .rela.plt, which is relied upon only if
/// the section has exactly the size that so many stubs have.
llvm::Expected<SourceRanges> readPLT(Binary &File, const CodeMap &Code,
                                     StringPool &Strings);

} // namespace lidia

#endif // LIDIA_EXTRACT_PLTSOURCE_H
