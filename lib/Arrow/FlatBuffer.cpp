//===- FlatBuffer.cpp - FlatBuffers, read and written ---------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FlatBuffer.h"
#include "Support/StableSort.h"
#include "llvm/ADT/STLExtras.h"

using namespace lidia;
using namespace lidia::arrow;
using namespace llvm;

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

FlatTable::FlatTable(FlatBytes *B, uint64_t At) : Bytes(B), At(At) {
  // A difference below 0 becomes a place after the end.
  Places = At - uint64_t(int64_t(B->read<int32_t>(At)));
  PlacesSize = B->read<uint16_t>(Places);
  if (!B->has(Places, PlacesSize))
    PlacesSize = 0;
}

FlatTable FlatTable::root(FlatBytes &Bytes) {
  return FlatTable(&Bytes, Bytes.read<uint32_t>(0));
}

uint64_t FlatTable::place(unsigned Field) const {
  // The sizes of the vtable and of the table come first.
  uint64_t Index = 4 + 2 * uint64_t(Field);
  if (!Bytes || Index + 2 > PlacesSize)
    return 0;
  uint16_t Offset = Bytes->read<uint16_t>(Places + Index);
  return Offset ? At + Offset : 0;
}

FlatTable FlatTable::table(unsigned Field) const {
  uint64_t Place = place(Field);
  return Place ? FlatTable(Bytes, target(Place)) : FlatTable();
}

FlatVector FlatTable::vector(unsigned Field, unsigned ElementSize) const {
  uint64_t Place = place(Field);
  if (!Place)
    return FlatVector();
  FlatVector V;
  V.At = target(Place) + 4;
  V.Count = Bytes->read<uint32_t>(V.At - 4);
  if (!Bytes->has(V.At, uint64_t(V.Count) * ElementSize))
    V.Count = 0;
  return V;
}

StringRef FlatTable::text(unsigned Field) const {
  FlatVector V = vector(Field, 1);
  return V.Count ? Bytes->slice(V.At, V.Count) : StringRef();
}

FlatTable FlatTable::element(FlatVector V, uint32_t Index) const {
  return FlatTable(Bytes, target(V.At + 4 * uint64_t(Index)));
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

FlatField FlatField::number(unsigned Field, unsigned Size, uint64_t Value) {
  FlatField F;
  F.Field = uint8_t(Field);
  F.Size = uint8_t(Size);
  F.Value = Value;
  return F;
}

FlatField FlatField::text(unsigned Field, StringRef Text) {
  FlatField F = number(Field, 4, Text.size());
  F.K = Kind::Text;
  F.Bytes = Text.str();
  return F;
}

FlatField FlatField::table(unsigned Field, Fields Table) {
  FlatField F = tables(Field, {std::move(Table)});
  F.K = Kind::Table;
  return F;
}

FlatField FlatField::tables(unsigned Field, std::vector<Fields> Tables) {
  FlatField F = number(Field, 4, Tables.size());
  F.K = Kind::Tables;
  F.Tables = std::move(Tables);
  return F;
}

FlatField FlatField::words(unsigned Field, ArrayRef<int64_t> Words,
                           unsigned WordsOfOne) {
  FlatField F = number(Field, 4, Words.size() / WordsOfOne);
  F.K = Kind::Words;
  for (int64_t Word : Words) {
    char Bytes[8];
    support::endian::write64le(Bytes, uint64_t(Word));
    F.Bytes.append(Bytes, sizeof(Bytes));
  }
  return F;
}

namespace {

/// Writes each table before what it refers to.
class FlatWriter {
public:
  std::string write(const FlatField::Fields &Root);

private:
  void append(uint64_t Value, unsigned Size);
  /// Appends zeros until the size, divided by \p Multiple, leaves \p Rest.
  void pad(size_t Multiple, size_t Rest = 0) {
    while (Out.size() % Multiple != Rest)
      Out += '\0';
  }
  /// Makes the reference at \p Place lead to \p Target.
  void refer(size_t Place, size_t Target) {
    support::endian::write32le(&Out[Place], uint32_t(Target - Place));
  }
  /// Appends a table, and returns its place.
  size_t table(const FlatField::Fields &Fields);
  /// Appends what \p F refers to, by the reference at \p Place.
  void target(const FlatField &F, size_t Place);

  std::string Out;
};

} // namespace

void FlatWriter::append(uint64_t Value, unsigned Size) {
  for (unsigned I = 0; I != Size; ++I)
    Out += char(Value >> (8 * I));
}

size_t FlatWriter::table(const FlatField::Fields &Fields) {
  // Larger numbers come first, so that each is at a multiple of its size.
  std::vector<const FlatField *> Order;
  for (const FlatField &F : Fields)
    Order.push_back(&F);
  stableSort(Order, [](const FlatField *F) { return -int(F->Size); });
  std::vector<uint16_t> Places;
  unsigned Size = 4;
  for (const FlatField *F : Order) {
    Places.resize(std::max(Places.size(), size_t(F->Field) + 1));
    Places[F->Field] = uint16_t(Size);
    Size += F->Size;
  }
  size_t PlacesSize = 4 + 2 * Places.size();
  pad(8, (12 - PlacesSize % 8) % 8);
  append(PlacesSize, 2);
  append(Size, 2);
  for (uint16_t Place : Places)
    append(Place, 2);
  size_t Start = Out.size();
  append(PlacesSize, 4);
  for (const FlatField *F : Order)
    append(F->K == FlatField::Kind::Number ? F->Value : 0, F->Size);
  for (const FlatField &F : Fields)
    if (F.K != FlatField::Kind::Number)
      target(F, Start + Places[F.Field]);
  return Start;
}

void FlatWriter::target(const FlatField &F, size_t Place) {
  if (F.K == FlatField::Kind::Table)
    return refer(Place, table(F.Tables.front()));
  // The words after the number of them must be at a multiple of 8.
  if (F.K == FlatField::Kind::Words)
    pad(8, 4);
  pad(4);
  refer(Place, Out.size());
  append(F.Value, 4);
  size_t First = Out.size();
  if (F.K != FlatField::Kind::Tables) {
    Out += F.Bytes;
    Out += '\0';
    return;
  }
  Out.append(4 * F.Tables.size(), '\0');
  for (auto [I, Table] : enumerate(F.Tables))
    refer(First + 4 * I, table(Table));
}

std::string FlatWriter::write(const FlatField::Fields &Root) {
  append(0, 4);
  refer(0, table(Root));
  pad(8);
  return std::move(Out);
}

std::string arrow::writeFlatBuffer(const FlatField::Fields &Root) {
  return FlatWriter().write(Root);
}
