//===- Serve.cpp - llvm-lidia serve: runs the server ----------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HelperProgram.h"
#include "ServeOptions.h"
#include "lidia/Error.h"
#include <cerrno>
#include <unistd.h>

using namespace llvm;

namespace lidia {

/// Replaces this process with the server, which is a separate program, so that
/// look-ups do not load its libraries.
Error runServe(CommandLine &Line) {
  readServerOptions(Line);
  if (Error E = Line.takeErrors())
    return E;
  SmallString<128> Path = helperProgram(ServerProgram);
  opt::ArgStringList Args = {Path.c_str()};
  for (const opt::Arg *A : Line.args())
    A->render(Line.args(), Args);
  Args.push_back(nullptr);
  ::execv(Path.c_str(), const_cast<char *const *>(Args.data()));
  if (errno == ENOENT)
    return make_error<SystemError>(
        std::error_code(errno, std::generic_category()), Path,
        "the server is missing: this program was built or installed without it "
        "(it needs libmicrohttpd-dev)");
  return make_error<SystemError>(
      std::error_code(errno, std::generic_category()), Path);
}

} // namespace lidia
