//===- PlainParts.cpp - An archive that is read in parts ------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PlainParts.h"
#include "llvm/Support/Process.h"
#include <cstring>

using namespace lidia;
using namespace llvm;

namespace {
class PlainParts : public PartReader {
public:
  explicit PlainParts(std::shared_ptr<const RandomAccessReader> File)
      : File(std::move(File)) {}

  uint64_t partSize() const override {
    return std::max<uint64_t>(SmallestPart,
                              sys::Process::getPageSizeEstimate());
  }
  uint64_t size() const override { return File->size(); }
  Error read(uint64_t Index, MutableArrayRef<char> Out) override;
  bool isFar() const override { return File->isFar(); }
  void prefetch(ArrayRef<uint64_t> Indices) override;

private:
  /// 16 KiB hold the rows or ranges of a few functions.
  static constexpr uint64_t SmallestPart = 16 * 1024;

  std::shared_ptr<const RandomAccessReader> File;
};
} // namespace

Error PlainParts::read(uint64_t Index, MutableArrayRef<char> Out) {
  SmallVector<char, 0> Storage;
  Expected<StringRef> Bytes =
      File->read(Index * partSize(), Out.size(), Storage);
  if (!Bytes)
    return Bytes.takeError();
  std::memcpy(Out.data(), Bytes->data(), Out.size());
  return Error::success();
}

void PlainParts::prefetch(ArrayRef<uint64_t> Indices) {
  SmallVector<FileRange, 64> Ranges;
  for (uint64_t Index : Indices) {
    uint64_t Offset = Index * partSize();
    Ranges.push_back({Offset, std::min(partSize(), size() - Offset)});
  }
  File->prefetch(Ranges);
}

std::unique_ptr<PartReader>
lidia::openPlainParts(std::shared_ptr<const RandomAccessReader> File) {
  return std::make_unique<PlainParts>(std::move(File));
}
