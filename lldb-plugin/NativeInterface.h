//===- NativeInterface.h - Between the plugin's libraries -------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LLDBPLUGIN_NATIVEINTERFACE_H
#define LIDIA_LLDBPLUGIN_NATIVEINTERFACE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <string>

namespace lidia {

/// Finds an archive for the module in the file \p ModulePath, with \p Folders
/// as the folders of debug files. Empty if there is none. Thread-safe.
using ArchiveLocator = std::string (*)(llvm::StringRef ModulePath,
                                       llvm::ArrayRef<uint8_t> BuildID,
                                       llvm::ArrayRef<std::string> Folders);

/// The function "lidiaInitializeNative" of liblldbPluginLidiaNative, which
/// registers its plugins with LLDB. \p Locator is called for modules for which
/// LLDB finds no debug information. Returns null, or the reason for a failure.
using InitializeNative = const char *(ArchiveLocator Locator);

} // namespace lidia

#endif // LIDIA_LLDBPLUGIN_NATIVEINTERFACE_H
