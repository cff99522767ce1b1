//===- Version.h - Checks LLDB's version ------------------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LLDBPLUGIN_VERSION_H
#define LIDIA_LLDBPLUGIN_VERSION_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace lidia {

/// Success if \p Version, as printed by `lldb --version` ("lldb version
/// 19.1.7"), is the release for which the plugin was built: in other releases,
/// the layouts of classes that LLDB and the plugin share may differ. The error
/// contains the version found and the required one.
llvm::Error checkLLDBVersion(llvm::StringRef Version);

} // namespace lidia

#endif // LIDIA_LLDBPLUGIN_VERSION_H
