//===- MessageLine.h - Messages from one program to another -----*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_SUPPORT_MESSAGELINE_H
#define LIDIA_LIB_SUPPORT_MESSAGELINE_H

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include <string>

namespace lidia {

/// A line that llvm-lidia --messages=json prints: a JSON object.
struct MessageLine {
  /// The error that ended the program, or a warning.
  bool IsError = true;
  /// The file that the message is about; empty if unknown.
  std::string File;
  /// The message, which names the file.
  std::string Text;
  /// The number of warnings that this one represents.
  uint64_t Count = 1;

  void print(llvm::raw_ostream &OS) const {
    llvm::json::Object Object{{"kind", IsError ? "error" : "warning"},
                              {"text", llvm::json::fixUTF8(Text)},
                              {"count", int64_t(Count)}};
    if (!File.empty())
      Object["file"] = llvm::json::fixUTF8(File);
    OS << llvm::json::Value(std::move(Object)) << '\n';
  }

  /// Parses the message in \p Line. Any other line, such as one from a program
  /// that could not be started, becomes the text of an error.
  static MessageLine parse(llvm::StringRef Line) {
    llvm::Expected<llvm::json::Value> Value = llvm::json::parse(Line);
    const llvm::json::Object *Object = Value ? Value->getAsObject() : nullptr;
    if (!Value)
      llvm::consumeError(Value.takeError());
    MessageLine M;
    if (!Object) {
      M.Text = Line.str();
      return M;
    }
    M.IsError = Object->getString("kind") != llvm::StringRef("warning");
    M.File = Object->getString("file").value_or("").str();
    M.Text = Object->getString("text").value_or("").str();
    M.Count = uint64_t(Object->getInteger("count").value_or(1));
    return M;
  }
};

} // namespace lidia

#endif // LIDIA_LIB_SUPPORT_MESSAGELINE_H
