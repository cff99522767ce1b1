//===- TextPrinter.cpp - Answers as text ----------------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Output/AnswerPrinter.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace lidia {

namespace {
class TextPrinter final : public AnswerPrinter {
public:
  TextPrinter(raw_ostream &OS, const FramePrinterOptions &Options)
      : OS(OS), Frames(OS, Options) {}

  void printFrames(const AskedQuestion &Asked,
                   ArrayRef<SymbolizedFrame> Found) override {
    Frames.print(Asked.Address, Found, /*AreCalls=*/true);
  }
  void printPlaces(const AskedQuestion &Asked,
                   ArrayRef<SymbolizedFrame> Places) override {
    // As in LLVM, only an unknown place has the address.
    Frames.print(Places.empty() ? Asked.Address : std::nullopt, Places,
                 /*AreCalls=*/false);
  }
  void printSymbol(const AskedQuestion &Asked,
                   const SymbolizedSymbol &Symbol) override;
  void printVariables(const AskedQuestion &Asked,
                      ArrayRef<DILocal> Variables) override;
  bool printFailure(const AskedQuestion &, StringRef) override { return false; }
  void printValue(const json::Value &) override {
    llvm_unreachable("text has no JSON");
  }

private:
  raw_ostream &OS;
  FramePrinter Frames;
};
} // namespace

template <typename T>
static std::string orUnknown(const std::optional<T> &Number) {
  return Number ? std::to_string(*Number) : "??";
}

void TextPrinter::printSymbol(const AskedQuestion &Asked,
                              const SymbolizedSymbol &Symbol) {
  Frames.printAddress(Asked.Address);
  // Archives do not know where data is declared.
  OS << orUnknown(Symbol.Name) << '\n'
     << Symbol.Start << ' ' << Symbol.Size << "\n??:?\n";
  Frames.printEnd();
}

void TextPrinter::printVariables(const AskedQuestion &Asked,
                                 ArrayRef<DILocal> Variables) {
  Frames.printAddress(Asked.Address);
  if (Variables.empty())
    OS << "??\n";
  for (const DILocal &V : Variables)
    OS << orUnknown(V.FunctionName) << '\n'
       << orUnknown(V.Name) << '\n'
       << orUnknown(V.DeclFile) << ':' << V.DeclLine << '\n'
       << orUnknown(V.FrameOffset) << ' ' << orUnknown(V.Size) << ' '
       << orUnknown(V.TagOffset) << '\n';
  Frames.printEnd();
}

std::unique_ptr<AnswerPrinter>
makeTextPrinter(raw_ostream &OS, const FramePrinterOptions &Options) {
  return std::make_unique<TextPrinter>(OS, Options);
}

} // namespace lidia
