//===- JSONPrinter.cpp - Answers as JSON ----------------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Output/AnswerPrinter.h"
#include "lidia/Output/FrameJSON.h"
#include "lidia/Symbolize/PrintableText.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace lidia {

namespace {
/// Keeps the array of a list open between answers, so that no answer is kept.
class JSONPrinter final : public AnswerPrinter {
public:
  JSONPrinter(raw_ostream &OS, const JSONPrinterOptions &Options)
      : Options(Options), IsLLVM(Options.Schema == JSONSchema::LLVM),
        Escaper(OS) {}

  void printFrames(const AskedQuestion &Asked,
                   ArrayRef<SymbolizedFrame> Frames) override;
  void printPlaces(const AskedQuestion &Asked,
                   ArrayRef<SymbolizedFrame> Places) override;
  void printSymbol(const AskedQuestion &Asked,
                   const SymbolizedSymbol &Symbol) override;
  void printVariables(const AskedQuestion &Asked,
                      ArrayRef<DILocal> Variables) override;
  bool printFailure(const AskedQuestion &Asked, StringRef Why) override;
  void printValue(const json::Value &Answer) override;
  void finish() override;

private:
  void begin();
  void end(bool AsList = false);
  void printAnswer(const AskedQuestion &Asked, StringRef Key,
                   function_ref<void()> PrintValue);
  void printList(ArrayRef<SymbolizedFrame> Frames, bool WithSource);
  void printLLVMFrame(const SymbolizedFrame &F, bool WithSource);
  void printFrame(const SymbolizedFrame &F);
  void printVariable(const DILocal &V);
  std::string sourceOf(const SymbolizedFrame &F) const;

  const JSONPrinterOptions Options;
  const bool IsLLVM;
  JSONEscaper Escaper;
  /// The current answer or list.
  std::optional<SchemaStream> JSON;
};
} // namespace

void JSONPrinter::begin() {
  if (JSON)
    return;
  JSON.emplace(Escaper, Options.Schema, Options.Pretty ? 2 : 0);
  if (Options.AsList)
    JSON->arrayBegin();
}

/// Ends an answer or, if \p AsList, the list of them.
void JSONPrinter::end(bool AsList) {
  if (AsList != Options.AsList)
    return;
  JSON.reset();
  Escaper << '\n';
  Escaper.flush();
}

void JSONPrinter::finish() {
  if (!Options.AsList)
    return;
  begin();
  JSON->arrayEnd();
  end(/*AsList=*/true);
}

void JSONPrinter::printValue(const json::Value &Answer) {
  begin();
  JSON->value(Answer);
  end();
}

/// Prints the answer \p Key, whose value \p PrintValue prints. Members are in
/// the alphabetical order of LLVM's names.
void JSONPrinter::printAnswer(const AskedQuestion &Asked, StringRef Key,
                              function_ref<void()> PrintValue) {
  begin();
  JSON->objectBegin();
  auto PrintAnswer = [&] {
    JSON->attributeBegin(Key);
    PrintValue();
    JSON->attributeEnd();
  };
  constexpr StringLiteral Module = "ModuleName";
  if (Asked.Address)
    JSON->attribute("Address", hex(*Asked.Address));
  if (Key < Module)
    PrintAnswer();
  JSON->attribute(Module, Asked.Module);
  if (!Asked.Symbol.empty())
    JSON->attribute("SymName", Asked.Symbol);
  if (Key > Module)
    PrintAnswer();
  if (!IsLLVM && Asked.Miss != MissCode::None)
    JSON->attribute("miss", toString(Asked.Miss));
  JSON->objectEnd();
  end();
}

std::string JSONPrinter::sourceOf(const SymbolizedFrame &F) const {
  std::string Text;
  raw_string_ostream OS(Text);
  printSourceLines(OS, F, Options.SourceLines);
  return Text;
}

