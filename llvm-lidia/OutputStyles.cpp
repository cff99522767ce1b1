//===- OutputStyles.cpp - The styles of answers ---------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OutputStyles.h"

using namespace llvm;

namespace lidia {

ArrayRef<OutputStyle> outputStyles() {
  static constexpr OutputStyle Styles[] = {
      {"LLVM", TextForm::Printable},
      {"GNU", TextForm::Printable, /*InnermostAlone=*/true, /*GNULayout=*/true},
      {"JSON", TextForm::UTF8},
  };
  return Styles;
}

} // namespace lidia
