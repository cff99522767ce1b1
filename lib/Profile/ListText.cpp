//===- ListText.cpp - What lists of functions share -----------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ListText.h"
#include "lidia/Symbolize/PrintableText.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace lidia {

void ListedValue::add(uint64_t Value, bool IsSelf, bool IsNew) {
  if (IsSelf)
    Self = SaturatingAdd(Self, Value);
  if (IsNew)
    Total = SaturatingAdd(Total, Value);
}

/// Values of profiles are signed.
static int64_t asSigned(uint64_t Value) {
  return int64_t(std::min<uint64_t>(Value, INT64_MAX));
}

std::string ListText::cell(uint64_t Value) const {
  const Profile::ValueType &T = P.SampleTypes[P.DefaultSampleType];
  return Value ? valueText(asSigned(Value), P.Strings[T.Unit], RawUnits) : ".";
}

void ListText::printTotal(uint64_t Sum, raw_ostream &OS) const {
  const Profile::ValueType &T = P.SampleTypes[P.DefaultSampleType];
  OS << "Total: " << typedValueText(P, T, asSigned(Sum), RawUnits) << '\n';
}

void ListText::printFunction(StringRef Name, StringRef Place,
                             const ListedValue &Its, uint64_t Sum,
                             raw_ostream &OS) const {
  OS << "ROUTINE ";
  printText(OS, Name);
  OS << " in ";
  printText(OS, Place);
  double Share = Sum ? 100.0 * double(Its.Total) / double(Sum) : 0;
  OS << llvm::format("\n%10s %10s (self, total) %.2f%% of Total\n",
                     cell(Its.Self).c_str(), cell(Its.Total).c_str(), Share);
}

} // namespace lidia
