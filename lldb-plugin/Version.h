//===- Version.h - Which LLDB the plugin works in ---------------*- C++ -*-===//
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

/// Success when \p Version, as `lldb --version` prints it ("lldb version
/// 19.1.7"), is of the release that this was built for: the classes that LLDB
/// and the plugin share may be laid out otherwise in any other one. The error
/// says what was found and what is needed.
llvm::Error checkLLDBVersion(llvm::StringRef Version);

} // namespace lidia

#endif // LIDIA_LLDBPLUGIN_VERSION_H
