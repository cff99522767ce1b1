//===- BoundedAnswers.h - Answers whose text is bounded ---------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_STACK_BOUNDEDANSWERS_H
#define LIDIA_STACK_BOUNDEDANSWERS_H

#include "lidia/Process/ProcessSymbolizer.h"
#include "lidia/Support/RecentlyUsed.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace lidia {

/// Answers the addresses of many stacks and limits the text. A name is stored
/// once but printed in each frame, so very long names are shortened and, once
/// the answers contain much text, all but short names.
class BoundedAnswers {
public:
  using Answer = std::shared_ptr<const ProcessAnswer>;

  /// The number of bytes that are kept of a name or path; "..." stands for the
  /// rest.
  static constexpr size_t LongestName = 4096;
  /// Once names and paths have reached this total size in bytes, only ShortName
  /// bytes of each are kept, and inlined calls are left out.
  static constexpr uint64_t MaxText = uint64_t(64) << 20;
  static constexpr size_t ShortName = 128;

  /// \p TheS must outlive this object. \p TheWarn is called when names start to
  /// be shortened to ShortName.
  BoundedAnswers(ProcessSymbolizer &TheS,
                 std::function<void(const llvm::Twine &)> TheWarn)
      : S(TheS), Warn(std::move(TheWarn)) {}

  /// Like ProcessSymbolizer::answer().
  Answer answer(uint64_t Address, bool IsReturnAddress);

private:
  Answer answerWithShorterNames(uint64_t Address, bool IsReturnAddress);

  ProcessSymbolizer &S;
  /// Answers whose names were shortened to LongestName, by address, because
  /// copying names of megabytes for each frame takes long.
  RecentlyUsed<Answer, uint64_t> Shortened{64};
  const std::function<void(const llvm::Twine &)> Warn;
  uint64_t Text = 0;
  bool HasWarned = false;
};

} // namespace lidia

#endif // LIDIA_STACK_BOUNDEDANSWERS_H
