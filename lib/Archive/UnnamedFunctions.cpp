//===- UnnamedFunctions.cpp - Functions without a name --------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Archive/UnnamedFunctions.h"
#include "StatementCodec.h"
#include "lidia/Archive/Archive.h"
#include "lidia/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace lidia;
using namespace llvm;

UnnamedFunctions::UnnamedFunctions(const Archive &A) {
  StringRef Bytes =
      A.extensionSection(format::ET_UnnamedFunctions).value_or(StringRef());
  for (uint64_t At = 0; !Bytes.empty();) {
    std::optional<uint64_t> Gap = takeULEB(Bytes), Size = takeULEB(Bytes);
    if (!Gap || !Size || *Size == 0 || *Gap > UINT64_MAX - At ||
        *Size > UINT64_MAX - At - *Gap) {
      IsDamaged = true;
      return;
    }
    Functions.push_back({At + *Gap, At + *Gap + *Size});
    At = Functions.back().End;
  }
}

std::optional<FunctionExtent> UnnamedFunctions::find(uint64_t Address) const {
  auto Next = llvm::upper_bound(
      Functions, Address,
      [](uint64_t A, const FunctionExtent &F) { return A < F.Begin; });
  if (Next == Functions.begin() || Address >= Next[-1].End)
    return std::nullopt;
  return Next[-1];
}

Error UnnamedFunctions::damage(const Archive &A) const {
  if (!IsDamaged)
    return Error::success();
  return make_error<DamagedError>(A.name(), "is damaged", "section FUNC");
}

std::string lidia::unnamedFunction(uint64_t Begin) {
  return "<function at 0x" + utohexstr(Begin, /*LowerCase=*/true) + ">";
}

std::string lidia::unnamedFunctionsSection(ArrayRef<FunctionExtent> Functions) {
  std::string Out;
  uint64_t At = 0;
  for (const FunctionExtent &F : Functions) {
    appendULEB(Out, F.Begin - At);
    appendULEB(Out, F.End - F.Begin);
    At = F.End;
  }
  return Out;
}
