//===- MissHelp.h - What makes an answer better -----------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_OUTPUT_MISSHELP_H
#define LIDIA_LIB_OUTPUT_MISSHELP_H

#include "lidia/Miss.h"
#include "llvm/ADT/StringRef.h"

namespace lidia {

/// What makes an answer better, as docs/Misses.md has it, in options of
/// `report` and `explain`; empty if nothing in general does.
inline llvm::StringRef whatHelps(MissCode Code) {
  switch (Code) {
  case MissCode::NoFile:
    return "--modules-from=, --sysroot=, --store= or --debuginfod";
  case MissCode::NoPermission:
    return "another user, or a copy in --modules-from=";
  case MissCode::OtherBuild:
    return "the file that ran, by its build ID: --modules-from=, --store= or "
           "--debuginfod";
  case MissCode::NoSymbols:
    return "its debug file: --debug-file-directory=, --store= or --debuginfod";
  case MissCode::NoLines:
    return "its debug file (--debug-file-directory=, --store=, --debuginfod), "
           "or a build with -g";
  case MissCode::NoMap:
    return "a perf map or a jitdump";
  case MissCode::Damaged:
    return "a new copy";
  case MissCode::NetworkNotAsked:
    return "--debuginfod";
  case MissCode::NoMemory:
    return "a complete core";
  case MissCode::NoAnswer:
    return "the same command again";
  default:
    return "";
  }
}

} // namespace lidia

#endif // LIDIA_LIB_OUTPUT_MISSHELP_H
