//===- Answers.cpp - Prints answers to queries ----------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Answers.h"
#include "ADT/Threads.h"
#include "LinkedJSON.h"
#include "lidia/Symbolize/TextLimit.h"
#include "llvm/ADT/StringExtras.h"
#include <atomic>

using namespace llvm;

namespace lidia {

std::string Answers::printableText(StringRef Text, const AnswerOptions &O) {
  return O.Symbolizer.Text == TextForm::UTF8 ? json::fixUTF8(Text)
                                             : escapeText(Text);
}

static FramePrinterOptions framePrinterOptions(const AnswerOptions &O) {
  return {O.Style->GNULayout, O.Printer.PrintFunctions, O.Printer.PrintAddress,
          O.Printer.Pretty};
}

AnswerModule::AnswerModule(const Archive &A, StringRef Name,
                           const AnswerOptions &O)
    : A(A), Name(Answers::printableText(Name, O)), S(A, O.Symbolizer),
      Fast(*O.Stream, S, framePrinterOptions(O)) {}

AnswerModule::AnswerModule(std::shared_ptr<const Archive> A, StringRef Name,
                           const AnswerOptions &O)
    : Shared(std::move(A)), A(*Shared), Name(Answers::printableText(Name, O)),
      S(*Shared, O.Symbolizer), Fast(*O.Stream, S, framePrinterOptions(O)) {}

Answers::Answers(const AnswerOptions &O, bool AsList)
    : O(O), AsList(AsList && isJSON()),
      Source(O.Printer.SourceContextLines, O.Symbolizer.Text, O.Sources),
      Config(O.Printer), Printer(makePrinter(O, stream(), Config)),
      UseFast(O.Style->HasFastPrinter && !O.Printer.Verbose &&
              O.Printer.SourceContextLines == 0) {}

void Answers::finish() {
  if (AsList)
    printJSON(std::move(List));
}

/// The stream for Printer. In JSON, the text is escaped later.
raw_ostream &Answers::stream() {
  if (!isJSON())
    return *O.Stream;
  return AsList ? static_cast<raw_ostream &>(PendingStream) : JSON;
}

/// Prints like JSONPrinter in LLVM's DIPrinter.h.
void Answers::printJSON(json::Value Value) {
  json::OStream Stream(JSON, Config.Pretty ? 2 : 0);
  Stream.value(Value);
  Stream.flush();
  JSON << '\n';
  JSON.flush();
}

void Answers::endAnswer() {
  if (!AsList)
    return JSON.flush();
  PendingStream.flush();
  if (Pending.empty())
    return;
  if (Expected<json::Value> Value = json::parse(Pending))
    List.push_back(std::move(*Value));
  else
    consumeError(Value.takeError());
  Pending.clear();
}

void Answers::printUnknown(StringRef Module) {
  Printer->print({Module, std::nullopt, StringRef()}, DILineInfo());
  endAnswer();
}

void Answers::printEmpty(const Query &Q, const symbolize::Request &Asked) {
  if (Q.What == Query::Kind::Data)
    Printer->print(Asked, DIGlobal());
  else if (Q.What == Query::Kind::Frame)
    Printer->print(Asked, std::vector<DILocal>());
  else if (!Q.Symbol.empty())
    Printer->print(Asked, std::vector<DILineInfo>());
  else if (O.Inlines) {
    DIInliningInfo Unknown;
    Unknown.addFrame(DILineInfo());
    Printer->print(Asked, Unknown);
  } else
    Printer->print(Asked, DILineInfo());
}

void Answers::printFailure(StringRef Module, const Query &Q, StringRef Why) {
  std::string Name = printable(Module), Symbol = printable(Q.Symbol);
  symbolize::Request Asked = request(Name, Q, Symbol);
  if (isJSON()) {
    Printer->printError(Asked, StringError(printable(Why), std::error_code()));
  } else {
    reportError("'" + Module + "': " + Why);
    printEmpty(Q, Asked);
  }
  endAnswer();
}

void Answers::printNothing(StringRef Module, const Query &Q) {
  std::string Name = printable(Module), Symbol = printable(Q.Symbol);
  printEmpty(Q, request(Name, Q, Symbol));
  endAnswer();
}

void Answers::reportFailure(StringRef Module, StringRef Why) {
  if (!isJSON())
    return reportError("'" + Module + "': " + Why);
  std::string Name = printable(Module);
  printJSON(json::Object({{"ModuleName", Name},
                          {"Address", "0x0"},
                          {"Error", json::Object({{"Message", Why}})}}));
}

//===----------------------------------------------------------------------===//
// From llvm-symbolizer
//===----------------------------------------------------------------------===//

static std::string text(const json::Object &O, StringRef Key,
                        StringRef Default = "") {
  StringRef Text = O.getString(Key).value_or("");
  return Text.empty() ? Default.str() : escapeText(Text);
}

static uint64_t number(const json::Object &O, StringRef Key) {
  uint64_t Value;
  if (std::optional<int64_t> Number = O.getInteger(Key))
    return uint64_t(*Number);
  return to_integer(O.getString(Key).value_or(""), Value, 0) ? Value : 0;
}

static DILineInfo lineInfo(const json::Object &O) {
  DILineInfo Info;
  Info.FunctionName = text(O, "FunctionName", DILineInfo::BadString);
  Info.FileName = text(O, "FileName", DILineInfo::BadString);
  Info.StartFileName = text(O, "StartFileName", DILineInfo::BadString);
  Info.StartLine = uint32_t(number(O, "StartLine"));
  Info.Line = uint32_t(number(O, "Line"));
  Info.Column = uint32_t(number(O, "Column"));
  Info.Discriminator = uint32_t(number(O, "Discriminator"));
  return Info;
}

static DILocal local(const json::Object &O) {
  DILocal L;
  L.FunctionName = text(O, "FunctionName");
  L.Name = text(O, "Name");
  L.DeclFile = text(O, "DeclFile");
  L.DeclLine = number(O, "DeclLine");
  L.FrameOffset = O.getInteger("FrameOffset");
  for (auto [Key, Field] :
       {std::pair("Size", &L.Size), std::pair("TagOffset", &L.TagOffset)})
    if (!text(O, Key).empty())
      *Field = number(O, Key);
  return L;
}

/// Reads the objects in the array \p Key of \p Answer with \p Read.
template <class T>
static std::vector<T> readArray(const json::Object &Answer, StringRef Key,
                                T (*Read)(const json::Object &)) {
  std::vector<T> Result;
  if (const json::Array *Items = Answer.getArray(Key))
    for (const json::Value &Item : *Items)
      if (const json::Object *O = Item.getAsObject())
        Result.push_back(Read(*O));
  return Result;
}

/// Prints an object of llvm-symbolizer's JSON in another style.
void Answers::printForeignObject(const Query &Q, const json::Object &Answer) {
  symbolize::Request Asked = request("", Q, Q.Symbol);
  if (const json::Object *Error = Answer.getObject("Error"))
    return printFailure(text(Answer, "ModuleName"), Q, text(*Error, "Message"));
  if (const json::Object *Data = Answer.getObject("Data")) {
    DIGlobal Global;
    Global.Name = text(*Data, "Name", DILineInfo::BadString);
    Global.Start = number(*Data, "Start");
    Global.Size = number(*Data, "Size");
    return Printer->print(Asked, Global);
  }
  if (Q.What == Query::Kind::Frame)
    return Printer->print(Asked, readArray(Answer, "Frame", local));
  std::vector<DILineInfo> Places =
      readArray(Answer, Q.Symbol.empty() ? "Symbol" : "Loc", lineInfo);
  if (!Q.Symbol.empty())
    return Printer->print(Asked, Places);
  DIInliningInfo Frames;
  for (const DILineInfo &Place :
       ArrayRef(Places).take_front(O.Inlines ? Places.size() : 1))
    Frames.addFrame(Place);
  Printer->print(Asked, Frames);
}

bool Answers::printForeign(const Query &Q, StringRef Text) {
  if (O.Style->Name == "LLVM") {
    while (!Text.empty()) {
      auto [Line, Rest] = Text.split('\n');
      printText(*O.Stream, Line);
      *O.Stream << '\n';
      Text = Rest;
    }
    return true;
  }
  Expected<json::Value> Value = json::parse(json::fixUTF8(Text));
  if (!Value) {
    consumeError(Value.takeError());
    return false;
  }
  const json::Object *Answer = Value->getAsObject();
  if (!Answer)
    return false;
  if (!isJSON()) {
    printForeignObject(Q, *Answer);
    return true;
  }
  addSourceURLs(*Value, O.Links);
  if (AsList)
    List.push_back(std::move(*Value));
  else
    printJSON(std::move(*Value));
  return true;
}

//===----------------------------------------------------------------------===//
// From an archive
//===----------------------------------------------------------------------===//

/// Returns false if the answer was truncated.
bool Answers::printFast(AnswerModule &M, uint64_t Address) {
  ArrayRef<Frame> Frames = M.S.frames(Address);
  if (!O.Inlines && O.Innermost)
    Frames = Frames.take_front();
  else if (!O.Inlines && !Frames.empty())
    Frames = ArrayRef<Frame>(M.S.outerFrame(Address), 1);
  return M.Fast.print(Address, Frames);
}

void Answers::endSource(StringRef Module) {
  if (uint64_t Count = Source.leftOut())
    reportWarning(Module + ": the source text of " + Twine(Count) +
                  " frames of one answer is too long and left out");
  Source.clear();
}

/// Returns false if the answer was truncated.
bool Answers::printFrames(AnswerModule &M, const Query &Q,
                          const symbolize::Request &Asked) {
  DIInliningInfo Frames = M.S.inlinedCode(Q.Offset);
  Source.addTo(Frames, M.S.recordedFiles(), M.buildID());
  Printer->print(Asked, Frames);
  endSource(M.Name);
  return !M.S.wasCut();
}

void Answers::printFrame(AnswerModule &M, const Query &Q,
                         const symbolize::Request &Asked) {
  DILineInfo Place =
      O.Innermost ? M.S.innermostCode(Q.Offset) : M.S.code(Q.Offset);
  ArrayRef<std::string> Recorded = M.S.recordedFiles();
  Source.addTo(Place, Recorded.empty() ? "" : Recorded.front(), M.buildID());
  Printer->print(Asked, Place);
  endSource(M.Name);
}

/// Returns false if the answer was truncated.
bool Answers::printName(AnswerModule &M, const Query &Q,
                        const symbolize::Request &Asked) {
  std::vector<DILineInfo> Places = M.S.find(Q.Symbol, Q.Offset);
  // There are none without --print-source-context-lines.
  for (auto [Place, Recorded] : zip(Places, M.S.recordedFiles()))
    Source.addTo(Place, Recorded, M.buildID());
  Printer->print(Asked, Places);
  endSource(M.Name);
  return !M.S.wasCut();
}

/// LLVM's printers require an address for data and variables.
symbolize::Request Answers::request(StringRef Module, const Query &Q,
                                    StringRef Symbol) const {
  symbolize::Request Asked = {Module, std::nullopt, Symbol};
  if (Symbol.empty() || (Q.What != Query::Kind::Code && !isJSON()))
    Asked.Address = Q.Offset;
  return Asked;
}

/// Returns false if the answer was truncated.
bool Answers::printAnswer(AnswerModule &M, const Query &Q) {
  bool IsCode = Q.What == Query::Kind::Code;
  if (IsCode && Q.Symbol.empty() && UseFast)
    return printFast(M, Q.Offset);

  std::string Symbol = printable(Q.Symbol);
  symbolize::Request Asked = request(M.Name, Q, Symbol);
  if (Q.What == Query::Kind::Data)
    Printer->print(Asked, M.S.symbol(Q.Offset));
  else if (Q.What == Query::Kind::Frame)
    Printer->print(Asked, std::vector<DILocal>());
  else if (!Q.Symbol.empty())
    return printName(M, Q, Asked);
  else if (O.Inlines)
    return printFrames(M, Q, Asked);
  else
    printFrame(M, Q, Asked);
  return true;
}

void Answers::reportCut(StringRef Line) {
  ++CutAnswers;
  reportError(textLimitError("'" + Line + "': the answer"));
}

bool Answers::knows(AnswerModule &M, const Query &Q) {
  if (!Q.Symbol.empty())
    return !M.S.find(Q.Symbol, Q.Offset).empty();
  ArrayRef<Frame> Frames = M.S.frames(Q.Offset);
  return !Frames.empty() && Frames.back().Function;
}

void Answers::print(AnswerModule &M, const Query &Q, StringRef Line) {
  bool Whole = printAnswer(M, Q);
  endAnswer();
  if (!Whole)
    reportCut(Line);
}

/// The text of consecutive answers.
struct Answers::Piece {
  size_t First = 0;
  size_t Count = 0;
  std::string Text;
  /// The indices of truncated answers.
  std::vector<size_t> Cut;
};

void Answers::fill(Piece &P, AnswerModule &M,
                   ArrayRef<uint64_t> Addresses) const {
  P.Text.clear();
  P.Cut.clear();
  raw_string_ostream OS(P.Text);
  OS.SetBufferSize(16 * 1024);
  FramePrinter Printer(OS, M.S, framePrinterOptions(O));
  for (size_t I = P.First; I != P.First + P.Count; ++I)
    if (!Printer.print(Addresses[I], M.S.prepared(I)))
      P.Cut.push_back(I);
  OS.flush();
}

bool Answers::printPrepared(AnswerModule &M, ArrayRef<uint64_t> Addresses,
                            ArrayRef<std::string> Lines, unsigned Threads) {
  if (!UseFast || !O.Inlines)
    return false;
  // An answer may have 1000 bytes.
  constexpr size_t PieceSize = 512;
  std::vector<Piece> Pieces(2 * std::max(Threads, 1u));
  for (size_t Start = 0; Start < Addresses.size();) {
    for (Piece &P : Pieces) {
      P.First = Start;
      P.Count = std::min(PieceSize, Addresses.size() - Start);
      Start += P.Count;
    }
    std::atomic<size_t> Next = 0;
    runOnThreads(Threads, [&] {
      for (size_t I; (I = Next++) < Pieces.size();)
        fill(Pieces[I], M, Addresses);
    });
    for (const Piece &P : Pieces) {
      *O.Stream << P.Text;
      for (size_t I : P.Cut)
        reportCut(Lines[I]);
    }
  }
  return true;
}

} // namespace lidia
