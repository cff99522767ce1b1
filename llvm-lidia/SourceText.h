//===- SourceText.h - Lines of source files around a place ------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLVM_LIDIA_SOURCETEXT_H
#define LLVM_LIDIA_SOURCETEXT_H

#include "lidia/Symbolize/Symbolizer.h"
#include <deque>
#include <string>

namespace lidia {

/// Reads the lines that lookup --print-source-context-lines prints.
///
/// LLVM's printers would open whatever an archive names: /dev/zero, which has
/// no end, or a pipe that nobody writes to. Only regular files of at most
/// MaxFile bytes are read here, and lines are cut after MaxLine bytes. Other
/// files give no lines.
class SourceText {
public:
  static constexpr uint64_t MaxFile = 64 << 20;
  static constexpr size_t MaxLine = 4096;

  /// \p Lines lines are printed around each place; with zero nothing is read.
  SourceText(int Lines, TextForm Form) : Lines(Lines), Form(Form) {}

  /// Gives \p Info its source text: the lines that LLVM's printers choose, at
  /// their numbers, and empty ones in place of those before them.
  void addTo(llvm::DILineInfo &Info);

  /// Forgets all text that addTo() has given.
  void clear() { Texts.clear(); }

private:
  std::string read(llvm::StringRef Path, uint64_t Line) const;
  void addLine(std::string &Text, llvm::StringRef Line) const;

  const int Lines;
  const TextForm Form;
  /// Where DILineInfo::Source points to.
  std::deque<std::string> Texts;
};

} // namespace lidia

#endif // LLVM_LIDIA_SOURCETEXT_H
