//===- S3Store.cpp - A store in an S3 bucket ------------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// HTTPFetcher reads objects in ranges. This file has the other requests: any
/// thread sends them, each on its own handle.
///
//===----------------------------------------------------------------------===//

#include "S3Store.h"
#include "CurlHandles.h"
#include "HTTPFailure.h"
#include "HTTPHandles.h"
#include "HTTPUpload.h"
#include "S3List.h"
#include "Support/PercentEncoding.h"
#include "lidia/Error.h"
#include "lidia/Support/Interrupt.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SHA256.h"
#include <cstring>

using namespace lidia;
using namespace llvm;

using Clock = std::chrono::steady_clock;

/// The largest object that one request can write.
static constexpr uint64_t LargestObject = uint64_t(5) << 30;
/// A part of a list has at most a thousand names of up to 3 KB.
static constexpr size_t MaxOfBody = 8 << 20;
/// The maximum number of parts of a list: a hundred million objects.
static constexpr unsigned MaxParts = 100 * 1000;

namespace {

/// A request, and its answer.
struct S3Request {
  const char *Method = "GET";
  std::string URL;
  std::vector<std::string> Headers;
  HTTPUpload Upload;

  /// Status, body and the other fields that whyFailed() reads.
  HTTPTransfer Answer;
  CURLcode Code = CURLE_OK;
};

class S3Store : public ObjectStore {
public:
  S3Store(const Curl &C, std::string Name, Location Base)
      : ObjectStore(std::move(Name)), C(C), Base(std::move(Base)),
        Limits(HTTPLimits::fromEnvironment()) {}

  bool isFar() const override { return true; }
  /// The first request for a list shows whether the bucket exists.
  Error checkPlace() override { return Error::success(); }
  Expected<bool> exists(StringRef Object) override;
  Expected<bool> put(StringRef Object, StringRef From, PutMode Mode) override;
  Error list(StringRef Prefix, Visitor Visit, unsigned AtOnce,
             StringRef After) override;
  Error remove(StringRef Object) override;

private:
  std::string key(StringRef Object) const;
  std::string objectURL(StringRef Object) const;
  /// Sends \p R until the status of the answer is below 500. Errors name
  /// \p Name.
  Error send(S3Request &R, const Twine &Name);
  bool sendOnce(S3Request &R, const Location &To);
  void count(const S3Request &R);
  bool setUp(CURL *Easy, S3Request &R, const Location &To,
             curl_slist *&Headers);
  Error refused(const S3Request &R, const Twine &Name) const;

  const Curl &C;
  const Location Base;
  const HTTPLimits Limits;
  CurlHandles Handles;
};

} // namespace

/// The key of \p Object in the bucket.
std::string S3Store::key(StringRef Object) const {
  StringRef Prefix = StringRef(Base.Key).rtrim('/');
  return Prefix.empty() ? Object.str() : (Prefix + "/" + Object).str();
}

std::string S3Store::objectURL(StringRef Object) const {
  return Base.BucketURL + percentEncode(key(Object), "/");
}

//===----------------------------------------------------------------------===//
// Requests
//===----------------------------------------------------------------------===//

static size_t takeS3Answer(char *Data, size_t, size_t Count, void *User) {
  auto &R = *static_cast<S3Request *>(User);
  if (R.Answer.Body.size() + Count > MaxOfBody) {
    R.Answer.Failure = "the server's answer does not end";
    return 0;
  }
  R.Answer.HasBody = true;
  R.Answer.Body.insert(R.Answer.Body.end(), Data, Data + Count);
  return Count;
}

/// Returns false if memory is exhausted.
bool S3Store::setUp(CURL *Easy, S3Request &R, const Location &To,
                    curl_slist *&Headers) {
  SHA256 Hash;
  Hash.update(R.Upload.Bytes);
  std::string Digest = toHex(Hash.final(), /*LowerCase=*/true);
  R.Headers.push_back("x-amz-content-sha256: " + Digest);
  if (!To.Keys->Token.empty())
    R.Headers.push_back("x-amz-security-token: " + To.Keys->Token);
  // Waiting for the server's permission would cost a round trip.
  R.Headers.push_back("Expect:");
  for (const std::string &Line : R.Headers) {
    curl_slist *Longer = C.slist_append(Headers, Line.c_str());
    if (!Longer)
      return false;
    Headers = Longer;
  }
  setTarget(C, Easy, To);
  setTimeLimits(C, Easy, Limits, R.Upload.Bytes.size());
  C.easy_setopt(Easy, CURLOPT_URL, R.URL.c_str());
  bool IsPut = !std::strcmp(R.Method, "PUT");
  bool IsHead = !std::strcmp(R.Method, "HEAD");
  C.easy_setopt(Easy, CURLOPT_HTTPGET, 1L);
  C.easy_setopt(Easy, CURLOPT_UPLOAD, long(IsPut));
  C.easy_setopt(Easy, CURLOPT_NOBODY, long(IsHead));
  C.easy_setopt(Easy, CURLOPT_CUSTOMREQUEST,
                IsPut || IsHead ? nullptr : R.Method);
  R.Upload.setUp(C, Easy);
  C.easy_setopt(Easy, CURLOPT_WRITEFUNCTION, takeS3Answer);
  C.easy_setopt(Easy, CURLOPT_WRITEDATA, &R);
  C.easy_setopt(Easy, CURLOPT_HEADERFUNCTION, HTTPTransfer::onHeader);
  C.easy_setopt(Easy, CURLOPT_HEADERDATA, &R.Answer);
  C.easy_setopt(Easy, CURLOPT_ERRORBUFFER, R.Answer.Message);
  C.easy_setopt(Easy, CURLOPT_HTTPHEADER, Headers);
  return true;
}

