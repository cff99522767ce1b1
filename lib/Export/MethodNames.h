//===- MethodNames.h - Recognizes methods of classes ------------*- C++ -*-===//
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

/// Distinguishes C++ methods from functions in namespaces, by their names
/// alone. A mangled name does not say whether its scope is a class or a
/// namespace. But if any function of a scope is a constructor, a destructor,
/// const, or an operator that must be a member, the scope is a class. Scopes
/// with template arguments and lambdas are classes, too.
class MethodNames {
public:
  /// Records the function named \p Name. All functions must be added before the
  /// first call of isMethod(). Returns the number of bytes stored for a new
  /// name.
  size_t add(StringOffset Function, llvm::StringRef Name);

  /// Whether the names show that \p Function, which was added, is a method.
  bool isMethod(StringOffset Function) const;

private:
  /// Maps the text of each scope to whether it is known to be a class.
  llvm::StringMap<bool> Scopes;
  llvm::DenseMap<StringOffset, const llvm::StringMapEntry<bool> *> ScopeOf;
};

} // namespace lidia

#endif // LIDIA_LIB_EXPORT_METHODNAMES_H
