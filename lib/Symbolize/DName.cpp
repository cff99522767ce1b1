//===- DName.cpp - Demangle D names ---------------------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Implements the section "Name Mangling" of D's ABI, and prints like binutils.
/// LLVM's demangler does not parse types, and so no functions.
///
/// References only lead backwards, and each reference in a chain leads further
/// back than the previous one, so the recursion ends. Its depth and the total
/// output, including intermediate results, are limited, since types may repeat
/// each other.
///
//===----------------------------------------------------------------------===//

#include "NameCost.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace lidia {

namespace {

class DName {
public:
  DName(StringRef All, uint64_t Limit) : All(All), Left(Limit) {}

  std::optional<std::string> run(bool IsShort) {
    if (!parseMangled() || At != All.size())
      return std::nullopt;
    return IsShort && ShortSize ? Out.substr(ShortStart, ShortSize)
                                : std::move(Out);
  }

private:
  char peek(size_t Ahead = 0) const {
    return At + Ahead < All.size() ? All[At + Ahead] : '\0';
  }
  StringRef rest() const { return All.substr(At); }
  bool skip(StringRef Text) {
    if (!rest().starts_with(Text))
      return false;
    At += Text.size();
    return true;
  }
  bool write(StringRef Text) {
    if (Text.size() >= Left)
      return false;
    Left -= Text.size() + 1;
    Out += Text;
    return true;
  }
  /// Must be followed by --Depth. Sets Left to 0 if the limit is exceeded, so
  /// that no alternative is tried.
  bool enter() {
    if (++Depth <= MaxDDepth)
      return true;
    Left = 0;
    return false;
  }
  /// Stores the output of \p Parse in \p Text.
  template <typename F> bool capture(std::string &Text, F Parse) {
    std::swap(Out, Text);
    bool Good = Parse();
    std::swap(Out, Text);
    return Good;
  }

  static bool isCallConvention(char C) {
    return C && StringRef("FUWVRY").contains(C);
  }
  bool isTemplate() const {
    return rest().starts_with("__T") || rest().starts_with("__U");
  }
  bool isSymbolName() const;

  bool parseNumber(uint64_t &Number);
  bool parseBackReference(size_t &Target);
  template <typename F> bool parseAt(size_t Target, F Parse);
  bool parseMangled();
  bool parseQualified(bool WithModifiers);
  void parseParameters(bool WithModifiers);
  bool parseIdentifier();
  bool parseName(uint64_t Size);
  bool parseTemplate();
  bool parseTemplateArguments();
  bool parseSymbolArgument();
  bool parseValueArgument();
  bool parseModifiers();
  bool parseAttributes();
  bool parseArguments();
  bool parseCallConvention();
  bool parseFunctionType(StringRef Kind);
  bool parseType();
  bool parseTypeInner();
  bool parseWrapped(StringRef Name);
  bool parseArray();
  bool parseTuple();
  bool parseDelegate();
  bool parseValue(char Type, StringRef TypeName);
  bool parseInteger(char Type);
  bool parseReal();
  bool parseString();
  bool parseList(StringRef Open, StringRef Close, bool HasKeys);

  const StringRef All;
  size_t At = 0;
  std::string Out;
  uint64_t Left;
  unsigned Depth = 0;
  /// The last identifier of the whole name, in Out. Empty if a compiler made
  /// the symbol for another one.
  size_t ShortStart = 0;
  size_t ShortSize = 0;
  bool BelongsToOther = false;
  /// The position of the innermost reference that is being followed.
  size_t Reference = SIZE_MAX;
};

} // namespace

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

bool DName::parseNumber(uint64_t &Number) {
  // Limited, because leading zeros would be read again for each reference.
  constexpr size_t MaxDigits = 20;
  StringRef Text = rest().take_front(MaxDigits + 1).take_while(isDigit);
  At += Text.size();
  return Text.size() <= MaxDigits && !Text.getAsInteger(10, Number);
}