void S3Store::count(const S3Request &R) {
  RequestTotals &Sum = *totals();
  ++Sum.Requests;
  Sum.Retries += R.Answer.Attempts > 1;
  Sum.BytesRead += R.Answer.Body.size();
  Sum.BytesWritten += R.Upload.Sent;
}

bool S3Store::sendOnce(S3Request &R, const Location &To) {
  R.Answer.restart();
  R.Upload.Sent = 0;
  CURL *Easy = Handles.take(C);
  if (!Easy)
    return false;
  curl_slist *Headers = nullptr;
  std::vector<std::string> Own = R.Headers;
  bool IsSetUp = setUp(Easy, R, To, Headers);
  if (IsSetUp) {
    R.Code = perform(C, Easy);
    count(R);
  }
  R.Headers = std::move(Own);
  // The handle must not keep pointers to objects that end here.
  C.easy_setopt(Easy, CURLOPT_HTTPHEADER, nullptr);
  C.easy_setopt(Easy, CURLOPT_ERRORBUFFER, nullptr);
  C.slist_free_all(Headers);
  Handles.giveBack(Easy);
  return IsSetUp;
}

Error S3Store::refused(const S3Request &R, const Twine &Name) const {
  return requestError(R.Answer, R.Code, C, /*IsS3=*/true, Name);
}

Error S3Store::send(S3Request &R, const Twine &Name) {
  const Clock::time_point Deadline = Clock::now() + HTTPLimits::Retrying;
  while (true) {
    Location To = Base;
    if (Error E = To.renewKeys())
      return keysError(std::move(E));
    if (!sendOnce(R, To))
      return make_error<SystemError>(
          std::make_error_code(std::errc::not_enough_memory), Name);
    bool IsAnswered = R.Code == CURLE_OK && R.Answer.Failure.empty();
    // Another process is writing the same object.
    bool IsConflict = IsAnswered && R.Answer.Status == 409;
    if (IsAnswered && R.Answer.Status < 500 && !IsConflict &&
        !maySucceedLater(R.Answer, R.Code, /*IsFirst=*/false))
      return Error::success();
    auto Delay = std::max<std::chrono::milliseconds>(
        HTTPLimits::FirstDelay * (1 << (R.Answer.Attempts - 1)),
        std::chrono::seconds(std::min(R.Answer.RetryAfter, 10L)));
    if (R.Answer.Attempts >= HTTPLimits::Attempts ||
        Clock::now() + Delay >= Deadline ||
        !(IsConflict ||
          maySucceedLater(R.Answer, R.Code, R.Answer.Attempts == 1)))
      return IsAnswered && R.Answer.Status == 501 ? Error::success()
                                                  : refused(R, Name);
    if (!sleepUnlessInterrupted(Delay)) {
      R.Code = CURLE_ABORTED_BY_CALLBACK;
      return refused(R, Name);
    }
  }
}

//===----------------------------------------------------------------------===//
// Objects
//===----------------------------------------------------------------------===//

Expected<bool> S3Store::exists(StringRef Object) {
  S3Request R;
  R.Method = "HEAD";
  R.URL = objectURL(Object);
  if (Error E = send(R, location(Object)))
    return E;
  if (R.Answer.Status == 404)
    return false;
  if (R.Answer.Status != 200)
    return refused(R, location(Object));
  return true;
}

