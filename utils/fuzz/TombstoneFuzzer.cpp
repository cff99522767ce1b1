//===- TombstoneFuzzer.cpp - Any bytes as a tombstone ---------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The text of a tombstone has lines of printable characters, and is in
/// proportion to the message.
///
//===----------------------------------------------------------------------===//

#include "FuzzInput.h"
#include "lidia/Report/Tombstone.h"
#include "llvm/ADT/STLExtras.h"

using namespace lidia;
using namespace llvm;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  StringRef Bytes(reinterpret_cast<const char *>(Data), Size);
  if (isTombstone(Bytes))
    check(mayBeTombstone(Bytes.take_front(3)), "its first bytes say otherwise");
  std::string Text = tombstoneText(Bytes);
  check(Text.size() <= 1024 + 128 * Size, "a text that is too large");
  check(all_of(Text, [](char C) { return uint8_t(C) >= ' ' || C == '\n'; }),
        "a control character");
  return 0;
}
