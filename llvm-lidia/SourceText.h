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
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MemoryBuffer.h"
#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace lidia {

/// Reads the lines that lookup --print-source-context-lines prints.
///
/// LLVM's printers would open whatever an archive names: /dev/zero, which has
/// no end, or a pipe that nobody writes to. Only regular files of at most
/// MaxFile bytes are read here, and lines are cut after MaxLine bytes. Other
/// files give no lines.
///
/// The frames of one answer share what they have read, so that each file is
/// read once. A frame that would take the answer past MaxRead or MaxText has no
/// lines.
class SourceText {
public:
  static constexpr uint64_t MaxFile = 64 << 20;
  static constexpr size_t MaxLine = 4096;
  /// Bytes of files.
  static constexpr uint64_t MaxRead = 2 * MaxFile;
  /// Bytes of text, with a newline for each line before the first.
  static constexpr uint64_t MaxText = MaxFile;

  /// \p Lines lines are printed around each place; with zero nothing is read.
  SourceText(int Lines, TextForm Form) : Lines(Lines), Form(Form) {}

  /// Gives \p Info its source text: the lines that LLVM's printers choose, at
  /// their numbers, and empty ones in place of those before them.
  void addTo(llvm::DILineInfo &Info);

  /// How many places have no lines because the answer has so many already.
  uint64_t leftOut() const { return LeftOut; }

  /// Forgets all text that addTo() has given, and all files: people edit them
  /// between two answers.
  void clear();

private:
  /// A file, empty if it cannot be read.
  struct File {
    std::unique_ptr<llvm::MemoryBuffer> Buffer;
    /// Where each line begins.
    std::vector<uint32_t> Starts;
    /// It would be one too many.
    bool LeftOut = false;
    llvm::StringRef line(uint64_t Number) const;
  };

  const File &open(llvm::StringRef Path);
  std::string read(llvm::StringRef Path, uint64_t Line);
  void addLine(std::string &Text, llvm::StringRef Line) const;

  const int Lines;
  const TextForm Form;
  llvm::StringMap<File> Files;
  uint64_t BytesRead = 0;
  uint64_t BytesGiven = 0;
  uint64_t LeftOut = 0;
  /// Where DILineInfo::Source points to.
  std::deque<std::string> Texts;
};

} // namespace lidia

#endif // LLVM_LIDIA_SOURCETEXT_H
