//===- GSYMSections.cpp - The sections of a GSYM file, version 2 ----------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GSYMSections.h"
#include "FileBytes.h"
#include "lidia/Error.h"
#include "llvm/Support/DataExtractor.h"

using namespace llvm;

namespace lidia {

Expected<gsymv2::Sections> gsymv2::readSections(StringRef Bytes, StringRef Path,
                                                bool IsBigEndian) {
  constexpr uint64_t EncodingOffset = 7, HeaderSize = 20, EntrySize = 20;
  DataExtractor Data(Bytes, !IsBigEndian, /*AddressSize=*/8);
  uint64_t Offset = EncodingOffset;
  if (uint8_t Encoding = Data.getU8(&Offset))
    return make_error<UnsupportedError>(
        Path, "a GSYM file with strings of encoding " +
                  Twine(unsigned(Encoding)) + "; only 0 is supported");
  Sections Result;
  Offset = HeaderSize;
  while (Data.isValidOffsetForDataOfSize(Offset, EntrySize)) {
    uint32_t Type = Data.getU32(&Offset);
    uint64_t Start = Data.getU64(&Offset), Size = Data.getU64(&Offset);
    if (Type == EndOfList)
      return Result;
    std::optional<StringRef> Section = bytesAt(Bytes, Start, Size);
    if (!Section)
      return make_error<DamagedError>(Path,
                                      "ends before its section " + Twine(Type));
    if (Type < SectionTypes)
      Result[Type] = *Section;
  }
  return make_error<DamagedError>(Path, "ends within the list of its sections");
}

} // namespace lidia