void JSONPrinter::printLLVMFrame(const SymbolizedFrame &F, bool WithSource) {
  JSON->attribute("Column", F.Column);
  JSON->attribute("Discriminator", F.Discriminator);
  JSON->attribute("FileName", F.File);
  JSON->attribute("FunctionName", F.Function);
  JSON->attribute("Line", F.Line);
  if (WithSource && !F.SourceLines.empty())
    JSON->attribute("Source", sourceOf(F));
  if (Options.Links)
    if (std::string URL = Options.Links->urlOf(F); !URL.empty())
      JSON->attribute("SourceURL", URL);
  JSON->attribute("StartAddress", F.StartAddress ? hex(*F.StartAddress) : "");
  JSON->attribute("StartFileName", F.StartFile);
  JSON->attribute("StartLine", F.StartLine);
}

void JSONPrinter::printFrame(const SymbolizedFrame &F) {
  writeFrameMembers(F, Options.Links, [&](StringRef Name, const auto &Value) {
    JSON->attribute(Name, Value);
  });
  if (!F.SourceLines.empty())
    JSON->attribute("source", sourceOf(F));
}

void JSONPrinter::printList(ArrayRef<SymbolizedFrame> Frames, bool WithSource) {
  JSON->array([&] {
    for (const SymbolizedFrame &F : Frames)
      JSON->object([&] {
        if (IsLLVM)
          printLLVMFrame(F, WithSource);
        else
          printFrame(F);
      });
  });
}

void JSONPrinter::printFrames(const AskedQuestion &Asked,
                              ArrayRef<SymbolizedFrame> Frames) {
  const SymbolizedFrame Unknown;
  // LLVM's answers have at least one frame.
  if (IsLLVM && Frames.empty())
    Frames = Unknown;
  printAnswer(Asked, "Symbol", [&] { printList(Frames, /*WithSource=*/true); });
}

void JSONPrinter::printPlaces(const AskedQuestion &Asked,
                              ArrayRef<SymbolizedFrame> Places) {
  printAnswer(Asked, "Loc", [&] { printList(Places, /*WithSource=*/false); });
}

void JSONPrinter::printSymbol(const AskedQuestion &Asked,
                              const SymbolizedSymbol &Symbol) {
  printAnswer(Asked, "Data", [&] {
    JSON->object([&] {
      JSON->attribute("Name", Symbol.Name);
      JSON->attribute("Size", hex(Symbol.Size));
      JSON->attribute("Start", hex(Symbol.Start));
    });
  });
}

/// In LLVM's schema, variables are only in the JSON of llvm-symbolizer, which
/// printValue() prints.
void JSONPrinter::printVariable(const DILocal &V) {
  auto Text = [&](StringRef Name, const std::string &Value) {
    if (!Value.empty())
      JSON->attribute(Name, Value);
  };
  Text("function", V.FunctionName);
  Text("name", V.Name);
  Text("file", V.DeclFile);
  if (V.DeclLine)
    JSON->attribute("line", V.DeclLine);
  if (V.FrameOffset)
    JSON->attribute("frame_offset", *V.FrameOffset);
  if (V.Size)
    JSON->attribute("size", hex(*V.Size));
  if (V.TagOffset)
    JSON->attribute("tag_offset", hex(*V.TagOffset));
}

void JSONPrinter::printVariables(const AskedQuestion &Asked,
                                 ArrayRef<DILocal> Variables) {
  printAnswer(Asked, "Frame", [&] {
    JSON->array([&] {
      for (const DILocal &V : Variables)
        JSON->object([&] { printVariable(V); });
    });
  });
}

bool JSONPrinter::printFailure(const AskedQuestion &Asked, StringRef Why) {
  printAnswer(Asked, "Error", [&] {
    if (!IsLLVM)
      return JSON->value(Why);
    JSON->object([&] { JSON->attribute("Message", Why); });
  });
  return true;
}

std::unique_ptr<AnswerPrinter>
makeJSONPrinter(raw_ostream &OS, const JSONPrinterOptions &Options) {
  return std::make_unique<JSONPrinter>(OS, Options);
}

} // namespace lidia
