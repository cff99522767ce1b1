//===- MozillaEndpoints.cpp - /symbolicate/v5 and /source/v1 --------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Mozilla's symbolication API, version 5, as described in eliot's
// docs/symbolication.rst and samply's API.md. A request has one or more jobs,
// each with the modules of a process and stacks of offsets in them.
//
//===----------------------------------------------------------------------===//

#include "Answers.h"
#include "JSONBody.h"
#include "Service.h"
#include "lidia/Archive/Sources.h"
#include "lidia/MissError.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;

namespace lidia {

namespace {
/// An entry of memoryMap.
struct JobModule {
  /// The name of its debug file, and its debug ID.
  StringRef Name;
  StringRef ID;
  std::shared_ptr<ServedModule> Served;
  /// Why the module could not be served; empty if it was, or if it is missing.
  std::string Failure;
  /// What upstream servers may have of it.
  std::vector<UpstreamWish> Wishes;
  std::vector<uint64_t> Offsets;
  std::optional<AddressTexts> Texts;
};

/// An address that the request asks about: [index in memoryMap, offset].
struct JobAddress {
  /// None if the address is in no module.
  std::optional<uint64_t> Module;
  uint64_t Offset = 0;
};

struct Job {
  std::vector<JobModule> Modules;
  std::vector<std::vector<JobAddress>> Stacks;
};
} // namespace

//===----------------------------------------------------------------------===//
// The request
//===----------------------------------------------------------------------===//

/// The first two values of the array \p V.
static std::pair<JSONValue, JSONValue> readPair(JSONValue V) {
  std::pair<JSONValue, JSONValue> Pair;
  size_t Count = 0;
  V.forEach([&](JSONValue Part) {
    if (Count < 2)
      (Count ? Pair.second : Pair.first) = Part;
    ++Count;
  });
  return Pair;
}

static Error readModules(JSONValue Map, Job &J) {
  bool AreRight = Map.isArray();
  Map.forEach([&](JSONValue V) {
    auto [Name, ID] = readPair(V);
    AreRight &= Name.string() && ID.string();
    JobModule &M = J.Modules.emplace_back();
    M.Name = Name.string().value_or("");
    M.ID = ID.string().value_or("");
  });
  return AreRight
             ? Error::success()
             : wrongRequest("\"memoryMap\" is an array of [debug name, debug "
                            "ID]");
}

static Error readStacks(JSONValue Stacks, Job &J, uint64_t &Left) {
  bool AreRight = Stacks.isArray(), AreTooMany = false;
  Stacks.forEach([&](JSONValue V) {
    AreRight &= V.isArray();
    std::vector<JobAddress> &Stack = J.Stacks.emplace_back();
    V.forEach([&](JSONValue Pair) {
      auto [Module, Offset] = readPair(Pair);
      AreRight &= Offset.number().has_value() && Module.isThere();
      AreTooMany |= !Left;
      if (!Left)
        return;
      --Left;
      JobAddress F{Module.number(), Offset.number().value_or(0)};
      if (F.Module && *F.Module >= J.Modules.size())
        AreRight = false;
      else if (F.Module)
        J.Modules[*F.Module].Offsets.push_back(F.Offset);
      Stack.push_back(F);
    });
  });
  if (AreTooMany)
    return make_error<LimitError>("", "too many addresses in one request");
  return AreRight
             ? Error::success()
             : wrongRequest("\"stacks\" is an array of arrays of [index in "
                            "memoryMap, offset]");
}

static Error readJob(JSONValue V, Job &J, uint64_t &Left) {
  if (Error E = readModules(V["memoryMap"], J))
    return E;
  return readStacks(V["stacks"], J, Left);
}

static Expected<std::vector<Job>> readJobs(const JSONBody &Body,
                                           uint64_t Left) {
  JSONValue Root = Body.root();
  if (!Root.isObject())
    return wrongRequest("the request is not an object");
  std::vector<Job> Jobs;
  Error Result = Error::success();
  // A single job may be the root itself.
  if (!Root["jobs"].isThere())
    Result = readJob(Root, Jobs.emplace_back(), Left);
  Root["jobs"].forEach([&](JSONValue V) {
    if (!Result)
      Result = readJob(V, Jobs.emplace_back(), Left);
  });
  if (Result)
    return Result;
  return Jobs;
}

//===----------------------------------------------------------------------===//
// The answer
//===----------------------------------------------------------------------===//

/// Appends the fields of an address: the outermost function, and the calls
/// inlined into it, innermost first.
static void printAddress(std::string &To, Symbolizer &S, uint64_t Address,
                         ArrayRef<Frame> Frames, const Archive &A) {
  if (Frames.empty())
    return;
  RangeEntry Range = A.range(Frames.back().Range);
  To += ',';
  size_t Begin = To.size();
  Frame Outer = Frames.back();
  // The schema does not have columns.
  Outer.Column = 0;
  appendFrameFields(To, S.view(Outer));
  if (To.size() != Begin)
    To += ',';
  appendHexField(To, "function_offset", Address - Range.VA);
  To += ',';
  appendHexField(To, "function_size", Range.Length);
  if (Frames.size() == 1)
    return;
  To += ",\"inlines\":[";
  for (Frame F : Frames.drop_back()) {
    if (To.back() != '[')
      To += ',';
    To += '{';
    F.Column = 0;
    appendFrameFields(To, S.view(F));
    To += '}';
  }
  To += ']';
}

/// Finds the archive of \p M, and prefetches what its look-ups read. Returns
/// false if that would take a request to another machine and \p MayWait is
/// false.
static bool findModule(Service &S, const HTTPRequest &Request, JobModule &M,
                       bool MayWait) {
  std::optional<DebugID> ID = DebugID::parse(M.ID);
  if (M.Offsets.empty() || !ID)
    return true;
  if (!MayWait && !S.Modules.isKnown(*ID))
    return false;
  Expected<std::shared_ptr<ServedModule>> Served = S.find(Request, *ID);
  if (!Served) {
    std::unique_ptr<LidiaError> Why =
        toLidiaError(noteWishes(Served.takeError(), M.Wishes));
    if (M.Wishes.empty())
      S.Statistics.count(NameOrigin::Unknown, missOf(*Why).Code,
                         M.Offsets.size());
    if (Why->convertToErrorCode() != std::errc::no_such_file_or_directory)
      M.Failure = "the archive cannot be read now";
    return true;
  }
  M.Served = std::move(*Served);
  std::vector<uint64_t> Addresses;
  for (uint64_t Offset : ArrayRef(M.Offsets).take_front(Archive::FarGroup))
    Addresses.push_back(M.Served->imageBase() + Offset);
  return M.Served->prefetch(Addresses, MayWait);
}

static Error answerModule(Service &S, JobModule &M, AnswerRoom &Room) {
  if (!M.Served)
    return Error::success();
  std::vector<uint64_t> Addresses;
  for (uint64_t Offset : M.Offsets)
    Addresses.push_back(M.Served->imageBase() + Offset);
  auto Print = [&](std::string &To, Symbolizer &Names, uint64_t Address,
                   ArrayRef<Frame> Frames) {
    printAddress(To, Names, Address, Frames, M.Served->archive());
  };
  Expected<AddressTexts> Texts = AddressTexts::make(
      *M.Served, std::move(Addresses), Print, Room, S.Statistics);
  if (!Texts)
    return Texts.takeError();
  M.Texts = std::move(*Texts);
  return Error::success();
}

static void appendFrame(std::string &To, size_t Index, const JobAddress &F,
                        Job &J) {
  To += "{\"frame\":" + utostr(Index) + ",\"module\":";
  JobModule *M = F.Module ? &J.Modules[*F.Module] : nullptr;
  appendJSONString(To, M ? M->Name : "");
  To += ',';
  appendHexField(To, "module_offset", F.Offset);
  if (M && M->Texts) {
    StringRef Text = (*M->Texts)[M->Served->imageBase() + F.Offset];
    To.append(Text.data(), Text.size());
  }
  To += '}';
}

static void appendModules(std::string &To, const Job &J) {
  auto Key = [&](const JobModule &M) {
    appendJSONString(To, (M.Name + "/" + M.ID).str());
  };
  To += "\"found_modules\":{";
  for (const JobModule &M : J.Modules) {
    if (M.Offsets.empty())
      continue;
    if (To.back() != '{')
      To += ',';
    Key(M);
    To += M.Served ? ":true" : ":false";
  }
  To += '}';
  if (all_of(J.Modules, [](const JobModule &M) { return M.Failure.empty(); }))
    return;
  To += ",\"module_errors\":{";
  for (const JobModule &M : J.Modules) {
    if (M.Failure.empty())
      continue;
    if (To.back() != '{')
      To += ',';
    Key(M);
    To += ":[{\"name\":\"unreadable\",\"message\":";
    appendJSONString(To, M.Failure);
    To += "}]";
  }
  To += '}';
}

static Error appendJob(std::string &To, Job &J, AnswerRoom &Room) {
  To += "{\"stacks\":[";
  for (const std::vector<JobAddress> &Stack : J.Stacks) {
    To += &Stack == J.Stacks.data() ? "[" : ",[";
    for (auto [I, F] : enumerate(Stack)) {
      if (I)
        To += ',';
      appendFrame(To, I, F, J);
      if (Error E = Room.setSize(To.size()))
        return E;
    }
    To += ']';
  }
  To += "],";
  appendModules(To, J);
  To += '}';
  return Error::success();
}

Answer answerSymbolication(Service &S, const HTTPRequest &Request, PathParts) {
  const ServerLimits &Limits = S.Options.Limits;
  Expected<JSONBody> Body = JSONBody::parse(Request.Body);
  if (!Body)
    return Body.takeError();
  Expected<std::vector<Job>> Jobs = readJobs(*Body, Limits.MaxAddresses);
  if (!Jobs)
    return Jobs.takeError();
  AnswerRoom Room(Limits.MaxAnswer, S.Memory);
  std::vector<UpstreamWish> Wishes;
  std::string Text = "{\"results\":[";
  for (Job &J : *Jobs) {
    if (&J != Jobs->data())
      Text += ',';
    S.Modules.forEach(J.Modules.size(),
                      [&, &Modules = J.Modules](size_t I, bool MayWait) {
                        return findModule(S, Request, Modules[I], MayWait);
                      });
    for (JobModule &M : J.Modules)
      append_range(Wishes, M.Wishes);
    if (!Wishes.empty())
      continue;
    for (JobModule &M : J.Modules)
      if (Error E = answerModule(S, M, Room))
        return E;
    if (Error E = appendJob(Text, J, Room))
      return E;
    // Free the job, whose texts were printed.
    J = Job();
  }
  if (!Wishes.empty())
    return make_error<MissingFilesError>(std::move(Wishes));
  Text += "]}\n";
  return HTTPResponse::json(std::move(Text));
}

//===----------------------------------------------------------------------===//
// /source/v1
//===----------------------------------------------------------------------===//

/// The source file \p Path of \p M from an upstream server.
static Expected<std::string> upstreamSource(Service &S,
                                            const HTTPRequest &Request,
                                            const ServedModule &M,
                                            StringRef Path) {
  UpstreamWish Wish = UpstreamWish::source(M.buildID(), Path);
  std::string Fetched = S.UpstreamServers.fetched(Wish);
  if (Fetched.empty()) {
    Error Why = make_error<MissingInformationError>(
        "", "the archive has no source code of that file");
    // Upstream servers only know absolute paths.
    if (!Path.starts_with("/"))
      return Why;
    return S.UpstreamServers.missing(Request, std::move(Wish), std::move(Why));
  }
  Expected<std::shared_ptr<SentFile>> File = SentFile::open(Fetched);
  if (!File)
    return File.takeError();
  if ((*File)->Size > S.Options.Limits.MaxAnswer)
    return make_error<LimitError>("", "the source file is too large");
  ErrorOr<std::unique_ptr<MemoryBuffer>> Text =
      MemoryBuffer::getOpenFile((*File)->Descriptor, "the file", (*File)->Size,
                                /*RequiresNullTerminator=*/false);
  if (!Text)
    return make_error<SystemError>(Text.getError(), "the file");
  return (*Text)->getBuffer().str();
}

/// The source of the file \p Path, if a frame of \p Address is in it.
static Expected<std::string> sourceAt(Service &S, const HTTPRequest &Request,
                                      ServedModule &M, uint64_t Address,
                                      StringRef Path) {
  std::optional<StringOffset> File;
  M.symbolize([&](Symbolizer &Frames) {
    for (const Frame &F : Frames.frames(Address))
      if (Frames.file(F) == Path)
        File = F.File;
  });
  if (!File)
    return make_error<MissingInformationError>(
        "", "no frame of that address is in that file");
  EmbeddedSources Sources(M.archive());
  if (std::optional<uint64_t> Index = Sources.find(*File))
    return Sources.text(*Index);
  return upstreamSource(S, Request, M, Path);
}

Answer answerSourceOfModule(Service &S, const HTTPRequest &Request, PathParts) {
  Expected<JSONBody> Body = JSONBody::parse(Request.Body);
  if (!Body)
    return Body.takeError();
  JSONValue Root = Body->root();
  std::optional<DebugID> ID =
      DebugID::parse(Root["debugId"].string().value_or(""));
  std::optional<uint64_t> Offset = Root["moduleOffset"].address();
  std::optional<StringRef> File = Root["file"].string();
  if (!ID || !Offset || !File)
    return HTTPResponse::error(
        400, "the request needs \"debugId\", \"moduleOffset\" and \"file\"");
  Expected<std::shared_ptr<ServedModule>> M = S.find(Request, *ID);
  if (!M)
    return M.takeError();
  Expected<std::string> Source =
      sourceAt(S, Request, **M, (*M)->imageBase() + *Offset, *File);
  if (!Source)
    return Source.takeError();
  std::string Text = "{\"symbolsLastModified\":null,\"sourceLastModified\":"
                     "null,\"file\":";
  appendJSONString(Text, *File);
  Text += ",\"source\":";
  appendJSONString(Text, *Source);
  Text += "}\n";
  return HTTPResponse::json(std::move(Text));
}

} // namespace lidia
