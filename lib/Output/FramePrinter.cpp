//===- FramePrinter.cpp - Frames as text ----------------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Output/FramePrinter.h"
#include "llvm/Support/Format.h"
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

void FramePrinter::printAddress(std::optional<uint64_t> Address) {
  if (!Address || !Options.Address)
    return;
  OS << "0x";
  OS.write_hex(*Address) << (Options.Pretty ? ": " : "\n");
}

void FramePrinter::printEnd() {
  if (!Options.GNU)
    OS << '\n';
}

void FramePrinter::printFunction(StringRef Name, bool Inlined) {
  if (!Options.Functions)
    return;
  if (Options.Pretty && Inlined)
    OS << " (inlined by) ";
  OS << orUnknown(Name) << (Options.Pretty ? " at " : "\n");
}

void FramePrinter::printPosition(const FrameView &F, uint32_t Discriminator) {
  OS << orUnknown(F.File) << ':';
  printNumber(F.Line);
  if (!Options.GNU) {
    OS << ':';
    printNumber(F.Column);
  } else if (Discriminator) {
    OS << " (discriminator " << Discriminator << ')';
  }
  OS << '\n';
}

void FramePrinter::printVerbose(const SymbolizedFrame &F) {
  OS << "  Filename: " << orUnknown(F.File) << '\n';
  if (F.StartLine)
    OS << "  Function start filename: "
       << (F.StartFile.empty() ? "<invalid>" : F.StartFile)
       << "\n  Function start line: " << F.StartLine << '\n';
  if (F.StartAddress && !Options.GNU) {
    OS << "  Function start address: 0x";
    OS.write_hex(*F.StartAddress) << '\n';
  }
  OS << "  Line: " << F.Line << "\n  Column: " << F.Column << '\n';
  if (F.Discriminator)
    OS << "  Discriminator: " << F.Discriminator << '\n';
}

void printSourceLines(raw_ostream &OS, const SymbolizedFrame &F,
                      uint32_t Count) {
  uint64_t Number = firstSourceLine(F.Line, Count);
  // LLVM takes a logarithm, which is one digit less for powers of ten.
  unsigned Width = 0;
  for (uint64_t Power = 1; Power < Number + Count - 1; Power *= 10)
    ++Width;
  for (StringRef Rest = F.SourceLines; !Rest.empty(); ++Number) {
    auto [Line, After] = Rest.split('\n');
    Line.consume_back("\r");
    OS << format_decimal(int64_t(Number), Width)
       << (Number == F.Line ? " >: " : "  : ") << Line << '\n';
    Rest = After;
  }
}

bool FramePrinter::print(Symbolizer &S, uint64_t Address,
                         ArrayRef<Frame> Frames) {
  printAddress(Address);
  uint64_t Left = S.maxText();
  size_t Count = 0;
  for (const Frame &F : Frames) {
    FrameView View = S.view(F);
    uint64_t Size = View.Function.size() + View.File.size();
    if (Size > Left)
      break;
    Left -= Size;
    printFunction(View.Function, /*Inlined=*/Count++ != 0);
    printPosition(View, /*Discriminator=*/0);
  }
  if (!Count) {
    printFunction({}, /*Inlined=*/false);
    printPosition({}, /*Discriminator=*/0);
  }
  printEnd();
  return Count == Frames.size();
}

void FramePrinter::print(std::optional<uint64_t> Address,
                         ArrayRef<SymbolizedFrame> Frames, bool AreCalls) {
  const SymbolizedFrame Unknown;
  if (Frames.empty())
    Frames = Unknown;
  printAddress(Address);
  for (const SymbolizedFrame &F : Frames) {
    printFunction(F.Function, AreCalls && &F != Frames.begin());
    if (Options.Verbose) {
      printVerbose(F);
      continue;
    }
    printPosition(F, F.Discriminator);
    printSourceLines(OS, F, Options.SourceLines);
  }
  printEnd();
}

} // namespace lidia
