//===- MachineNames.h - Machines in other symbol formats --------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_OBJECT_MACHINENAMES_H
#define LIDIA_LIB_OBJECT_MACHINENAMES_H

#include "lidia/Archive/ELFIdentity.h"
#include "llvm/ADT/StringRef.h"

namespace lidia {

/// The names of a machine in other tools' symbol files.
struct MachineNames {
  /// In ELF's terms. Data is the usual byte order, which those files do not
  /// state.
  uint16_t Machine = 0;
  uint8_t Class = 0;
  uint8_t Data = 0;
  /// As in Breakpad's MODULE record.
  llvm::StringLiteral Breakpad;
  /// symbolic_common::Arch; zero if there is none. Numbers up to the next
  /// hundred are variants.
  uint32_t SymCache = 0;
};

/// The names of the machine \p Machine of class \p Class; null if there are
/// none.
const MachineNames *machineNames(uint16_t Machine, uint8_t Class);

/// The machine with the Breakpad name \p Name, which may be the name of a
/// variant ("arm64e"); null if it is not known.
const MachineNames *machineFromBreakpad(llvm::StringRef Name);

/// The machine with the number \p Number in a SymCache; null if it is not
/// known.
const MachineNames *machineFromSymCache(uint32_t Number);

} // namespace lidia

#endif // LIDIA_LIB_OBJECT_MACHINENAMES_H
