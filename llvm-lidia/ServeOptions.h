//===- ServeOptions.h - The options of serve --------------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLVM_LIDIA_SERVEOPTIONS_H
#define LLVM_LIDIA_SERVEOPTIONS_H

#include "Options.h"
#include "lidia/Server/ServerOptions.h"

namespace lidia {

/// The server program.
constexpr char ServerProgram[] = "lidia-serve";

/// The first line of the file that option \p ID names; empty without the
/// option. Other users would see a token on the command line.
std::string readToken(CommandLine &Line, unsigned ID);

/// Reads all options, and records errors in \p Line.
ServerOptions readServerOptions(CommandLine &Line);

} // namespace lidia

#endif // LLVM_LIDIA_SERVEOPTIONS_H
