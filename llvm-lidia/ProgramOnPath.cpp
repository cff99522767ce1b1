//===- ProgramOnPath.cpp - Other programs with our names ------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgramOnPath.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <cstdlib>
#include <unistd.h>

using namespace llvm;

namespace lidia {

static constexpr char NestedVariable[] = "LIDIA_SYMBOLIZER_NESTED";

std::string findOtherProgram(ArrayRef<std::string> Names) {
  if (std::getenv(NestedVariable))
    return std::string();
  const char *Path = std::getenv("PATH");
  SmallVector<StringRef, 16> Folders;
  StringRef(Path ? Path : "").split(Folders, ':', -1, /*KeepEmpty=*/false);
  static int Here;
  std::string Own = sys::fs::getMainExecutable(nullptr, &Here);
  for (const std::string &Name : Names)
    for (StringRef Folder : Folders) {
      SmallString<128> Candidate(Folder);
      sys::path::append(Candidate, Name);
      if (sys::fs::can_execute(Candidate) &&
          !sys::fs::equivalent(Candidate, Own))
        return Candidate.str().str();
    }
  return std::string();
}

std::vector<std::string> environmentOfOther(ArrayRef<StringRef> Without) {
  std::vector<std::string> Result;
  for (char **Entry = environ; *Entry; ++Entry)
    if (!is_contained(Without, StringRef(*Entry).split('=').first))
      Result.push_back(*Entry);
  Result.push_back(std::string(NestedVariable) + "=1");
  return Result;
}

std::vector<char *> pointersTo(std::vector<std::string> &Strings) {
  std::vector<char *> Result;
  for (std::string &S : Strings)
    Result.push_back(S.data());
  Result.push_back(nullptr);
  return Result;
}

void replaceProcess(const std::string &Program, ArrayRef<char *> Argv,
                    ArrayRef<StringRef> WithoutVariables) {
  std::vector<std::string> Environment = environmentOfOther(WithoutVariables);
  ::execve(Program.c_str(), Argv.data(), pointersTo(Environment).data());
}

} // namespace lidia
