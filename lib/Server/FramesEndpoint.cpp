//===- FramesEndpoint.cpp - /v1/frames ------------------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// POST {"modules": [{"build_id": "...", "addresses": ["0x10", 32]}]}, or
// "debug_id" instead of "build_id", and "return_addresses": true for return
// addresses of a stack. The answer has the modules in the same order, and for
// each module
//
//   {"build_id": "...", "found": true, "frames": [[{"function": ..., "file":
//    ..., "line": ..., "column": ...}]]}
//
// an array of frames, the innermost first, for each address. GET
// ?build_id=...&address=...&address=... asks for one module.
//
// The body of a POST may be an Arrow table, in which ?return_addresses=true
// applies to all rows; so may the answer, if Accept names its media type.
//
//===----------------------------------------------------------------------===//

#include "Answers.h"
#include "FramesRequest.h"
#include "JSONBody.h"
#include "lidia/Error.h"
#include "lidia/MissError.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace lidia {

//===----------------------------------------------------------------------===//
// The request
//===----------------------------------------------------------------------===//

static bool asksForReturns(const HTTPRequest &Request) {
  std::vector<std::string> Flags = Request.parameters("return_addresses");
  return !Flags.empty() && (Flags.back() == "true" || Flags.back() == "1");
}

Expected<std::vector<uint64_t>> readAddresses(const HTTPRequest &Request) {
  std::vector<uint64_t> Addresses;
  for (StringRef Text : Request.parameters("address")) {
    StringRef Digits = Text;
    bool IsHex = Digits.consume_front_insensitive("0x");
    uint64_t Address;
    if (Digits.getAsInteger(IsHex ? 16 : 10, Address))
      return wrongRequest("'" + Text.take_front(64) +
                          "' is not an address: write 0x10 or 16");
    Addresses.push_back(Address);
  }
  return Addresses;
}

static Expected<std::vector<WantedModule>>
readQuery(const HTTPRequest &Request) {
  WantedModule M;
  for (std::string &ID : Request.parameters("build_id"))
    M.BuildID = std::move(ID);
  for (std::string &ID : Request.parameters("debug_id"))
    M.DebugIDText = std::move(ID);
  M.AreReturns = asksForReturns(Request);
  Expected<std::vector<uint64_t>> Addresses = readAddresses(Request);
  if (!Addresses)
    return Addresses.takeError();
  M.Addresses = std::move(*Addresses);
  return std::vector<WantedModule>{std::move(M)};
}

static Error readModule(JSONValue V, WantedModule &M, uint64_t &Left) {
  if (std::optional<StringRef> ID = V["build_id"].string())
    M.BuildID = ID->str();
  if (std::optional<StringRef> ID = V["debug_id"].string())
    M.DebugIDText = ID->str();
  M.AreReturns = V["return_addresses"].boolean().value_or(false);
  JSONValue Addresses = V["addresses"];
  if (!Addresses.isArray())
    return wrongRequest("a module lacks \"addresses\", an array");
  if (Addresses.size() > Left)
    return make_error<LimitError>("", "too many addresses in one request");
  Left -= Addresses.size();
  bool AreRight = true;
  Addresses.forEach([&](JSONValue Value) {
    std::optional<uint64_t> Address = Value.address();
    AreRight &= Address.has_value();
    M.Addresses.push_back(Address.value_or(0));
  });
  return AreRight ? Error::success()
                  : wrongRequest(
                        "an address is a number or a text such as \"0x10\"");
}

static Expected<std::vector<WantedModule>> readJSON(const std::string &Text,
                                                    uint64_t MaxAddresses) {
  Expected<JSONBody> Body = JSONBody::parse(Text);
  if (!Body)
    return Body.takeError();
  JSONValue Modules = Body->root()["modules"];
  if (!Modules.isArray())
    return wrongRequest("the request lacks \"modules\", an array");
  if (Modules.size() > MaxAddresses)
    return make_error<LimitError>("", "too many modules in one request");
  std::vector<WantedModule> Wanted;
  Error Result = Error::success();
  Modules.forEach([&](JSONValue V) {
    if (!Result)
      Result = readModule(V, Wanted.emplace_back(), MaxAddresses);
  });
  if (Result)
    return Result;
  return Wanted;
}

