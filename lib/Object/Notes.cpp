//===- Notes.cpp - The notes of an ELF file -------------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Notes.h"
#include "Support/NilBuildID.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace lidia {

void forEachNote(ArrayRef<uint8_t> Bytes, uint64_t Align, endianness Order,
                 function_ref<bool(const Note &)> Visit) {
  Align = Align == 8 ? 8 : 4;
  constexpr uint64_t HeaderSize = 12;
  while (Bytes.size() >= HeaderSize) {
    uint64_t NameSize = support::endian::read<uint32_t>(Bytes.data(), Order);
    uint64_t DescSize =
        support::endian::read<uint32_t>(Bytes.data() + 4, Order);
    uint64_t Desc = alignTo(HeaderSize + NameSize, Align);
    if (Desc > Bytes.size() || DescSize > Bytes.size() - Desc)
      break;
    Note N;
    N.Owner = toStringRef(Bytes.slice(HeaderSize, NameSize));
    N.Owner = N.Owner.take_until([](char C) { return C == '\0'; });
    N.Type = support::endian::read<uint32_t>(Bytes.data() + 8, Order);
    N.Contents = Bytes.slice(Desc, DescSize);
    if (!Visit(N))
      return;
    Bytes = Bytes.drop_front(
        std::min<uint64_t>(Bytes.size(), alignTo(Desc + DescSize, Align)));
  }
}

ArrayRef<uint8_t> findBuildID(ArrayRef<uint8_t> Bytes, uint64_t Align,
                              endianness Order) {
  ArrayRef<uint8_t> BuildID;
  forEachNote(Bytes, Align, Order, [&](const Note &N) {
    if (N.Type == ELF::NT_GNU_BUILD_ID && N.Owner == "GNU")
      BuildID = usableBuildID(N.Contents);
    return BuildID.empty();
  });
  return BuildID;
}

} // namespace lidia
