//===- NameIndex.cpp - Encodes .debug_names -------------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NameIndex.h"
#include "llvm/Support/DJB.h"
#include <map>
#include <numeric>
#include <tuple>

using namespace llvm;
using namespace llvm::dwarf;

namespace lidia {

void NameIndex::add(StringRef Text, uint32_t StringOffset, uint32_t Unit,
                    uint32_t DIE, Tag T) {
  auto [It, New] = Numbers.try_emplace(StringOffset, uint32_t(Names.size()));
  if (New)
    Names.push_back({StringOffset, caseFoldingDjbHash(Text), 0});
  addKnown(StringOffset, Unit, DIE, T);
}

void NameIndex::addKnown(uint32_t StringOffset, uint32_t Unit, uint32_t DIE,
                         Tag T) {
  uint32_t Number = Numbers.find(StringOffset)->second;
  ++Names[Number].EntryCount;
  Entries.push_back({Number, Unit, DIE, T});
}

/// Names are sorted by bucket, and hashes are contiguous within a bucket.
std::vector<uint32_t> NameIndex::sortedNames(uint32_t BucketCount) const {
  std::vector<uint32_t> Sorted(Names.size());
  std::iota(Sorted.begin(), Sorted.end(), 0);
  auto Key = [&](uint32_t N) {
    const Name &Of = Names[N];
    return std::make_tuple(Of.Hash % BucketCount, Of.Hash, Of.StringOffset);
  };
  llvm::sort(Sorted, [&](uint32_t A, uint32_t B) { return Key(A) < Key(B); });
  return Sorted;
}

/// Indices in Entries, ordered by the number of the name and then by index.
std::vector<uint32_t> NameIndex::entriesByName() const {
  std::vector<uint32_t> Next(Names.size()), Result(Entries.size());
  uint32_t First = 0;
  for (size_t N = 0; N != Names.size(); ++N) {
    Next[N] = First;
    First += Names[N].EntryCount;
  }
  for (size_t I = 0; I != Entries.size(); ++I)
    Result[Next[Entries[I].Name]++] = uint32_t(I);
  return Result;
}

namespace {
/// The codes of the kinds of entries. A kind is a tag and whether the entry is
/// in a type unit.
class EntryKinds {
public:
  void add(Tag T, bool InTypeUnit) { Codes.try_emplace({InTypeUnit, T}, 0); }

  void number() {
    uint32_t Code = 0;
    for (auto &Kind : Codes)
      Kind.second = ++Code;
  }

  uint32_t codeOf(Tag T, bool InTypeUnit) const {
    return Codes.find({InTypeUnit, T})->second;
  }

  void write(SectionWriter &Out) const {
    for (const auto &[Kind, Code] : Codes) {
      Out.uleb(Code);
      Out.uleb(Kind.second);
      Out.uleb(Kind.first ? DW_IDX_type_unit : DW_IDX_compile_unit);
      Out.uleb(DW_FORM_udata);
      Out.uleb(DW_IDX_die_offset);
      Out.uleb(DW_FORM_ref4);
      Out.uleb(0);
      Out.uleb(0);
    }
    Out.uleb(0);
  }

private:
  std::map<std::pair<bool, Tag>, uint32_t> Codes;
};
} // namespace

static void writeBuckets(SectionWriter &Out, ArrayRef<uint32_t> Hashes,
                         uint32_t BucketCount) {
  size_t Next = 0;
  for (uint32_t Bucket = 0; Bucket < BucketCount; ++Bucket) {
    // The number, from 1, of the bucket's first name; 0 for an empty bucket.
    bool Empty = Next == Hashes.size() || Hashes[Next] % BucketCount != Bucket;
    Out.u32(Empty ? 0 : Next + 1);
    while (Next < Hashes.size() && Hashes[Next] % BucketCount == Bucket)
      ++Next;
  }
}

void NameIndex::write(SectionWriter &Out, ArrayRef<uint32_t> UnitOffsets,
                      size_t CompileUnits) const {
  EntryKinds Kinds;
  for (const Entry &E : Entries)
    Kinds.add(E.Tag, E.Unit >= CompileUnits);
  Kinds.number();
  uint32_t BucketCount = std::max<size_t>(1, Names.size());
  std::vector<uint32_t> Sorted = sortedNames(BucketCount);
  std::vector<uint32_t> ByName = entriesByName();
  std::vector<uint32_t> FirstOf(Names.size());
  for (size_t I = ByName.size(); I-- > 0;)
    FirstOf[Entries[ByName[I]].Name] = uint32_t(I);

  SectionWriter Abbreviations(Out.target()), Pool(Out.target());
  Kinds.write(Abbreviations);
  std::vector<uint32_t> EntryOffsets, Hashes;
  for (uint32_t N : Sorted) {
    EntryOffsets.push_back(Pool.size());
    Hashes.push_back(Names[N].Hash);
    for (uint32_t I : ArrayRef(ByName).slice(FirstOf[N], Names[N].EntryCount)) {
      const Entry &E = Entries[I];
      bool InTypeUnit = E.Unit >= CompileUnits;
      Pool.uleb(Kinds.codeOf(E.Tag, InTypeUnit));
      Pool.uleb(InTypeUnit ? E.Unit - CompileUnits : E.Unit);
      Pool.u32(E.DIE);
    }
    Pool.u8(0);
  }

  uint64_t Length = Out.beginLength();
  Out.u16(5);
  Out.u16(0); // padding
  Out.u32(CompileUnits);
  Out.u32(UnitOffsets.size() - CompileUnits); // local type units
  Out.u32(0);                                 // foreign type units
  Out.u32(BucketCount);
  Out.u32(Sorted.size());
  Out.u32(Abbreviations.size());
  Out.u32(0); // augmentation string
  for (uint32_t Offset : UnitOffsets)
    Out.u32(Offset);
  writeBuckets(Out, Hashes, BucketCount);
  for (uint32_t Hash : Hashes)
    Out.u32(Hash);
  for (uint32_t N : Sorted)
    Out.u32(Names[N].StringOffset);
  for (uint32_t Offset : EntryOffsets)
    Out.u32(Offset);
  Out.append(Abbreviations.bytes());
  Out.append(Pool.bytes());
  Out.endLength(Length);
}

void NameIndex::writeEmpty(SectionWriter &Out) {
  uint64_t Length = Out.beginLength();
  Out.u16(5);
  Out.u16(0); // padding
  for (unsigned I = 0; I < 5; ++I)
    Out.u32(0); // counts of units, buckets and names
  Out.u32(1);   // bytes of abbreviations
  Out.u32(0);   // augmentation string
  Out.uleb(0);  // the end of the abbreviations
  Out.endLength(Length);
}

} // namespace lidia
