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
#include "Support/Threads.h"
#include "lidia/Archive/DamageLog.h"
#include "lidia/Error.h"
#include "lidia/MissError.h"
#include "lidia/Support/RecentlyUsed.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/raw_ostream.h"
#include <atomic>
#include <poll.h>
#include <unistd.h>

using namespace llvm;

namespace lidia {

namespace {

/// A line, and the module that it names.
struct Question {
  std::string Line;
  /// Empty if the line names no module.
  SmallVector<uint8_t, 20> BuildID;
  /// The same as hexadecimal digits.
  std::string ID;
  /// The text after the build ID.
  std::string Address;
};

/// A module that lines of a group name.
struct AskedModule {
  StringRef ID;
  ArrayRef<uint8_t> BuildID;
  std::vector<uint64_t> Addresses;
  /// Null if it is not open.
  AnswerModule *Known = nullptr;
  std::unique_ptr<AnswerModule> Opened;
  RememberedError Why;
};

/// Answers groups of lines. Opens all archives of a group at once, and looks up
/// all addresses in a module together, so that a store on another machine needs
/// few round trips.
class StoreLookup {
public:
  StoreLookup(SymbolStore &Store, const AnswerOptions &O, bool AsList)
      : Store(Store), O(O), Out(O, AsList), Modules(MaxModules) {}

  /// Does nothing after the whole store has failed.
  void answer(ArrayRef<Question> Lines);
  /// Answers the lines of standard input.
  void answerInput();
  Error finish();

private:
  /// The maximum number of open archives, which is the maximum for a group.
  static constexpr size_t MaxModules = 64;
  static constexpr size_t MaxLines = 4096;
  /// The number of archives on another machine that are opened at the same
  /// time.
  static constexpr unsigned Connections = 32;

  void prepare(ArrayRef<Question> Group);
  void open(AskedModule &M);
  void answerOne(const Question &Q);

  SymbolStore &Store;
  const AnswerOptions &O;
  Answers Out;
  DamageLog Damage;
  RecentlyUsed<std::unique_ptr<AnswerModule>> Modules;
  /// The reasons why modules of the group are not open.
  StringMap<Miss> Failures;
  bool HasFailed = false;
  /// The reason why the whole store has failed.
  RememberedError Ended;
};

} // namespace

static Question parseQuestion(StringRef Line) {
  Question Q;
  Q.Line = Line.str();
  auto [ID, Address] = Line.trim().split(' ');
  Q.BuildID = parseBuildIDText(ID);
  Q.ID = toHex(Q.BuildID, /*LowerCase=*/true);
  Q.Address = Address.trim().str();
  return Q;
}

/// Several threads call this at once.
void StoreLookup::open(AskedModule &M) {
  if (!M.Known) {
    Expected<std::shared_ptr<const Archive>> A = Store.archive(M.BuildID);
    if (!A) {
      M.Why = RememberedError(A.takeError());
      return;
    }
    M.Opened =
        std::make_unique<AnswerModule>(Damage.watch(std::move(*A)), M.ID, O);
    M.Known = M.Opened.get();
  }
  if (!M.Addresses.empty())
    M.Known->prepare(M.Addresses, /*Threads=*/1);
}

void StoreLookup::prepare(ArrayRef<Question> Group) {
  MapVector<StringRef, AskedModule> ByID;
  for (const Question &Asked : Group) {
    Query Q;
    if (Asked.BuildID.empty() || Q.parse(Asked.Address))
      continue;
    AskedModule &M = ByID[Asked.ID];
    M.ID = Asked.ID;
    M.BuildID = Asked.BuildID;
    if (Q.Symbol.empty() && Q.Type == Query::Kind::Code)
      M.Addresses.push_back(Q.Offset);
  }
  // Marks open archives as used before others replace them.
  std::vector<AskedModule *> All;
  for (auto &[ID, M] : ByID) {
    if (std::unique_ptr<AnswerModule> *Known = Modules.find(ID))
      M.Known = Known->get();
    All.push_back(&M);
  }
  std::atomic<size_t> Next{0};
  runOnThreads(Store.isFar() ? std::min<size_t>(Connections, All.size()) : 1,
               [&] {
                 for (size_t I; (I = Next++) < All.size();)
                   open(*All[I]);
               });
  Failures.clear();
  for (AskedModule *M : All)
    if (M->Opened)
      Modules.add(M->ID, std::move(M->Opened));
    else if (!M->Known) {
      Failures[M->ID] = missOf(M->Why.get());
      if (!Ended && endsStore(errorToErrorCode(M->Why.get())))
        Ended = M->Why;
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
    return Out.printUnknown(Out.printable(Asked.ID));
  }
  if (const std::unique_ptr<AnswerModule> *M = Modules.find(Asked.ID))
    return Out.print(**M, Q, Asked.Line);
  HasFailed = true;
  const Miss &Why = Failures[Asked.ID];
  Out.printFailure(Asked.ID, Q, {Why.Code, withoutPath(Why.Text, Asked.ID)});
}

/// The longest prefix of \p Lines that names at most \p Most modules.
static ArrayRef<Question> takeGroup(ArrayRef<Question> Lines, size_t Most) {
  StringSet<> IDs;
  size_t Count = 0;
  for (; Count != Lines.size(); ++Count)
    if (IDs.insert(Lines[Count].ID).second && IDs.size() > Most)
      break;
  return Lines.take_front(Count);
}

void StoreLookup::answer(ArrayRef<Question> Lines) {
  while (!Lines.empty() && !Ended) {
    ArrayRef<Question> Group = takeGroup(Lines, MaxModules);
    prepare(Group);
    if (Ended)
      return;
    for (const Question &Q : Group)
      answerOne(Q);
    Lines = Lines.drop_front(Group.size());
  }
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
  Error Result = joinErrors(Damage.damage(), Ended.get());
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
  if (!Words.empty() && !isIDText(Words.front()))
    Line.fail("expected a build ID, but got '" + Words.front() + "'");
  else if (Words.size() == 1)
    Line.fail("no address given after the build ID");
  Expected<std::unique_ptr<SymbolStore>> Store =
      openStore(Line, Where, StoreNeed::Archives);
  if (!Store)
    return Store.takeError();
  if (!Words.empty() && parseDebugIDText(Words.front())) {
    Expected<SmallVector<uint8_t, 20>> BuildID =
        resolveID(**Store, Words.front());
    if (!BuildID)
      return BuildID.takeError();
    Words.front() = toHex(*BuildID, /*LowerCase=*/true);
  }
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
