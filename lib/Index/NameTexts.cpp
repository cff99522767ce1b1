//===- NameTexts.cpp - The texts of names in .debug_str -------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NameTexts.h"
#include "lidia/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"
#include <set>

using namespace llvm;

namespace lidia {

const NameTexts::String &NameTexts::stringAt(uint32_t Offset) {
  auto Found = Strings.find(Offset);
  if (Found != Strings.end())
    return Found->second;
  StringRef Text =
      exhausted()
          ? StringRef()
          : Str.substr(Offset).take_until([](char C) { return C == '\0'; });
  TextRead += Text.size();
  return Strings
      .try_emplace(Offset,
                   String{CachedHashStringRef(Text), json::isUTF8(Text)})
      .first->second;
}

bool NameTexts::isUTF8(const UnitNames &Unit, const NamedDIE &D) {
  if (D.Name & NamedDIE::InOthers)
    return json::isUTF8(Unit.Others[D.Name & ~NamedDIE::InOthers]);
  return stringAt(D.Name).IsUTF8;
}

/// Searches the ends of the strings for Others, which have these lengths.
void NameTexts::lookForTails(ArrayRef<size_t> Lengths) {
  for (size_t Start = 0; Start < Str.size();) {
    size_t End = Str.find('\0', Start);
    if (End == StringRef::npos)
      return;
    for (size_t Length : Lengths) {
      if (Length > End - Start)
        break;
      auto Found = Others.find(Str.substr(End - Length, Length));
      if (Found != Others.end() && Found->second == NoPlace)
        Found->second = uint32_t(End - Length);
    }
    Start = End + 1;
  }
}

Error NameTexts::placeOthers(ArrayRef<UnitNames> Units) {
  // Longer names are rare.
  constexpr size_t MaxTail = 8;
  std::set<size_t> Lengths;
  for (const UnitNames &Unit : Units)
    for (StringRef Text : Unit.Others)
      if (Others.try_emplace(Text, NoPlace).second && Text.size() <= MaxTail)
        Lengths.insert(Text.size());
  if (Others.empty())
    return Error::success();
  lookForTails(std::vector<size_t>(Lengths.begin(), Lengths.end()));
  for (const UnitNames &Unit : Units)
    for (StringRef Text : Unit.Others) {
      uint32_t &Place = Others[Text];
      if (Place != NoPlace)
        continue;
      if (Added.empty()) {
        Added = Str.str();
        // An unterminated string must not be terminated by the names that
        // follow.
        if (!Str.empty() && Str.back() != '\0')
          Added += '\0';
      }
      if (Added.size() + Text.size() >= NamedDIE::InOthers)
        return make_error<LimitError>("", "its names are too long for an "
                                          "index");
      Place = uint32_t(Added.size());
      Added += Text;
      Added += '\0';
    }
  return Error::success();
}

NameTexts::Known NameTexts::find(const UnitNames &Unit, const NamedDIE &D) {
  std::optional<CachedHashStringRef> Text;
  uint32_t Offset = D.Name;
  if (D.Name & NamedDIE::InOthers) {
    Text = CachedHashStringRef(Unit.Others[D.Name & ~NamedDIE::InOthers]);
    Offset = Others.find(Text->val())->second;
  } else {
    Text = stringAt(D.Name).Text;
  }
  return {Text->val(), Offsets.try_emplace(*Text, Offset).first->second};
}

} // namespace lidia
