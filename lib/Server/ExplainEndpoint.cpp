//===- ExplainEndpoint.cpp - /v1/explain ----------------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// GET ?build_id=...&address=0x10&address=... answers as `llvm-lidia explain
// --format=json` of the archive in the store does: an array with an object for
// each address. With format=text, as the command prints it.
//
//===----------------------------------------------------------------------===//

#include "Answers.h"
#include "FramesRequest.h"
#include "JSONBody.h"
#include "lidia/Error.h"
#include "lidia/Output/ExplanationPrinter.h"
#include "lidia/Symbolize/PrintableText.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace lidia {

/// Each has a dozen lines of text, or more.
static constexpr size_t MaxExplained = 16;

/// The last value of the parameter \p Name.
static std::string lastParameter(const HTTPRequest &Request, StringRef Name) {
  std::vector<std::string> Values = Request.parameters(Name);
  return Values.empty() ? "" : Values.back();
}

Answer answerExplain(Service &S, const HTTPRequest &Request, PathParts) {
  std::string Format = lastParameter(Request, "format");
  if (!Format.empty() && Format != "json" && Format != "text")
    return wrongRequest("format is json or text");
  Expected<std::vector<uint64_t>> Addresses = readAddresses(Request);
  if (!Addresses)
    return Addresses.takeError();
  if (Addresses->empty() || Addresses->size() > MaxExplained)
    return wrongRequest("give from 1 to " + Twine(MaxExplained) +
                        " addresses: address=0x10");
  Expected<BuildIDBytes> BuildID =
      parseBuildID(lastParameter(Request, "build_id"));
  if (!BuildID)
    return BuildID.takeError();
  Expected<std::shared_ptr<ServedModule>> M = S.find(Request, *BuildID);
  if (!M)
    return withoutPlace(M.takeError());
  bool IsText = Format == "text";
  AnswerRoom Room(S.Options.Limits.MaxAnswer, S.Memory);
  std::string Text = IsText ? "" : "[";
  std::vector<Explanation> Explained = explain((*M)->archive(), *Addresses);
  bool IsFirst = true;
  for (Explanation &Its : Explained) {
    ExplainedAddress E;
    E.Module = toHex((*M)->buildID(), /*LowerCase=*/true);
    E.Its = std::move(Its);
    addAdvice(E);
    raw_string_ostream OS(Text);
    if (!std::exchange(IsFirst, false))
      OS << (IsText ? "\n" : ",");
    if (IsText) {
      printExplanation(OS, E);
    } else {
      JSONEscaper Escaper(OS);
      json::OStream J(Escaper);
      writeExplanation(J, E);
    }
    if (Error Full = Room.setSize(Text.size()))
      return Full;
  }
  return IsText ? HTTPResponse::text(std::move(Text))
                : HTTPResponse::json(Text + "]\n");
}

} // namespace lidia
