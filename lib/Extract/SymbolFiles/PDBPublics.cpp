//===- PDBPublics.cpp - Symbols of the linker -----------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PDBPublics.h"
#include "PDBSymbols.h"
#include "Symbolize/NameCost.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Demangle/MicrosoftDemangle.h"

using namespace llvm;

namespace lidia {

PDBPublics::PDBPublics(const PDBFile &File) : File(File) {
  readSymbols();
  llvm::sort(Symbols, [](const Symbol &A, const Symbol &B) {
    return std::tuple(A.Address, A.IsData, A.NameAt) <
           std::tuple(B.Address, B.IsData, B.NameAt);
  });
}

/// Whether \p Name, of a symbol that the linker does not call a function, can
/// only be that of data: a variable, a table of a class, or a constant.
static bool isNameOfData(StringRef Name) {
  using namespace ms_demangle;
  // The work of demangling must be within the size of the file.
  constexpr uint64_t MaxText = 4096;
  if (!Name.starts_with("?"))
    return any_of(ArrayRef<StringRef>{"__real@", "__xmm@", "__ymm@", "__zmm@",
                                      "__mask@@"},
                  [&](StringRef Prefix) { return Name.starts_with(Prefix); });
  if (!isMicrosoftNameWithin(Name, MaxText))
    return false;
  Demangler D;
  std::string_view Rest(Name.data(), Name.size());
  const SymbolNode *Symbol = D.parse(Rest);
  if (!Symbol || D.Error)
    return false;
  switch (Symbol->kind()) {
  case NodeKind::EncodedStringLiteral:
  case NodeKind::LocalStaticGuardVariable:
  case NodeKind::VariableSymbol:
  case NodeKind::SpecialTableSymbol:
    return true;
  default:
    return false;
  }
}

/// Keeps the symbols of code.
void PDBPublics::readSymbols() {
  const MSFStream &Records = File.symbolRecords();
  uint64_t At = 0;
  while (auto Header = Records.structAt<pdb::RecordHeader>(At)) {
    uint64_t Next = At + sizeof(Header->Size) + Header->Size;
    At += sizeof(*Header);
    if (Next < At || Next > Records.size() || Next > UINT32_MAX)
      return;
    auto P = Header->Kind == codeview::S_PUB32
                 ? Records.structAt<pdb::Public>(At)
                 : std::nullopt;
    uint64_t NameAt = At + sizeof(pdb::Public);
    At = Next;
    if (!P || NameAt >= Next)
      continue;
    std::optional<uint32_t> Address = File.address(P->Section, P->Offset);
    if (!Address || !File.sections()[P->Section - 1].IsCode)
      continue;
    Symbol S = {*Address, uint32_t(NameAt), uint16_t(Next - NameAt)};
    // Symbols of assembly often have no flags either.
    SmallVector<char, 256> Memory;
    S.IsData = P->Flags == uint32_t(codeview::PublicSymFlags::None) &&
               isNameOfData(nameOf(S, Memory));
    Symbols.push_back(S);
  }
}

StringRef PDBPublics::nameOf(const Symbol &S,
                             SmallVectorImpl<char> &Memory) const {
  return pdb::nameAt(
      File.symbolRecords().read(S.NameAt, S.NameSize, Memory).value_or(""), 0);
}

/// The index of the first symbol at or after \p Address.
size_t PDBPublics::firstFrom(uint32_t Address) const {
  return partition_point(Symbols,
                         [&](const Symbol &S) { return S.Address < Address; }) -
         Symbols.begin();
}

void PDBPublics::visitCode(PDBArea Code,
                           function_ref<void(PDBArea, StringRef)> Visit) {
  SmallVector<char, 256> Memory;
  size_t I = firstFrom(Code.Start);
  while (I != Symbols.size() && Symbols[I].Address < Code.End) {
    size_t Next = firstFrom(Symbols[I].Address + 1);
    PDBArea Part = {Symbols[I].Address, Code.End};
    if (Next != Symbols.size())
      Part.End = std::min(Part.End, Symbols[Next].Address);
    Visit(Part, Symbols[I].IsData ? "" : nameOf(Symbols[I], Memory));
    I = Next;
  }
}

void PDBPublics::sortAreas() {
  auto IsBefore = [](const PDBArea &A, const PDBArea &B) {
    return A.Start < B.Start;
  };
  llvm::sort(Functions, IsBefore);
  for (const PDBFile::Contribution &C : File.contributions())
    if (std::optional<uint32_t> Start = File.address(C.Section, C.Offset))
      Contributions.push_back(
          {*Start, uint32_t(std::min<uint64_t>(uint64_t(*Start) + C.Size,
                                               UINT32_MAX))});
  llvm::sort(Contributions, IsBefore);
}

/// The end of the code from \p Start on. \p Next is the index of the next
/// function.
uint32_t PDBPublics::endOf(uint32_t Start, size_t Next) const {
  uint32_t End = Start;
  auto C = partition_point(Contributions,
                           [&](const PDBArea &A) { return A.Start <= Start; });
  if (C != Contributions.begin())
    End = std::max(Start, std::prev(C)->End);
  if (Next != Functions.size())
    End = std::min(End, Functions[Next].Start);
  return End;
}

bool PDBPublics::visitRest(RangeVisitor &Visitor) {
  sortAreas();
  SmallVector<char, 256> Memory;
  size_t Next = 0;
  uint32_t FunctionsEnd = 0;
  for (size_t I = 0; I != Symbols.size(); ++I) {
    uint32_t Start = Symbols[I].Address;
    for (; Next != Functions.size() && Functions[Next].Start <= Start; ++Next)
      FunctionsEnd = std::max(FunctionsEnd, Functions[Next].End);
    bool IsFirst = I == 0 || Symbols[I - 1].Address != Start;
    if (Start < FunctionsEnd || !IsFirst || Symbols[I].IsData)
      continue;
    FunctionRange F;
    F.Start = Start;
    F.End = endOf(Start, Next);
    if (size_t After = firstFrom(Start + 1); After != Symbols.size())
      F.End = std::min<uint64_t>(F.End, Symbols[After].Address);
    F.Name = nameOf(Symbols[I], Memory);
    F.Origin = NameOrigin::PDBPublic;
    if (F.Start < F.End && !Visitor.visit(F))
      return false;
  }
  return true;
}

} // namespace lidia
