//===- ColoredLine.h - A line of text and its colors ------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LOG_COLOREDLINE_H
#define LIDIA_LOG_COLOREDLINE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace lidia {

/// A line of text, split into the text that a terminal shows and the control
/// sequences (ECMA-48: "ESC [", parameters, a letter) that color it.
class ColoredLine {
public:
  struct Code {
    /// The offset in text() before which the sequence stands.
    size_t At = 0;
    /// The sequence, which points into the line.
    llvm::StringRef Bytes;
  };

  /// Splits \p Line, which must outlive the results of the other functions.
  /// Incomplete sequences stay part of the text.
  void set(llvm::StringRef Line);

  /// The line without the sequences. Valid until set() is called again.
  llvm::StringRef text() const { return Text; }
  /// The sequences, in the order of the line.
  llvm::ArrayRef<Code> codes() const { return Codes; }

private:
  /// The line itself if it has no sequences, otherwise in Buffer.
  llvm::StringRef Text;
  std::string Buffer;
  std::vector<Code> Codes;
};

} // namespace lidia

#endif // LIDIA_LOG_COLOREDLINE_H
