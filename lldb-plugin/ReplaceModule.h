//===- ReplaceModule.h - Modules without their DWARF ------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// LLDB does not accept a symbol file for a module that has its own DWARF: it
/// would attribute addresses to the sections of the symbol file, which nothing
/// loads. So the module is removed from the target, and replaced by one with a
/// copy of the file without DWARF. LLDB runs the original file.
///
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LLDBPLUGIN_REPLACEMODULE_H
#define LIDIA_LLDBPLUGIN_REPLACEMODULE_H

#include "lldb/API/SBModule.h"
#include "lldb/API/SBTarget.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <string>

namespace lidia {

/// Replaces \p Module in \p Target by a module without DWARF that uses
/// \p SymbolFile. Breakpoints get locations in it.
///
/// If this is not possible, returns the reason, and \p Target is unchanged.
/// There must be no process, because LLDB cannot exchange its modules.
llvm::Expected<lldb::SBModule> replaceModule(lldb::SBTarget Target,
                                             lldb::SBModule Module,
                                             llvm::StringRef SymbolFile);

/// Undoes replaceModule() for \p Module, the one with the copy. Fails under the
/// same conditions.
llvm::Error restoreModule(lldb::SBTarget Target, lldb::SBModule Module);

/// If \p Path is the copy in a replaced module, the path of the module's file;
/// otherwise none.
std::optional<std::string> originalOfCopy(llvm::StringRef Path);

} // namespace lidia

#endif // LIDIA_LLDBPLUGIN_REPLACEMODULE_H
