//===- PDBNames.cpp - Names of inlined functions --------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PDBNames.h"
#include "PDBSymbols.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/DebugInfo/PDB/Native/RawTypes.h"

using namespace llvm;
using namespace llvm::codeview;
using support::ulittle16_t;
using support::ulittle32_t;

namespace lidia {

//===----------------------------------------------------------------------===//
// Records
//===----------------------------------------------------------------------===//

PDBTypeStream::PDBTypeStream(const PDBFile &File, const MSFStream &Records,
                             WorkLimit &Work)
    : Records(Records), Work(Work) {
  auto Header = Records.structAt<llvm::pdb::TpiStreamHeader>(0);
  if (!Header)
    return;
  First = Header->TypeIndexBegin;
  Last = Header->TypeIndexEnd;
  Start = Header->HeaderSize;
  End = std::min<uint64_t>(Start + Header->TypeRecordBytes, Records.size());
  Places.push_back({First, 0});
  const llvm::pdb::TpiStreamHeader::EmbeddedBuf &Table =
      Header->IndexOffsetBuffer;
  if (Table.Off >= 0)
    readPlaces(File.streams().stream(Header->HashStreamIndex),
               uint32_t(Table.Off), Table.Length);
}

/// Uses only ascending entries; in a valid table, all are.
void PDBTypeStream::readPlaces(const MSFStream &Table, uint64_t Offset,
                               uint64_t Size) {
  SmallVector<char, 0> Memory;
  std::optional<StringRef> Bytes = Table.read(Offset, Size, Memory);
  for (uint64_t At = 0; Bytes; At += 2 * sizeof(ulittle32_t)) {
    auto Index = structAt<ulittle32_t>(*Bytes, At);
    auto Place = structAt<ulittle32_t>(*Bytes, At + sizeof(ulittle32_t));
    if (!Index || !Place)
      return;
    if (*Index > Places.back().Index && *Place > Places.back().Offset)
      Places.push_back({*Index, *Place});
  }
}

StringRef PDBTypeStream::record(uint32_t Index,
                                SmallVectorImpl<char> &Memory) const {
  if (Index < First || Index >= Last)
    return {};
  auto From = std::prev(upper_bound(
      Places, Index, [](uint32_t I, const Place &P) { return I < P.Index; }));
  uint64_t At = Start + From->Offset;
  for (uint32_t I = From->Index;; ++I) {
    auto Size = Records.structAt<ulittle16_t>(At);
    At += sizeof(*Size);
    if (!Size || At + *Size > End || !Work.take(1))
      return {};
    if (I == Index)
      return Records.read(At, *Size, Memory).value_or(StringRef());
    At += *Size;
  }
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

namespace {
/// LF_FUNC_ID and LF_MFUNC_ID: a function. Its name follows. The scope of a
/// function of a class is the class, otherwise a text among the IDs.
struct FunctionItem {
  ulittle16_t Kind;
  ulittle32_t Scope;
  ulittle32_t Type;
};

/// The fields of a named type before its size, if it has one, and its name.
struct NamedType {
  TypeLeafKind Kind;
  uint8_t NameOffset;
  bool HasSize;
};
} // namespace

static constexpr NamedType NamedTypes[] = {
    {LF_CLASS, 18, true}, {LF_STRUCTURE, 18, true}, {LF_INTERFACE, 18, true},
    {LF_UNION, 10, true}, {LF_ENUM, 14, false},
};

/// The size of the number at the beginning of \p Bytes, which is either two
/// bytes, or a kind followed by as many bytes as the kind requires.
static uint64_t sizeOfNumber(StringRef Bytes) {
  auto Kind = structAt<ulittle16_t>(Bytes, 0);
  if (!Kind || *Kind < LF_NUMERIC)
    return 2;
  switch (*Kind) {
  case LF_CHAR:
    return 3;
  case LF_SHORT:
  case LF_USHORT:
    return 4;
  case LF_LONG:
  case LF_ULONG:
    return 6;
  default:
    return 10;
  }
}

/// The name of the class, structure, union or enumeration \p Index.
std::string PDBNames::typeName(uint32_t Index) const {
  SmallVector<char, 256> Buffer;
  StringRef Record = Types.record(Index, Buffer);
  auto Kind = structAt<ulittle16_t>(Record, 0);
  const NamedType *T = find_if(
      NamedTypes, [&](const NamedType &N) { return Kind && N.Kind == *Kind; });
  if (T == std::end(NamedTypes))
    return {};
  uint64_t At = T->NameOffset;
  if (T->HasSize)
    At += sizeOfNumber(Record.substr(At));
  return pdb::nameAt(Record, At).str();
}

/// The text \p Id, which is the name of a namespace. Long names, which are in
/// several records, are left out.
std::string PDBNames::scopeName(uint32_t Id) const {
  SmallVector<char, 256> Buffer;
  StringRef Record = Ids.record(Id, Buffer);
  auto Kind = structAt<ulittle16_t>(Record, 0);
  if (!Kind || *Kind != LF_STRING_ID)
    return {};
  constexpr uint64_t NameOffset = 6;
  return pdb::nameAt(Record, NameOffset).str();
}

std::string PDBNames::readFunctionName(uint32_t Id) const {
  SmallVector<char, 256> Buffer;
  StringRef Record = Ids.record(Id, Buffer);
  auto Item = structAt<FunctionItem>(Record, 0);
  if (!Item || (Item->Kind != LF_FUNC_ID && Item->Kind != LF_MFUNC_ID))
    return {};
  std::string Scope;
  if (Item->Kind == LF_MFUNC_ID)
    Scope = typeName(Item->Scope);
  else if (Item->Scope)
    Scope = scopeName(Item->Scope);
  StringRef Name = pdb::nameAt(Record, sizeof(FunctionItem));
  return Scope.empty() ? Name.str() : Scope + "::" + Name.str();
}

StringRef PDBNames::functionName(uint32_t Id) {
  auto [It, IsNew] = Known.try_emplace(std::min(Id, MaxID));
  if (!IsNew)
    return It->second;
  std::string Name = readFunctionName(Id);
  if (Work.take(Name.size()))
    It->second = Saver.save(Name);
  return It->second;
}

} // namespace lidia
