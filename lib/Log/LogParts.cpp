//===- LogParts.cpp - The lines and frames in a line of a log -------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LogForms.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace lidia {

//===----------------------------------------------------------------------===//
// Line ends in other characters
//===----------------------------------------------------------------------===//

/// The size of the line end that begins \p Text, with any number of
/// backslashes:
/// "\n", "\r\n", "\u000a"; zero if there is none. A text in a text has two.
static size_t sizeWithBackslashes(StringRef Text) {
  size_t Count = Text.take_while([](char C) { return C == '\\'; }).size();
  StringRef Backslashes = Text.take_front(Count);
  StringRef Rest = Text.drop_front(Count);
  if (Rest.consume_front("r") && !Rest.consume_front(Backslashes))
    return 0;
  bool IsLineEnd = Rest.consume_front("n") || Rest.consume_front("u000a") ||
                   Rest.consume_front("u000A");
  return Count && IsLineEnd ? Text.size() - Rest.size() : 0;
}

LogSpan nextWrittenLineEnd(StringRef Line, size_t From) {
  while ((From = Line.find_first_of("\\#%", From)) != StringRef::npos) {
    StringRef Rest = Line.substr(From);
    size_t Size = sizeWithBackslashes(Rest);
    if (Size == 0)
      // Of rsyslog, and of commands of continuous integration.
      for (StringRef Form : {"#015#012", "#012", "%0D%0A", "%0A"})
        if (Rest.starts_with(Form) && Size == 0)
          Size = Form.size();
    if (Size != 0)
      return {From, From + Size};
    From += std::max<size_t>(
        Rest.take_while([](char C) { return C == '\\'; }).size(), 1);
  }
  return {Line.size(), Line.size()};
}

//===----------------------------------------------------------------------===//
// Frames
//===----------------------------------------------------------------------===//

bool isNativeJavaFrame(StringRef Part) {
  return Part.starts_with("C  [") || Part.starts_with("V  [");
}

/// Whether the text after a number says that it numbers a frame: "# 0x" of
/// Boost, ": 0x" of Node.js and Rust, ": /" of Xorg.
static bool isAfterNumber(StringRef Text) {
  if (Text.starts_with("# 0x"))
    return true;
  if (!Text.consume_front(": "))
    return false;
  Text = Text.ltrim(' ');
  return Text.starts_with("0x") || Text.starts_with("/");
}

/// Whether \p Text begins with the address in a message of the kernel about a
/// program.
static bool isTrap(StringRef Text) {
  return (Text.consume_front(" ip ") || Text.consume_front(" ip:")) &&
         !Text.empty() && isHexDigit(Text.front());
}

/// Whether a frame, or another part of a report, begins at \p At of \p Text.
static bool isPartBegin(StringRef Text, size_t At) {
  StringRef Before = Text.take_front(At);
  StringRef Rest = Text.substr(At);
  if (Rest.front() == ' ')
    return Rest.starts_with("  Binary file ") || isTrap(Rest);
  // A tab may be written as "\t", too.
  bool IsInWord = !Before.empty() && !Before.ends_with("\\t") &&
                  (isFunctionNameChar(Before.back()) || Before.back() == '/');
  if (IsInWord)
    return false;
  if (isDigit(Rest.front())) {
    StringRef After = Rest.ltrim("0123456789");
    return Rest.size() - After.size() <= 6 && !Before.ends_with(":") &&
           !Before.ends_with("#") && isAfterNumber(After);
  }
  if (Rest.consume_front("#")) {
    StringRef After = Rest.ltrim("0123456789");
    size_t Digits = Rest.size() - After.size();
    return Digits != 0 && Digits <= 6 &&
           (After.starts_with(" ") || After.starts_with(": "));
  }
  if (Rest.consume_front("=="))
    return isDigit(Rest.empty() ? ' ' : Rest.front()) &&
           Rest.ltrim("0123456789").starts_with("==");
  if (Rest.consume_front("@ "))
    return !Before.ends_with("PC: ") &&
           isHexDigit(Rest.ltrim(' ').empty() ? ' ' : Rest.ltrim(' ').front());
  return Rest.starts_with("SUMMARY: ") || Rest.starts_with("[signal ") ||
         Rest.starts_with("PC: @ ") || isNativeJavaFrame(Rest);
}

size_t endOfLogPart(StringRef Text, size_t Begin) {
  constexpr StringRef Wasm = ":wasm-function[";
  // Only these characters begin a part.
  constexpr StringRef First = "#=@SP[CV:";
  for (size_t I = Begin + 1; I < Text.size(); ++I) {
    char C = Text[I];
    char Last = Text[I - 1];
    bool MayBegin = isDigit(C) ? !isAlnum(Last) || Last == 't'
                    : C == ' ' ? Text.substr(I + 1, 1) == " " ||
                                     Text.substr(I + 1, 1) == "i"
                               : First.contains(C);
    if (!MayBegin)
      continue;
    // An engine of WebAssembly may print all frames in one line.
    if (Text.substr(I).starts_with(Wasm))
      return std::min(Text.find_first_of(" )", I), Text.size());
    if (isPartBegin(Text, I))
      return I;
  }
  return Text.size();
}

} // namespace lidia
