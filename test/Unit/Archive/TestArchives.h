//===- TestArchives.h - Makes archives for tests ----------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_TEST_UNIT_ARCHIVE_TESTARCHIVES_H
#define LIDIA_TEST_UNIT_ARCHIVE_TESTARCHIVES_H

#include "lidia/Archive/Archive.h"
#include "lidia/Archive/ArchiveWriter.h"
#include "lidia/Archive/Verify.h"
#include "llvm/Support/raw_ostream.h"
#include <gtest/gtest.h>

namespace lidia {

/// Fails the test if \p E is an error.
inline bool succeeded(llvm::Error E) {
  if (!E)
    return true;
  ADD_FAILURE() << llvm::toString(std::move(E));
  return false;
}

inline std::string write(ArchiveWriter &W, ArchiveSizes *Sizes = nullptr) {
  std::string Bytes;
  llvm::raw_string_ostream OS(Bytes);
  llvm::Expected<ArchiveSizes> S = W.write(OS);
  if (!S)
    succeeded(S.takeError());
  else if (Sizes)
    *Sizes = *S;
  OS.flush();
  return Bytes;
}

/// Opens a copy of \p Bytes.
inline Archive open(llvm::StringRef Bytes) {
  llvm::Expected<Archive> A =
      Archive::create(llvm::MemoryBuffer::getMemBufferCopy(Bytes, "test"));
  if (!A)
    llvm::report_fatal_error(A.takeError());
  return std::move(*A);
}

/// The issues that verify() reports, as text.
inline std::string issues(const Archive &A) {
  std::string Text;
  llvm::consumeError(verify(A, [&](const Issue &I) {
    Text += I.What.str() + ":";
    for (const std::string &First : I.First)
      Text += " " + First;
    Text += "\n";
  }));
  return Text;
}

} // namespace lidia

#endif // LIDIA_TEST_UNIT_ARCHIVE_TESTARCHIVES_H
