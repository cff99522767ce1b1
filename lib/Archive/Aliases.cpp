//===- Aliases.cpp - The other names of functions -------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Archive/Aliases.h"
#include "AliasTable.h"
#include "StatementCodec.h"
#include "lidia/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <tuple>

using namespace lidia;
using namespace lidia::format;
using namespace llvm;

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

void AliasTable::add(const Place &P, StringRef Name) {
  Entries.push_back({P, Names.save(Name)});
}

/// Appends \p Name as its difference from \p Function: the number of bytes in
/// their common prefix and common suffix, and the text between these.
static void appendName(std::string &Out, StringRef Name, StringRef Function) {
  size_t Max = std::min(Name.size(), Function.size()), Before = 0, Behind = 0;
  while (Before < Max && Name[Before] == Function[Before])
    ++Before;
  while (Behind < Max - Before && Name[Name.size() - 1 - Behind] ==
                                      Function[Function.size() - 1 - Behind])
    ++Behind;
  StringRef Between = Name.drop_front(Before).drop_back(Behind);
  appendULEB(Out, Before);
  appendULEB(Out, Behind);
  appendULEB(Out, Between.size());
  Out += Between;
}

std::string AliasTable::bytes(function_ref<StringRef(uint64_t)> FunctionName,
                              uint64_t MaxText) {
  auto Key = [](const Entry &E) { return std::tie(E.P.Address, E.Name); };
  llvm::sort(Entries,
             [&](const Entry &X, const Entry &Y) { return Key(X) < Key(Y); });
  Entries.erase(
      llvm::unique(Entries, [&](const Entry &X,
                                const Entry &Y) { return Key(X) == Key(Y); }),
      Entries.end());
  std::string Out;
  uint64_t LastRoot = 0;
  for (const Entry &E : Entries) {
    if (E.Name.size() > MaxText)
      break;
    MaxText -= E.Name.size();
    uint64_t Offset = E.P.Address - E.P.Start;
    uint64_t Step = E.P.Root - std::exchange(LastRoot, E.P.Root);
    appendULEB(Out, Step << 1 | (Offset != 0));
    if (Offset)
      appendULEB(Out, Offset);
    appendName(Out, E.Name, FunctionName(E.P.Root));
  }
  return Out;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

namespace {
/// Takes aliases from the front of the section.
class AliasReader {
public:
  explicit AliasReader(const Archive &A)
      : A(A), Bytes(A.extensionSection(ET_Aliases).value_or(StringRef())),
        TextLeft(A.size() * AliasRatio) {}

  bool atEnd() const { return Bytes.empty(); }
  /// Takes the next alias. Returns false if there is none or it is invalid.
  bool take(FunctionAlias &Out);

private:
  bool takePlace(FunctionAlias &Out);
  bool takeName();

  const Archive &A;
  StringRef Bytes;
  RangeEntry Root;
  uint64_t RootIndex = 0;
  bool HasRoot = false;
  uint64_t TextLeft;
  std::string Name;
};
} // namespace

bool AliasReader::takePlace(FunctionAlias &Out) {
  std::optional<uint64_t> Step = takeULEB(Bytes);
  if (!Step || *Step >> 1 >= A.rangeCount() - RootIndex)
    return false;
  if (!HasRoot || *Step >> 1) {
    RootIndex += *Step >> 1;
    Root = A.range(RootIndex);
    HasRoot = true;
  }
  std::optional<uint64_t> Offset = *Step & 1 ? takeULEB(Bytes) : 0;
  if (!Offset || *Offset >= Root.Length || Root.Depth != 0 ||
      *Offset > UINT64_MAX - Root.VA)
    return false;
  Out.Address = Root.VA + *Offset;
  Out.Root = RootIndex;
  return true;
}

bool AliasReader::takeName() {
  std::optional<uint64_t> Before = takeULEB(Bytes), Behind = takeULEB(Bytes),
                          Between = takeULEB(Bytes);
  StringRef Function = A.string(Root.Function);
  if (!Before || !Behind || !Between || *Before > Function.size() ||
      *Behind > Function.size() - *Before || *Between > Bytes.size())
    return false;
  // Aliases of a few bytes each can repeat one long name any number of times.
  uint64_t Size = *Before + *Between + *Behind;
  if (Size == 0 || Size > TextLeft)
    return false;
  TextLeft -= Size;
  Name = (Function.take_front(*Before) + Bytes.take_front(*Between) +
          Function.take_back(*Behind))
             .str();
  Bytes = Bytes.drop_front(*Between);
  return true;
}

bool AliasReader::take(FunctionAlias &Out) {
  if (!takePlace(Out) || !takeName())
    return false;
  Out.Name = Name;
  return true;
}

Error lidia::visitAliases(const Archive &A,
                          function_ref<void(const FunctionAlias &)> Visit) {
  AliasReader Reader(A);
  FunctionAlias Alias;
  while (!Reader.atEnd()) {
    if (!Reader.take(Alias))
      return make_error<DamagedError>(A.name(),
                                      "is damaged after the alias at 0x" +
                                          utohexstr(Alias.Address),
                                      "section ALIA");
    Visit(Alias);
  }
  return Error::success();
}
