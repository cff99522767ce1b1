//===- TypeUnits.cpp - Types by signature ---------------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TypeUnits.h"
#include <tuple>

using namespace llvm;
using namespace llvm::dwarf;

namespace lidia {
namespace dwarf {

static bool isTypeUnit(const UnitHeader &H) {
  return H.Type == DW_UT_type || H.Type == DW_UT_split_type;
}

void TypeUnits::makeTable() {
  // Errors in the headers of .debug_info are reported when its functions are
  // read; missing types only cost names.
  TypeHeaders = readTypeUnitHeaders(typeSections(S), consumeError);
  for (uint32_t I = 0; I < Headers.size(); ++I)
    if (isTypeUnit(Headers[I]))
      Table.push_back({Headers[I].Signature, I, false});
  for (uint32_t I = 0; I < TypeHeaders.size(); ++I)
    Table.push_back({TypeHeaders[I].Signature, I, true});
  std::sort(Table.begin(), Table.end(), [](const Entry &A, const Entry &B) {
    return std::tie(A.Signature, A.Separate, A.Index) <
           std::tie(B.Signature, B.Separate, B.Index);
  });
}

/// A row of the index describes one unit, in .debug_types before DWARF 5.
std::optional<TypeUnit> TypeUnits::findInPackage(uint64_t Signature,
                                                 WorkBudget &Budget) const {
  Expected<std::optional<Sections>> Part = Index->find(Signature, S);
  if (!Part) {
    consumeError(Part.takeError());
    return std::nullopt;
  }
  if (!*Part)
    return std::nullopt;
  Sections Types = typeSections(**Part);
  for (const Sections &Where : {**Part, Types}) {
    bool Separate = Where.Info.data() == Types.Info.data();
    std::vector<UnitHeader> Units =
        Separate ? readTypeUnitHeaders(Where, consumeError)
                 : readUnitHeaders(Where, consumeError);
    Budget.charge(Units.size() * 16);
    for (const UnitHeader &H : Units)
      if (isTypeUnit(H) && H.Signature == Signature)
        return TypeUnit{Where, H};
  }
  return std::nullopt;
}

std::optional<TypeUnit> TypeUnits::find(uint64_t Signature,
                                        WorkBudget &Budget) {
  if (Index)
    return findInPackage(Signature, Budget);
  std::call_once(TableMade, [&] { makeTable(); });
  auto It = std::lower_bound(Table.begin(), Table.end(), Signature,
                             [](const Entry &E, uint64_t Signature) {
                               return E.Signature < Signature;
                             });
  if (It == Table.end() || It->Signature != Signature)
    return std::nullopt;
  if (It->Separate)
    return TypeUnit{typeSections(S), TypeHeaders[It->Index]};
  return TypeUnit{S, Headers[It->Index]};
}

} // namespace dwarf
} // namespace lidia