Expected<bool> S3Store::put(StringRef Object, StringRef From, PutMode Mode) {
  auto File = MemoryBuffer::getFile(From, /*IsText=*/false,
                                    /*RequiresNullTerminator=*/false);
  if (!File)
    return make_error<SystemError>(File.getError(), From);
  std::string Name = location(Object);
  if ((*File)->getBufferSize() > LargestObject)
    return make_error<LimitError>(
        Name, formatv("{0} bytes are more than one request can write",
                      (*File)->getBufferSize()));
  S3Request R;
  R.Method = "PUT";
  R.URL = objectURL(Object);
  R.Upload.Bytes = (*File)->getBuffer();
  if (Mode == PutMode::IfAbsent)
    R.Headers.push_back("If-None-Match: *");
  if (Error E = send(R, Name))
    return E;
  // The server does not support conditions.
  if (R.Answer.Status == 501 && Mode == PutMode::IfAbsent) {
    Expected<bool> IsThere = exists(Object);
    if (!IsThere || *IsThere)
      return IsThere ? Expected<bool>(false) : IsThere.takeError();
    return put(Object, From, PutMode::Replace);
  }
  if (R.Answer.Status == 412 && Mode == PutMode::IfAbsent)
    return false;
  if (R.Answer.Status != 200)
    return refused(R, Name);
  return true;
}

/// The query for a part of the list of objects that begin with \p Prefix: the
/// first part, of those after \p Last, or the one after the part with the last
/// object \p Last and the token \p Next. \p AtOnce as in list(). Parameters are
/// sorted, because the query is signed.
///
/// libcurl 8.13 to 8.18 sign a query with "%2B" wrongly (commit ee3a4dff1a). To
/// avoid it, the prefix ends before "+", which requests a longer list that
/// list() filters, and the next part is requested after \p Last if only \p Next
/// contains "+".
static std::string listQuery(StringRef Prefix, StringRef Next, StringRef Last,
                             unsigned AtOnce) {
  std::string Query = "encoding-type=url&list-type=2";
  // A list that is filtered needs more objects.
  if (AtOnce && !Prefix.contains('+'))
    Query += "&max-keys=" + utostr(AtOnce);
  Query += "&prefix=" +
           percentEncode(Prefix.take_until([](char C) { return C == '+'; }));
  bool IsFirst = Next.empty();
  if ((IsFirst || Next.contains('+')) && !Last.empty() && !Last.contains('+'))
    return Query + "&start-after=" + percentEncode(Last);
  if (!Next.empty())
    return "continuation-token=" + percentEncode(Next) + "&" + Query;
  return Query;
}

Error S3Store::list(StringRef Prefix, Visitor Visit, unsigned AtOnce,
                    StringRef After) {
  std::string Whole = key(Prefix), Skipped = key("");
  std::string Next, Last = After.empty() ? "" : key(After);
  for (unsigned Part = 0; Part != MaxParts; ++Part) {
    S3Request R;
    R.URL = Base.BucketURL + "?" + listQuery(Whole, Next, Last, AtOnce);
    if (Error E = send(R, name()))
      return E;
    if (R.Answer.Status != 200)
      return refused(R, name());
    auto List =
        parseS3List(StringRef(R.Answer.Body.data(), R.Answer.Body.size()));
    if (!List)
      return make_error<DamagedError>(
          name(), "the server does not answer with a list of objects");
    if (!List->Objects.empty())
      Last = List->Objects.back().Name;
    for (StoredObject &Object : List->Objects) {
      StringRef Name = Object.Name;
      if (!Name.starts_with(Whole) || !Name.consume_front(Skipped) ||
          (!After.empty() && Name <= After))
        continue;
      Object.Name = Name.str();
      if (Error E = Visit(Object))
        return E;
    }
    if (List->Next.empty())
      return Error::success();
    if (List->Next == Next)
      break;
    Next = std::move(List->Next);
  }
  return make_error<LimitError>(name(), "the list of objects does not end");
}

Error S3Store::remove(StringRef Object) {
  S3Request R;
  R.Method = "DELETE";
  R.URL = objectURL(Object);
  if (Error E = send(R, location(Object)))
    return E;
  if (R.Answer.Status == 404 || R.Answer.Status / 100 == 2)
    return Error::success();
  return refused(R, location(Object));
}

Expected<std::unique_ptr<ObjectStore>> lidia::createS3Store(StringRef Where) {
  StringRef Name = Where.rtrim('/');
  // Check the keys and the name of the bucket with a placeholder for the
  // object.
  bool HasPrefix = Name.drop_front(strlen("s3://")).contains('/');
  Expected<Location> Base =
      Location::parse(HasPrefix ? Name.str() : (Name + "/-").str());
  if (!Base)
    return Base.takeError();
  if (!HasPrefix)
    Base->Key.clear();
  Expected<const Curl &> C = Curl::get();
  if (!C)
    return addPrefix(Name, C.takeError());
  return std::make_unique<S3Store>(*C, Name.str(), std::move(*Base));
}
