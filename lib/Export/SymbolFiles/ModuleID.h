//===- ModuleID.h - Module IDs in other formats -----------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_EXCHANGE_MODULEID_H
#define LIDIA_LIB_EXCHANGE_MODULEID_H

#include "Object/MachineNames.h"
#include "lidia/Archive/Archive.h"
#include "lidia/Archive/DebugID.h"
#include "lidia/Export/SymbolFiles.h"

namespace lidia {

/// The build ID of \p Module, whose archive has \p Info, or what stands for it.
inline llvm::ArrayRef<uint8_t> buildIDOf(const ArchiveInfo *Info,
                                         const ExportedModule &Module) {
  if (Info && !Info->BuildID.empty())
    return Info->BuildID;
  return Module.CodeIdentity;
}

/// The debug ID of \p Module; zero if nothing identifies it.
inline DebugID debugIDOf(const ArchiveInfo *Info,
                         const ExportedModule &Module) {
  return Info ? debugID(*Info, buildIDOf(Info, Module)) : DebugID();
}

/// The names of the machine of \p Info; null if there are none.
inline const MachineNames *machineOf(const ArchiveInfo *Info) {
  return Info ? machineNames(Info->Machine, Info->Class) : nullptr;
}

} // namespace lidia

#endif // LIDIA_LIB_EXCHANGE_MODULEID_H
