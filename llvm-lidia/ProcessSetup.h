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

/// How a program reports a fatal condition: one line to \c FD, and an exit
/// status.
struct EarlyExit {
  /// The beginning of the line: "llvm-lidia: error: ".
  const char *Prefix = "";
  int FD = 2;
  /// Exit status if the system is out of memory.
  int OutOfMemory = 1;
  /// Exit status if a mapped file was truncated or can no longer be read, and
  /// for errors that LLVM cannot return.
  int Failure = 1;
  /// Removes files (removeFilesOnSignal()); null for none.
  void (*RemoveFiles)() = nullptr;
};

/// Sets the process up for hostile input and a full machine. Call it first in
/// main(), and only in programs: libraries must not install signal handlers.
///
///  - A failed allocation ends the process with "out of memory" (see also
///    Allocation.cpp).
///  - A truncated mapped file, for which the system sends SIGBUS, ends it with
///    a line that names the file.
///  - So do errors that LLVM does not return (report_fatal_error).
///  - A file size limit (ulimit -f) is an error of write(2), not a signal.
///  - SIGHUP, SIGINT and SIGTERM end it by that signal.
///  - They, and SIGQUIT, stay ignored if they were.
///
/// Each of these stops the other threads (with SIGRTMIN) and then removes files
/// (EarlyExit::RemoveFiles). So does any other crash, which also prints a stack
/// trace, because it is a bug.
void setUpProcess(const char *Argv0, const EarlyExit &How);

/// Raises the limit of open files to the maximum that the system allows. The
/// default limit is often 1,024: too low for the connections of a server, and
/// for conversions, in which each thread keeps sections in temporary files.
void raiseFileLimit();

/// Changes EarlyExit::Prefix. Does not copy \p Prefix.
void setEarlyExitPrefix(const char *Prefix);

/// Sets the folder that is removed at such an end, after the files, if it is
/// empty; null for none. Does not copy \p Path.
void removeFolderAtEarlyEnd(const char *Path);

/// Ends the process because it is out of memory. Does not allocate memory. Any
/// thread may call it, even before setUpProcess().
[[noreturn]] void endOutOfMemory();

} // namespace lidia

#endif // LLVM_LIDIA_PROCESSSETUP_H
