//===- Image.cpp - The memory image of a program --------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Image.h"
#include <algorithm>

using namespace llvm;

namespace lidia::go {

static bool before(const Image::Part &A, const Image::Part &B) {
  return std::make_pair(A.Address, A.Bytes.size()) <
         std::make_pair(B.Address, B.Bytes.size());
}
static bool earlier(const Image::Relocation &A, const Image::Relocation &B) {
  return std::make_pair(A.Address, A.Value) <
         std::make_pair(B.Address, B.Value);
}

Image::Image(std::vector<Part> TheParts, std::vector<Relocation> TheRelocations,
             endianness Order, unsigned PointerSize)
    : Parts(std::move(TheParts)), Relocations(std::move(TheRelocations)),
      Order(Order), PointerSize(PointerSize) {
  std::sort(Parts.begin(), Parts.end(), before);
  std::sort(Relocations.begin(), Relocations.end(), earlier);
  for (Part &P : Parts)
    P.Bytes = P.Bytes.take_front(UINT64_MAX - P.Address);
}

StringRef Image::bytes(uint64_t Address) const {
  auto It = std::upper_bound(
      Parts.begin(), Parts.end(), Address,
      [](uint64_t Address, const Part &P) { return Address < P.Address; });
  if (It == Parts.begin())
    return {};
  --It;
  uint64_t Offset = Address - It->Address;
  return Offset < It->Bytes.size() ? It->Bytes.drop_front(Offset) : StringRef();
}

std::optional<uint8_t> Image::byte(uint64_t Address) const {
  StringRef B = bytes(Address);
  if (B.empty())
    return std::nullopt;
  return uint8_t(B[0]);
}

std::optional<uint32_t> Image::word(uint64_t Address) const {
  StringRef B = bytes(Address);
  if (B.size() < 4)
    return std::nullopt;
  return support::endian::read<uint32_t>(B.data(), Order);
}

std::optional<uint64_t> Image::pointer(uint64_t Address) const {
  auto It = std::lower_bound(Relocations.begin(), Relocations.end(),
                             Relocation{Address, 0}, earlier);
  if (It != Relocations.end() && It->Address == Address)
    return It->Value;
  if (PointerSize == 4)
    return word(Address);
  StringRef B = bytes(Address);
  if (B.size() < 8)
    return std::nullopt;
  return support::endian::read<uint64_t>(B.data(), Order);
}

std::optional<StringRef> Image::text(uint64_t Address) const {
  StringRef B = bytes(Address);
  size_t End = B.find('\0');
  if (End == StringRef::npos)
    return std::nullopt;
  return B.take_front(End);
}

void Image::findPointers(uint64_t Target,
                         function_ref<bool(uint64_t)> Visit) const {
  for (const Relocation &R : Relocations)
    if (R.Value == Target && Visit(R.Address))
      return;
  char Pattern[8];
  if (PointerSize == 4)
    support::endian::write<uint32_t>(Pattern, uint32_t(Target), Order);
  else
    support::endian::write<uint64_t>(Pattern, Target, Order);
  StringRef Needle(Pattern, PointerSize);
  for (const Part &P : Parts)
    for (size_t At = P.Bytes.find(Needle); At != StringRef::npos;
         At = P.Bytes.find(Needle, At + 1))
      if ((P.Address + At) % PointerSize == 0 && Visit(P.Address + At))
        return;
}

} // namespace lidia::go
