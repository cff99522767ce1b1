//===- LinkedJSON.cpp - Answers in JSON with links to sources ------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LinkedJSON.h"
#include "lidia/Symbolize/SourceURLField.h"

using namespace llvm;

namespace lidia {

void addSourceURLs(json::Value &Answer, const SourceURLs &Links) {
  if (json::Array *List = Answer.getAsArray())
    for (json::Value &Item : *List)
      addSourceURLs(Item, Links);
  json::Object *O = Answer.getAsObject();
  if (!O)
    return;
  // Frames of an address, and places of a name.
  for (StringRef Key : {"Symbol", "Loc"})
    if (json::Value *Places = O->get(Key))
      addSourceURLs(*Places, Links);
  std::string File = O->getString("FileName").value_or("").str();
  int64_t Line = O->getInteger("Line").value_or(0);
  writeSourceURL(Links, File, Line > 0 && isUInt<32>(Line) ? uint32_t(Line) : 0,
                 [&](StringLiteral Name, const std::string &URL) {
                   O->try_emplace(Name, URL);
                 });
}

namespace {
/// The text that LLVM's printer has written. It is a base, so that it exists
/// before the printer.
struct WrittenText {
  std::string Text;
  raw_string_ostream Stream{Text};
};

/// Adds URLs to what LLVM's printer writes.
class LinkedJSONPrinter final : private WrittenText,
                                public symbolize::JSONPrinter {
public:
  LinkedJSONPrinter(const SourceURLs &Links, raw_ostream &OS,
                    symbolize::PrinterConfig &Config)
      : JSONPrinter(Stream, Config), Links(Links), OS(OS),
        Indent(Config.Pretty ? 2 : 0) {}

  void print(const symbolize::Request &Asked, const DILineInfo &Info) override {
    JSONPrinter::print(Asked, Info);
    forward();
  }
  void print(const symbolize::Request &Asked,
             const DIInliningInfo &Info) override {
    JSONPrinter::print(Asked, Info);
    forward();
  }
  void print(const symbolize::Request &Asked, const DIGlobal &Global) override {
    JSONPrinter::print(Asked, Global);
    forward();
  }
  void print(const symbolize::Request &Asked,
             const std::vector<DILocal> &Locals) override {
    JSONPrinter::print(Asked, Locals);
    forward();
  }
  void print(const symbolize::Request &Asked,
             const std::vector<DILineInfo> &Places) override {
    JSONPrinter::print(Asked, Places);
    forward();
  }
  bool printError(const symbolize::Request &Asked,
                  const ErrorInfoBase &Info) override {
    bool Result = JSONPrinter::printError(Asked, Info);
    forward();
    return Result;
  }
  void listEnd() override {
    JSONPrinter::listEnd();
    forward();
  }

private:
  /// Prints the text, if there is any: a list is written at its end.
  void forward() {
    if (Text.empty())
      return;
    Expected<json::Value> Answer = json::parse(Text);
    if (Answer) {
      addSourceURLs(*Answer, Links);
      json::OStream(OS, Indent).value(*Answer);
      OS << '\n';
    } else {
      consumeError(Answer.takeError());
      OS << Text;
    }
    Text.clear();
  }

  const SourceURLs &Links;
  raw_ostream &OS;
  const unsigned Indent;
};
} // namespace

std::unique_ptr<symbolize::DIPrinter>
makePrinter(const AnswerOptions &O, raw_ostream &OS,
            symbolize::PrinterConfig &Config) {
  if (O.Links.isEmpty() || O.Style->Text != TextForm::UTF8)
    return O.Style->MakePrinter(OS, Config);
  return std::make_unique<LinkedJSONPrinter>(O.Links, OS, Config);
}

} // namespace lidia
