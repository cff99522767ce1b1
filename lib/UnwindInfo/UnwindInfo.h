//===- UnwindInfo.h - What readers of unwind tables share -------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Unwind tables that are not call frame information of DWARF. Each reader has
/// the functions of a table and gives the rows of each, as dwarf::CallFrames
/// does.
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
/// contains it; empty if none does.
using LoadedImage = std::function<llvm::StringRef(uint64_t Address)>;

/// Receives the rows of a function in order of address; false ends the visit.
using VisitRow = llvm::function_ref<bool(uint64_t Begin, uint64_t End,
                                         const UnwindRules &Rules)>;

} // namespace unwindinfo
} // namespace lidia

#endif // LIDIA_LIB_UNWINDINFO_UNWINDINFO_H
