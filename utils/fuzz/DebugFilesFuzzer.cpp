//===- DebugFilesFuzzer.cpp - Any notes and debug links -------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// For any notes and debug links in a binary, the search for its debug file
/// terminates, and a file that it finds can be the debug file. The input is the
/// binary; it is also used as the debug file, with a few of the possible names.
///
//===----------------------------------------------------------------------===//

#include "FuzzInput.h"
#include "Object/DebugFiles.h"
#include "TemporaryFolder.h"

using namespace lidia;
using namespace llvm;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  static const TemporaryFolder Folder;
  static const std::string Path = Folder.file("a.elf");
  StringRef Bytes(reinterpret_cast<const char *>(Data), Size);
  Expected<std::unique_ptr<Binary>> Main =
      Binary::create(MemoryBuffer::getMemBufferCopy(Bytes), Path);
  if (!Main) {
    consumeError(Main.takeError());
    return 0;
  }
  DebugFileSearch Search;
  Search.Directories = {Folder.file("directory")};
  std::vector<std::string> Candidates = debugFileCandidates(**Main, Search);
  check(Candidates.size() <= 16, "too many places to look at");
  // Only in the input's folder, because names may refer to any folder.
  for (const std::string &Candidate : Candidates)
    if (sys::path::parent_path(Candidate) == Folder.path() &&
        sys::path::filename(Candidate) == "a.debug")
      Folder.write("a.debug", Bytes);
  DebugFile Found = findDebugFile(**Main, Search, [](const Twine &) {});
  if (Found.File)
    check(whyNotDebugFileOf(*Found.File, **Main).empty(),
          "found the debug file of another binary");
  return 0;
}
