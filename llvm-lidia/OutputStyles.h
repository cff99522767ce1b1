//===- OutputStyles.h - The styles of answers -------------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLVM_LIDIA_OUTPUTSTYLES_H
#define LLVM_LIDIA_OUTPUTSTYLES_H

#include "lidia/Output/AnswerPrinter.h"

namespace lidia {

/// A value of --output-style=. OutputStyles.cpp has the table of all values.
struct OutputStyle {
  llvm::StringLiteral Name;
  TextForm Text;
  /// Of several functions, addr2line names the innermost if it shows only one.
  bool InnermostAlone = false;
  /// Text in the layout of addr2line instead of llvm-symbolizer.
  bool GNULayout = false;
  JSONSchema Schema = JSONSchema::LLVM;

  bool isJSON() const { return Text == TextForm::UTF8; }
};

/// The style of --format=json.
constexpr OutputStyle OwnJSONStyle = {"json", TextForm::UTF8,
                                      /*InnermostAlone=*/false,
                                      /*GNULayout=*/false, JSONSchema::Own};

/// All styles. The first is the default.
llvm::ArrayRef<OutputStyle> outputStyles();

} // namespace lidia

#endif // LLVM_LIDIA_OUTPUTSTYLES_H
