//===- MethodNames.h - Which functions are members of classes ---*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_EXPORT_METHODNAMES_H
#define LIDIA_LIB_EXPORT_METHODNAMES_H

#include "lidia/Archive/Archive.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include <string>

namespace lidia {

/// Tells methods of C++ from functions in namespaces, by their names alone. A
/// mangled name does not say what its scope is; but if any function of a scope
/// is a constructor, a destructor, const, or an operator that must be a member,
/// the scope is a class. So are scopes with template arguments, and lambdas.
class MethodNames {
public:
  /// Takes note of the function named \p Name. All functions must be added
  /// before the first question. Returns the bytes of a name that is new.
  size_t add(StringOffset Function, llvm::StringRef Name);

  /// Whether \p Function, which was added, is a method as far as is known.
  bool isMethod(StringOffset Function) const;

private:
  /// By the text of the scope: whether it is known to be a class.
  llvm::StringMap<bool> Scopes;
  llvm::DenseMap<StringOffset, const llvm::StringMapEntry<bool> *> ScopeOf;
};

} // namespace lidia

#endif // LIDIA_LIB_EXPORT_METHODNAMES_H
