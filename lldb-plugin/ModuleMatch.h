//===- ModuleMatch.h - Finds an archive's module ----------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LLDBPLUGIN_MODULEMATCH_H
#define LIDIA_LLDBPLUGIN_MODULEMATCH_H

#include "lidia/Archive/Archive.h"
#include "lldb/API/SBFileSpec.h"
#include "lldb/API/SBModule.h"
#include "lldb/API/SBTarget.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <vector>

namespace lidia {

/// The full path of a module's file. If replaceModule() copied the file, that
/// of the original.
std::string modulePath(lldb::SBModule Module);

/// The full path in \p File.
std::string pathOf(lldb::SBFileSpec File);

/// The build ID of a module in lower-case hexadecimal, without the dashes that
/// LLDB puts between groups of digits.
std::string buildIDOf(lldb::SBModule Module);

/// The module of \p Target with the build ID \p Digits, in hexadecimal digits
/// of either case, with or without dashes.
llvm::Expected<lldb::SBModule> findByBuildID(lldb::SBTarget Target,
                                             llvm::StringRef Digits);

/// The module of \p Target that \p A was made from, found in the way LLDB finds
/// the module of a symbol file: by the build ID; without one, by the archive's
/// file name, then by that name after removing extensions one by one
/// (`a.out.lidia`, `a.out`). A nonempty \p Name selects the module by path or
/// file name; its build ID must then match the archive's, if that has one.
///
/// The error says which build ID or architecture was found and which is needed.
llvm::Expected<lldb::SBModule>
findModuleOf(const Archive &A, lldb::SBTarget Target, llvm::StringRef Name);

/// The reason why \p A does not match \p Module, according to their
/// architectures, build IDs and, if the module's file is available, identities;
/// success otherwise.
llvm::Error checkMatch(const Archive &A, lldb::SBModule Module);

/// The modules of \p Target with the paths or file names \p Names; without
/// names, those for which \p Unnamed is true. The error names the first name
/// that matches no module.
llvm::Expected<std::vector<lldb::SBModule>>
chooseModules(lldb::SBTarget Target, llvm::ArrayRef<llvm::StringRef> Names,
              llvm::function_ref<bool(lldb::SBModule)> Unnamed);

} // namespace lidia

#endif // LIDIA_LLDBPLUGIN_MODULEMATCH_H
