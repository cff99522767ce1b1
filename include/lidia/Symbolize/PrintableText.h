//===- PrintableText.h - Text from files, shown to people -------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_SYMBOLIZE_PRINTABLETEXT_H
#define LIDIA_SYMBOLIZE_PRINTABLETEXT_H

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/raw_ostream.h"
#include <string>

namespace lidia {

// A name or path of a file from anywhere can hold anything: an escape sequence
// that a terminal obeys, a newline behind which a line of ours seems to follow,
// a character that turns the direction of what comes after it. What is printed
// for people, or for programs that read lines, has each byte of these as
// "\x1b":
//
//  - control characters: C0 with tab and newline, DEL, C1 (U+0080 to U+009F);
//  - the line and paragraph separators U+2028 and U+2029;
//  - the bidirectional controls U+061C, U+200E, U+200F, U+202A to U+202E and
//    U+2066 to U+2069;
//  - bytes that are not UTF-8, of which a terminal takes some for C1 controls.
//
// JSON has the same characters as "\u001b", which is what they were for who
// reads it. It has no bytes that are not UTF-8.
//
// All else stays as it is, backslashes too: in a name with a backslash it
// cannot be told what was there before.

/// Whether escapeText() would leave \p Text as it is. Costs a pass over eight
/// bytes at a time for ASCII.
bool isPrintableText(llvm::StringRef Text);

/// \p Text with what people should not get escaped.
std::string escapeText(llvm::StringRef Text);

/// Prints escapeText(\p Text).
void printText(llvm::raw_ostream &OS, llvm::StringRef Text);

/// A stream for JSON, which may be looked at on a terminal, too: escapes within
/// strings what escapeText() would, as JSON does. Writers of JSON only escape
/// C0. Passes on to \p OS what it gets up to the last flush() or its end.
class JSONEscaper final : public llvm::raw_ostream {
public:
  explicit JSONEscaper(llvm::raw_ostream &OS) : OS(OS) {}
  ~JSONEscaper() override { flush(); }

private:
  void write_impl(const char *Data, size_t Size) override;
  uint64_t current_pos() const override { return OS.tell(); }

  llvm::raw_ostream &OS;
  /// The beginning of a character that the next bytes end.
  std::string Begun;
};

} // namespace lidia

#endif // LIDIA_SYMBOLIZE_PRINTABLETEXT_H
