//===- NameIndex.cpp - Encodes .debug_names -------------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NameIndex.h"
#include "llvm/Support/DJB.h"

using namespace llvm;
using namespace llvm::dwarf;

namespace lidia {

void NameIndex::add(const char *Text, uint32_t StringOffset, uint32_t Unit,
                    uint32_t DIE, Tag T) {
  Name &N = Names[StringOffset];
  if (N.Entries.empty())
    N.Hash = caseFoldingDjbHash(Text);
  N.Entries.push_back({Unit, DIE, T});
}

// Abbreviation codes of the two kinds of entries.
static uint8_t codeOf(Tag T) { return T == DW_TAG_subprogram ? 1 : 2; }

static void writeAbbreviations(SectionWriter &Out) {
  for (Tag T : {DW_TAG_subprogram, DW_TAG_inlined_subroutine}) {
    Out.uleb(codeOf(T));
    Out.uleb(T);
    Out.uleb(DW_IDX_compile_unit);
    Out.uleb(DW_FORM_udata);
    Out.uleb(DW_IDX_die_offset);
    Out.uleb(DW_FORM_ref4);
    Out.uleb(0);
    Out.uleb(0);
  }
  Out.uleb(0);
}

void NameIndex::write(SectionWriter &Out,
                      ArrayRef<uint32_t> UnitOffsets) const {
  // Names are sorted by bucket, and hashes are contiguous within a bucket.
  uint32_t BucketCount = std::max<size_t>(1, Names.size());
  std::vector<const std::pair<uint32_t, Name> *> Sorted;
  for (const auto &N : Names)
    Sorted.push_back(&N);
  std::sort(Sorted.begin(), Sorted.end(), [&](auto *A, auto *B) {
    auto Key = [&](auto *N) {
      return std::make_tuple(N->second.Hash % BucketCount, N->second.Hash,
                             N->first);
    };
    return Key(A) < Key(B);
  });

  SectionWriter Abbreviations(Out.target()), Entries(Out.target());
  writeAbbreviations(Abbreviations);
  std::vector<uint32_t> EntryOffsets;
  for (auto *N : Sorted) {
    EntryOffsets.push_back(Entries.size());
    for (const Entry &E : N->second.Entries) {
      Entries.uleb(codeOf(E.Tag));
      Entries.uleb(E.Unit);
      Entries.u32(E.DIE);
    }
    Entries.u8(0);
  }

  uint64_t Length = Out.beginLength();
  Out.u16(5);
  Out.u16(0); // padding
  Out.u32(UnitOffsets.size());
  Out.u32(0); // local type units
  Out.u32(0); // foreign type units
  Out.u32(BucketCount);
  Out.u32(Sorted.size());
  Out.u32(Abbreviations.size());
  Out.u32(0); // augmentation string
  for (uint32_t Offset : UnitOffsets)
    Out.u32(Offset);
  size_t Next = 0;
  for (uint32_t Bucket = 0; Bucket < BucketCount; ++Bucket) {
    // The number, from 1, of the bucket's first name; 0 for an empty bucket.
    bool Empty = Next == Sorted.size() ||
                 Sorted[Next]->second.Hash % BucketCount != Bucket;
    Out.u32(Empty ? 0 : Next + 1);
    while (Next < Sorted.size() &&
           Sorted[Next]->second.Hash % BucketCount == Bucket)
      ++Next;
  }
  for (auto *N : Sorted)
    Out.u32(N->second.Hash);
  for (auto *N : Sorted)
    Out.u32(N->first);
  for (uint32_t Offset : EntryOffsets)
    Out.u32(Offset);
  Out.append(Abbreviations.bytes());
  Out.append(Entries.bytes());
  Out.endLength(Length);
}

} // namespace lidia
