//===- SampleFrames.h - The functions of a sample ---------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_PROFILE_SAMPLEFRAMES_H
#define LIDIA_LIB_PROFILE_SAMPLEFRAMES_H

#include "lidia/Profile/ProfilePrinters.h"
#include "llvm/ADT/STLExtras.h"

namespace lidia {

/// The only frame of a sample that has neither a process nor a stack, so that
/// its values are not lost.
inline constexpr llvm::StringLiteral NoStack = "(no stack)";

/// Calls \p VisitProcess with the name of the process of \p S, if it has one
/// (perf's label "comm"), and then \p Visit with the name of each function and
/// the function, outermost first. Code without a function name is named after
/// its module, and the function is null or has no name.
template <typename ProcessVisitor, typename FunctionVisitor>
void forEachFunction(const Profile &P, const Profile::Sample &S,
                     ProcessVisitor VisitProcess, FunctionVisitor Visit) {
  for (const Profile::Label &L : P.labels(S))
    if (P.Strings[L.Key] == "comm" && L.Text != 0)
      VisitProcess(P.Strings[L.Text]);
  for (uint32_t Index : llvm::reverse(P.stack(S))) {
    const Profile::Location &L = P.Locations[Index];
    if (L.LineCount == 0)
      Visit(llvm::StringRef(placeOf(P, L)), nullptr);
    for (const Profile::Line &Line : llvm::reverse(P.lines(L))) {
      const Profile::Function *F = Line.Function == Profile::None
                                       ? nullptr
                                       : &P.Functions[Line.Function];
      if (F && F->Name != 0)
        Visit(P.Strings[F->Name], F);
      else
        Visit(llvm::StringRef(placeOf(P, L)), F);
    }
  }
}

} // namespace lidia

#endif // LIDIA_LIB_PROFILE_SAMPLEFRAMES_H
