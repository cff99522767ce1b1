//===- Launch.h - Warns of rebuilt programs ---------------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LLDBPLUGIN_LAUNCH_H
#define LIDIA_LLDBPLUGIN_LAUNCH_H

#include "lldb/API/SBDebugger.h"

namespace lidia {

/// Makes `process launch` (`run`) of \p Debugger warn of modules whose files
/// have changed since they got an archive: LLDB then reloads these modules, and
/// silently drops the archives.
void overrideLaunch(lldb::SBDebugger Debugger);

} // namespace lidia

#endif // LIDIA_LLDBPLUGIN_LAUNCH_H
