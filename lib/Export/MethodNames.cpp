//===- MethodNames.cpp - Recognizes methods of classes --------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Export/MethodNames.h"
#include "lidia/Archive/ExportLimits.h"
#include "lidia/Symbolize/Names.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Demangle/Demangle.h"
#include <cstdlib>

using namespace llvm;

namespace lidia {

namespace {
struct ScopedName {
  std::string Scope;
  /// Whether the name proves that the scope is a class.
  bool IsOfClass = false;
  /// Whether it is a mangled name of a language whose names do not tell
  /// methods.
  bool IsOther = false;
  bool IsRustMethod = false;
};

/// The text that a function of ItaniumPartialDemangler allocates.
struct Allocated {
  ~Allocated() { std::free(Text); }
  StringRef str() const { return Text ? StringRef(Text) : StringRef(); }
  char *Text;
};
} // namespace

/// Whether an operator with this name must be a member. A conversion operator
/// must be one, too.
static bool isMemberOperator(StringRef Base) {
  if (!Base.consume_front("operator"))
    return false;
  return StringSwitch<bool>(Base)
      .Cases("=", "()", "[]", "->", true)
      .Default(Base.starts_with(" ") && !Base.starts_with(" new") &&
               !Base.starts_with(" delete"));
}

/// The part of \p Name before the last "::" that is not inside of brackets;
/// empty if there is none.
static StringRef enclosingScope(StringRef Name) {
  unsigned Depth = 0;
  for (size_t I = Name.size(); I-- > 1;) {
    if (StringRef(">)}]").contains(Name[I]))
      ++Depth;
    else if (StringRef("<({[").contains(Name[I]))
      Depth -= Depth != 0;
    else if (!Depth && Name[I] == ':' && Name[I - 1] == ':')
      return Name.take_front(I - 1);
  }
  return {};
}

/// Whether the last component of \p Scope shows that it is a class: it has
/// template arguments, or no name.
static bool looksLikeClass(StringRef Scope) {
  constexpr StringLiteral Endings[] = {">",
                                       "}",
                                       "'",
                                       "(anonymous class)",
                                       "(anonymous struct)",
                                       "(anonymous union)"};
  size_t Last = Scope.rfind("::");
  StringRef Name = Last == StringRef::npos ? Scope : Scope.drop_front(Last + 2);
  // Clang's name for a class without a name that other files cannot refer to.
  return Name.starts_with("$_") ||
         any_of(Endings, [&](StringRef E) { return Scope.ends_with(E); });
}

/// Reads a name that is not mangled, such as GCC's name of a static function:
/// "(anonymous namespace)::Class::operator+=".
static ScopedName readPlainName(StringRef Name) {
  ScopedName Result;
  // The brackets in the names of operators do not match.
  size_t At = Name.rfind("::operator");
  StringRef Scope =
      At == StringRef::npos ? enclosingScope(Name) : Name.take_front(At);
  if (Scope.empty())
    return Result;
  StringRef Base = Name.drop_front(Scope.size() + 2);
  StringRef Outer = enclosingScope(Scope);
  StringRef Class = Outer.empty() ? Scope : Scope.drop_front(Outer.size() + 2);
  Result.Scope = Scope.str();
  Result.IsOfClass =
      looksLikeClass(Scope) ||
      Base == Class.take_until([](char C) { return C == '<'; }) ||
      Base.starts_with("~") || isMemberOperator(Base);
  return Result;
}

/// Calls \p Visit with the name of each class without template arguments in a
/// demangled name, and with other words, none of which is a namespace.
static void visitClasses(StringRef Demangled,
                         function_ref<void(StringRef)> Visit) {
  constexpr StringLiteral Anonymous = "(anonymous namespace)";
  auto LengthAt = [&](size_t I) -> size_t {
    if (I < Demangled.size() &&
        (isAlnum(Demangled[I]) || StringRef("_$:").contains(Demangled[I])))
      return 1;
    return Demangled.substr(I).starts_with(Anonymous) ? Anonymous.size() : 0;
  };
  for (size_t I = 0; I < Demangled.size(); ++I) {
    size_t Start = I;
    while (size_t Length = LengthAt(I))
      I += Length;
    StringRef Word = Demangled.slice(Start, I);
    // Scopes of something that has no name, and the names in a class that has
    // template arguments.
    if (!Word.empty() && !Word.ends_with(":") && !Word.starts_with(":"))
      Visit(Word);
  }
}

/// Whether \p Type, "a::B<T> as c::D", names the implementation of a trait.
static bool hasTrait(StringRef Type) {
  unsigned Depth = 0;
  for (size_t I = 0; I != Type.size(); ++I) {
    if (StringRef("<([{").contains(Type[I]))
      ++Depth;
    else if (StringRef(">)]}").contains(Type[I]))
      Depth -= Depth != 0 && !Type.take_front(I).ends_with("-");
    else if (Depth == 0 && Type.substr(I).starts_with(" as "))
      return true;
  }
  return false;
}

/// Whether \p Name of Rust is that of a function in the implementation of a
/// type: "<a::B>::f", or "a::B::f" in the older mangling, where a capital tells
/// a type from a module (rustc warns about others). "<a::B as c::D>::f"
/// implements a trait, and no method of a type without a path ("<str>::f") is
/// one in DWARF.
static bool isRustMethodName(StringRef Name) {
  std::string Readable = readableName(Name);
  StringRef Type = enclosingScope(Readable);
  bool IsBracketed = Type.consume_front("<") && Type.consume_back(">");
  if (IsBracketed && hasTrait(Type))
    return false;
  auto [Scope, Last] =
      Type.take_until([](char C) { return C == '<'; }).rsplit("::");
  return !Scope.empty() && !Last.empty() &&
         (IsBracketed ? isAlnum(Scope.front()) : isUpper(Last.front()));
}

static ScopedName readName(StringRef Name,
                           function_ref<void(StringRef)> VisitClass) {
  ScopedName Result;
  if (!mayBeMangled(Name))
    return readPlainName(Name);
  if (isRustName(Name)) {
    Result.IsRustMethod = isRustMethodName(Name);
    return Result;
  }
  // The demangler keeps pointers into the text.
  std::string Mangled = Name.str();
  ItaniumPartialDemangler D;
  Result.IsOther = Name.starts_with("_D");
  if (!Name.starts_with("_Z") || !canDemangle(Name) ||
      D.partialDemangle(Mangled.c_str()))
    return Result;
  if (!D.isFunction())
    return Result;
  visitClasses(Allocated{D.finishDemangle(nullptr, nullptr)}.str(), VisitClass);
  Allocated Scope{D.getFunctionDeclContextName(nullptr, nullptr)};
  Result.Scope = Scope.str().str();
  if (Result.Scope.empty())
    return Result;
  Result.IsOfClass = D.isCtorOrDtor() || D.hasFunctionQualifiers() ||
                     looksLikeClass(Result.Scope);
  if (!Result.IsOfClass) {
    Allocated Base{D.getFunctionBaseName(nullptr, nullptr)};
    Result.IsOfClass = isMemberOperator(Base.str());
  }
  return Result;
}

MethodNames::MethodNames(const Archive &A) {
  const ExportLimits Limits(A);
  uint64_t Text = 0;
  for (uint64_t I = 0, E = A.rangeCount(); I < E; ++I)
    if (StringOffset Function = A.range(I).Function)
      if ((Text += add(Function, A.string(Function))) > Limits.text())
        return;
}

/// Records the function named \p Name. Returns the number of bytes stored for a
/// new name.
size_t MethodNames::add(StringOffset Function, StringRef Name) {
  auto [It, New] = ScopeOf.try_emplace(Function, nullptr);
  if (!New)
    return 0;
  size_t Stored = Name.size();
  ScopedName Read = readName(Name, [&](StringRef Class) {
    auto [Known, NewClass] = Scopes.try_emplace(Class, true);
    Known->second = true;
    if (NewClass)
      Stored += Class.size();
  });
  if (Read.IsOther)
    Others.insert(Function);
  if (Read.IsRustMethod)
    RustMethods.insert(Function);
  if (Read.Scope.empty())
    return Stored;
  auto &Scope = *Scopes.try_emplace(Read.Scope, false).first;
  Scope.second |= Read.IsOfClass;
  It->second = &Scope;
  return Stored;
}

/// Scopes further out are not looked at.
static constexpr unsigned MaxScopes = 64;

bool MethodNames::isMethod(StringOffset Function) const {
  if (isRustMethod(Function))
    return true;
  const StringMapEntry<bool> *Scope = ScopeOf.lookup(Function);
  if (!Scope)
    return false;
  if (Scope->second)
    return true;
  // No namespace is in a class or in a function. A crafted name could have any
  // number of scopes.
  unsigned Left = MaxScopes;
  for (StringRef Outer = enclosingScope(Scope->first());
       !Outer.empty() && Left-- != 0; Outer = enclosingScope(Outer))
    if (Scopes.lookup(Outer) || looksLikeClass(Outer) ||
        (Outer.ends_with(")") && !Outer.ends_with("(anonymous namespace)")))
      return true;
  return false;
}

} // namespace lidia
