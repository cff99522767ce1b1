//===- DynamicSymbols.h - The functions a module exports --------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLDB_PLUGIN_NATIVE_DYNAMICSYMBOLS_H
#define LLDB_PLUGIN_NATIVE_DYNAMICSYMBOLS_H

#include "lldb/lldb-forward.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

namespace lidia {

/// Calls \p Visit with the names and values of the dynamic symbols that
/// \p Module defines, read from its file. This is much faster than creating
/// LLDB's symbol table. Stops when \p Visit returns false. Returns false if
/// there are no readable symbols, or if their names overlap so much that
/// reading them would take long.
bool visitDynamicSymbols(
    lldb_private::Module &Module,
    llvm::function_ref<bool(llvm::StringRef Name, uint64_t Value)> Visit);

} // namespace lidia

#endif // LLDB_PLUGIN_NATIVE_DYNAMICSYMBOLS_H
