//===- ChecksumParts.cpp - Parts of an archive with checksums -------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Archive/ChecksumParts.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Endian.h"

using namespace llvm;

namespace lidia {

ChecksumParts ChecksumParts::all() {
  ChecksumParts P;
  P.VAs = P.Ranges = P.Strings = P.Lines = P.Extension = true;
  return P;
}

bool ChecksumParts::add(StringRef Name) {
  bool *Part = StringSwitch<bool *>(Name)
                   .Case("vas", &VAs)
                   .Case("ranges", &Ranges)
                   .Case("strings", &Strings)
                   .Case("lines", &Lines)
                   .Case("extension", &Extension)
                   .Default(nullptr);
  if (Part) {
    *Part = true;
    return true;
  }
  // Whether the section exists depends on the archive.
  if (Name.size() != 4 || !all_of(Name, isUpper))
    return false;
  Sections.push_back(support::endian::read32le(Name.data()));
  return true;
}

} // namespace lidia
