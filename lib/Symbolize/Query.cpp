//===- Query.cpp - One line of a symbolizer's input -----------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Symbolize/Query.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace lidia {

static Query::Kind takeKind(StringRef &Line) {
  if (Line.consume_front("CODE "))
    return Query::Kind::Code;
  if (Line.consume_front("DATA "))
    return Query::Kind::Data;
  if (Line.consume_front("FRAME "))
    return Query::Kind::Frame;
  return Query::Kind::Code;
}

/// Parses the common form; StringRef::getAsInteger takes longer than a lookup.
static bool parsePlainHex(StringRef Text, uint64_t &Value) {
  if (Text.size() < 3 || Text.size() > 18 || Text[0] != '0' || Text[1] != 'x')
    return false;
  uint64_t V = 0;
  for (char C : Text.drop_front(2)) {
    unsigned Digit = hexDigitValue(C);
    if (Digit > 15)
      return false;
    V = V << 4 | Digit;
  }
  Value = V;
  return true;
}

/// Splits "symbol+offset" in two; a '+' not followed by a number belongs to the
/// symbol.
static void takeSymbol(StringRef Text, Query &Q) {
  auto [Symbol, Offset] = Text.rsplit('+');
  if (Symbol.empty() || Offset.empty() || Offset.getAsInteger(0, Q.Offset)) {
    Symbol = Text;
    Q.Offset = 0;
  }
  Q.Symbol = Symbol;
}

const char *Query::parse(StringRef Line) {
  What = takeKind(Line);
  Symbol = StringRef();
  Offset = 0;
  if (parsePlainHex(Line, Offset))
    return nullptr;

  Line = Line.trim();
  if (Line.starts_with("FILE:") || Line.starts_with("BUILDID:"))
    return "input file has already been specified";
  if (Line.empty())
    return "no module offset has been specified";

  StringRef Word = Line.take_until([](char C) { return C == ' '; });
  if (!Word.getAsInteger(0, Offset))
    return nullptr;
  if (isDigit(Word.front()))
    return "expected a number as module offset";
  takeSymbol(Word, *this);
  return nullptr;
}

} // namespace lidia
