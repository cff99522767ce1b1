//===- MethodNames.cpp - Recognizes methods of classes --------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MethodNames.h"
#include "lidia/Symbolize/Names.h"
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

/// Reads a name that is not mangled, such as GCC's name of a static function:
/// "(anonymous namespace)::Class::operator+=".
static ScopedName readPlainName(StringRef Name) {
  ScopedName Result;
  size_t At = Name.rfind("::operator");
  if (At == StringRef::npos)
    At = Name.contains('<') ? StringRef::npos : Name.rfind("::");
  if (At == StringRef::npos)
    return Result;
  StringRef Scope = Name.take_front(At), Base = Name.drop_front(At + 2);
  size_t Last = Scope.rfind("::");
  StringRef Class =
      Last == StringRef::npos ? Scope : Scope.drop_front(Last + 2);
  Result.Scope = Scope.str();
  Result.IsOfClass =
      Base == Class || Base.starts_with("~") || isMemberOperator(Base);
  return Result;
}

static ScopedName readName(StringRef Name) {
  ScopedName Result;
  ItaniumPartialDemangler D;
  if (!mayBeMangled(Name))
    return readPlainName(Name);
  if (!Name.starts_with("_Z") || !canDemangle(Name) ||
      D.partialDemangle(Name.str().c_str()) || !D.isFunction())
    return Result;
  Allocated Scope{D.getFunctionDeclContextName(nullptr, nullptr)};
  Result.Scope = Scope.str().str();
  if (Result.Scope.empty())
    return Result;
  Result.IsOfClass = D.isCtorOrDtor() || D.hasFunctionQualifiers() ||
                     Scope.str().ends_with(">") || Scope.str().ends_with("}") ||
                     Scope.str().ends_with("'");
  if (!Result.IsOfClass) {
    Allocated Base{D.getFunctionBaseName(nullptr, nullptr)};
    Result.IsOfClass = isMemberOperator(Base.str());
  }
  return Result;
}

size_t MethodNames::add(StringOffset Function, StringRef Name) {
  auto [It, New] = ScopeOf.try_emplace(Function, nullptr);
  if (!New)
    return 0;
  ScopedName Read = readName(Name);
  if (Read.Scope.empty())
    return Name.size();
  auto &Scope = *Scopes.try_emplace(Read.Scope, false).first;
  Scope.second |= Read.IsOfClass;
  It->second = &Scope;
  return Name.size();
}

bool MethodNames::isMethod(StringOffset Function) const {
  const StringMapEntry<bool> *Scope = ScopeOf.lookup(Function);
  return Scope && Scope->second;
}

} // namespace lidia