static bool isArrow(StringRef ContentType) {
  return ContentType.split(';').first.trim().equals_insensitive(ArrowMediaType);
}

static Expected<std::vector<WantedModule>>
readRequest(const HTTPRequest &Request, uint64_t MaxAddresses) {
  if (Request.Method != "POST")
    return readQuery(Request);
  if (!isArrow(Request.header("content-type")))
    return readJSON(Request.Body, MaxAddresses);
  Expected<std::vector<WantedModule>> Wanted =
      readArrowModules(Request.Body, MaxAddresses);
  if (Wanted)
    for (WantedModule &M : *Wanted)
      M.AreReturns = asksForReturns(Request);
  return Wanted;
}

//===----------------------------------------------------------------------===//
// The answer
//===----------------------------------------------------------------------===//

/// Finds the module \p M. None if that would take a request to another machine
/// and \p MayWait is false.
static std::optional<FoundModule> findModule(Service &S,
                                             const HTTPRequest &Request,
                                             const WantedModule &M,
                                             bool MayWait) {
  auto Find = [&](const auto &ID) -> std::optional<FoundModule> {
    if (!MayWait && !S.Modules.isKnown(ID))
      return std::nullopt;
    return S.find(Request, ID);
  };
  if (!M.Problem.empty())
    return FoundModule(wrongRequest(M.Problem));
  if (M.IsNull)
    return FoundModule(make_error<SystemError>(
        std::make_error_code(std::errc::no_such_file_or_directory), ""));
  if (!M.BuildID.empty()) {
    Expected<BuildIDBytes> BuildID = parseBuildID(M.BuildID);
    return BuildID ? Find(ArrayRef(*BuildID))
                   : FoundModule(BuildID.takeError());
  }
  if (std::optional<DebugID> ID = DebugID::parse(M.DebugIDText))
    return Find(*ID);
  return FoundModule(
      wrongRequest("a module needs \"build_id\" or \"debug_id\""));
}

std::vector<std::optional<FoundModule>>
findModules(Service &S, const HTTPRequest &Request,
            ArrayRef<WantedModule> Group) {
  std::vector<std::optional<FoundModule>> Found(Group.size());
  S.Modules.forEach(Group.size(), [&](size_t I, bool MayWait) {
    if (!Found[I])
      Found[I] = findModule(S, Request, Group[I], MayWait);
    if (!Found[I] || !*Found[I])
      return Found[I].has_value();
    return (**Found[I])->prefetch(Group[I].Addresses, MayWait);
  });
  return Found;
}

static void printFrames(std::string &To, Symbolizer &S, uint64_t Address,
                        ArrayRef<Frame> Frames) {
  To += '[';
  for (const Frame &F : Frames) {
    To += &F == Frames.begin() ? "{" : ",{";
    appendFrameFields(To, S.viewWithOrigin(F, Address));
    To += '}';
  }
  To += ']';
}

/// Appends the answer for the addresses of \p W, in \p M, after the build ID.
static Error appendFrames(std::string &To, Service &S, ServedModule &M,
                          WantedModule &W, AnswerRoom &Room) {
  Expected<AddressTexts> Texts =
      AddressTexts::make(M, W.Addresses, printFrames, Room, S.Statistics);
  if (!Texts)
    return Texts.takeError();
  To += "\"found\":true,\"frames\":[";
  for (const uint64_t &Address : W.Addresses) {
    if (&Address != W.Addresses.data())
      To += ',';
    StringRef Text = (*Texts)[Address];
    To.append(Text.data(), Text.size());
    if (Error E = Room.setSize(To.size()))
      return E;
  }
  To += ']';
  return Error::success();
}

namespace {
/// The answer to a request in JSON.
class FramesAnswer {
public:
  explicit FramesAnswer(Service &S)
      : S(S), Room(S.Options.Limits.MaxAnswer, S.Memory) {}

