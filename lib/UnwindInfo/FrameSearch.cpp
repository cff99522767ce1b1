//===- FrameSearch.cpp - Converts unwind instructions to rules ------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FrameSearch.h"

namespace lidia::unwindinfo {

using Kind = RegisterRule::Kind;

void FrameSearch::take(UnwindRules &Rules) const {
  Rules.CFA.How = IsLoaded ? Kind::AtRegister : Kind::IsRegister;
  Rules.CFA.Register = SP.Register;
  Rules.CFA.Offset = SP.Offset;
  for (const auto &[Register, At] : Saved) {
    RegisterRule Rule;
    if (!IsLoaded && At.Register == SP.Register) {
      Rule.How = Kind::AtCFA;
      Rule.Offset = At.Offset - SP.Offset;
    } else {
      Rule.How = Kind::AtRegister;
      Rule.Register = At.Register;
      Rule.Offset = At.Offset;
    }
    Rules.Registers.push_back({Register, Rule});
  }
}

} // namespace lidia::unwindinfo
