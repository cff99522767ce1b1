//===- ReplaceModule.h - Modules without their DWARF ------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// LLDB does not take a symbol file for a module that has DWARF of its own: it
/// would attribute addresses to the sections of the symbol file, which nothing
/// loads. So the module is removed from the target, and one that has a copy of
/// the file without DWARF takes its place. LLDB runs the original.
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

/// Puts a module without DWARF, with \p SymbolFile, in the place of \p Module
/// in \p Target. Breakpoints get locations in it.
///
/// The error gives the reason why it is not possible; \p Target is then
/// unchanged. There must be no process: LLDB cannot exchange its modules.
llvm::Expected<lldb::SBModule> replaceModule(lldb::SBTarget Target,
                                             lldb::SBModule Module,
                                             llvm::StringRef SymbolFile);

/// Undoes replaceModule() for \p Module, the one with the copy. Fails likewise.
llvm::Error restoreModule(lldb::SBTarget Target, lldb::SBModule Module);

/// If \p Path is the copy in a replaced module, the path of the module's file;
/// otherwise none.
std::optional<std::string> originalOfCopy(llvm::StringRef Path);

} // namespace lidia

#endif // LIDIA_LLDBPLUGIN_REPLACEMODULE_H
