//===- PackedHints.cpp - Hints exchanged between two programs -------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReturnPads.h"
#include <cstring>

using namespace llvm;

namespace lidia {

std::string packPads(ArrayRef<uint64_t> Pads) {
  return std::string(reinterpret_cast<const char *>(Pads.data()),
                     Pads.size() * sizeof(uint64_t));
}

std::vector<uint64_t> unpackPads(StringRef Bytes) {
  std::vector<uint64_t> Pads(Bytes.size() / sizeof(uint64_t));
  if (!Pads.empty())
    std::memcpy(Pads.data(), Bytes.data(), Pads.size() * sizeof(uint64_t));
  return Pads;
}

std::string packHints(const CodeHints &Hints) {
  std::vector<uint64_t> Numbers = {Hints.FunctionStarts.size()};
  Numbers.insert(Numbers.end(), Hints.FunctionStarts.begin(),
                 Hints.FunctionStarts.end());
  for (const CodeMark &M : Hints.Marks) {
    Numbers.push_back(M.Address);
    Numbers.push_back(M.Type);
  }
  return packPads(Numbers);
}

Expected<CodeHints> unpackHints(StringRef Bytes) {
  std::vector<uint64_t> Numbers = unpackPads(Bytes);
  if (Numbers.empty() || Numbers[0] > Numbers.size() - 1)
    return createStringError(std::make_error_code(std::errc::invalid_argument),
                             "hints: cut off");
  CodeHints Hints;
  auto Marks = Numbers.begin() + 1 + Numbers[0];
  Hints.FunctionStarts.assign(Numbers.begin() + 1, Marks);
  for (; Numbers.end() - Marks >= 2; Marks += 2)
    Hints.Marks.push_back({Marks[0], CodeMark::Kind(Marks[1])});
  return Hints;
}

} // namespace lidia
