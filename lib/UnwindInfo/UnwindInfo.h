//===- UnwindInfo.h - Shared by readers of unwind tables --------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Unwind tables other than DWARF call frame information. Each reader lists the
/// functions of a table and visits the rows of each, like dwarf::CallFrames.
///
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_UNWINDINFO_UNWINDINFO_H
#define LIDIA_LIB_UNWINDINFO_UNWINDINFO_H

#include "lidia/Archive/UnwindTable.h"
#include "llvm/ADT/StringRef.h"
#include <functional>

namespace lidia {
namespace unwindinfo {

/// The loaded bytes from an address to the end of the part of the program that
/// contains it; empty if no part contains it.
using LoadedImage = std::function<llvm::StringRef(uint64_t Address)>;

/// Receives the rows of a function in order of address. False ends the visit.
using VisitRow = llvm::function_ref<bool(uint64_t Begin, uint64_t End,
                                         const UnwindRules &Rules)>;

} // namespace unwindinfo
} // namespace lidia

#endif // LIDIA_LIB_UNWINDINFO_UNWINDINFO_H
