//===- ArchiveAnswers.cpp - Answers of an archive, thread-safe ------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Arrow/ArchiveAnswers.h"
#include "lidia/Error.h"
#include "lidia/Symbolize/TextLimit.h"

using namespace lidia;
using namespace lidia::arrow;
using namespace llvm;

static SymbolizerOptions toolOptions(const ArchiveAnswers::Options &From,
                                     bool AreReturns) {
  SymbolizerOptions O;
  O.Demangle = From.Demangle;
  O.Rust = From.Rust;
  O.Text = TextForm::UTF8;
  O.ReturnAddresses = AreReturns;
  return O;
}

ArchiveAnswers::ArchiveAnswers(std::shared_ptr<const Archive> Opened,
                               const Options &O)
    : A(std::move(Opened)), Tool(*A, toolOptions(O, false)),
      Returns(*A, toolOptions(O, true)), Left(maxTextOfFile(A->size())) {}

template <typename GetText>
std::optional<StringRef> ArchiveAnswers::get(Texts &Known, StringOffset Key,
                                             GetText Text) {
  // DenseMap reserves the largest keys.
  if (Key == 0 || Key >= A->size())
    return StringRef();
  std::lock_guard<std::mutex> Lock(Mutex);
  auto It = Known.find(Key);
  if (It != Known.end())
    return It->second;
  StringRef Found = Text();
  if (Found.size() >= Left)
    return std::nullopt;
  Left -= Found.size() + 1;
  return Known[Key] = Found;
}

std::optional<StringRef> ArchiveAnswers::function(const Frame &F) {
  return get(Functions, F.Function, [&] { return Tool.function(F); });
}

std::optional<StringRef> ArchiveAnswers::file(const Frame &F) {
  return get(Files, F.File, [&] { return Tool.file(F); });
}

NameOrigin ArchiveAnswers::origin(const Frame &F) {
  std::lock_guard<std::mutex> Lock(Mutex);
  return Tool.origin(F);
}

Error ArchiveAnswers::textError() const {
  return make_error<LimitError>(
      A->name(),
      "its names need more memory than the limit for an archive of its size");
}
