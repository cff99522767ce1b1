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

void FramePrinter::print(const Frame &F, bool Inlined) {
  if (Options.Functions) {
    if (Options.Pretty && Inlined)
      OS << " (inlined by) ";
    OS << orUnknown(S.function(F)) << (Options.Pretty ? " at " : "\n");
  }
  OS << orUnknown(S.file(F)) << ':';
  printNumber(F.Line);
  if (!Options.GNU) {
    OS << ':';
    printNumber(F.Column);
  }
  OS << '\n';
}

void FramePrinter::print(uint64_t Address, ArrayRef<Frame> Frames) {
  if (Options.Address) {
    OS << "0x";
    OS.write_hex(Address) << (Options.Pretty ? ": " : "\n");
  }
  if (Frames.empty())
    print(Frame(), false);
  for (const Frame &F : Frames)
    print(F, &F != Frames.begin());
  if (!Options.GNU)
    OS << '\n';
}

} // namespace lidia
