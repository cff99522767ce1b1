//===- WebStore.cpp - A store on a web server -----------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WebStore.h"
#include "CurlHandles.h"
#include "HTTPFailure.h"
#include "HTTPHandles.h"
#include "HTTPUpload.h"
#include "Support/PercentEncoding.h"
#include "Support/URLText.h"
#include "lidia/Archive/ArchiveExtension.h"
#include "lidia/Error.h"
#include "lidia/Store/OpenArchive.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include <cerrno>
#include <thread>

using namespace lidia;
using namespace llvm;

namespace {
class WebStore : public ObjectStore {
public:
  WebStore(StringRef URL, std::string WriteURL)
      : ObjectStore(urlForMessages(URL), URL.str()),
        WriteURL(std::move(WriteURL)) {}

  bool isFar() const override { return true; }
  Error checkPlace() override;
  Expected<bool> exists(StringRef Object) override;
  Expected<bool> put(StringRef Object, StringRef From, PutMode Mode) override;
  bool keepsBetter() const override { return true; }
  Expected<std::optional<SmallVector<uint8_t, 20>>>
  buildIDOf(StringRef Kind, StringRef ID) override;
  /// Like a bucket whose keys only allow reading single objects.
  Error list(StringRef, Visitor, unsigned, StringRef) override {
    return cannot("be listed");
  }
  Error remove(StringRef Object) override;

private:
  Error send(StringRef Name, Location To, StringRef Body, HTTPTransfer &Answer);
  CURLcode perform(const Curl &C, const Location &To, StringRef Body,
                   HTTPTransfer &Answer);
  long statusOfHead(const Location &Of);
  CURLcode performAndGiveBack(const Curl &C, CURL *Easy, HTTPTransfer &Answer);
  Error cannot(const Twine &What) const {
    return make_error<SystemError>(
        std::make_error_code(std::errc::permission_denied), name(),
        "a store behind a web server cannot " + What);
  }

  /// The store's URL with the token for writing.
  const std::string WriteURL;
  CurlHandles Handles;
};
} // namespace

//===----------------------------------------------------------------------===//
// Requests
//===----------------------------------------------------------------------===//

static size_t takeAnswer(char *Data, size_t, size_t Count, void *User) {
  auto &Answer = *static_cast<HTTPTransfer *>(User);
  constexpr size_t Max = 64 << 10;
  Answer.HasBody = true;
  size_t Room = Max - std::min(Max, Answer.Body.size());
  Answer.Body.insert(Answer.Body.end(), Data, Data + std::min(Room, Count));
  return Count;
}