  /// Appends the answer for \p W. An error ends the request.
  Error append(WantedModule &W, FoundModule M);
  Answer finish();

private:
  Error appendMissing(const WantedModule &W, Error E);

  Service &S;
  AnswerRoom Room;
  std::vector<UpstreamWish> Wishes;
  std::string Text;
  bool HasFound = false;
  /// Why the store answers for no module.
  RememberedError Outage;
};
} // namespace

/// Appends the answer for a missing module, or notes what may be fetched.
Error FramesAnswer::appendMissing(const WantedModule &W, Error E) {
  std::unique_ptr<LidiaError> Why =
      toLidiaError(noteWishes(std::move(E), Wishes));
  const ErrorInfoBase &Base = *Why;
  if (Why->file().empty() &&
      (Base.isA<ArgumentError>() || Base.isA<LimitError>()))
    return Error(std::move(Why));
  MissCode Code = missOf(Base).Code;
  // What is to be fetched is asked for again.
  if (Wishes.empty())
    S.Statistics.count(NameOrigin::Unknown, Code, W.Addresses.size());
  Text += "\"found\":false";
  if (Why->convertToErrorCode() == std::errc::no_such_file_or_directory)
    return Error::success();
  Text += ",\"error\":\"the archive cannot be read now\",\"miss\":\"";
  Text += toString(Code);
  Text += '"';
  if (Base.isA<OutageError>() &&
      static_cast<const OutageError &>(Base).isGeneral())
    Outage = RememberedError(Error(std::move(Why)));
  return Error::success();
}

Error FramesAnswer::append(WantedModule &W, FoundModule M) {
  Text += Text.empty() ? "{\"modules\":[{" : ",{";
  if (!W.BuildID.empty()) {
    Text += "\"build_id\":";
    appendJSONString(Text, StringRef(W.BuildID).lower());
    Text += ',';
  }
  if (!W.DebugIDText.empty()) {
    Text += "\"debug_id\":";
    appendJSONString(Text, W.DebugIDText);
    Text += ',';
  }
  HasFound |= bool(M);
  Error E =
      M ? appendFrames(Text, S, **M, W, Room) : appendMissing(W, M.takeError());
  Text += '}';
  return E;
}

/// If the store cannot be reached at all, a client should ask again, and not
/// take its modules for unknown.
Answer FramesAnswer::finish() {
  if (!Wishes.empty())
    return make_error<MissingFilesError>(std::move(Wishes));
  if (Outage && !HasFound)
    return Outage.get();
  if (Text.empty())
    Text = "{\"modules\":[";
  Text += "]}\n";
  return HTTPResponse::json(std::move(Text));
}

/// The answer for a request that cannot be read.
static HTTPResponse refusal(Error E) {
  return E.isA<UnsupportedError>() ? HTTPResponse::ofInput(std::move(E))
                                   : HTTPResponse::of(std::move(E));
}

Answer answerFrames(Service &S, const HTTPRequest &Request, PathParts) {
  const ServerLimits &Limits = S.Options.Limits;
  Expected<std::vector<WantedModule>> Wanted =
      readRequest(Request, Limits.MaxAddresses);
  if (!Wanted)
    return refusal(Wanted.takeError());
  for (WantedModule &W : *Wanted)
    if (W.AreReturns)
      for (uint64_t &Address : W.Addresses)
        Address -= Address ? 1 : 0;
  if (Request.header("accept").contains_insensitive(ArrowMediaType))
    return answerArrow(S, Request, *Wanted);
  FramesAnswer Result(S);
  for (MutableArrayRef<WantedModule> Rest = *Wanted; !Rest.empty();) {
    MutableArrayRef<WantedModule> Group =
        Rest.take_front(std::min(Rest.size(), ServedModules::MaxThreads));
    Rest = Rest.drop_front(Group.size());
    std::vector<std::optional<FoundModule>> Found =
        findModules(S, Request, Group);
    for (auto [W, M] : zip_equal(Group, Found))
      if (Error E = Result.append(W, std::move(*M)))
        return E;
  }
  return Result.finish();
}

} // namespace lidia
