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
#include "llvm/ADT/STLFunctionalExtras.h"

namespace lidia {

/// Answers to the addresses of many stacks. A name is stored once and printed
/// in each frame, so names are shortened: any that is very long, and, when all
/// have come to much text, all but short ones.
class BoundedAnswers {
public:
  using Answer = std::shared_ptr<const ProcessAnswer>;

  /// A name or path keeps this many bytes, which "..." then follows.
  static constexpr size_t LongestName = 4096;
  /// When names and paths have come to this many bytes, each keeps ShortName
  /// bytes, and of inlined calls only the function that has them is left.
  static constexpr uint64_t MostText = uint64_t(64) << 20;
  static constexpr size_t ShortName = 128;

  /// \p S must outlive it. \p Warn is called when names begin to be short.
  BoundedAnswers(ProcessSymbolizer &S,
                 std::function<void(const llvm::Twine &)> Warn)
      : S(S), Warn(std::move(Warn)) {}

  /// As ProcessSymbolizer::answer().
  Answer answer(uint64_t Address, bool IsReturnAddress);

private:
  ProcessSymbolizer &S;
  const std::function<void(const llvm::Twine &)> Warn;
  uint64_t Text = 0;
  bool HasWarned = false;
};

} // namespace lidia

#endif // LIDIA_STACK_BOUNDEDANSWERS_H