CURLcode WebStore::performAndGiveBack(const Curl &C, CURL *Easy,
                                      HTTPTransfer &Answer) {
  Answer.restart();
  C.easy_setopt(Easy, CURLOPT_WRITEFUNCTION, takeAnswer);
  C.easy_setopt(Easy, CURLOPT_WRITEDATA, &Answer);
  C.easy_setopt(Easy, CURLOPT_HEADERFUNCTION, HTTPTransfer::onHeader);
  C.easy_setopt(Easy, CURLOPT_HEADERDATA, &Answer);
  C.easy_setopt(Easy, CURLOPT_ERRORBUFFER, Answer.Message);
  CURLcode Code = lidia::perform(C, Easy);
  // The handle must not keep a pointer to a buffer that ends here.
  C.easy_setopt(Easy, CURLOPT_ERRORBUFFER, nullptr);
  C.easy_setopt(Easy, CURLOPT_CUSTOMREQUEST, nullptr);
  Handles.giveBack(Easy);
  return Code;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// Sends one request, and accepts any answer about the object. Without this
/// check, each archive would wait for a server that cannot be reached.
Error WebStore::checkPlace() {
  Expected<std::shared_ptr<FarFile>> File = openURL(location(""), totals());
  if (File)
    return Error::success();
  return handleErrors(File.takeError(),
                      [](std::unique_ptr<ErrorInfoBase> Info) -> Error {
                        std::error_code Code = Info->convertToErrorCode();
                        if (Code == std::errc::no_such_file_or_directory ||
                            Code == std::errc::permission_denied)
                          return Error::success();
                        return Error(std::move(Info));
                      });
}

/// The status of the answer to HEAD; 0 if there was none.
long WebStore::statusOfHead(const Location &Of) {
  Expected<const Curl &> C = Curl::get();
  CURL *Easy = C ? Handles.take(*C) : nullptr;
  if (!Easy) {
    consumeError(C.takeError());
    return 0;
  }
  HTTPTransfer Answer;
  setTarget(*C, Easy, Of);
  setTimeLimits(*C, Easy, HTTPLimits::fromEnvironment(), /*Size=*/0);
  C->easy_setopt(Easy, CURLOPT_UPLOAD, 0L);
  C->easy_setopt(Easy, CURLOPT_NOBODY, 1L);
  ++totals()->Requests;
  return performAndGiveBack(*C, Easy, Answer) ? 0 : Answer.Status;
}

/// HEAD is enough for tokens that may only write.
Expected<bool> WebStore::exists(StringRef Object) {
  Expected<Location> Of = Location::parse(location(Object));
  if (!Of)
    return Of.takeError();
  long Status = statusOfHead(*Of);
  if (Status == 200 || Status == 404)
    return Status == 200;
  // Some servers do not answer HEAD. This one also tries again, and finds out
  // what is wrong.
  Expected<std::shared_ptr<FarFile>> File = openURL(location(Object), totals());
  if (File)
    return true;
  std::unique_ptr<LidiaError> Why = toLidiaError(File.takeError());
  if (Why->convertToErrorCode() == std::errc::no_such_file_or_directory)
    return false;
  return Error(std::move(Why));
}

//===----------------------------------------------------------------------===//
// Other IDs
//===----------------------------------------------------------------------===//

Expected<std::optional<SmallVector<uint8_t, 20>>>
WebStore::buildIDOf(StringRef Kind, StringRef ID) {
  std::string Name = (Kind + "/" + ID + "/buildid").str(), Text, Bytes;
  constexpr uint64_t Max = 1024;
  if (Error E = readWhole(
          location(Name), [&](StringRef Piece) { Text += Piece; }, Max))
    return E;
  if (tryGetFromHex(StringRef(Text).trim(), Bytes) && !Bytes.empty())
    return SmallVector<uint8_t, 20>(arrayRefFromStringRef(Bytes));
  return make_error<DamagedError>(name(),
                                  "the server's answer is not a build ID");
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

CURLcode WebStore::perform(const Curl &C, const Location &To, StringRef Body,
                           HTTPTransfer &Answer) {
  CURL *Easy = Handles.take(C);
  if (!Easy)
    return CURLE_OUT_OF_MEMORY;
  // The server answers after it has checked and stored the archive, and other
  // uploads may be ahead of this one.
  constexpr long LongestSilence = 300;
  HTTPLimits Limits = HTTPLimits::fromEnvironment();
  HTTPUpload Upload;
  Upload.Bytes = Body;
  setTarget(C, Easy, To);
  setTimeLimits(C, Easy, Limits, Body.size());
  C.easy_setopt(Easy, CURLOPT_LOW_SPEED_TIME, LongestSilence);
  C.easy_setopt(Easy, CURLOPT_TIMEOUT,
                LongestSilence + long(Body.size() / HTTPLimits::SlowestSpeed));
  C.easy_setopt(Easy, CURLOPT_FOLLOWLOCATION, 0L);
  C.easy_setopt(Easy, CURLOPT_NOBODY, 0L);
  C.easy_setopt(Easy, CURLOPT_UPLOAD, 1L);
  Upload.setUp(C, Easy);
  CURLcode Code = performAndGiveBack(C, Easy, Answer);
  bool HasSent = Upload.Sent || Answer.Status;
  return Code == CURLE_OPERATION_TIMEDOUT && !HasSent ? CURLE_COULDNT_CONNECT
                                                      : Code;
}

/// The error in an answer of `llvm-lidia serve`; empty if there is none.
static std::string errorIn(const HTTPTransfer &Answer) {
  Expected<json::Value> Value =
      json::parse(StringRef(Answer.Body.data(), Answer.Body.size()));
  if (!Value) {
    consumeError(Value.takeError());
    return "";
  }
  json::Object *O = Value->getAsObject();
  return O ? O->getString("error").value_or("").take_front(1024).str() : "";
}

/// The errno for an answer to an upload. The values for tokens, for space and
/// for a server that cannot be reached concern the whole store (endsStore()).
static int errorNumberOf(CURLcode Code, long Status) {
  if (Code)
    return isUnreachable(Code) ? ENXIO : EIO;
  switch (Status) {
  case 401:
  case 403:
  case 404:
  case 405:
    return EPERM;
  case 507:
    return ENOSPC;
  case 413:
    return EFBIG;
  case 422:
    return EINVAL;
  default:
    return EIO;
  }
}

/// The error for a request for \p Name that failed with \p Code or by its
/// status.
static Error failure(StringRef Name, const HTTPTransfer &Answer, CURLcode Code,
                     const Curl &C) {
  std::string Why = Code ? "" : errorIn(Answer);
  if (!Code && Answer.Status == 401)
    Why = "the server rejects the token: pass its write token (--write-token=)";
  else if (Why.empty())
    Why = whyFailed(Answer, Code, C, /*IsS3=*/false);
  std::error_code Number(errorNumberOf(Code, Answer.Status),
                         std::generic_category());
  constexpr long Busy = 503;
  if (Code || Answer.Status == Busy)
    return make_error<OutageError>(Number, Name, Why, /*AreOthersToo=*/true);
  return make_error<SystemError>(Number, Name, Why);
}

/// Sends \p Body until it is stored, and retries if the server is busy. The
/// error names \p Name.
Error WebStore::send(StringRef Name, Location To, StringRef Body,
                     HTTPTransfer &Answer) {
  Expected<const Curl &> C = Curl::get();
  if (!C)
    return addPrefix(Name, C.takeError());
  while (true) {
    CURLcode Code = perform(*C, To, Body, Answer);
    if (Code == CURLE_OK && Answer.Status / 100 == 2)
      return Error::success();
    bool IsBusy = Code == CURLE_OK && Answer.Status == 503;
    if (IsBusy && Answer.Attempts < HTTPLimits::Attempts) {
      std::this_thread::sleep_for(
          std::chrono::seconds(std::clamp(Answer.RetryAfter, 1L, 10L)));
      continue;
    }
    return failure(Name, Answer, Code, *C);
  }
}

/// Where the server takes the object \p Object; empty if it does not.
static std::string uploadPath(StringRef Object) {
  if (Object.consume_front(".names/")) {
    auto [ID, Name] = Object.split('-');
    auto [First, Rest] = ID.split('/');
    return ("v1/archives/" + First + Rest + "/names/" + Name).str();
  }
  if (Object.consume_front(".htlhash/")) {
    auto [Hash, ID] = Object.split('-');
    auto [First, Rest] = Hash.split('/');
    return ("v1/archives/" + ID + "/htlhash/" + First + Rest).str();
  }
  if (!Object.consume_front(".build-id/") ||
      !Object.consume_back(CompressedArchiveExtension))
    return "";
  auto [First, Rest] = Object.split('/');
  return ("buildid/" + First + Rest).str();
}

Expected<bool> WebStore::put(StringRef Object, StringRef From, PutMode Mode) {
  std::string Path = uploadPath(Object);
  if (Path.empty())
    return cannot("be written, except for archives of the layout build-id");
  auto File = MemoryBuffer::getFile(From, /*IsText=*/false,
                                    /*RequiresNullTerminator=*/false);
  if (!File)
    return make_error<SystemError>(File.getError(), From);
  std::string URL = WriteURL + "/" + Path;
  if (Mode == PutMode::Replace && StringRef(Path).starts_with("buildid/"))
    URL += "?replace=true";
  Expected<Location> To = Location::parse(URL);
  if (!To)
    return To.takeError();
  HTTPTransfer Answer;
  if (Error E = send(urlForMessages(URL), *To, (*File)->getBuffer(), Answer))
    return E;
  constexpr long Created = 201;
  return Answer.Status == Created;
}

//===----------------------------------------------------------------------===//

/// The server also removes what belongs to the archive.
Error WebStore::remove(StringRef Object) {
  StringRef Path = Object;
  std::string Upload = uploadPath(Object);
  if (!StringRef(Upload).starts_with("buildid/"))
    return cannot("remove " + Path);
  std::string URL =
      WriteURL + "/v1/archives/" + Upload.substr(StringRef("buildid/").size());
  Expected<Location> Of = Location::parse(URL);
  Expected<const Curl &> C = Curl::get();
  if (!Of || !C)
    return joinErrors(Of.takeError(), C.takeError());
  CURL *Easy = Handles.take(*C);
  if (!Easy)
    return errorCodeToError(std::make_error_code(std::errc::not_enough_memory));
  HTTPTransfer Answer;
  setTarget(*C, Easy, *Of);
  setTimeLimits(*C, Easy, HTTPLimits::fromEnvironment(), /*Size=*/0);
  C->easy_setopt(Easy, CURLOPT_UPLOAD, 0L);
  C->easy_setopt(Easy, CURLOPT_NOBODY, 0L);
  C->easy_setopt(Easy, CURLOPT_CUSTOMREQUEST, "DELETE");
  ++totals()->Requests;
  CURLcode Code = performAndGiveBack(*C, Easy, Answer);
  if (Code == CURLE_OK && Answer.Status / 100 == 2)
    return Error::success();
  return failure(urlForMessages(URL), Answer, Code, *C);
}

Expected<std::unique_ptr<ObjectStore>> lidia::createWebStore(StringRef Where,
                                                             StringRef Token) {
  if (Where.find_first_of("?#") != StringRef::npos)
    return make_error<ArgumentError>(
        urlForMessages(Where), "not a store: its URL has a query or a '#'");
  std::string URL = Where.rtrim('/').str(), WriteURL = URL;
  if (!Token.empty()) {
    WriteURL = urlForMessages(URL);
    bool HasPassword = WriteURL != URL;
    WriteURL.insert(WriteURL.find("://") + 3,
                    "token:" + percentEncode(Token) + "@");
    if (!HasPassword)
      URL = WriteURL;
  }
  return std::make_unique<WebStore>(URL, std::move(WriteURL));
}
