//===- SourceAnswers.cpp - What each source says of an address ------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Extract/SourceAnswers.h"
#include "ConvertBinary.h"
#include "Object/Binary.h"
#include "Range.h"
#include "lidia/Symbolize/PrintableText.h"
#include "llvm/BinaryFormat/ELF.h"

using namespace llvm;

namespace lidia {

static constexpr size_t MaxAnswers = 64;

Expected<std::vector<SourceAnswer>> sourceAnswers(StringRef Binary,
                                                  const ConvertOptions &Options,
                                                  uint64_t Address,
                                                  ConvertObserver &Observer) {
  std::vector<SourceAnswer> Result;
  auto Visit = [&](const ConvertStatistics::Source &Source,
                   const SourceRanges &Ranges, const StringPool &Strings) {
    auto Add = [&](const UnitRanges &U, const RangeTrees &Trees) {
      for (const Range &R : Trees.Ranges) {
        if (R.Depth != 0 || Address < R.Start || Address >= R.End)
          continue;
        if (Result.size() == MaxAnswers)
          return;
        SourceAnswer &Function = Result.emplace_back();
        Function.Source = Source.Name;
        Function.Name = Strings[R.Name].str();
        Function.Begin = R.Start;
        Function.End = R.End;
        if (R.Name)
          Function.Origin =
              R.Origin == NameOrigin::Unknown ? U.Origin : R.Origin;
      }
    };
    for (const UnitRanges &U : Ranges.Units) {
      Add(U, U.Functions);
      Add(U, U.LineOnly);
    }
  };
  if (Error E = readSources(Binary, Options, Observer, Visit))
    return E;
  return Result;
}

Expected<std::string> placeInBinary(StringRef Path, uint64_t Address) {
  Expected<std::unique_ptr<Binary>> File = Binary::open(Path);
  if (!File)
    return File.takeError();
  std::string Text;
  for (const Section &S : (*File)->sections())
    if (Text.empty() && S.Flags & ELF::SHF_ALLOC && Address >= S.Address &&
        Address - S.Address < S.Size)
      Text = S.Name + "+" + hex(Address - S.Address);
  for (const Segment &S : (*File)->segments())
    if (S.Type == ELF::PT_LOAD && Address >= S.Address &&
        Address - S.Address < S.FileSize)
      return (Text.empty() ? "none" : Text) + ", file offset " +
             hex(S.Offset + (Address - S.Address));
  return Text;
}

} // namespace lidia
