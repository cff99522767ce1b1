//===- BinaryLayout.cpp - Segments and sections of a binary ---------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Archive/BinaryLayout.h"
#include "StatementCodec.h"
#include "lidia/Archive/Archive.h"
#include "lidia/Error.h"

using namespace llvm;

namespace lidia {

std::string BinaryLayout::bytes() const {
  std::string Out;
  if (empty())
    return Out;
  auto Append = [&Out](std::initializer_list<uint64_t> Numbers) {
    for (uint64_t N : Numbers)
      appendULEB(Out, N);
  };
  Append({Segments.size()});
  for (const LayoutSegment &S : Segments)
    Append({S.Flags, S.Address, S.Size, S.Alignment});
  for (const LayoutSection &S : Sections) {
    // Names in a file's string table cannot contain a zero byte.
    Out += StringRef(S.Name).split('\0').first;
    Out += '\0';
    Append({S.Type, S.Flags, S.Address, S.Size, S.Alignment});
  }
  return Out;
}

/// Removes a number from the front of \p Bytes for each element of \p To.
static bool take(StringRef &Bytes, std::initializer_list<uint64_t *> To) {
  for (uint64_t *N : To) {
    std::optional<uint64_t> Number = takeULEB(Bytes);
    if (!Number)
      return false;
    *N = *Number;
  }
  return true;
}

static bool takeSegments(StringRef &Bytes,
                         std::vector<LayoutSegment> &Segments) {
  uint64_t Count = 0, Flags = 0;
  // Each entry takes at least four bytes.
  if (!take(Bytes, {&Count}) || Count > Bytes.size() / 4)
    return false;
  Segments.resize(Count);
  for (LayoutSegment &S : Segments) {
    if (!take(Bytes, {&Flags, &S.Address, &S.Size, &S.Alignment}) ||
        Flags > UINT32_MAX)
      return false;
    S.Flags = uint32_t(Flags);
  }
  return true;
}

static bool takeSection(StringRef &Bytes, LayoutSection &S) {
  size_t End = Bytes.find('\0');
  if (End == StringRef::npos)
    return false;
  S.Name = Bytes.take_front(End).str();
  Bytes = Bytes.drop_front(End + 1);
  uint64_t Type = 0;
  if (!take(Bytes, {&Type, &S.Flags, &S.Address, &S.Size, &S.Alignment}) ||
      Type > UINT32_MAX)
    return false;
  S.Type = uint32_t(Type);
  return true;
}

Expected<BinaryLayout> BinaryLayout::read(const Archive &A) {
  BinaryLayout Result;
  std::optional<StringRef> Section = A.extensionSection(format::ET_Layout);
  if (!Section)
    return Result;
  StringRef Rest = *Section;
  bool IsSound = takeSegments(Rest, Result.Segments);
  while (IsSound && !Rest.empty())
    IsSound = takeSection(Rest, Result.Sections.emplace_back());
  if (!IsSound)
    return make_error<DamagedError>(A.name(), "is damaged", "section LAYT");
  return Result;
}

} // namespace lidia
