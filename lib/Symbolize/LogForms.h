//===- LogForms.h - Parts and forms of lines of logs ------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_SYMBOLIZE_LOGFORMS_H
#define LIDIA_LIB_SYMBOLIZE_LOGFORMS_H

#include "lidia/Symbolize/LogLine.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include <optional>

namespace lidia {

/// Reads "0x" and up to 16 digits at \p At of \p Line and moves \p At after
/// them; with more digits there is no number.
std::optional<uint64_t> readHex(llvm::StringRef Line, size_t &At);

/// Moves \p At after \p Text if it is there.
inline bool skip(llvm::StringRef Line, size_t &At, llvm::StringRef Text) {
  if (!Line.substr(At).starts_with(Text))
    return false;
  At += Text.size();
  return true;
}

inline bool isFunctionNameChar(char C) {
  return llvm::isAlnum(C) || C == '_' || C == '.' || C == '$';
}

/// A path, or a name without a folder that only libraries have.
inline bool isModuleName(llvm::StringRef Name) {
  return Name.contains('/') || Name.ends_with(".so") || Name.contains(".so.");
}

/// The end of \p Text that can be a path. Paths with spaces cannot be told from
/// the words before them.
llvm::StringRef lastWord(llvm::StringRef Text);

llvm::SmallVector<uint8_t, 20> buildIDInLog(llvm::StringRef Digits);

/// The address of a line that has one, in a form with words of its own: those
/// of Android, valgrind and others (LogForms.cpp). \p State is that of the line
/// before, and becomes that of this one. An address without a number means that
/// the line is such a form and says nothing.
std::optional<LogAddress> parseOtherForm(llvm::StringRef Line,
                                         LogLine::PerfState &State);

} // namespace lidia

#endif // LIDIA_LIB_SYMBOLIZE_LOGFORMS_H
