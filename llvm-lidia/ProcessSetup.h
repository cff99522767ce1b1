//===- ProcessSetup.h - How our programs end early --------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLVM_LIDIA_PROCESSSETUP_H
#define LLVM_LIDIA_PROCESSSETUP_H

namespace lidia {

/// How a program says that it cannot go on: one line, to \c FD, and an exit
/// status.
struct EarlyExit {
  /// The beginning of the line: "llvm-lidia: error: ".
  const char *Prefix = "";
  int FD = 2;
  /// When the system gives no more memory.
  int OutOfMemory = 1;
  /// When a mapped file became shorter or cannot be read any more, and for
  /// errors that LLVM cannot return.
  int Failure = 1;
};

/// Sets the process up for hostile input and a full machine. To be called
/// first in main(), and by programs only: signal handlers are no business of a
/// library's.
///
///  - Memory that the system does not give ends the process with "out of
///    memory" (see also Allocation.cpp).
///  - A mapped file that became shorter, for which the system sends SIGBUS,
///    ends it with a line that names the file.
///  - So do errors that LLVM does not return (report_fatal_error).
///  - A file that may not grow (ulimit -f) is an error of write(2) and no
///    signal.
///  - SIGHUP, SIGINT, SIGQUIT and SIGTERM stay ignored if they were.
///
/// Each of these removes the files that LLVM removes when a signal ends the
/// process (llvm::sys::RemoveFileOnSignal). Whatever else goes wrong prints a
/// stack trace, for it is a bug.
void setUpProcess(const char *Argv0, const EarlyExit &How);

/// Ends the process because there is no more memory. Allocates nothing; any
/// thread may call it, before setUpProcess() as well.
[[noreturn]] void endOutOfMemory();

} // namespace lidia

#endif // LLVM_LIDIA_PROCESSSETUP_H
