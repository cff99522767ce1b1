//===- ArchiveStrings.cpp - The strings of an archive, transformed --------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ArchiveStrings.h"

using namespace llvm;

namespace lidia {

ArchiveStrings::ArchiveStrings(const StringPool &Strings, ArchiveWriter &Writer,
                               const Transformer *Transform, uint64_t MaxBytes)
    : Strings(Strings), Writer(Writer), Transform(Transform),
      ChangesPositions(Transform && Transform->transformsPositions()),
      BytesLeft(MaxBytes), Offsets(Strings.idEnd(), NotWritten) {
  Offsets[0] = 0;
  if (Transform)
    Functions = Files = Offsets;
}

/// Cuts \p New, which replaces \p Old, at a NUL byte. Returns whether it is
/// different and within the limit.
bool ArchiveStrings::take(std::string &New, StringRef Old) {
  if (size_t Nul = New.find('\0'); Nul != std::string::npos)
    New.resize(Nul);
  if (New == Old)
    return false;
  if (New.size() > BytesLeft) {
    ++LeftOut;
    return false;
  }
  BytesLeft -= New.size();
  return true;
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

void ArchiveStrings::learnSourceNames(ArrayRef<UnitRanges> Units) {
  if (!Transform)
    return;
  for (const UnitRanges &U : Units)
    for (auto [Function, Plain] : U.PlainNames)
      SourceNames.try_emplace(Function, Plain);
}

/// Changes the names of a function that was not changed before.
FunctionNames ArchiveStrings::transform(StringRef Name, StringRef SourceName,
                                        StringRef File) {
  FunctionNames New = {Name.str(), SourceName.str()};
  Transform->transformFunction(New, File);
  if (!take(New.Name, Name))
    New.Name = Name.str();
  if (!take(New.SourceName, SourceName))
    New.SourceName = SourceName.str();
  NewNames[Name] = New.Name;
  return New;
}

StringOffset ArchiveStrings::transformFunction(StringID ID, StringID File) {
  StringRef SourceName = Strings[SourceNames.lookup(ID)];
  FunctionNames New = transform(Strings[ID], SourceName, Strings[File]);
  StringOffset O = Writer.addString(New.Name);
  if (New.SourceName != SourceName) {
    NewSourceNameOf.try_emplace(ID, NewSourceNames.size());
    NewSourceNames.emplace_back(O, std::move(New.SourceName));
  }
  return O;
}

StringRef ArchiveStrings::symbol(StringRef Name) {
  if (!Transform)
    return Name;
  auto Found = NewNames.find(Name);
  if (Found != NewNames.end())
    return Found->second;
  transform(Name, "", "");
  return NewNames[Name];
}

void ArchiveStrings::addSourceNames(ArrayRef<UnitRanges> Units) {
  for (const UnitRanges &U : Units)
    for (auto [Function, Plain] : U.PlainNames)
      if (hasFunction(Function) && !NewSourceNameOf.contains(Function))
        Writer.addPlainName(function(Function), plain(Plain));
}

void ArchiveStrings::addNewSourceNames() {
  for (const auto &[Function, Name] : NewSourceNames)
    if (!Name.empty())
      Writer.addPlainName(Function, Writer.addString(Name));
}

//===----------------------------------------------------------------------===//
// Files and positions
//===----------------------------------------------------------------------===//

/// The number of bytes at the ends of \p A and \p B that are the same.
static uint64_t commonTail(StringRef A, StringRef B) {
  uint64_t Size = 0, Max = std::min(A.size(), B.size());
  while (Size != Max && A[A.size() - 1 - Size] == B[B.size() - 1 - Size])
    ++Size;
  return Size;
}

/// The changed path \p ID. May be called several times for the same path.
StringRef ArchiveStrings::path(StringID ID) {
  StringRef Old = Strings[ID];
  if (auto Known = ChangedPaths.find(ID); Known != ChangedPaths.end())
    return Known->second.Path;
  std::string New = Old.str();
  Transform->transformFile(New);
  if (!take(New, Old))
    New = Old.str();
  uint64_t Tail = commonTail(Old, New);
  ChangedPath &P = ChangedPaths[ID];
  P = {std::move(New), Tail};
  return P.Path;
}

StringOffset ArchiveStrings::transformPosition(StringID File, uint32_t &Line,
                                               uint32_t &Column,
                                               StringID Callee) {
  if (!File && !Line)
    return 0;
  StringRef Path = path(File);
  SourcePosition P = {Path.str(), Line, Column};
  Transform->transformPosition(P, Strings[Callee]);
  Line = P.Line;
  Column = P.Column;
  if (P.File == Path)
    return file(File);
  auto Known = PositionFiles.find(P.File);
  if (Known != PositionFiles.end())
    return Known->second;
  // Without its file, the line would belong to another file.
  if (std::string Given = P.File; !take(P.File, Path)) {
    Line = Column = 0;
    return PositionFiles[Given] = 0;
  }
  StringOffset O = Writer.addString(P.File);
  PositionFiles[P.File] = O;
  return O;
}

uint64_t ArchiveStrings::directoryLength(StringID File, uint64_t Length) const {
  auto Found = ChangedPaths.find(File);
  if (Found == ChangedPaths.end())
    return Length;
  const ChangedPath &P = Found->second;
  uint64_t Behind = Strings[File].size() - Length;
  // The separator must be the same, too.
  return P.Tail > Behind ? P.Path.size() - Behind : 0;
}

} // namespace lidia
