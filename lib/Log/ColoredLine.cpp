//===- ColoredLine.cpp - A line of text and its colors --------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Log/ColoredLine.h"

using namespace llvm;

namespace lidia {

/// The size of the control sequence at the beginning of \p Text, or zero.
static size_t sizeOfCode(StringRef Text) {
  if (!Text.starts_with("\x1b["))
    return 0;
  // Parameters and intermediate bytes, then the final byte.
  size_t End = 2;
  while (End < Text.size() && Text[End] >= ' ' && Text[End] <= '?')
    ++End;
  return End < Text.size() && Text[End] >= '@' && Text[End] <= '~' ? End + 1
                                                                   : 0;
}

void ColoredLine::set(StringRef Line) {
  Codes.clear();
  Text = Line;
  size_t Escape = Line.find('\x1b');
  if (Escape == StringRef::npos)
    return;
  Buffer.clear();
  while (Escape != StringRef::npos) {
    size_t Size = sizeOfCode(Line.substr(Escape));
    Buffer += Line.take_front(Size ? Escape : Escape + 1);
    if (Size)
      Codes.push_back({Buffer.size(), Line.substr(Escape, Size)});
    Line = Line.drop_front(Escape + std::max<size_t>(Size, 1));
    Escape = Line.find('\x1b');
  }
  Buffer += Line;
  if (!Codes.empty())
    Text = Buffer;
}

} // namespace lidia
