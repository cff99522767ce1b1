//===- ExportLimits.cpp - How large an exported archive becomes -----------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Archive/ExportLimits.h"
#include "lidia/Archive/Verify.h"
#include "lidia/Error.h"

using namespace llvm;

namespace lidia {

Error ExportLimits::exceeded(StringRef What) const {
  return make_error<LimitError>(
      A.name(), "would be exported with more " + What +
                    " than the limit for an archive of its size");
}

Error ExportLimits::check() const {
  if (Error E = verify(A))
    return E;
  uint64_t Left = rows();
  for (uint64_t I = 0; I < A.rangeCount(); ++I) {
    uint64_t Rows = A.plausibleRows(A.range(I));
    if (Rows > Left)
      return exceeded("rows");
    Left -= Rows;
  }
  return Error::success();
}

} // namespace lidia
