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

/// \p Linkage as a name for LLDB, which demangles names without limits: a name
/// that cannot be demangled within limits, or not at all, is marked as already
/// demangled, so that it is displayed.
lldb_private::Mangled nameForLLDB(llvm::StringRef Linkage);

using NameSet = llvm::DenseSet<StringOffset>;

/// The strings of \p A that match a function name given by the user.
///
/// An archive has linkage names and no index of base names. A mangled name
/// contains its identifiers verbatim, so the strings table is searched for the
/// identifier, at the speed of memory, and only names that contain it are
/// demangled.
NameSet findNames(const Archive &A,
                  const lldb_private::Module::LookupInfo &Info);

/// Whether \p Module may have a symbol whose name matches, other than those of
/// the functions of \p A. It must have no symbol table besides dynamic symbols.
bool hasOtherSymbol(const Archive &A, lldb_private::Module &Module,
                    const lldb_private::Module::LookupInfo &Info);

/// The strings of \p A whose linkage name, base name or demangled name matches
/// \p Regex. Demangles every name.
NameSet findNames(const Archive &A,
                  const lldb_private::RegularExpression &Regex);

/// Calls \p Visit, in order, with the ranges of \p Names that begin at an
/// entry: functions, and inlined calls if \p Inlined. The first argument is the
/// enclosing range of depth 0.
void visitRanges(const Archive &A, const NameSet &Names, bool Inlined,
                 llvm::function_ref<void(uint64_t Root, uint64_t Index)> Visit);

} // namespace lidia

#endif // LLDB_PLUGIN_NATIVE_NAMESEARCH_H
