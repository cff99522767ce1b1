//===- Converter.h - Conversions in a separate process ----------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LLDBPLUGIN_CONVERTER_H
#define LIDIA_LLDBPLUGIN_CONVERTER_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"
#include <string>

namespace lidia {

/// An archive in the cache or, if that cannot be used, in a temporary file that
/// is removed when this process ends.
struct Converted {
  std::string Path;
  /// "1843 bytes"
  std::string Size;
  /// "made in 0.003 s", "found in the cache in 0.001 s" or "made outside the
  /// cache in 0.003 s"
  std::string How;
};

/// Runs `llvm-lidia cache add` to make or find the archive of \p Binary. LLDB
/// survives even if a malformed or concurrently modified binary crashes that
/// program, which ends when this process ends.
///
/// Calls \p Warn with each of its warnings. Fails with its error, or if the
/// program is found neither next to the plugin (in the build, or below the
/// prefix where both are installed) nor in PATH.
llvm::Expected<Converted>
convertApart(llvm::StringRef Binary,
             llvm::function_ref<void(const llvm::Twine &Warning)> Warn);

/// The same for `llvm-lidia cache export`, which makes what a distribution's
/// LLDB reads in place of \p Archive, that of \p Binary. So LLDB's own memory
/// stays small.
llvm::Expected<Converted>
exportApart(llvm::StringRef Binary, llvm::StringRef Archive,
            llvm::function_ref<void(const llvm::Twine &Warning)> Warn);

/// The same for `llvm-lidia cache index`, which copies \p DebugFile and gives
/// the copy an index of names.
llvm::Expected<Converted>
indexApart(llvm::StringRef DebugFile,
           llvm::function_ref<void(const llvm::Twine &Warning)> Warn);

} // namespace lidia

#endif // LIDIA_LLDBPLUGIN_CONVERTER_H