/// Parses `Q` and a distance backwards, in base 26 with the last digit in lower
/// case.
bool DName::parseBackReference(size_t &Target) {
  constexpr size_t MaxDigits = 6;
  size_t Start = At++;
  uint64_t Distance = 0;
  for (size_t I = 0; I != MaxDigits && isAlpha(peek()); ++I) {
    char C = All[At++];
    Distance = Distance * 26 + unsigned(toUpper(C) - 'A');
    if (!isLower(C))
      continue;
    if (Distance == 0 || Distance > Start)
      return false;
    Target = Start - Distance;
    return true;
  }
  return false;
}

/// Calls \p Parse at the position \p Target, and then returns to this position.
template <typename F> bool DName::parseAt(size_t Target, F Parse) {
  size_t Here = std::exchange(At, Target);
  bool Good = Parse();
  At = Here;
  return Good;
}

bool DName::isSymbolName() const {
  if (isDigit(peek()) || isTemplate())
    return true;
  if (peek() != 'Q')
    return false;
  DName Copy(All, 0);
  Copy.At = At;
  size_t Target;
  return Copy.parseBackReference(Target) && isDigit(All[Target]);
}

bool DName::parseMangled() {
  if (!skip("_D") || !parseQualified(/*WithModifiers=*/true))
    return false;
  // Symbols that compilers make have no type.
  if (skip("Z"))
    return true;
  std::string Type;
  return capture(Type, [&] { return parseType(); });
}

bool DName::parseQualified(bool WithModifiers) {
  if (!enter())
    return false;
  bool IsFirst = true;
  do {
    if (skip("0")) // anonymous
      continue;
    if (!IsFirst && !write("."))
      return false;
    size_t Start = Out.size();
    if (!parseIdentifier())
      return false;
    IsFirst = false;
    if (Depth == 1) {
      ShortStart = Start;
      ShortSize = BelongsToOther ? 0 : Out.size() - Start;
    }
    if (peek() == 'M' || isCallConvention(peek()))
      parseParameters(WithModifiers);
  } while (isSymbolName() || peek() == '0');
  --Depth;
  return true;
}

/// Parses the parameters of a function in a qualified name, which must be
/// followed by the return type or by the name of something inside the function.
/// Otherwise they are not parameters, and nothing is consumed.
void DName::parseParameters(bool WithModifiers) {
  size_t Start = At, Size = Out.size();
  unsigned DepthBefore = Depth;
  std::string Modifiers, Dropped;
  bool Good =
      !skip("M") || capture(Modifiers, [&] { return parseModifiers(); });
  Good = Good && capture(Dropped, [&] {
           return parseCallConvention() && parseAttributes();
         });
  Good = Good && write("(") && parseArguments() && write(")");
  if (Good && WithModifiers)
    Good = write(Modifiers);
  if (Good && At != All.size())
    return;
  At = Start;
  Out.resize(Size);
  Depth = DepthBefore;
}

bool DName::parseIdentifier() {
  uint64_t Size;
  if (peek() == 'Q') {
    size_t Target;
    return parseBackReference(Target) && parseAt(Target, [&] {
             return parseNumber(Size) && parseName(Size);
           });
  }
  if (isTemplate())
    return parseTemplate();
  if (!parseNumber(Size) || Size == 0 || Size > rest().size())
    return false;
  if (Size < 5 || !isTemplate())
    return parseName(Size);
  size_t End = At + Size;
  return parseTemplate() && At == End;
}

/// Also translates the names of symbols that compilers make.
bool DName::parseName(uint64_t Size) {
  if (Size > rest().size())
    return false;
  StringRef Name = rest().take_front(Size);
  auto Prefix = StringSwitch<StringRef>(Name)
                    .Case("__init", "initializer for ")
                    .Case("__vtbl", "vtable for ")
                    .Case("__Class", "ClassInfo for ")
                    .Case("__Interface", "Interface for ")
                    .Case("__ModuleInfo", "ModuleInfo for ")
                    .Default("");
  At += Size;
  if (!Prefix.empty() && peek() == 'Z' && StringRef(Out).ends_with(".")) {
    if (!write(Prefix))
      return false;
    BelongsToOther = true;
    Out = (Prefix + StringRef(Out).drop_back(Prefix.size() + 1)).str();
    return true;
  }
  if (Name == "__postblit" && skip("MFZ"))
    return write("this(this)");
  return write(StringSwitch<StringRef>(Name)
                   .Case("__ctor", "this")
                   .Case("__dtor", "~this")
                   .Default(Name));
}

