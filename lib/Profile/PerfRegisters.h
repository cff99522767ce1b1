//===- PerfRegisters.h - The registers in perf's samples --------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_PROFILE_PERFREGISTERS_H
#define LIDIA_LIB_PROFILE_PERFREGISTERS_H

#include "PerfFile.h"
#include "PerfSample.h"
#include "lidia/Unwind/Registers.h"
#include <optional>

namespace lidia {

/// The registers of user code in a sample.
struct PerfRegisters {
  const UnwindMachine *Machine = nullptr;
  RegisterSet Values;

  /// The registers of \p S, a sample of \p E in \p File. None if the sample has
  /// none, or if stacks of the machine cannot be unwound.
  static std::optional<PerfRegisters>
  of(const PerfFile &File, const PerfEvent &E, const PerfSample &S);
};

} // namespace lidia

#endif // LIDIA_LIB_PROFILE_PERFREGISTERS_H
