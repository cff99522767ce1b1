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

namespace lidia {

/// The debug ID of the module of \p Info; zero for an archive without it.
inline DebugID debugIDOf(const ArchiveInfo *Info) {
  return Info ? debugID(*Info, Info->BuildID) : DebugID();
}

/// The names of the machine of \p Info; null if there are none.
inline const MachineNames *machineOf(const ArchiveInfo *Info) {
  return Info ? machineNames(Info->Machine, Info->Class) : nullptr;
}

} // namespace lidia

#endif // LIDIA_LIB_EXCHANGE_MODULEID_H
