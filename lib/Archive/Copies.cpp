//===- Copies.cpp - Functions that several compile units have -------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Archive/Copies.h"
#include "CopyTable.h"
#include "StatementCodec.h"
#include "lidia/Error.h"

using namespace lidia;
using namespace lidia::format;
using namespace llvm;

bool CopyTable::add(const FunctionUnit &Unit, uint64_t Root) {
  uint64_t Last = Units.empty() ? 0 : Units.back().Unit.Number;
  if (Unit.Number == 0 || Unit.Number < Last || Unit.Number > UINT32_MAX)
    return false;
  if (Unit.Number != Last)
    Units.push_back({Unit, {}});
  std::vector<uint64_t> &Roots = Units.back().Roots;
  if (!Roots.empty() && Root <= Roots.back())
    return false;
  Roots.push_back(Root);
  return true;
}

std::string CopyTable::bytes() const {
  std::string Out;
  uint64_t Number = 0;
  for (const UnitCopies &U : Units) {
    appendULEB(Out, U.Unit.Number - Number);
    Number = U.Unit.Number;
    appendULEB(Out, U.Unit.Name);
    appendULEB(Out, U.Roots.size());
    uint64_t Last = 0;
    for (uint64_t Root : U.Roots)
      appendULEB(Out, Root - std::exchange(Last, Root));
  }
  return Out;
}

/// Takes the ranges of one unit from the front of \p Bytes. False when they
/// make no sense.
static bool takeRoots(const Archive &A, StringRef &Bytes,
                      std::vector<uint64_t> &Roots) {
  // They are all over the table of ranges, which is much larger.
  FieldView Parents = A.array(ET_Parents).value_or(FieldView());
  auto IsRoot = [&](uint64_t I) {
    return I < Parents.Count ? Parents[I] == 0 : A.range(I).Depth == 0;
  };
  std::optional<uint64_t> Count = takeULEB(Bytes);
  // Each takes a byte at least.
  if (!Count || *Count == 0 || *Count > Bytes.size())
    return false;
  uint64_t Root = 0;
  Roots.clear();
  for (uint64_t I = 0; I != *Count; ++I) {
    std::optional<uint64_t> Step = takeULEB(Bytes);
    if (!Step || (I != 0 && *Step == 0) || *Step >= A.rangeCount() - Root)
      return false;
    Root += *Step;
    if (!IsRoot(Root))
      return false;
    Roots.push_back(Root);
  }
  return true;
}

Error lidia::visitCopies(const Archive &A,
                         function_ref<void(const UnitCopies &)> Visit) {
  StringRef Bytes = A.extensionSection(ET_Copies).value_or(StringRef());
  UnitCopies Copies;
  while (!Bytes.empty()) {
    std::optional<uint64_t> Step = takeULEB(Bytes), Name = takeULEB(Bytes);
    if (!Step || !Name || *Step == 0 ||
        *Step > UINT32_MAX - Copies.Unit.Number ||
        !takeRoots(A, Bytes, Copies.Roots))
      return make_error<DamagedError>(
          A.name(), "is damaged after unit " + Twine(Copies.Unit.Number),
          "section COPY");
    Copies.Unit.Number += *Step;
    Copies.Unit.Name = *Name;
    Copies.Unit.Language = 0;
    Copies.Unit.Directory = 0;
    A.addLanguage(Copies.Unit);
    Visit(Copies);
  }
  return Error::success();
}

/// As many rows of copies as this are given for an archive of some size: one
/// for RowShare bytes, and RowFloor. ceph-osd needs a tenth of that.
static constexpr uint64_t RowShare = 8, RowFloor = 1'000'000;

CopiedRows::CopiedRows(const Archive &A, StatementReader &Reader)
    : A(A), Reader(Reader),
      Left(A.buffer().getBufferSize() / RowShare + RowFloor) {
  // verify() reports damage.
  consumeError(visitCopies(A, [&](const UnitCopies &C) {
    Copied.insert(C.Roots.begin(), C.Roots.end());
  }));
}

void CopiedRows::keep(uint64_t Root, ArrayRef<Statement> Rows) {
  if (!Copied.contains(Root) || Known.count(Root))
    return;
  Kept &New = Known[Root];
  DenseSet<StringOffset> Seen;
  StatementCodec Codec(A.range(Root).VA);
  for (const Statement &S : Rows) {
    Codec.encode(S, New.Rows);
    if (!(S.Flags & SF_Unknown) && Seen.insert(S.File).second)
      New.Files.push_back(S.File);
  }
}

/// Null if no unit had a copy of the function at \p Root.
const CopiedRows::Kept *CopiedRows::get(uint64_t Root) {
  if (Copied.contains(Root) && !Known.count(Root)) {
    // verify() reports damage.
    consumeError(Reader.readForDebugger(Root, Buffer));
    keep(Root, Buffer);
  }
  auto It = Known.find(Root);
  return It == Known.end() ? nullptr : &It->second;
}

/// Subtracts \p Count from the number of rows that may still be returned.
/// Returns false if too few are left, and in all later calls.
bool CopiedRows::pay(uint64_t Count) {
  if (Count > Left)
    Left = 0;
  bool CanPay = Left != 0;
  Left -= std::min(Left, Count);
  return CanPay;
}

void CopiedRows::read(uint64_t Root, std::vector<Statement> &Out) {
  Out.clear();
  const Kept *K = Left ? get(Root) : nullptr;
  if (!K)
    return;
  StatementCodec Codec(A.range(Root).VA);
  StringRef Rest(K->Rows.data(), K->Rows.size());
  for (Statement S; Codec.decode(Rest, S);)
    Out.push_back(S);
  if (!pay(Out.size()))
    Out.clear();
}

ArrayRef<StringOffset> CopiedRows::files(uint64_t Root) {
  const Kept *K = Left ? get(Root) : nullptr;
  if (!K || !pay(K->Files.size()))
    return {};
  return K->Files;
}
