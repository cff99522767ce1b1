//===- LogForms.h - Formats of addresses in logs ----------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_LOG_LOGFORMS_H
#define LIDIA_LIB_LOG_LOGFORMS_H

#include "lidia/Log/LogLine.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include <optional>

namespace lidia {

/// Reads "0x" and up to 16 digits at \p At of \p Line, and moves \p At to the
/// end of them. None if there are more digits.
std::optional<uint64_t> readHex(llvm::StringRef Line, size_t &At);

/// Moves \p At to the end of \p Text if the text is there.
inline bool skip(llvm::StringRef Line, size_t &At, llvm::StringRef Text) {
  if (!Line.substr(At).starts_with(Text))
    return false;
  At += Text.size();
  return true;
}

inline bool isFunctionNameChar(char C) {
  return llvm::isAlnum(C) || C == '_' || C == '.' || C == '$';
}

/// Whether \p Name is a path, or a name that only libraries have.
inline bool isModuleName(llvm::StringRef Name) {
  return Name.contains('/') || Name.ends_with(".so") || Name.contains(".so.");
}

/// The end of \p Text that can be a path. A path with spaces cannot be
/// distinguished from preceding words.
llvm::StringRef lastWord(llvm::StringRef Text);

llvm::SmallVector<uint8_t, 20> buildIDInLog(llvm::StringRef Digits);

/// The end of the group of parentheses that begins at \p Open; npos if it is
/// not closed.
size_t endOfGroup(llvm::StringRef Text, size_t Open);

/// The position of the space and \p Open, a bracket, before the path that ends
/// \p Text; npos if there is none.
size_t openOfPath(llvm::StringRef Text, char Open);

/// The address in \p Line if it is a frame of perf script. \p State is that of
/// the previous line, and becomes that of this line. An address without a
/// number means that the line is a frame without a usable address.
std::optional<LogAddress> parsePerfFrame(llvm::StringRef Line,
                                         LogLine::PerfState &State);

/// The address in a part of a line whose format has keywords of its own, such
/// as those of Android and valgrind (LogForms.cpp).
std::optional<LogAddress> parseOtherForm(llvm::StringRef Line);

/// The next line end that a logger has written in other characters ("\n" of
/// two) at or after \p From; empty, at the end of \p Line, if there is none.
LogSpan nextWrittenLineEnd(llvm::StringRef Line, size_t From);

/// The end of the part of \p Text that begins at \p Begin: each frame of a
/// stack begins a part, and so do others that have keywords of their own.
size_t endOfLogPart(llvm::StringRef Text, size_t Begin);

/// Whether \p Part is a native frame in Java's hs_err, "C  [a.so+0x12]  f+0x2"
/// or "V  [libjvm.so+0x12]".
bool isNativeJavaFrame(llvm::StringRef Part);

} // namespace lidia

#endif // LIDIA_LIB_LOG_LOGFORMS_H
