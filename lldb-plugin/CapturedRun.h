//===- CapturedRun.h - Runs a program and captures its output ---*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LLDBPLUGIN_CAPTUREDRUN_H
#define LIDIA_LLDBPLUGIN_CAPTUREDRUN_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>

namespace lidia {

/// The exit status of a program and its output. Keeps the first MaxCaptured
/// bytes of each stream.
struct CapturedRun {
  static constexpr size_t MaxCaptured = 1 << 20;

  std::string Output;
  std::string Errors;
  /// The exit status; -1 if a signal ended the program.
  int Status = -1;
  /// The signal that ended the program, or 0.
  int Signal = 0;
};

/// Runs the file \p Program with \p Arguments, without a shell, and waits for
/// it. Standard input is empty. The program has default signal settings, even
/// if the calling thread blocks signals or this process ignores some.
///
/// Fails if the program cannot be started.
llvm::Expected<CapturedRun> runCaptured(llvm::StringRef Program,
                                        llvm::ArrayRef<std::string> Arguments);

} // namespace lidia

#endif // LIDIA_LLDBPLUGIN_CAPTUREDRUN_H
