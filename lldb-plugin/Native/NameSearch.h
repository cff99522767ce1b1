//===- NameSearch.h - Functions by name -------------------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLDB_PLUGIN_NATIVE_NAMESEARCH_H
#define LLDB_PLUGIN_NATIVE_NAMESEARCH_H

#include "lidia/Archive/Archive.h"
#include "lldb/Core/Mangled.h"
#include "lldb/Core/Module.h"
#include "llvm/ADT/DenseSet.h"

namespace lidia {

/// \p Linkage as a name of LLDB's, which demangles names itself and without
/// bounds: one that cannot be demangled within them is passed as if it was
/// demangled.
lldb_private::Mangled nameForLLDB(llvm::StringRef Linkage);

using NameSet = llvm::DenseSet<StringOffset>;

/// The strings of \p A that LLDB's user may mean by a function name.
///
/// An archive has linkage names and no index of base names. A mangled name has
/// the identifiers in it letter for letter, so the strings table is searched
/// for the identifier, which is as fast as memory, and only what has it is
/// demangled.
NameSet findNames(const Archive &A,
                  const lldb_private::Module::LookupInfo &Info);

/// The strings of \p A of which the linkage name, the base name or the
/// demangled name matches \p Regex. Demangles every name.
NameSet findNames(const Archive &A,
                  const lldb_private::RegularExpression &Regex);

/// Calls \p Visit with the ranges that are entered under one of \p Names, in
/// order: functions, and inlined calls if \p Inlined; first with the range of
/// depth 0 that each lies in.
void visitRanges(const Archive &A, const NameSet &Names, bool Inlined,
                 llvm::function_ref<void(uint64_t Root, uint64_t Index)> Visit);

} // namespace lidia

#endif // LLDB_PLUGIN_NATIVE_NAMESEARCH_H
