//===- StoreLookup.cpp - llvm-lidia store lookup --------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Answers.h"
#include "LineReader.h"
#include "StoreOptions.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <poll.h>
#include <unistd.h>

using namespace llvm;

namespace lidia {

namespace {

/// A line, and the module that it is about.
struct Question {
  std::string Line;
  /// Empty if the line names none.
  SmallVector<uint8_t, 20> BuildID;
  /// What is behind the build ID.
  std::string Address;
};

/// Answers groups of lines. All addresses of a module in a group are looked up
/// together, which costs a store on another machine few round trips.
class StoreLookup {
public:
  StoreLookup(SymbolStore &Store, const AnswerOptions &O, bool AsList)
      : Store(Store), O(O), Out(O, AsList), Modules(MaxModules) {}

  void answer(ArrayRef<Question> Group);
  /// Answers the lines of standard input.
  void answerInput();
  Error finish();

private:
  static constexpr size_t MaxModules = 64;
  static constexpr size_t MaxLines = 4096;

  AnswerModule *open(const Question &Q, std::string &Why);
  void prepare(ArrayRef<Question> Group);
  void answerOne(const Question &Q);

  SymbolStore &Store;
  const AnswerOptions &O;
  Answers Out;
  /// Null for a build ID without an archive, which is asked for again after a
  /// while.
  RecentlyUsed<std::unique_ptr<AnswerModule>> Modules;
  std::vector<std::shared_ptr<const Archive>> Open;
  bool HasFailed = false;
};

} // namespace

static Question parseQuestion(StringRef Line) {
  Question Q;
  Q.Line = Line.str();
  auto [ID, Address] = Line.trim().split(' ');
  Q.BuildID = parseBuildIDText(ID);
  Q.Address = Address.trim().str();
  return Q;
}

AnswerModule *StoreLookup::open(const Question &Q, std::string &Why) {
  std::string ID = toHex(Q.BuildID, /*LowerCase=*/true);
  if (std::unique_ptr<AnswerModule> *Known = Modules.find(ID))
    return Known->get();
  Expected<std::shared_ptr<const Archive>> A = Store.archive(Q.BuildID);
  if (!A) {
    Why = toString(A.takeError());
    return nullptr;
  }
  Open.push_back(*A);
  return Modules.add(ID, std::make_unique<AnswerModule>(*A, ID, O)).get();
}

void StoreLookup::prepare(ArrayRef<Question> Group) {
  MapVector<StringRef, std::pair<const Question *, std::vector<uint64_t>>>
      ByModule;
  for (const Question &Asked : Group) {
    Query Q;
    if (Asked.BuildID.empty() || Q.parse(Asked.Address) || !Q.Symbol.empty() ||
        Q.What != Query::Kind::Code)
      continue;
    StringRef ID(reinterpret_cast<const char *>(Asked.BuildID.data()),
                 Asked.BuildID.size());
    auto &Module = ByModule[ID];
    Module.first = &Asked;
    Module.second.push_back(Q.Offset);
  }
  for (auto &[ID, Module] : ByModule) {
    std::string Why;
    if (AnswerModule *M = open(*Module.first, Why))
      M->prepare(Module.second, /*Threads=*/1);
  }
}

void StoreLookup::answerOne(const Question &Asked) {
  // An empty line is a liveness check.
  if (Asked.Line.empty())
    return Out.printUnknown("");
  Query Q;
  const char *Wrong = Asked.BuildID.empty()
                          ? "expected a build ID and an address"
                          : Q.parse(Asked.Address);
  if (Wrong) {
    reportError("'" + StringRef(Asked.Line).take_front(1000) + "': " + Wrong);
    HasFailed = true;
    return Out.printUnknown(Out.printable(toHex(Asked.BuildID, true)));
  }
  std::string Why;
  if (AnswerModule *M = open(Asked, Why))
    return Out.print(*M, Q, Asked.Line);
  HasFailed = true;
  std::string ID = toHex(Asked.BuildID, /*LowerCase=*/true);
  Out.printFailure(ID, Q, withoutPath(Why, ID));
}

void StoreLookup::answer(ArrayRef<Question> Group) {
  prepare(Group);
  for (const Question &Q : Group)
    answerOne(Q);
}

/// Whether standard input can be read without waiting.
static bool hasMore() {
  struct pollfd Input = {STDIN_FILENO, POLLIN, 0};
  return ::poll(&Input, 1, 0) == 1;
}

void StoreLookup::answerInput() {
  std::vector<Question> Group;
  auto BeforeWait = [&] {
    if (!Group.empty() && hasMore() && Group.size() < MaxLines)
      return;
    answer(Group);
    Group.clear();
    outs().flush();
  };
  LineReader Reader(STDIN_FILENO, BeforeWait);
  while (std::optional<StringRef> Line = Reader.nextText())
    Group.push_back(parseQuestion(*Line));
  answer(Group);
}

Error StoreLookup::finish() {
  Out.finish();
  Error Result = Error::success();
  for (const std::shared_ptr<const Archive> &A : Open)
    Result = joinErrors(std::move(Result), A->damage());
  if (uint64_t Count = Out.cutAnswers())
    Result =
        joinErrors(std::move(Result),
                   createStringError("incomplete answers: " + Twine(Count)));
  if (!Result && HasFailed)
    return make_error<ReportedFailure>();
  return Result;
}

Error lookUpInStore(CommandLine &Line, StringRef Where,
                    std::vector<std::string> Words) {
  AnswerOptions O = readAnswerOptions(Line);
  if (!Words.empty() && parseBuildIDText(Words.front()).empty())
    Line.fail("expected a build ID, but got '" + Words.front() + "'");
  else if (Words.size() == 1)
    Line.fail("no address given after the build ID");
  Expected<std::unique_ptr<SymbolStore>> Store = openStore(Line, Where);
  if (!Store)
    return Store.takeError();
  outs().SetBufferSize(64 * 1024);
  StoreLookup Lookup(**Store, O, /*AsList=*/!Words.empty());
  std::vector<Question> Asked;
  for (StringRef Address : ArrayRef(Words).drop_front(!Words.empty()))
    Asked.push_back(parseQuestion(Words.front() + " " + Address.str()));
  Lookup.answer(Asked);
  if (Words.empty())
    Lookup.answerInput();
  return Lookup.finish();
}

} // namespace lidia
