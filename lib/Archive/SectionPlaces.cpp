//===- SectionPlaces.cpp - Sections of relocatable objects ----------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Archive/SectionPlaces.h"
#include "lidia/Error.h"
#include "llvm/Support/FormatVariadic.h"

using namespace lidia;
using namespace llvm;

Expected<std::optional<uint64_t>>
SectionPlaces::address(StringRef Name, uint64_t Offset) const {
  std::optional<SectionPlace> Found;
  for (uint64_t I = 0, E = size(); I != E; ++I) {
    SectionPlace P = (*this)[I];
    if (A.string(P.Name) != Name)
      continue;
    if (Found)
      return make_error<ArgumentError>(
          "", formatv("several sections are named '{0}', for example those at "
                      "{1:x} and {2:x}: give an address of the archive instead",
                      Name, Found->Address, P.Address)
                  .str());
    Found = P;
  }
  if (!Found)
    return std::nullopt;
  if (Offset >= Found->Size)
    return make_error<ArgumentError>(
        "",
        formatv("section '{0}' has only {1:x} bytes", Name, Found->Size).str());
  return Found->Address + Offset;
}
