//===- MethodNames.h - Recognizes methods of classes ------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_EXPORT_METHODNAMES_H
#define LIDIA_EXPORT_METHODNAMES_H

#include "lidia/Archive/Archive.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringMap.h"
#include <string>

namespace lidia {

/// Distinguishes methods from functions in namespaces, by their names alone. A
/// mangled name does not say whether its scope is a class or a
/// namespace. But if any function of a scope is a constructor, a destructor,
/// const, or an operator that must be a member, the scope is a class. So is a
/// scope that is the type of a parameter or a template argument, has template
/// arguments or no name, or is in a class or a function. In Rust, functions in
/// the implementation of a type are methods, but not those in the
/// implementation of a trait for a type, as in rustc's DWARF.
class MethodNames {
public:
  MethodNames() = default;

  /// Reads the names of all functions of \p A, but no more text than an export
  /// may have (ExportLimits).
  explicit MethodNames(const Archive &A);

  /// Whether the names show that the function with the name at \p Function is a
  /// method.
  bool isMethod(StringOffset Function) const;

  /// Whether it is a method in Rust.
  bool isRustMethod(StringOffset Function) const {
    return RustMethods.contains(Function);
  }

  /// The same as isMethod(), but also true for functions of other languages
  /// (D), whose names show nothing.
  bool mayBeMethod(StringOffset Function) const {
    return isMethod(Function) || Others.contains(Function);
  }

private:
  size_t add(StringOffset Function, llvm::StringRef Name);

  /// Maps the text of each scope to whether it is known to be a class. Also has
  /// other words of the names, which are not namespaces.
  llvm::StringMap<bool> Scopes;
  llvm::DenseMap<StringOffset, const llvm::StringMapEntry<bool> *> ScopeOf;
  llvm::DenseSet<StringOffset> Others;
  llvm::DenseSet<StringOffset> RustMethods;
};

} // namespace lidia

#endif // LIDIA_EXPORT_METHODNAMES_H
