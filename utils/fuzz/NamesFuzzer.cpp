//===- NamesFuzzer.cpp - Any bytes as a function's name -------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Demangling and shortening any name terminates, and the result is in
/// proportion to the name's size.
///
//===----------------------------------------------------------------------===//

#include "FuzzInput.h"
#include "lidia/Symbolize/Language.h"
#include "lidia/Symbolize/Names.h"

using namespace lidia;
using namespace llvm;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  StringRef Name(reinterpret_cast<const char *>(Data), Size);
  // A mangled name can repeat parts of itself.
  uint64_t Limit = 1024 * 1024 + 64 * Name.size();
  for (OlderRust Rust : {OlderRust::AsCXX, OlderRust::Plain}) {
    std::string Demangled = demangleName(Name, Rust);
    check(Demangled.size() <= Limit, "a huge name");
    check(Rust != OlderRust::AsCXX || canDemangle(Name) || Demangled == Name,
          "a name is demangled that must not be");
    check(shortName(Name, Rust).size() <= Limit, "a huge short name");
    if (!mayBeMangled(Name))
      check(Demangled == Name, "a name changed that is not mangled");
  }
  languageOf(Name);
  return 0;
}