//===----------------------------------------------------------------------===//
// Templates
//===----------------------------------------------------------------------===//

bool DName::parseTemplate() {
  At += 3;
  if (!enter() || !isSymbolName() || !parseIdentifier() || !write("!(") ||
      !parseTemplateArguments() || !write(")"))
    return false;
  --Depth;
  return true;
}

bool DName::parseTemplateArguments() {
  for (bool IsFirst = true; !skip("Z"); IsFirst = false) {
    if (!IsFirst && !write(", "))
      return false;
    skip("H"); // H marks a specialized parameter.
    uint64_t Size;
    bool Good = false;
    if (skip("T"))
      Good = parseType();
    else if (skip("S"))
      Good = parseSymbolArgument();
    else if (skip("V"))
      Good = parseValueArgument();
    else if (skip("X") && parseNumber(Size) && Size <= rest().size()) {
      Good = write(rest().take_front(Size));
      At += Size;
    }
    if (!Good)
      return false;
  }
  return true;
}

/// Before version 2.077, compilers wrote the size of the mangled name before
/// it.
bool DName::parseSymbolArgument() {
  if (rest().starts_with("_D"))
    return parseMangled();
  size_t Start = At;
  uint64_t Size;
  if (parseNumber(Size) && Size <= rest().size() && rest().starts_with("_D")) {
    size_t End = At + Size;
    return parseMangled() && At == End;
  }
  At = Start;
  return parseQualified(/*WithModifiers=*/false);
}

