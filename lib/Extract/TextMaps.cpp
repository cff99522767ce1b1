//===- TextMaps.cpp - New prefixes and names from lists -------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Extract/TextMaps.h"
#include "lidia/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace lidia {

//===----------------------------------------------------------------------===//
// Lists in files
//===----------------------------------------------------------------------===//

/// Calls \p Add with each line of the file \p Path that is not empty. \p Add
/// returns what is wrong with it, or an empty text.
static Error forEachLine(StringRef Path,
                         function_ref<std::string(StringRef)> Add) {
  ErrorOr<std::unique_ptr<MemoryBuffer>> List = MemoryBuffer::getFileOrSTDIN(
      Path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!List)
    return make_error<SystemError>(List.getError(), Path);
  StringRef Rest = (*List)->getBuffer();
  for (uint64_t Number = 1; !Rest.empty(); ++Number) {
    auto [Line, After] = Rest.split('\n');
    Rest = After;
    Line.consume_back("\r");
    if (Line.empty())
      continue;
    std::string Defect = Line.contains('\0') ? "has a NUL byte" : Add(Line);
    if (!Defect.empty())
      return make_error<ArgumentError>(Path, Defect,
                                       "line " + Twine(Number) + ":");
  }
  return Error::success();
}

Error TextMaps::readPrefixes(StringRef Path) {
  return forEachLine(Path, [&](StringRef Line) -> std::string {
    if (Prefixes.addPair(Line))
      return "";
    return "expected two prefixes with '=' between them";
  });
}

/// Splits "OLD NEW" or "OLD<tab>NEW". False if there are not two names.
static bool splitNames(StringRef Line, StringRef &Old, StringRef &New) {
  bool HasTab = Line.contains('\t');
  std::tie(Old, New) = Line.split(HasTab ? '\t' : ' ');
  if (!HasTab)
    New = New.trim(' ');
  return !Old.empty() && !New.empty() && !New.contains(HasTab ? '\t' : ' ');
}

Error TextMaps::readNames(StringRef Path) {
  return forEachLine(Path, [&](StringRef Line) -> std::string {
    StringRef Old, New;
    if (Line.starts_with("#"))
      return "";
    if (!splitNames(Line, Old, New))
      return "expected two names, with a tab between them if they have spaces";
    if (!addName(Old, New))
      return ("'" + Old + "' has a new name already").str();
    return "";
  });
}

//===----------------------------------------------------------------------===//
// Changes
//===----------------------------------------------------------------------===//

static void addText(raw_ostream &OS, StringRef Text) {
  OS << Text.size() << ':' << Text;
}

std::string TextMaps::fingerprint() const {
  std::string Result;
  raw_string_ostream OS(Result);
  OS << Prefixes.pairs().size() << '=';
  for (const auto &[Old, New] : Prefixes.pairs()) {
    addText(OS, Old);
    addText(OS, New);
  }
  std::vector<StringRef> Sorted(Names.keys().begin(), Names.keys().end());
  llvm::sort(Sorted);
  for (StringRef Old : Sorted) {
    addText(OS, Old);
    addText(OS, Names.find(Old)->second);
  }
  return Result;
}

void TextMaps::transformFunction(FunctionNames &Function, StringRef) const {
  auto New = Names.find(Function.Name);
  if (New == Names.end())
    return;
  {
    std::lock_guard<std::mutex> Lock(Mutex);
    UsedNames.insert(Function.Name);
  }
  Function.Name = New->second;
  // The source name is the old name, which may be what the user wants to hide.
  Function.SourceName.clear();
}

void TextMaps::transformFile(std::string &Path) const {
  size_t Index;
  std::optional<std::string> New = Prefixes.map(Path, &Index);
  if (!New)
    return;
  Path = std::move(*New);
  std::lock_guard<std::mutex> Lock(Mutex);
  UsedPrefixes.insert(Index);
}

TextMaps::Unused TextMaps::unused() const {
  std::lock_guard<std::mutex> Lock(Mutex);
  Unused Result;
  for (StringRef Old : Names.keys())
    if (!UsedNames.contains(Old))
      Result.Names.push_back(Old.str());
  llvm::sort(Result.Names);
  for (auto [Index, Pair] : enumerate(Prefixes.pairs()))
    if (!UsedPrefixes.contains(Index))
      Result.Prefixes.push_back(Pair.first);
  return Result;
}

} // namespace lidia
