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
#include "lidia/Archive/Compression.h"
#include "lidia/Archive/Verify.h"
#include "lidia/Support/RandomAccessReader.h"
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
    Text += I.Clause.str() + ":";
    for (const std::string &First : I.First)
      Text += " " + First;
    Text += "\n";
  }));
  return Text;
}

inline std::string compress(llvm::StringRef Plain,
                            const CompressionOptions &Options) {
  std::string Packed;
  llvm::raw_string_ostream OS(Packed);
  succeeded(writeCompressed(OS, Options, [&](llvm::raw_ostream &To) {
    // Written in other pieces than those that are compressed.
    To << Plain.take_front(5000) << Plain.drop_front(5000);
    return llvm::Error::success();
  }));
  return Packed;
}

/// An archive's bytes on another machine.
class FarBytes : public RandomAccessReader {
public:
  explicit FarBytes(std::string Bytes) : Bytes(std::move(Bytes)) {}

  llvm::StringRef name() const override { return "far"; }
  uint64_t size() const override { return Bytes.size(); }
  bool isFar() const override { return true; }
  llvm::Expected<llvm::StringRef>
  read(uint64_t Offset, size_t Size,
       llvm::SmallVectorImpl<char> &) const override {
    return bytes().substr(Offset, Size);
  }

  llvm::StringRef bytes() const { return Bytes; }

private:
  const std::string Bytes;
};

} // namespace lidia

#endif // LIDIA_TEST_UNIT_ARCHIVE_TESTARCHIVES_H
