//===- LineReader.h - Lines of standard input as they arrive ----*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLVM_LIDIA_LINEREADER_H
#define LLVM_LIDIA_LINEREADER_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>

namespace lidia {

/// Reads lines from a file descriptor.
///
/// A program may use the tool as a co-process: it writes one line and waits for
/// the answer. Another may pipe a file into it and want all answers fast. To
/// serve both, answers are flushed only when the next line has not arrived yet:
/// \p BeforeWait is called before each read, the only place where the tool can
/// block.
class LineReader {
public:
  /// \p BeforeWait must outlive the reader.
  LineReader(int FD, llvm::function_ref<void()> BeforeWait)
      : FD(FD), BeforeWait(BeforeWait) {}

  /// The next line, without its end; none at the end of the input. Valid until
  /// the next call. A line longer than MaxLine is returned in pieces of that
  /// size.
  std::optional<llvm::StringRef> next();

  /// The same without carriage returns, and without anything after a NUL, as
  /// tools in C read lines.
  std::optional<llvm::StringRef> nextText();

private:
  static constexpr size_t ReadSize = 64 * 1024;
  static constexpr size_t MaxLine = 1024 * 1024;

  bool fill();

  const int FD;
  llvm::function_ref<void()> BeforeWait;
  std::string Buffer;
  std::string Cleaned;
  size_t Begin = 0;
};

/// Reads standard input to its end (LineReader::nextText). Calls \p Answer with
/// all lines that can be read without waiting, at most about \p MaxLines, and
/// flushes standard output whenever the next line has not arrived yet. Many
/// lines are answered faster together than one by one.
void readLineGroups(
    size_t MaxLines,
    llvm::function_ref<void(llvm::ArrayRef<std::string>)> Answer);

} // namespace lidia

#endif // LLVM_LIDIA_LINEREADER_H
