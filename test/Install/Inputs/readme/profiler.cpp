//===- profiler.cpp - The C++ of docs/Embedding.md in a program -------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Archive/Archive.h"
#include "llvm/Support/raw_ostream.h"

static llvm::Error printFrames() {
#include "readme.inc"
  return llvm::Error::success();
}

int main() {
  if (llvm::Error E = printFrames()) {
    llvm::errs() << llvm::toString(std::move(E)) << '\n';
    return 1;
  }
  return 0;
}
