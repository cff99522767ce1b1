//===- OlderRustNames.cpp - Rust's older mangling -------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OlderRustNames.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/ConvertUTF.h"
#include <bitset>

using namespace llvm;

namespace lidia {

/// Whether \p Part is a hash: 'h' and sixteen digits, which are not nearly all
/// the same in real hashes.
static bool isHash(StringRef Part) {
  std::bitset<16> Seen;
  if (Part.size() != 17 || !Part.consume_front("h"))
    return false;
  for (char C : Part) {
    if (!isDigit(C) && !(C >= 'a' && C <= 'f'))
      return false;
    Seen.set(hexDigitValue(C));
  }
  return Seen.count() >= 5;
}

/// Removes an identifier, which is preceded by its length, from the front of
/// \p Rest.
static bool takePart(StringRef &Rest, StringRef &Part) {
  size_t Length;
  if (Rest.empty() || !isDigit(Rest.front()) ||
      Rest.consumeInteger(10, Length) || Length > Rest.size())
    return false;
  Part = Rest.take_front(Length);
  Rest = Rest.drop_front(Length);
  return true;
}

/// The character with the escape "u20", in hexadecimal digits, unless it is a
/// control character; empty if there is none.
static std::string characterOf(StringRef Escape) {
  uint32_t Code;
  if (!Escape.consume_front("u") || Escape.empty() || Escape.size() > 8 ||
      any_of(Escape, [](char C) { return C >= 'A' && C <= 'F'; }) ||
      Escape.getAsInteger(16, Code))
    return std::string();
  bool IsControl = Code < 0x20 || (Code >= 0x7f && Code < 0xa0);
  char Buffer[UNI_MAX_UTF8_BYTES_PER_CODE_POINT];
  char *End = Buffer;
  if (IsControl || !ConvertCodePointToUTF8(Code, End))
    return std::string();
  return std::string(Buffer, End);
}

static std::string unescape(StringRef Escape) {
  StringRef Text = StringSwitch<StringRef>(Escape)
                       .Case("SP", "@")
                       .Case("BP", "*")
                       .Case("RF", "&")
                       .Case("LT", "<")
                       .Case("GT", ">")
                       .Case("LP", "(")
                       .Case("RP", ")")
                       .Case("C", ",")
                       .Default("");
  return Text.empty() ? characterOf(Escape) : Text.str();
}

/// Appends \p Part. Leaves the rest unchanged after an unknown escape.
static void appendPart(std::string &Result, StringRef Part) {
  // The underscore only makes the part a valid identifier.
  if (Part.starts_with("_$"))
    Part = Part.drop_front();
  while (!Part.empty()) {
    if (Part.consume_front("..")) {
      Result += "::";
    } else if (Part.consume_front(".")) {
      Result += '.';
    } else if (Part.front() == '$') {
      size_t End = Part.find('$', 1);
      std::string Text =
          End == StringRef::npos ? "" : unescape(Part.slice(1, End));
      if (Text.empty())
        break;
      Result += Text;
      Part = Part.drop_front(End + 1);
    } else {
      StringRef Plain =
          Part.take_until([](char C) { return C == '$' || C == '.'; });
      Result += Plain;
      Part = Part.drop_front(Plain.size());
    }
  }
  Result += Part;
}

std::optional<std::string> demangleOlderRustName(StringRef Name,
                                                 bool WithHash) {
  StringRef Rest = Name;
  if (!Rest.consume_front("_ZN"))
    return std::nullopt;
  SmallVector<StringRef, 8> Parts;
  StringRef Part;
  while (!Rest.starts_with("E")) {
    if (!takePart(Rest, Part))
      return std::nullopt;
    Parts.push_back(Part);
  }
  if (Parts.size() < 2 || !isHash(Parts.back()))
    return std::nullopt;
  if (!WithHash)
    Parts.pop_back();
  std::string Result;
  for (StringRef P : Parts) {
    if (!Result.empty())
      Result += "::";
    appendPart(Result, P);
  }
  // LLVM's suffix for functions that were made global has no meaning.
  StringRef Suffix = Rest.drop_front();
  Suffix = Suffix.take_front(Suffix.find(".llvm."));
  Result += Suffix;
  return Result;
}

} // namespace lidia
