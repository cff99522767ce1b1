//===- CallEdges.cpp - Calls, for the frames of tail calls ----------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ObjectID.h"
#include "SymbolFileLidia.h"
#include "lidia/Archive/Calls.h"
#include "lldb/Symbol/Function.h"

using namespace lldb;
using namespace lldb_private;

namespace lidia {

static std::unique_ptr<CallEdge> edgeOf(const Archive &A,
                                        const FunctionCall &Call) {
  std::optional<uint64_t> Return = Call.returnAddress();
  // LLDB keeps the pointer and looks for a symbol of that name when it needs
  // the callee.
  ConstString Callee(A.string(Call.Callee));
  return std::make_unique<DirectCallEdge>(
      Callee.GetCString(),
      Return ? CallEdge::AddrType::AfterCall : CallEdge::AddrType::Call,
      Return.value_or(Call.Address), Call.isTail(), CallSiteParameterArray());
}

/// DWARF's calls have the values of parameters, which variables of its own may
/// depend on. LLDB does not read nested ones.
std::vector<std::unique_ptr<CallEdge>>
SymbolFileLidia::ParseCallEdgesInFunction(UserID ID) {
  std::lock_guard<std::recursive_mutex> Guard(GetModuleMutex());
  user_id_t Theirs =
      ObjectID::isOurs(ID.GetID()) ? toDWARF(ID.GetID()) : ID.GetID();
  if (Theirs != LLDB_INVALID_UID && reader())
    return reader()->ParseCallEdgesInFunction(UserID(Theirs));
  std::vector<std::unique_ptr<CallEdge>> Edges;
  if (!ObjectID::isOurs(ID.GetID()))
    return Edges;
  const Archive &A = *archive();
  RangeEntry R = A.range(ObjectID(ID.GetID()).index());
  visitCalls(A, R.VA, R.VA + R.Length, [&](const FunctionCall &Call) {
    if (!Call.isNested() && !A.string(Call.Callee).empty())
      Edges.push_back(edgeOf(A, Call));
  });
  return Edges;
}

} // namespace lidia
