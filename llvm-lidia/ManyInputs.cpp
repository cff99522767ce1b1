//===- ManyInputs.cpp - The binaries of create --output-dir ---------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ManyInputs.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;

namespace lidia {

Expected<std::vector<std::string>> readNames(StringRef Path, bool Null) {
  ErrorOr<std::unique_ptr<MemoryBuffer>> List = MemoryBuffer::getFileOrSTDIN(
      Path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!List)
    return createStringError(List.getError(), "--inputs-from=" + Path + ": " +
                                                  List.getError().message());
  StringRef Rest = (*List)->getBuffer();
  if (!Null && Rest.contains('\0'))
    return createStringError("--inputs-from=" + Path +
                             ": has NUL bytes; if they end the names, as with "
                             "find -print0, use --null");
  std::vector<std::string> Names;
  while (!Rest.empty()) {
    auto [Name, After] = Rest.split(Null ? '\0' : '\n');
    if (!Name.empty())
      Names.push_back(Name.str());
    Rest = After;
  }
  return Names;
}

std::string outputBelow(StringRef Folder, StringRef Binary,
                        StringRef Extension) {
  SmallVector<StringRef, 16> Parts, Kept;
  Binary.split(Parts, '/', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (StringRef Part : Parts) {
    if (Part == "..")
      Kept.clear();
    else if (Part != ".")
      Kept.push_back(Part);
  }
  std::string Output = Folder.str();
  for (StringRef Part : Kept)
    Output += ("/" + Part).str();
  return Output + Extension.str();
}

ManyInputs jobsFor(ArrayRef<std::string> Binaries, StringRef Folder,
                   StringRef Extension) {
  ManyInputs Result;
  StringMap<size_t> JobOf;
  for (const std::string &Binary : Binaries) {
    std::string Output = outputBelow(Folder, Binary, Extension);
    auto [Found, IsNew] = JobOf.try_emplace(Output, Result.Jobs.size());
    if (IsNew) {
      Result.Jobs.push_back({Binary, Output});
      continue;
    }
    const std::string &First = Result.Jobs[Found->second].Binary;
    if (Binary != First && !sys::fs::equivalent(Binary, First))
      Result.Failures.push_back(Binary + ": its archive would be " + Output +
                                ", which is that of " + First);
  }
  return Result;
}

} // namespace lidia
