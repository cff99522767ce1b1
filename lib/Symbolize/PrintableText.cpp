//===- PrintableText.cpp - Escapes untrusted text for printing ------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Symbolize/PrintableText.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/Format.h"
#include <cstring>
#include <utility>

using namespace llvm;

namespace lidia {

/// Tests the eight bytes at \p P: the top bit of some byte of the result is set
/// if they are not all printable ASCII.
static uint64_t unprintableASCII(const char *P) {
  constexpr uint64_t Ones = 0x0101010101010101;
  uint64_t Bytes;
  std::memcpy(&Bytes, P, sizeof(Bytes));
  // The first term detects a byte below 0x20, the second 0x7f. Only a byte that
  // is not printable ASCII itself causes a carry.
  return (Bytes - 0x20 * Ones) | (Bytes + Ones) | Bytes;
}

/// A lower bound on the number of bytes at the start of \p Text that are
/// printable ASCII, found several bytes at a time.
static size_t printableASCII(StringRef Text) {
  constexpr uint64_t Tops = 0x8080808080808080;
  const char *P = Text.data();
  size_t Size = Text.size(), I = 0;
  for (; I + 32 <= Size; I += 32)
    if ((unprintableASCII(P + I) | unprintableASCII(P + I + 8) |
         unprintableASCII(P + I + 16) | unprintableASCII(P + I + 24)) &
        Tops)
      return I;
  for (; I + 8 <= Size; I += 8)
    if (unprintableASCII(P + I) & Tops)
      return I;
  // The last eight bytes, overlapping those already tested.
  if (Size >= 8 && !(unprintableASCII(P + Size - 8) & Tops))
    return Size;
  return I;
}

static bool isPrintableCharacter(UTF32 C) {
  bool Control = C < 0x20 || (C >= 0x7f && C <= 0x9f);
  bool Separator = C == 0x2028 || C == 0x2029;
  bool Bidirectional = C == 0x061c || C == 0x200e || C == 0x200f ||
                       (C >= 0x202a && C <= 0x202e) ||
                       (C >= 0x2066 && C <= 0x2069);
  return !Control && !Separator && !Bidirectional;
}

namespace {
struct Character {
  size_t Size;
  bool Printable;
  UTF32 Code;
};
} // namespace

/// The character that \p Text begins with. A byte that does not begin a
/// character counts as one.
static Character firstCharacter(StringRef Text) {
  const auto *Start = reinterpret_cast<const UTF8 *>(Text.begin());
  const auto *End = reinterpret_cast<const UTF8 *>(Text.end());
  const UTF8 *Next = Start;
  UTF32 C;
  if (convertUTF8Sequence(&Next, End, &C, strictConversion) != conversionOK)
    return {1, false, uint8_t(Text.front())};
  return {size_t(Next - Start), isPrintableCharacter(C), C};
}

/// The number of bytes at the start of \p Text that may be printed.
static size_t printableSize(StringRef Text) {
  size_t I = printableASCII(Text);
  while (I < Text.size()) {
    if (isPrint(Text[I])) {
      ++I;
      continue;
    }
    Character First = firstCharacter(Text.substr(I));
    if (!First.Printable)
      break;
    I += First.Size;
  }
  return I;
}

bool isPrintableText(StringRef Text) {
  return printableSize(Text) == Text.size();
}

void printText(raw_ostream &OS, StringRef Text) {
  while (true) {
    size_t Size = printableSize(Text);
    OS << Text.take_front(Size);
    Text = Text.drop_front(Size);
    if (Text.empty())
      return;
    size_t Escaped = firstCharacter(Text).Size;
    for (uint8_t Byte : Text.take_front(Escaped).bytes())
      OS << "\\x" << hexdigit(Byte >> 4, /*LowerCase=*/true)
         << hexdigit(Byte & 15, /*LowerCase=*/true);
    Text = Text.drop_front(Escaped);
  }
}

std::string escapeText(StringRef Text) {
  std::string Result;
  raw_string_ostream OS(Result);
  printText(OS, Text);
  return Result;
}

void printSourceLine(raw_ostream &OS, StringRef Line) {
  for (size_t Tab; (Tab = Line.find('\t')) != StringRef::npos;
       Line = Line.drop_front(Tab + 1)) {
    printText(OS, Line.take_front(Tab));
    OS << '\t';
  }
  printText(OS, Line);
}

void JSONEscaper::write_impl(const char *Data, size_t Size) {
  std::string Joined;
  StringRef Text(Data, Size);
  if (!Begun.empty())
    Text = Joined = std::exchange(Begun, {}) + Text.str();
  while (true) {
    size_t Printable = printableSize(Text);
    OS << Text.take_front(Printable);
    Text = Text.drop_front(Printable);
    if (Text.empty())
      return;
    if (getNumBytesForUTF8(UTF8(Text.front())) > Text.size()) {
      Begun = Text.str();
      return;
    }
    Character First = firstCharacter(Text);
    // White space between JSON's tokens.
    if (First.Code < 0x20)
      OS << Text.front();
    else
      OS << "\\u" << format_hex_no_prefix(First.Code, 4);
    Text = Text.drop_front(First.Size);
  }
}

} // namespace lidia
