//===- ProcessSetup.h - Handles fatal conditions ----------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLVM_LIDIA_PROCESSSETUP_H
#define LLVM_LIDIA_PROCESSSETUP_H

namespace lidia {

/// How a program reports a fatal condition: one line, to \c FD, and an exit
/// status.
struct EarlyExit {
  /// The beginning of the line: "llvm-lidia: error: ".
  const char *Prefix = "";
  int FD = 2;
  /// Exit status if the system has no more memory.
  int OutOfMemory = 1;
  /// Exit status if a mapped file was truncated or can no longer be read, and
  /// for errors that LLVM cannot return.
  int Failure = 1;
};

/// Sets the process up for hostile input and a full machine. To be called first
/// in main(), and by programs only: libraries must not install signal handlers.
///
///  - A failed allocation ends the process with "out of memory" (see also
///    Allocation.cpp).
///  - A truncated mapped file, for which the system sends SIGBUS, ends it with
///    a line that names the file.
///  - So do errors that LLVM does not return (report_fatal_error).
///  - A file size limit (ulimit -f) is an error of write(2), not a signal.
///  - SIGHUP, SIGINT, SIGQUIT and SIGTERM stay ignored if they were.
///
/// Each of these removes the files that LLVM removes when a signal ends the
/// process (llvm::sys::RemoveFileOnSignal). Any other crash prints a stack
/// trace, because it is a bug.
void setUpProcess(const char *Argv0, const EarlyExit &How);

/// Ends the process because there is no more memory. Allocates nothing; any
/// thread may call it, even before setUpProcess().
[[noreturn]] void endOutOfMemory();

} // namespace lidia

#endif // LLVM_LIDIA_PROCESSSETUP_H
