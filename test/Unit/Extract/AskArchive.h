//===- AskArchive.h - The frames of an address as text ----------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_TEST_UNIT_EXTRACT_ASKARCHIVE_H
#define LIDIA_TEST_UNIT_EXTRACT_ASKARCHIVE_H

#include "lidia/Archive/Archive.h"

/// The frames at \p Address: "g /a.c:2 < f /a.c:10".
inline std::string ask(const lidia::Archive &A, uint64_t Address) {
  llvm::SmallVector<lidia::Frame, 8> Frames;
  A.lookup(Address, Frames);
  std::string Text;
  for (const lidia::Frame &F : Frames) {
    if (!Text.empty())
      Text += " < ";
    Text += A.string(F.Function);
    if (F.File || F.Line)
      Text += (" " + A.string(F.File) + ":" + llvm::Twine(F.Line)).str();
  }
  return Text;
}

#endif // LIDIA_TEST_UNIT_EXTRACT_ASKARCHIVE_H
