//===- Names.cpp - Demangled and short function names ---------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Symbolize/Names.h"
#include "NameCost.h"
#include "OlderRustNames.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Demangle/Demangle.h"
#include <cstdlib>
#include <memory>
#include <optional>

using namespace llvm;

namespace lidia {

bool canDemangle(StringRef Name) {
  if (Name.size() > MaxMangled)
    return false;
  uint64_t Limit = maxDemanglingWork(Name.size());
  if (Name.starts_with("?"))
    return isMicrosoftNameWithin(Name, MaxDemangled);
  Name.consume_front(".");
  if (Name.starts_with("_R"))
    return isRustNameWithin(Name, Limit);
  if (Name.starts_with("_D"))
    return isDNameWithin(Name, Limit);
  size_t Start = Name.find("_Z");
  return Start == StringRef::npos ||
         isItaniumNameWithinLimit(Name.substr(Start));
}

namespace {
struct Free {
  void operator()(char *P) const { std::free(P); }
};
} // namespace

/// Like llvm-symbolizer: the name and the types of the parameters.
static bool demangleMicrosoftTo(std::string &Result, StringRef Name) {
  if (!canDemangle(Name))
    return false;
  constexpr auto Flags =
      MSDemangleFlags(MSDF_NoAccessSpecifier | MSDF_NoCallingConvention |
                      MSDF_NoMemberType | MSDF_NoReturnType);
  int Status = demangle_success;
  std::unique_ptr<char, Free> Text(
      microsoftDemangle(std::string_view(Name.data(), Name.size()),
                        /*NMangled=*/nullptr, &Status, Flags));
  if (!Text || Status != demangle_success)
    return false;
  Result = Text.get();
  return true;
}

static bool demangleTo(std::string &Result, StringRef Name,
                       bool ParseParams = true) {
  if (Name.starts_with("?"))
    return demangleMicrosoftTo(Result, Name);
  if (Name.starts_with("_Z")) {
    std::optional<std::string> Text;
    if (Name.size() <= MaxMangled)
      Text = demangleItaniumName(Name, ParseParams);
    if (Text)
      Result = std::move(*Text);
    return Text.has_value();
  }
  // LLVM's demangler of D names reads up to a NUL byte, which need not follow a
  // string in an archive.
  return canDemangle(Name) &&
         nonMicrosoftDemangle(Name.str(), Result, /*CanHaveLeadingDot=*/true,
                              ParseParams);
}

/// The suffix of a PLT stub's name.
static constexpr StringRef PLT = "@plt";

/// Whether \p Name is an Itanium name from its beginning to its end.
static bool isWholeItaniumName(StringRef Name) {
  return Name.size() <= MaxMangled && canDemangle(Name) &&
         !ItaniumPartialDemangler().partialDemangle(Name.str().c_str());
}

StringRef withoutCloneSuffix(StringRef Name) {
  // A legacy name of Rust has any number of dots before its hash.
  size_t Hash = Name.rfind("17h");
  size_t Dot = Hash == StringRef::npos ? 0 : Hash;
  constexpr unsigned MaxDots = 8;
  for (unsigned I = 0; I != MaxDots; ++I) {
    Dot = Name.find('.', Dot + 1);
    StringRef Stem = Name.take_front(Dot);
    if (Dot == StringRef::npos || !Name.starts_with("_Z") ||
        isWholeItaniumName(Stem))
      return Stem;
  }
  return Name;
}

/// \p Name without the suffix that LLVM gives to the functions that it makes
/// global when it optimizes a whole program of Rust.
static StringRef withoutRustSuffix(StringRef Name) {
  auto [Stem, Suffix] = Name.split(".llvm.");
  bool IsSuffix =
      Name.starts_with("_R") && !Suffix.empty() && all_of(Suffix, isHexDigit);
  return IsSuffix ? Stem : Name;
}

std::string demangleName(StringRef Name, OlderRust Rust) {
  bool IsStub = Name.consume_back(PLT);
  if (Rust != OlderRust::AsCXX)
    Name = withoutRustSuffix(Name);
  std::string Result;
  // Names that LLVM's demanglers do not support.
  std::optional<std::string> Ours;
  if (Rust != OlderRust::AsCXX && Name.size() <= MaxMangled)
    Ours = Name.starts_with("_D")
               ? demangleDName(Name, maxDemanglingWork(Name.size()),
                               /*IsShort=*/false)
               : demangleOlderRustName(Name, Rust == OlderRust::WithHash);
  if (Ours)
    Result = std::move(*Ours);
  else if (!mayBeMangled(Name) || !demangleTo(Result, Name))
    Result = Name.str();
  if (IsStub)
    Result += PLT;
  return Result;
}

bool isUnreadableInLLDB(StringRef Name) {
  // As in Mangled::GetManglingScheme(). LLDB does not demangle Swift's names.
  constexpr llvm::StringLiteral Swift[] = {
      "_TtC", "_TtGC", "_TtP", "$S", "_$S", "$s", "_$s", "@__swiftmacro_"};
  constexpr llvm::StringLiteral Demangled[] = {"_Z", "___Z", "_R", "?"};
  auto BeginsName = [&](StringRef Prefix) { return Name.starts_with(Prefix); };
  if (any_of(Swift, BeginsName))
    return true;
  StringRef OfD = Name;
  bool IsD = Name == "_Dmain" ||
             (OfD.consume_front("_D") && !OfD.empty() && isDigit(OfD.front()));
  std::string Text;
  return (IsD || any_of(Demangled, BeginsName)) && !demangleTo(Text, Name);
}

std::string withReadableStub(StringRef Name) {
  bool IsMangled = Name.ends_with(PLT) && mayBeMangled(Name);
  return IsMangled ? demangleName(Name, OlderRust::AsCXX) : Name.str();
}

bool isRustName(StringRef Name) {
  return Name.starts_with("_R") ||
         (Name.size() <= MaxMangled &&
          demangleOlderRustName(Name, /*WithHash=*/false));
}

/// Whether \p Part is the hash at the end of a legacy Rust name: 'h' and
/// sixteen hexadecimal digits.
static bool isRustHash(StringRef Part) {
  return Part.size() == 17 && Part.consume_front("h") &&
         all_of(Part, isHexDigit);
}

/// The start of the last component of the scoped \p Name, after the last "::"
/// outside any bracket.
static size_t lastComponent(StringRef Name) {
  size_t Start = 0;
  unsigned Depth = 0;
  for (size_t I = 0; I < Name.size(); ++I) {
    switch (Name[I]) {
    case '<':
    case '(':
    case '[':
    case '{':
      ++Depth;
      break;
    case '>':
      // Not that of "fn() -> T".
      if (I != 0 && Name[I - 1] == '-')
        break;
      [[fallthrough]];
    case ')':
    case ']':
    case '}':
      Depth -= Depth != 0;
      break;
    case '\'':
      // A character: '>'.
      if (Name.substr(I + 2).starts_with("'"))
        I += 2;
      break;
    case ':':
      if (Depth || !Name.substr(I).starts_with("::"))
        break;
      Start = ++I + 1;
      // An operator's own brackets need not balance.
      if (Name.substr(Start).starts_with("operator") &&
          !isAlnum(Name.substr(Start + 8).take_front(1).empty()
                       ? '\0'
                       : Name[Start + 8]))
        return Start;
      break;
    }
  }
  return Start;
}

static std::string shortScopedName(StringRef Name) {
  if (Name.starts_with("operator"))
    return Name.str();
  StringRef Last = Name.substr(lastComponent(Name));
  if (isRustHash(Last) && Last.size() + 2 <= Name.size()) {
    Name = Name.drop_back(Last.size() + 2);
    Last = Name.substr(lastComponent(Name));
  }
  return Last.str();
}

/// The same for a demangled name in Rust's newer mangling. It has
/// "a::f::<int>", where DWARF has "f<int>".
static std::string shortRustName(StringRef Name) {
  StringRef Last = Name.substr(lastComponent(Name));
  if (!Last.starts_with("<") || Last.size() + 2 >= Name.size())
    return Last.str();
  StringRef Generic = Name.drop_back(Last.size() + 2);
  return (Generic.substr(lastComponent(Generic)) + Last).str();
}

/// Removes "[abi:...]" tags, which names in DWARF do not have.
static void dropABITags(std::string &Name) {
  for (size_t At; (At = Name.find("[abi:")) != std::string::npos;) {
    size_t End = Name.find(']', At);
    if (End == std::string::npos)
      return;
    Name.erase(At, End - At + 1);
  }
}

/// The short name of a function with an Itanium name; none for other entities
/// (thunks, guards) and other names.
static std::optional<std::string> shortItaniumName(StringRef Name) {
  // With a clone's suffix, the name would parse as a special one.
  std::string Mangled = withoutCloneSuffix(Name).str();
  ItaniumPartialDemangler Demangler;
  if (Demangler.partialDemangle(Mangled.c_str()) || !Demangler.isFunction())
    return std::nullopt;
  std::unique_ptr<char, Free> Full(Demangler.getFunctionName(nullptr, nullptr));
  std::unique_ptr<char, Free> Scope(
      Demangler.getFunctionDeclContextName(nullptr, nullptr));
  if (!Full)
    return std::nullopt;
  StringRef Short(Full.get());
  StringRef Last = Short;
  if (Scope && *Scope && Last.consume_front(Scope.get()) &&
      Last.consume_front("::"))
    Short = Last;
  if (isRustHash(Short))
    return shortScopedName(Full.get());
  std::string Result = Short.str();
  dropABITags(Result);
  return Result;
}

/// The demangled Microsoft name \p Text without parameters.
static StringRef withoutParameters(StringRef Text) {
  size_t Depth = 0;
  for (size_t I = Text.rfind(')') + 1; I-- > 0;) {
    Depth += Text[I] == ')';
    Depth -= Text[I] == '(';
    if (Depth == 0)
      return Text.take_front(I);
  }
  return Text;
}

static std::string shortFunctionName(StringRef Name, OlderRust Rust) {
  if (!mayBeMangled(Name))
    return shortScopedName(Name);
  if (Rust != OlderRust::AsCXX && Name.starts_with("_D") &&
      Name.size() <= MaxMangled)
    if (auto Short = demangleDName(Name, maxDemanglingWork(Name.size()),
                                   /*IsShort=*/true))
      return *Short;
  if (!canDemangle(Name))
    return Name.str();
  if (Rust != OlderRust::AsCXX)
    if (auto Older = demangleOlderRustName(Name, /*WithHash=*/false))
      return shortScopedName(*Older);
  if (Name.starts_with("_Z"))
    if (std::optional<std::string> Short = shortItaniumName(Name))
      return *Short;
  std::string Demangled;
  if (!demangleTo(Demangled, Name, /*ParseParams=*/false))
    return Name.str();
  if (Name.starts_with("_R"))
    return shortRustName(Demangled);
  if (Name.starts_with("?"))
    return shortScopedName(withoutParameters(Demangled));
  if (Name.starts_with("_D"))
    return StringRef(Demangled)
        .substr(StringRef(Demangled).rfind('.') + 1)
        .str();
  return shortScopedName(Demangled);
}

std::string shortName(StringRef Name, OlderRust Rust) {
  bool IsStub = Name.consume_back(PLT);
  std::string Result = shortFunctionName(withoutRustSuffix(Name), Rust);
  if (IsStub)
    Result += PLT;
  return Result;
}

std::string pieceName(StringRef Name) {
  constexpr StringRef Suffix = ".cold";
  return Name.ends_with(Suffix) ? Name.str() : (Name + Suffix).str();
}

} // namespace lidia
