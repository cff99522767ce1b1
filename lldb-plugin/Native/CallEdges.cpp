//===- CallEdges.cpp - Call edges, for tail calls -------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ObjectID.h"
#include "SymbolFileLidia.h"
#include "lidia/Archive/CallTarget.h"
#include "lidia/Archive/Calls.h"
#include "lldb/Expression/DWARFExpressionList.h"
#include "lldb/Symbol/Function.h"
#include "lldb/Symbol/ObjectFile.h"
#include "lldb/Utility/DataBufferHeap.h"

using namespace lldb;
using namespace lldb_private;
using llvm::StringRef;

namespace lidia {

/// The edge of an indirect call; null if the archive's expression is broken.
static std::unique_ptr<CallEdge> indirectEdge(ObjectFile &Object,
                                              StringRef Digits,
                                              CallEdge::AddrType Type,
                                              uint64_t Address, bool IsTail) {
  std::optional<std::string> Bytes = callTargetBytes(Digits);
  if (!Bytes)
    return nullptr;
  DataExtractor Data(
      std::make_shared<DataBufferHeap>(Bytes->data(), Bytes->size()),
      Object.GetByteOrder(), Object.GetAddressByteSize());
  DWARFExpression Target(Data);
  Target.SetRegisterKind(eRegisterKindDWARF);
  return std::make_unique<IndirectCallEdge>(
      DWARFExpressionList(Object.GetModule(), Target, nullptr), Type, Address,
      IsTail, CallSiteParameterArray());
}

static std::unique_ptr<CallEdge> edgeOf(ObjectFile &Object, const Archive &A,
                                        const FunctionCall &Call) {
  std::optional<uint64_t> Return = Call.returnAddress();
  CallEdge::AddrType Type =
      Return ? CallEdge::AddrType::AfterCall : CallEdge::AddrType::Call;
  uint64_t Address = Return.value_or(Call.Address);
  if (Call.hasTarget())
    return indirectEdge(Object, A.string(Call.Callee), Type, Address,
                        Call.isTail());
  // LLDB keeps the pointer, and looks for a symbol of this name when it needs
  // the callee.
  ConstString Callee(A.string(Call.Callee));
  return std::make_unique<DirectCallEdge>(Callee.GetCString(), Type, Address,
                                          Call.isTail(),
                                          CallSiteParameterArray());
}

/// Calls in DWARF have the values of parameters, which variables in DWARF may
/// depend on.
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
    if (A.string(Call.Callee).empty())
      return;
    if (std::unique_ptr<CallEdge> Edge = edgeOf(*GetObjectFile(), A, Call))
      Edges.push_back(std::move(Edge));
  });
  return Edges;
}

} // namespace lidia
