//===- Version.cpp - Checks LLDB's version --------------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Version.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/VersionTuple.h"

using namespace llvm;

namespace lidia {

/// The version in LLDB's version line, which may be followed by the revision,
/// or by "git" in early Debian versions. Empty if there is none.
static VersionTuple readVersion(StringRef Line) {
  VersionTuple V;
  Line = Line.take_until([](char C) { return C == '\n'; });
  if (Line.consume_front("lldb version "))
    V.tryParse(Line.take_while([](char C) { return isDigit(C) || C == '.'; }));
  return V;
}

Error checkLLDBVersion(StringRef Version) {
  VersionTuple Found = readVersion(Version);
  if (Found.getMajor() == LLVM_VERSION_MAJOR &&
      Found.getMinor().value_or(0) == LLVM_VERSION_MINOR)
    return Error::success();
  return createStringError(
      "this plugin was built for LLDB " + Twine(LLVM_VERSION_MAJOR) + "." +
      Twine(LLVM_VERSION_MINOR) + ", and this is '" + Version.trim() +
      "': load it into that version, or build it for this one");
}

} // namespace lidia
