//===- FramePrinter.cpp - Prints frames, fast -----------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Symbolize/FramePrinter.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace lidia {

void FramePrinter::printNumber(uint32_t Number) {
  char Buffer[10];
  char *const End = Buffer + sizeof(Buffer);
  char *P = End;
  do
    *--P = char('0' + Number % 10);
  while (Number /= 10);
  OS.write(P, size_t(End - P));
}

static StringRef orUnknown(StringRef Text) {
  return Text.empty() ? DILineInfo::Addr2LineBadString : Text;
}

void FramePrinter::print(const Frame &F, StringRef Name, StringRef Path,
                         bool Inlined) {
  if (Options.Functions) {
    if (Options.Pretty && Inlined)
      OS << " (inlined by) ";
    OS << orUnknown(Name) << (Options.Pretty ? " at " : "\n");
  }
  OS << orUnknown(Path) << ':';
  printNumber(F.Line);
  if (!Options.GNU) {
    OS << ':';
    printNumber(F.Column);
  }
  OS << '\n';
}

bool FramePrinter::print(uint64_t Address, ArrayRef<Frame> Frames) {
  if (Options.Address) {
    OS << "0x";
    OS.write_hex(Address) << (Options.Pretty ? ": " : "\n");
  }
  uint64_t Left = S.mostText();
  size_t Count = 0;
  for (const Frame &F : Frames) {
    StringRef Name = S.function(F), Path = S.file(F);
    if (Name.size() + Path.size() > Left)
      break;
    Left -= Name.size() + Path.size();
    print(F, Name, Path, Count++ != 0);
  }
  if (!Count)
    print(Frame(), {}, {}, false);
  if (!Options.GNU)
    OS << '\n';
  return Count == Frames.size();
}

} // namespace lidia
