//===- Output.h - Output outside of a command's result ----------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LLDBPLUGIN_OUTPUT_H
#define LIDIA_LLDBPLUGIN_OUTPUT_H

#include "lldb/API/SBDebugger.h"
#include "llvm/ADT/Twine.h"
#include <string>

namespace lidia {

/// \p Text with control characters, except newlines, escaped
/// (lidia/Symbolize/PrintableText.h).
std::string escapeLines(llvm::StringRef Text);

/// Prints \p Text to the output of \p Debugger's commands. For code without a
/// command result to fill.
void printOutput(lldb::SBDebugger Debugger, const llvm::Twine &Text);

/// Prints "warning: \p Message" and "error: \p Message", with a newline, to the
/// stream of LLDB's own messages.
void printWarning(lldb::SBDebugger Debugger, const llvm::Twine &Message);
void printError(lldb::SBDebugger Debugger, const llvm::Twine &Message);

} // namespace lidia

#endif // LIDIA_LLDBPLUGIN_OUTPUT_H
