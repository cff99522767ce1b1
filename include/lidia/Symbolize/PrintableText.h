//===- PrintableText.h - Escapes untrusted text for printing ----*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_SYMBOLIZE_PRINTABLETEXT_H
#define LIDIA_SYMBOLIZE_PRINTABLETEXT_H

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/raw_ostream.h"
#include <string>

namespace lidia {

// A name or path in an untrusted file can contain anything: a terminal escape
// sequence, a newline followed by a forged line of output, a character that
// reverses the direction of the following text. In output for people, or for
// programs that read lines, each byte of the following is printed in the form
// "\x1b":
//
//  - control characters: C0 with tab and newline, DEL, C1 (U+0080 to U+009F);
//  - the line and paragraph separators U+2028 and U+2029;
//  - the bidirectional controls U+061C, U+200E, U+200F, U+202A to U+202E and
//    U+2066 to U+2069;
//  - bytes that are not UTF-8, some of which terminals interpret as C1
//    controls.
//
// In JSON, the same characters are escaped as "\u001b", from which a reader
// recovers them. JSON cannot contain bytes that are not UTF-8.
//
// Everything else is unchanged, including backslashes, so a name with a
// backslash is ambiguous.

/// "0x" and \p Value in hexadecimal digits.
inline std::string hex(uint64_t Value) {
  return "0x" + llvm::utohexstr(Value, /*LowerCase=*/true);
}

/// Whether escapeText() would leave \p Text as it is. Processes ASCII eight
/// bytes at a time.
bool isPrintableText(llvm::StringRef Text);

/// \p Text with unprintable characters escaped.
std::string escapeText(llvm::StringRef Text);

/// Prints escapeText(\p Text).
void printText(llvm::raw_ostream &OS, llvm::StringRef Text);

/// The same for a line of source, in which tabs are allowed.
void printSourceLine(llvm::raw_ostream &OS, llvm::StringRef Line);

/// A stream for JSON, which may also be viewed on a terminal: within strings,
/// escapes in JSON syntax the characters that escapeText() escapes. (JSON
/// writers escape only C0.) Output reaches \p OS at each flush() and at
/// destruction.
class JSONEscaper final : public llvm::raw_ostream {
public:
  explicit JSONEscaper(llvm::raw_ostream &TheOS) : OS(TheOS) {}
  ~JSONEscaper() override { flush(); }

private:
  void write_impl(const char *Data, size_t Size) override;
  uint64_t current_pos() const override { return OS.tell(); }

  llvm::raw_ostream &OS;
  /// The beginning of a character that is not complete yet.
  std::string Begun;
};

} // namespace lidia

#endif // LIDIA_SYMBOLIZE_PRINTABLETEXT_H
