//===- Answers.cpp - Prints answers to queries ----------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Answers.h"
#include "Support/Threads.h"
#include "lidia/Symbolize/TextLimit.h"
#include "llvm/ADT/StringExtras.h"
#include <atomic>

using namespace llvm;

namespace lidia {

std::string Answers::printableText(StringRef Text, const AnswerOptions &O) {
  return O.Symbolizer.Text == TextForm::UTF8 ? json::fixUTF8(Text)
                                             : escapeText(Text);
}

AnswerModule::AnswerModule(const Archive &A, StringRef Name,
                           const AnswerOptions &O)
    : A(A), Name(Answers::printableText(Name, O)), S(A, O.Symbolizer) {}

AnswerModule::AnswerModule(std::shared_ptr<const Archive> A, StringRef Name,
                           const AnswerOptions &O)
    : Shared(std::move(A)), A(*Shared), Name(Answers::printableText(Name, O)),
      S(*Shared, O.Symbolizer) {}

Answers::Answers(const AnswerOptions &O, bool AsList)
    : O(O), Source(O.Printer.SourceLines, O.Symbolizer.Text, O.Sources),
      Fast(*O.Stream, O.Printer), Printer(makePrinter(O, AsList)),
      UseFast(!isJSON() && !Fast.needsTexts()) {}

void Answers::finish() { Printer->finish(); }

void Answers::printUnknown(StringRef Module) {
  Printer->printFrames({Module, std::nullopt, StringRef()}, {});
}

void Answers::printEmpty(const Query &Q, const AskedQuestion &Asked) {
  if (Q.Type == Query::Kind::Data)
    Printer->printSymbol(Asked, {});
  else if (Q.Type == Query::Kind::Frame)
    Printer->printVariables(Asked, {});
  else if (!Q.Symbol.empty())
    Printer->printPlaces(Asked, {});
  else
    Printer->printFrames(Asked, {});
}

void Answers::printFailure(StringRef Module, const Query &Q, const Miss &Why) {
  std::string Name = printable(Module), Symbol = printable(Q.Symbol);
  AskedQuestion Asked = question(Name, Q, Symbol);
  Asked.Miss = Why.Code;
  if (Printer->printFailure(Asked, printable(Why.Text)))
    return;
  reportError("'" + Module + "': " + Why.Text);
  printEmpty(Q, Asked);
}

void Answers::printNothing(StringRef Module, const Query &Q) {
  std::string Name = printable(Module), Symbol = printable(Q.Symbol);
  AskedQuestion Asked = question(Name, Q, Symbol);
  Asked.Miss = MissCode::NoSymbols;
  printEmpty(Q, Asked);
}

void Answers::reportFailure(StringRef Module, const Miss &Why) {
  std::string Name = printable(Module);
  if (!makePrinter(O, /*AsList=*/false)
           ->printFailure({Name, 0, StringRef(), Why.Code},
                          printable(Why.Text)))
    reportError("'" + Module + "': " + Why.Text);
}

//===----------------------------------------------------------------------===//
// From llvm-symbolizer
//===----------------------------------------------------------------------===//

/// Text as \p O prints it; empty if it is not known.
static std::string text(const json::Object &From, StringRef Key,
                        const Answers &O) {
  return O.printable(From.getString(Key).value_or(""));
}

static uint64_t number(const json::Object &O, StringRef Key) {
  uint64_t Value;
  if (std::optional<int64_t> Number = O.getInteger(Key))
    return uint64_t(*Number);
  return to_integer(O.getString(Key).value_or(""), Value, 0) ? Value : 0;
}

static SymbolizedFrame frame(const json::Object &From, const Answers &O) {
  SymbolizedFrame F;
  F.Function = text(From, "FunctionName", O);
  F.File = text(From, "FileName", O);
  F.StartFile = text(From, "StartFileName", O);
  F.StartLine = uint32_t(number(From, "StartLine"));
  F.Line = uint32_t(number(From, "Line"));
  F.Column = uint32_t(number(From, "Column"));
  F.Discriminator = uint32_t(number(From, "Discriminator"));
  return F;
}

static DILocal local(const json::Object &From, const Answers &O) {
  DILocal L;
  L.FunctionName = text(From, "FunctionName", O);
  L.Name = text(From, "Name", O);
  L.DeclFile = text(From, "DeclFile", O);
  L.DeclLine = number(From, "DeclLine");
  L.FrameOffset = From.getInteger("FrameOffset");
  for (auto [Key, Field] :
       {std::pair("Size", &L.Size), std::pair("TagOffset", &L.TagOffset)})
    if (!From.getString(Key).value_or("").empty())
      *Field = number(From, Key);
  return L;
}

/// Reads the objects in the array \p Key of \p Answer with \p Read.
template <class T>
static std::vector<T>
readArray(const json::Object &Answer, StringRef Key, const Answers &O,
          T (*Read)(const json::Object &, const Answers &)) {
  std::vector<T> Result;
  if (const json::Array *Items = Answer.getArray(Key))
    for (const json::Value &Item : *Items)
      if (const json::Object *Object = Item.getAsObject())
        Result.push_back(Read(*Object, O));
  return Result;
}

/// Prints an object of llvm-symbolizer's JSON in another style.
void Answers::printForeignObject(const Query &Q, const json::Object &Answer) {
  AskedQuestion Asked = question("", Q, Q.Symbol);
  if (const json::Object *Error = Answer.getObject("Error"))
    return printFailure(text(Answer, "ModuleName", *this), Q,
                        {MissCode::Other, text(*Error, "Message", *this)});
  if (const json::Object *Data = Answer.getObject("Data"))
    return Printer->printSymbol(Asked, {text(*Data, "Name", *this),
                                        number(*Data, "Start"),
                                        number(*Data, "Size")});
  if (Q.Type == Query::Kind::Frame)
    return Printer->printVariables(Asked,
                                   readArray(Answer, "Frame", *this, local));
  if (!Q.Symbol.empty())
    return Printer->printPlaces(Asked, readArray(Answer, "Loc", *this, frame));
  std::vector<SymbolizedFrame> Frames =
      readArray(Answer, "Symbol", *this, frame);
  if (O.Frames != FrameChoice::All && Frames.size() > 1)
    Frames.resize(1);
  Asked.Miss = missOfFrames(Frames);
  Printer->printFrames(Asked, Frames);
}

/// Adds the URL of each line to the frames and places of \p Answer, an object
/// of llvm-symbolizer's JSON.
static void addSourceURLs(json::Value &Answer, const SourceURLs &Links) {
  for (StringRef Key : {"Symbol", "Loc"}) {
    json::Object *O = Answer.getAsObject();
    json::Array *Places = O ? O->getArray(Key) : nullptr;
    for (json::Value &Place : Places ? *Places : json::Array()) {
      json::Object *F = Place.getAsObject();
      if (!F)
        continue;
      StringRef File = F->getString("FileName").value_or("");
      int64_t Line = F->getInteger("Line").value_or(0);
      if (File.empty() || Line <= 0 || !isUInt<32>(Line))
        continue;
      if (std::string URL = Links.url(File, uint32_t(Line)); !URL.empty())
        F->try_emplace("SourceURL", std::move(URL));
    }
  }
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
  if (!isJSON() || O.Style->Schema != JSONSchema::LLVM) {
    printForeignObject(Q, *Answer);
    return true;
  }
  addSourceURLs(*Value, O.Links);
  Printer->printValue(*Value);
  return true;
}

//===----------------------------------------------------------------------===//
// From an archive
//===----------------------------------------------------------------------===//

/// Adds lines of source to \p Frames, of one answer.
void Answers::addSource(AnswerModule &M,
                        MutableArrayRef<SymbolizedFrame> Frames) {
  Source.addTo(Frames, M.buildID());
  if (uint64_t Count = Source.leftOut())
    reportWarning(M.Name + ": the source text of " + Twine(Count) +
                  " frames of one answer is too long and left out");
  Source.clear();
}

/// LLVM's styles have an address with data and variables.
AskedQuestion Answers::question(StringRef Module, const Query &Q,
                                StringRef Symbol) const {
  AskedQuestion Asked = {Module, std::nullopt, Symbol};
  if (Symbol.empty() || (Q.Type != Query::Kind::Code && !isJSON()))
    Asked.Address = Q.Offset;
  return Asked;
}

/// Returns false if the answer was truncated.
bool Answers::printAnswer(AnswerModule &M, const Query &Q) {
  bool IsAddress = Q.Type == Query::Kind::Code && Q.Symbol.empty();
  if (IsAddress && UseFast)
    return Fast.print(M.S, Q.Offset, M.S.frames(Q.Offset, O.Frames));

  std::string Symbol = printable(Q.Symbol);
  AskedQuestion Asked = question(M.Name, Q, Symbol);
  if (Q.Type == Query::Kind::Data) {
    Printer->printSymbol(Asked, M.S.symbol(Q.Offset));
    return true;
  }
  if (Q.Type == Query::Kind::Frame) {
    Printer->printVariables(Asked, {});
    return true;
  }
  std::vector<SymbolizedFrame> Found = IsAddress
                                           ? M.S.symbolize(Q.Offset, O.Frames)
                                           : M.S.find(Q.Symbol, Q.Offset);
  addSource(M, Found);
  if (IsAddress) {
    Asked.Miss = missOfFrames(Found, M.leftOut());
    Printer->printFrames(Asked, Found);
  } else {
    Printer->printPlaces(Asked, Found);
  }
  return !M.S.wasCut();
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
  if (!printAnswer(M, Q))
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
  FramePrinter Printer(OS, O.Printer);
  for (size_t I = P.First; I != P.First + P.Count; ++I)
    if (!Printer.print(M.S, Addresses[I], M.S.prepared(I)))
      P.Cut.push_back(I);
  OS.flush();
}

bool Answers::printPrepared(AnswerModule &M, ArrayRef<uint64_t> Addresses,
                            ArrayRef<std::string> Lines, unsigned Threads) {
  if (!UseFast || O.Frames != FrameChoice::All)
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
