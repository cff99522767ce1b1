//===- CoreFuzzer.cpp - Any bytes as a core -------------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

///
/// \file
/// Any file is read as a core: its mappings are in order and do not overlap,
/// its modules have headers or none, and its stacks end. No file that it names
/// is opened.
///
//===----------------------------------------------------------------------===//

#include "FuzzInput.h"
#include "lidia/Process/CoreFile.h"

using namespace lidia;
using namespace llvm;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  Expected<std::unique_ptr<OpenedFile>> File =
      OpenedFile::ofImage(ArrayRef(Data, Size), "input");
  check(bool(File), "no file in memory");
  Expected<std::unique_ptr<CoreFile>> Core =
      CoreFile::open((*File)->path(), std::nullopt, [](const Twine &) {});
  if (!Core) {
    consumeError(Core.takeError());
    return 0;
  }
  const MappingList &List = (*Core)->mappings();
  uint64_t End = 0;
  for (const Mapping &M : List.mappings()) {
    check(M.Begin >= End && M.Begin < M.End, "mappings overlap");
    End = M.End;
    if (List.file(M).What == MappedFile::Kind::Anonymous)
      continue;
    LoadedModule Module = (*Core)->load(M);
    check(!Module.File || List.file(M).What == MappedFile::Kind::Image,
          "a file was opened");
    Module.addressOf(M, M.Begin);
    Module.addressOf(M, M.End - 1);
  }
  constexpr size_t Most = 100;
  for (const CoreThread &T : (*Core)->threads())
    check((*Core)->stack(T, Most).size() <= Most, "a stack is too long");
  std::string Text;
  raw_string_ostream OS(Text);
  List.print(OS);
  return 0;
}
