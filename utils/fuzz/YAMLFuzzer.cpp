//===- YAMLFuzzer.cpp - Any text as a description of an archive -----------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Any description is either rejected or produces bytes. If the description
/// asks for no damage, the bytes can be opened.
///
//===----------------------------------------------------------------------===//

#include "Archive/YAML/ArchiveYAML.h"
#include "ArchiveInput.h"

using namespace lidia;
using namespace llvm;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  // The parser requires a terminator after the text.
  std::string Text(reinterpret_cast<const char *>(Data), Size);
  Expected<std::string> Bytes =
      archiveFromYAML(MemoryBufferRef(Text, "fuzz"), [](StringRef) {});
  if (!Bytes) {
    consumeError(Bytes.takeError());
    return 0;
  }
  // A range of a few characters becomes 36 bytes and an extension's sections.
  check(Bytes->size() <= 4096 + 256 * Text.size(), "a huge archive");
  if (std::optional<Archive> A = archiveFromInput(*Bytes))
    consumeError(A->verifyChecksums());
  return 0;
}
