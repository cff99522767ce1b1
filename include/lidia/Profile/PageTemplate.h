//===- PageTemplate.h - HTML pages from templates ---------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_PROFILE_PAGETEMPLATE_H
#define LIDIA_PROFILE_PAGETEMPLATE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"
#include <string>

namespace lidia {

/// Writes \p Template, an HTML page, and calls \p Fill in place of each
/// "{{NAME}}" in it.
void fillTemplate(llvm::StringRef Template, llvm::raw_ostream &OS,
                  llvm::function_ref<void(llvm::StringRef Name)> Fill);

/// The content security policy of a page that has the style and the script of
/// each of \p Templates, which it allows by their hashes (SHA-256), and nothing
/// else but what the directives \p More allow. There must be no "{{" in styles
/// and scripts.
std::string contentPolicy(llvm::ArrayRef<llvm::StringRef> Templates,
                          llvm::StringRef More = "");

} // namespace lidia

#endif // LIDIA_PROFILE_PAGETEMPLATE_H
