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

const char *Query::parseAddress(StringRef Text, bool Hexadecimal) {
  Text = Text.trim();
  if (Text.empty())
    return "no module offset has been specified";

  StringRef Word =
      Text.take_until([](char C) { return C == ' ' || C == '\r'; });
  bool IsNumber = isDigit(Word.front());
  if (Hexadecimal)
    Word.consume_front_insensitive("0x");
  if (!Word.getAsInteger(Hexadecimal ? 16 : 0, Offset))
    return nullptr;
  if (IsNumber || Word.empty())
    return "expected a number as module offset";
  takeSymbol(Word, *this);
  return nullptr;
}

const char *Query::parse(StringRef Line) {
  StringRef Rest = Line;
  Type = takeKind(Rest);
  Symbol = StringRef();
  Offset = 0;
  if (parsePlainHex(Rest, Offset))
    return nullptr;
  ModuleQuery Q;
  const char *Wrong = Q.parse(Line, {/*HasModule=*/true});
  Symbol = Q.Symbol;
  Offset = Q.Offset;
  return Wrong;
}

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

/// Takes the first word of \p Line, or the text in quotes. Empty if there is
/// none or the quote is not closed.
static StringRef takeWord(StringRef &Line) {
  Line = Line.ltrim(" \n\r");
  if (!Line.starts_with("'") && !Line.starts_with("\"")) {
    StringRef Word = Line.take_until(
        [](char C) { return C == ' ' || C == '\n' || C == '\r'; });
    Line = Line.drop_front(Word.size());
    return Word;
  }
  size_t End = Line.find(Line.front(), 1);
  if (End == StringRef::npos)
    return StringRef();
  StringRef Word = Line.slice(1, End);
  Line = Line.drop_front(End + 1);
  return Word;
}

namespace {
/// The prefixes that select the kind of module.
struct ModulePrefix {
  bool IsFile = false;
  bool IsBuildID = false;
};
} // namespace

static const char *takePrefix(StringRef &Line, ModulePrefix &Prefix) {
  while (true) {
    Line = Line.ltrim();
    bool IsFile = Line.consume_front("FILE:");
    bool IsBuildID = !IsFile && Line.consume_front("BUILDID:");
    if (!IsFile && !IsBuildID)
      return nullptr;
    if (Prefix.IsFile || Prefix.IsBuildID)
      return "duplicate input file specification prefix";
    Prefix = {IsFile, IsBuildID};
  }
}

const char *ModuleQuery::parse(StringRef Line, const ModuleQueryRules &Rules) {
  Type = takeKind(Line);
  Symbol = Module = StringRef();
  Offset = 0;
  BuildID.clear();
  ModulePrefix Prefix;
  if (const char *Wrong = takePrefix(Line, Prefix))
    return Wrong;
  if (Prefix.IsFile || Prefix.IsBuildID) {
    if (Line.empty())
      return Prefix.IsFile ? "must be followed by an input file"
                           : "must be followed by a hash";
    if (Rules.HasModule)
      return "input file has already been specified";
    StringRef Name = takeWord(Line);
    if (Name.empty())
      return "unbalanced quotes in input file name";
    std::string Bytes;
    if (Prefix.IsBuildID && !tryGetFromHex(Name, Bytes))
      return "wrong format of build-id";
    Module = Name;
    BuildID.assign(Bytes.begin(), Bytes.end());
  } else if (!Rules.HasModule) {
    Module = takeWord(Line);
    if (Module.empty())
      return "no input filename has been specified";
  }
  return parseAddress(Line, Rules.Hexadecimal);
}

} // namespace lidia
