//===- StoreFuzzer.cpp - Fuzzes a store's inputs --------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The input is a package or, if it begins with '<', a server's list of
/// objects. No member of a package has more bytes than its header says, and all
/// members together do not exceed the limit.
///
//===----------------------------------------------------------------------===//

#include "FuzzInput.h"
#include "Store/Add/Package.h"
#include "Store/S3List.h"
#include "TemporaryFolder.h"

using namespace lidia;
using namespace llvm;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  StringRef Bytes(reinterpret_cast<const char *>(Data), Size);
  if (Bytes.starts_with("<")) {
    if (auto List = parseS3List(Bytes))
      check(List->Objects.size() <= Size, "more objects than bytes");
    return 0;
  }
  static const TemporaryFolder Folder;
  Folder.write("package", Bytes);
  uint64_t All = 0;
  consumeError(readPackage(
      Folder.file("package"),
      [&](const PackageMember &Member, PackageBytes Next) -> Error {
        uint64_t Count = 0;
        while (true) {
          Expected<StringRef> Piece = Next();
          if (!Piece)
            return Piece.takeError();
          if (Piece->empty())
            break;
          Count += Piece->size();
        }
        check(Count <= Member.Size, "a member is longer than it says");
        All += Count;
        return Error::success();
      }));
  check(All <= Size * 200 + (uint64_t(65) << 20), "it unpacks to too much");
  return 0;
}
