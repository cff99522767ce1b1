//===- Answers.cpp - Frames as JSON ---------------------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Answers.h"
#include "HTTPMessage.h"
#include "lidia/Error.h"
#include "lidia/Output/FrameJSON.h"
#include "lidia/Symbolize/PrintableText.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace lidia {

void appendJSONString(std::string &To, StringRef Text) {
  if (isPrintableText(Text) && Text.find_first_of("\"\\") == StringRef::npos) {
    To += '"';
    To.append(Text.data(), Text.size());
    To += '"';
    return;
  }
  raw_string_ostream OS(To);
  JSONEscaper Escaper(OS);
  Escaper << json::Value(json::fixUTF8(Text));
}

void appendHexField(std::string &To, StringRef Name, uint64_t Value) {
  ((To += '"') += Name) += "\":\"0x";
  To += utohexstr(Value, /*LowerCase=*/true);
  To += '"';
}

static void appendValue(std::string &To, StringRef Text) {
  appendJSONString(To, Text);
}

static void appendValue(std::string &To, uint32_t Number) {
  To += utostr(Number);
}

static void appendValue(std::string &To, bool Value) {
  To += Value ? "true" : "false";
}

void appendFrameFields(std::string &To, const FrameView &F) {
  StringRef Comma;
  writeFrameMembers(F, [&](StringRef Name, auto Value) {
    (((To += Comma) += '"') += Name) += "\":";
    appendValue(To, Value);
    Comma = ",";
  });
}

static Error tooLargeAnswer() {
  return make_error<LimitError>(
      "", "the answer would be too large: ask for fewer addresses");
}

Error AnswerRoom::addTexts(uint64_t Bytes) {
  if (Bytes > TextsLeft)
    return tooLargeAnswer();
  if (!Memory.grow(Bytes))
    return make_error<BusyError>("", "too many answers at one time");
  TextsLeft -= Bytes;
  return Error::success();
}

Error AnswerRoom::setSize(uint64_t Now) {
  // Rarely, because other threads count in the same place.
  constexpr uint64_t Step = 1 << 20;
  if (Now > MaxAnswer)
    return tooLargeAnswer();
  for (; Size < Now; Size += Step)
    if (!Memory.grow(Step))
      return make_error<BusyError>("", "too many answers at one time");
  return Error::success();
}

/// Counts the answer \p Chain of \p S.
static void count(Symbolizer &S, ArrayRef<Frame> Chain, MissCode LeftOut,
                  ServerStatistics &Statistics) {
  NameOrigin O = Chain.empty() ? NameOrigin::Unknown : S.origin(Chain.back());
  bool HasName = !Chain.empty() && !S.function(Chain.back()).empty();
  bool HasLine = HasName && Chain.front().Line != 0;
  MissCode Code = HasLine                     ? MissCode::None
                  : LeftOut != MissCode::None ? LeftOut
                  : HasName                   ? MissCode::NoLines
                                              : MissCode::NoSymbols;
  Statistics.count(O, Code);
}

Expected<AddressTexts> AddressTexts::make(ServedModule &M,
                                          std::vector<uint64_t> Addresses,
                                          Printer Print, AnswerRoom &Room,
                                          ServerStatistics &Statistics) {
  AddressTexts T;
  llvm::sort(Addresses);
  Addresses.erase(std::unique(Addresses.begin(), Addresses.end()),
                  Addresses.end());
  T.Addresses = std::move(Addresses);
  uint64_t Frames = 0;
  M.symbolize([&](Symbolizer &S) {
    S.prepare(T.Addresses);
    for (uint64_t Address : T.Addresses) {
      ArrayRef<Frame> Chain = S.frames(Address);
      Frames += Chain.size();
      count(S, Chain, M.archive().leftOut(), Statistics);
      Print(T.Text, S, Address, Chain);
      T.Ends.push_back(T.Text.size());
      if (T.Text.size() > Room.textsLeft())
        break;
    }
    // Release the prepared answers.
    S.prepare({});
  });
  Statistics.Addresses += T.Ends.size();
  Statistics.Frames += Frames;
  if (Error E = Room.addTexts(T.Text.size()))
    return E;
  return T;
}

StringRef AddressTexts::operator[](uint64_t Address) const {
  size_t I = llvm::lower_bound(Addresses, Address) - Addresses.begin();
  size_t Start = I ? Ends[I - 1] : 0;
  return StringRef(Text).slice(Start, Ends[I]);
}

} // namespace lidia