bool DName::parseValueArgument() {
  char Type = peek();
  size_t Target;
  if (Type == 'Q' && parseAt(At, [&] { return parseBackReference(Target); }))
    Type = All[Target];
  std::string Name;
  return capture(Name, [&] { return parseType(); }) && parseValue(Type, Name);
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

bool DName::parseModifiers() {
  while (true) {
    if (skip("x"))
      return write(" const");
    if (skip("y"))
      return write(" immutable");
    bool Good = skip("O") ? write(" shared") : skip("Ng") && write(" inout");
    if (!Good)
      return true;
  }
}

bool DName::parseAttributes() {
  while (peek() == 'N') {
    StringRef Text = StringSwitch<StringRef>(rest().take_front(2))
                         .Case("Na", "pure ")
                         .Case("Nb", "nothrow ")
                         .Case("Nc", "ref ")
                         .Case("Nd", "@property ")
                         .Case("Ne", "@trusted ")
                         .Case("Nf", "@safe ")
                         .Case("Ni", "@nogc ")
                         .Case("Nj", "return ")
                         .Case("Nl", "scope ")
                         .Case("Nm", "@live ")
                         .Default("");
    // Other letters begin the first parameter.
    if (Text.empty())
      return true;
    At += 2;
    if (!write(Text))
      return false;
  }
  return true;
}

/// Parses the parameters and their end, which says whether more may follow.
bool DName::parseArguments() {
  for (bool IsFirst = true;; IsFirst = false) {
    if (skip("Z"))
      return true;
    if (skip("X"))
      return write("...");
    if (skip("Y"))
      return (IsFirst || write(", ")) && write("...");
    if (!IsFirst && !write(", "))
      return false;
    while (true) {
      StringRef Class = skip("M") ? "scope " : skip("Nk") ? "return " : "";
      if (Class.empty())
        break;
      if (!write(Class))
        return false;
    }
    bool Good = true;
    if (skip("I"))
      Good = write("in ") && (!skip("K") || write("ref "));
    else if (skip("J"))
      Good = write("out ");
    else if (skip("K"))
      Good = write("ref ");
    else if (skip("L"))
      Good = write("lazy ");
    if (!Good || !parseType())
      return false;
  }
}

bool DName::parseCallConvention() {
  char C = peek();
  if (!isCallConvention(C))
    return false;
  ++At;
  return write(C == 'U'   ? "extern(C) "
               : C == 'W' ? "extern(Windows) "
               : C == 'V' ? "extern(Pascal) "
               : C == 'R' ? "extern(C++) "
               : C == 'Y' ? "extern(Objective-C) "
                          : "");
}

/// The mangled order is attributes, parameters, type; the printed order is
/// type, parameters, attributes.
bool DName::parseFunctionType(StringRef Kind) {
  std::string Attributes, Arguments;
  return parseCallConvention() &&
         capture(Attributes, [&] { return parseAttributes(); }) &&
         capture(Arguments, [&] { return parseArguments(); }) && parseType() &&
         write("(") && write(Arguments) && write(") ") && write(Attributes) &&
         write(Kind);
}

bool DName::parseDelegate() {
  std::string Modifiers;
  if (!capture(Modifiers, [&] { return parseModifiers(); }))
    return false;
  size_t Target;
  if (peek() != 'Q')
    return parseFunctionType("delegate") && write(Modifiers);
  size_t Here = At;
  if (Here >= Reference || !parseBackReference(Target))
    return false;
  size_t Outer = std::exchange(Reference, Here);
  bool Good = parseAt(Target, [&] { return parseFunctionType("delegate"); });
  Reference = Outer;
  return Good && write(Modifiers);
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

bool DName::parseType() {
  if (!enter() || !parseTypeInner())
    return false;
  --Depth;
  return true;
}

bool DName::parseWrapped(StringRef Name) {
  return write(Name) && write("(") && parseType() && write(")");
}

/// Parses an array with a size, or with a key, which precedes the value's type.
bool DName::parseArray() {
  if (skip("A"))
    return parseType() && write("[]");
  uint64_t Size;
  if (skip("G"))
    return parseNumber(Size) && parseType() && write("[" + utostr(Size) + "]");
  ++At;
  std::string Key;
  return capture(Key, [&] { return parseType(); }) && parseType() &&
         write("[") && write(Key) && write("]");
}

bool DName::parseTuple() {
  uint64_t Count;
  if (!parseNumber(Count) || !write("Tuple!("))
    return false;
  for (uint64_t I = 0; I != Count; ++I)
    if ((I && !write(", ")) || !parseType())
      return false;
  return write(")");
}

static StringRef basicType(char C) {
  static constexpr StringLiteral Names[] = {
      "char",  "bool",         "creal",  "double",  "real",   "float",
      "byte",  "ubyte",        "int",    "ireal",   "uint",   "long",
      "ulong", "typeof(null)", "ifloat", "idouble", "cfloat", "cdouble",
      "short", "ushort",       "wchar",  "void",    "dchar"};
  return C >= 'a' && C <= 'w' ? StringRef(Names[C - 'a']) : StringRef();
}

bool DName::parseTypeInner() {
  if (StringRef Name = basicType(peek()); !Name.empty()) {
    ++At;
    return write(Name);
  }
  switch (char C = peek()) {
  case 'O':
  case 'x':
  case 'y':
    ++At;
    return parseWrapped(C == 'O' ? "shared" : C == 'x' ? "const" : "immutable");
  case 'N':
    if (skip("Nn"))
      return write("typeof(*null)");
    if (skip("Ng"))
      return parseWrapped("inout");
    return skip("Nh") && parseWrapped("__vector");
  case 'A':
  case 'G':
  case 'H':
    return parseArray();
  case 'P':
    ++At;
    if (isCallConvention(peek()))
      return parseFunctionType("function");
    return parseType() && write("*");
  case 'I':
  case 'C':
  case 'S':
  case 'E':
  case 'T':
    ++At;
    return parseQualified(/*WithModifiers=*/false);
  case 'D':
    ++At;
    return parseDelegate();
  case 'B':
    ++At;
    return parseTuple();
  case 'Q': {
    size_t Here = At, Target;
    if (Here >= Reference || !parseBackReference(Target))
      return false;
    size_t Outer = std::exchange(Reference, Here);
    bool Good = parseAt(Target, [&] { return parseType(); });
    Reference = Outer;
    return Good;
  }
  case 'z':
    return skip("zi") ? write("cent") : skip("zk") && write("ucent");
  default:
    return isCallConvention(C) && parseFunctionType("function");
  }
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

bool DName::parseInteger(char Type) {
  StringRef Digits = rest().take_while([](char C) { return isDigit(C); });
  uint64_t Value;
  if (Digits.empty())
    return false;
  At += Digits.size();
  if (Type == 'b')
    return write(Digits == "1" ? "true" : "false");
  if (Type == 'a' || Type == 'u' || Type == 'w') {
    if (Digits.getAsInteger(10, Value) || Value > UINT32_MAX)
      return false;
    if (Type == 'a' && Value >= 0x20 && Value < 0x7f)
      return write("'" + std::string(1, char(Value)) + "'");
    unsigned Width = Type == 'a' ? 2 : Type == 'u' ? 4 : 8;
    StringRef Escape = Type == 'a' ? "x" : Type == 'u' ? "u" : "U";
    std::string Hex = utohexstr(Value, /*LowerCase=*/true);
    if (Hex.size() < Width)
      Hex.insert(0, Width - Hex.size(), '0');
    return write("'\\" + Escape.str() + Hex + "'");
  }
  StringRef Suffix = StringRef("htk").contains(Type) ? "u"
                     : Type == 'l'                   ? "L"
                     : Type == 'm'                   ? "uL"
                                                     : "";
  return write(Digits) && write(Suffix);
}

/// A real number is in hexadecimal; N is the sign of the number and of the
/// exponent.
bool DName::parseReal() {
  if (skip("NAN"))
    return write("NaN");
  if (skip("INF"))
    return write("Inf");
  if (skip("NINF"))
    return write("-Inf");
  std::string Text = skip("N") ? "-0x" : "0x";
  StringRef Digits = rest().take_while([](char C) { return isHexDigit(C); });
  if (Digits.empty())
    return false;
  At += Digits.size();
  Text += (Digits.take_front() + "." + Digits.drop_front()).str();
  if (!skip("P"))
    return false;
  Text += skip("N") ? "p-" : "p";
  Digits = rest().take_while([](char C) { return isDigit(C); });
  At += Digits.size();
  return !Digits.empty() && write(Text) && write(Digits);
}

/// Parses the kind of character, the number of bytes, and two hexadecimal
/// digits for each.
bool DName::parseString() {
  char Kind = All[At++];
  uint64_t Size;
  if (!parseNumber(Size) || !skip("_") || Size > rest().size() / 2 ||
      !write("\""))
    return false;
  for (; Size; --Size, At += 2) {
    unsigned High = hexDigitValue(peek()), Low = hexDigitValue(peek(1));
    if (High > 15 || Low > 15)
      return false;
    char C = char(High * 16 + Low);
    std::string Text(1, C);
    if (size_t Escape = StringRef("\t\n\r\f\v").find(C);
        Escape != StringRef::npos)
      Text = {'\\', "tnrfv"[Escape]};
    else if (!isPrint(C))
      Text = "\\x" + rest().take_front(2).str();
    if (!write(Text))
      return false;
  }
  return write("\"") && (Kind == 'a' || write(StringRef(&Kind, 1)));
}

bool DName::parseList(StringRef Open, StringRef Close, bool HasKeys) {
  uint64_t Count;
  if (!parseNumber(Count) || !write(Open))
    return false;
  for (uint64_t I = 0; I != Count; ++I)
    if ((I && !write(", ")) ||
        (HasKeys && (!parseValue('\0', "") || !write(":"))) ||
        !parseValue('\0', ""))
      return false;
  return write(Close);
}

/// Parses a value of type \p TypeName, whose mangled form begins with \p Type.
bool DName::parseValue(char Type, StringRef TypeName) {
  if (!enter())
    return false;
  bool Good = false;
  if (skip("n"))
    Good = write("null");
  else if (skip("N"))
    Good = write("-") && parseInteger(Type);
  else if (skip("i") || isDigit(peek()))
    Good = parseInteger(Type);
  else if (skip("e"))
    Good = parseReal();
  else if (skip("c"))
    Good = parseReal() && write("+") && skip("c") && parseReal() && write("i");
  else if (peek() == 'a' || peek() == 'w' || peek() == 'd')
    Good = parseString();
  else if (skip("A"))
    Good = parseList("[", "]", /*HasKeys=*/Type == 'H');
  else if (skip("S"))
    Good = write(TypeName) && parseList("(", ")", /*HasKeys=*/false);
  else if (skip("f"))
    Good = parseMangled();
  Depth -= Good;
  return Good;
}

std::optional<std::string> demangleDName(StringRef Mangled, uint64_t Limit,
                                         bool IsShort) {
  return DName(Mangled, Limit).run(IsShort);
}

} // namespace lidia
