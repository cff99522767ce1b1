//===- HTTPFetcher.cpp - Ranges of a file by HTTP -------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Requests of a round are sent at the same time. Nothing that the server says
/// is trusted: an answer must be the very range that was requested, of a file
/// of the same size and the same version (ETag) as before, and no more of it is
/// read than that.
///
//===----------------------------------------------------------------------===//

#include "HTTPFetcher.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <chrono>
#include <cstdlib>

using namespace lidia;
using namespace llvm;

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {
/// How long a server may take.
struct Limits {
  static constexpr long ConnectSeconds = 10;
  /// So long it may send next to nothing.
  long StallSeconds = 15;
  /// Slower than this is next to nothing.
  static constexpr long StallBytesPerSecond = 100;
  /// What a request may take besides a second for each SlowestSpeed bytes.
  static constexpr long RequestSeconds = 60;
  static constexpr uint64_t SlowestSpeed = 16 * 1024;
  static constexpr long Redirects = 5;
  /// Requests of a round at the same time.
  static constexpr long Connections = 16;
  static constexpr unsigned Attempts = 4;
  static constexpr milliseconds FirstDelay{200};
  /// After this long a round does not try again.
  static constexpr seconds Retrying{30};
  /// Of the headers of an answer, redirects included.
  static constexpr size_t HeaderBytes = 64 * 1024;

  static Limits fromEnvironment();
};

/// The value of a Content-Range header.
struct ContentRange {
  uint64_t First = 0;
  uint64_t Last = 0;
  uint64_t Total = 0;

  static std::optional<ContentRange> parse(StringRef Value);
};

/// One request. The callbacks of libcurl have its address.
struct Transfer {
  RangeFetcher::Range *Wanted = nullptr;
  /// The range is the last bytes of a file whose size is not known.
  bool IsTail = false;

  CURL *Easy = nullptr;
  unsigned Attempts = 0;
  Clock::time_point NotBefore;
  bool IsActive = false;
  bool IsDone = false;

  /// The answer so far.
  long Status = 0;
  std::optional<ContentRange> Place;
  std::string ETag;
  std::string LastModified;
  std::string Region;
  bool IsEncoded = false;
  std::vector<char> Body;
  size_t HeaderBytes = 0;
  long RetryAfter = 0;
  /// Why a callback ended the transfer.
  std::string Failure;
  char Message[CURL_ERROR_SIZE] = {};

  void reset();
  void takeHeader(StringRef Line);
  /// False if the range that the server sends is not the one requested.
  bool checkPlace();
  bool takeBody(StringRef Bytes);
};

class HTTPFetcher : public RangeFetcher {
public:
  HTTPFetcher(const Curl &C, Location Where)
      : C(C), Where(std::move(Where)), Limit(Limits::fromEnvironment()) {}
  ~HTTPFetcher() override;

  StringRef name() const override { return Where.Name; }
  Expected<uint64_t> open(Range &Head, Range &Tail) override;
  Error fetch(MutableArrayRef<Range> Ranges) override;
  uint64_t requests() const override { return Requests; }
  uint64_t retries() const override { return Retries; }

private:
  Error error(const Twine &Message) const;
  Error run(MutableArrayRef<Transfer> Round);
  Error prepare(Transfer &T);
  void setTarget(CURL *Easy);
  void setLimits(CURL *Easy, uint64_t Size);
  Error start(Transfer &T);
  void stop(Transfer &T);
  /// Handles what has ended, and sets \p Any if anything has. \p Deadline is
  /// the last time to try again.
  Error takeFinished(Clock::time_point Deadline, bool &Any);
  Error finish(Transfer &T, CURLcode Code, Clock::time_point Deadline);
  bool maySucceedLater(const Transfer &T, CURLcode Code) const;
  std::string whyFailed(const Transfer &T, CURLcode Code) const;
  std::string whyRefused(const Transfer &T) const;
  /// Compares the version of the file with that of the answers before.
  Error checkVersion(const Transfer &T);
  void setHeaders();

  const Curl &C;
  const Location Where;
  const Limits Limit;
  CURLM *Multi = nullptr;
  /// Handles that are not in use. They keep connections.
  std::vector<CURL *> Free;
  curl_slist *Headers = nullptr;

  /// What the first answer said. Size is 0 before it.
  uint64_t Size = 0;
  std::string ETag;
  std::string LastModified;
  uint64_t Requests = 0;
  uint64_t Retries = 0;
};
} // namespace

Limits Limits::fromEnvironment() {
  Limits L;
  long Seconds;
  if (const char *Value = std::getenv("LIDIA_HTTP_TIMEOUT"))
    if (to_integer(Value, Seconds, 10) && Seconds > 0 && Seconds <= 3600)
      L.StallSeconds = Seconds;
  return L;
}

//===----------------------------------------------------------------------===//
// One answer
//===----------------------------------------------------------------------===//

/// `bytes 0-99/1000`.
std::optional<ContentRange> ContentRange::parse(StringRef Value) {
  ContentRange R;
  if (!Value.consume_front_insensitive("bytes "))
    return std::nullopt;
  Value = Value.ltrim();
  if (Value.consumeInteger(10, R.First) || !Value.consume_front("-") ||
      Value.consumeInteger(10, R.Last) || !Value.consume_front("/") ||
      Value.consumeInteger(10, R.Total) || !Value.empty() || R.First > R.Last ||
      R.Last >= R.Total)
    return std::nullopt;
  return R;
}

/// Forgets the answer to the request, or to the one that a redirect answered.
void Transfer::reset() {
  Status = 0;
  Place.reset();
  ETag.clear();
  LastModified.clear();
  Region.clear();
  IsEncoded = false;
  Body.clear();
  RetryAfter = 0;
}

void Transfer::takeHeader(StringRef Line) {
  if (Line.starts_with("HTTP/")) {
    reset();
    StringRef(Line.split(' ').second).consumeInteger(10, Status);
    return;
  }
  auto [Name, Value] = Line.split(':');
  Value = Value.trim();
  if (Name.equals_insensitive("content-range"))
    Place = ContentRange::parse(Value);
  else if (Name.equals_insensitive("etag"))
    ETag = Value.str();
  else if (Name.equals_insensitive("last-modified"))
    LastModified = Value.str();
  else if (Name.equals_insensitive("content-encoding"))
    IsEncoded = !Value.empty() && !Value.equals_insensitive("identity");
  else if (Name.equals_insensitive("x-amz-bucket-region"))
    Region = Value.str();
  else if (Name.equals_insensitive("retry-after"))
    Value.consumeInteger(10, RetryAfter);
}

bool Transfer::checkPlace() {
  FileRange Asked = Wanted->Place;
  if (IsEncoded) {
    Failure = "the server compresses what it sends, so that ranges mean "
              "something else: turn that off for this file";
    return false;
  }
  if (!Place) {
    Failure = "the server does not say which range it sends";
    return false;
  }
  uint64_t Count = std::min(Asked.Size, Place->Total);
  uint64_t First = IsTail ? Place->Total - Count : Asked.Offset;
  if (!IsTail)
    Count = First < Place->Total ? std::min(Count, Place->Total - First) : 0;
  if (Place->First != First || Place->Last - Place->First + 1 != Count) {
    Failure = formatv("the server sends the bytes {0} to {1} of {2} where {3} "
                      "from {4} on were requested",
                      Place->First, Place->Last, Place->Total, Count, First);
    return false;
  }
  return true;
}

bool Transfer::takeBody(StringRef Bytes) {
  constexpr size_t MostOfError = 4096;
  if (Status == 200) {
    Failure = "the server ignores requests for ranges, and sends all of the "
              "file: download it";
    return false;
  }
  if (Status != 206)
    // Errors of S3 have a name in the text.
    Bytes = Bytes.take_front(MostOfError - std::min(MostOfError, Body.size()));
  else if (Body.empty() && !checkPlace())
    return false;
  else if (Bytes.size() > Place->Last - Place->First + 1 - Body.size()) {
    Failure = formatv("the server sends more than the {0} bytes from {1} on "
                      "that were requested",
                      Place->Last - Place->First + 1, Place->First);
    return false;
  }
  Body.insert(Body.end(), Bytes.begin(), Bytes.end());
  return true;
}

/// CURLOPT_HEADERFUNCTION. Anything but \p Count is an error.
static size_t onHeader(char *Data, size_t, size_t Count, void *User) {
  auto &T = *static_cast<Transfer *>(User);
  T.HeaderBytes += Count;
  if (T.HeaderBytes > Limits::HeaderBytes) {
    T.Failure = "the server sends headers without end";
    return 0;
  }
  T.takeHeader(StringRef(Data, Count).trim());
  return Count;
}

/// CURLOPT_WRITEFUNCTION. Anything but \p Count is an error.
static size_t onBody(char *Data, size_t, size_t Count, void *User) {
  auto &T = *static_cast<Transfer *>(User);
  return T.takeBody({Data, Count}) ? Count : 0;
}

//===----------------------------------------------------------------------===//
// Requests
//===----------------------------------------------------------------------===//

HTTPFetcher::~HTTPFetcher() {
  for (CURL *Easy : Free)
    C.easy_cleanup(Easy);
  if (Multi)
    C.multi_cleanup(Multi);
  C.slist_free_all(Headers);
}

Error HTTPFetcher::error(const Twine &Message) const {
  return createStringError(std::make_error_code(std::errc::io_error),
                           Where.Name + ": " + Message);
}

/// The headers of all requests from now on.
void HTTPFetcher::setHeaders() {
  C.slist_free_all(Headers);
  Headers = nullptr;
  auto Add = [&](const Twine &Line) {
    if (curl_slist *Longer = C.slist_append(Headers, Line.str().c_str()))
      Headers = Longer;
  };
  // A weak ETag matches nothing.
  if (StringRef(ETag).starts_with("\""))
    Add("If-Match: " + ETag);
  if (!Where.Keys)
    return;
  // libcurl 7.88 does not add it. This is the hash of nothing.
  Add("x-amz-content-sha256: "
      "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  if (!Where.Keys->Token.empty())
    Add("x-amz-security-token: " + Where.Keys->Token);
}

void HTTPFetcher::setTarget(CURL *Easy) {
  C.easy_setopt(Easy, CURLOPT_URL, Where.URL.c_str());
  C.easy_setopt(Easy, CURLOPT_PATH_AS_IS, 1L);
  C.easy_setopt(Easy, CURLOPT_USERAGENT, "lidia");
  bool IsSecure = StringRef(Where.URL).starts_with("https://");
  C.easy_setopt(Easy, CURLOPT_PROTOCOLS_STR, "http,https");
  C.easy_setopt(Easy, CURLOPT_REDIR_PROTOCOLS_STR,
                IsSecure ? "https" : "http,https");
  C.easy_setopt(Easy, CURLOPT_MAXREDIRS, Limits::Redirects);
  // As curl does. Private servers have certificates of their own.
  for (const char *Name : {"CURL_CA_BUNDLE", "SSL_CERT_FILE"})
    if (const char *File = std::getenv(Name); File && *File) {
      C.easy_setopt(Easy, CURLOPT_CAINFO, File);
      break;
    }
  if (!Where.Keys) {
    C.easy_setopt(Easy, CURLOPT_FOLLOWLOCATION, 1L);
    return;
  }
  // A signature is for one host, so redirects are not followed.
  const S3Keys &Keys = *Where.Keys;
  C.easy_setopt(Easy, CURLOPT_AWS_SIGV4,
                ("aws:amz:" + Keys.Region + ":s3").c_str());
  C.easy_setopt(Easy, CURLOPT_USERNAME, Keys.ID.c_str());
  C.easy_setopt(Easy, CURLOPT_PASSWORD, Keys.Secret.c_str());
}

void HTTPFetcher::setLimits(CURL *Easy, uint64_t Size) {
  C.easy_setopt(Easy, CURLOPT_NOSIGNAL, 1L);
  C.easy_setopt(Easy, CURLOPT_CONNECTTIMEOUT,
                std::min(Limits::ConnectSeconds, Limit.StallSeconds));
  C.easy_setopt(Easy, CURLOPT_LOW_SPEED_LIMIT, Limits::StallBytesPerSecond);
  C.easy_setopt(Easy, CURLOPT_LOW_SPEED_TIME, Limit.StallSeconds);
  C.easy_setopt(Easy, CURLOPT_TIMEOUT,
                Limits::RequestSeconds + long(Size / Limits::SlowestSpeed));
}

/// Gives \p T a handle.
Error HTTPFetcher::prepare(Transfer &T) {
  if (Free.empty()) {
    T.Easy = C.easy_init();
    if (!T.Easy)
      return error("libcurl has no memory");
    setTarget(T.Easy);
    C.easy_setopt(T.Easy, CURLOPT_HEADERFUNCTION, onHeader);
    C.easy_setopt(T.Easy, CURLOPT_WRITEFUNCTION, onBody);
  } else {
    T.Easy = Free.back();
    Free.pop_back();
  }
  FileRange R = T.Wanted->Place;
  std::string Text =
      T.IsTail ? formatv("-{0}", R.Size).str()
               : formatv("{0}-{1}", R.Offset, R.Offset + R.Size - 1).str();
  C.easy_setopt(T.Easy, CURLOPT_RANGE, Text.c_str());
  C.easy_setopt(T.Easy, CURLOPT_HTTPHEADER, Headers);
  C.easy_setopt(T.Easy, CURLOPT_HEADERDATA, &T);
  C.easy_setopt(T.Easy, CURLOPT_WRITEDATA, &T);
  C.easy_setopt(T.Easy, CURLOPT_PRIVATE, &T);
  C.easy_setopt(T.Easy, CURLOPT_ERRORBUFFER, T.Message);
  setLimits(T.Easy, R.Size);
  return Error::success();
}

Error HTTPFetcher::start(Transfer &T) {
  T.reset();
  T.HeaderBytes = 0;
  T.Failure.clear();
  T.Message[0] = 0;
  ++Requests;
  if (T.Attempts++)
    ++Retries;
  if (CURLMcode Code = C.multi_add_handle(Multi, T.Easy))
    return error(C.multi_strerror(Code));
  T.IsActive = true;
  return Error::success();
}

void HTTPFetcher::stop(Transfer &T) {
  if (T.IsActive)
    C.multi_remove_handle(Multi, T.Easy);
  T.IsActive = false;
}

/// Runs all of \p Round to its end, or up to the first that fails.
Error HTTPFetcher::run(MutableArrayRef<Transfer> Round) {
  if (!Multi) {
    Multi = C.multi_init();
    if (!Multi)
      return error("libcurl has no memory");
    C.multi_setopt(Multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, Limits::Connections);
    C.multi_setopt(Multi, CURLMOPT_MAXCONNECTS, Limits::Connections);
  }
  setHeaders();
  auto StopAll = make_scope_exit([&] {
    for (Transfer &T : Round) {
      stop(T);
      if (T.Easy)
        Free.push_back(T.Easy);
    }
  });
  for (Transfer &T : Round)
    if (Error E = prepare(T))
      return E;
  const Clock::time_point Deadline = Clock::now() + Limits::Retrying;
  while (!all_of(Round, [](const Transfer &T) { return T.IsDone; })) {
    Clock::time_point Now = Clock::now(), Next = Now + seconds(1);
    for (Transfer &T : Round) {
      if (T.IsDone || T.IsActive)
        continue;
      if (T.NotBefore > Now)
        Next = std::min(Next, T.NotBefore);
      else if (Error E = start(T))
        return E;
    }
    int Running;
    if (CURLMcode Code = C.multi_perform(Multi, &Running))
      return error(C.multi_strerror(Code));
    bool AnyFinished = false;
    if (Error E = takeFinished(Deadline, AnyFinished))
      return E;
    if (AnyFinished)
      continue;
    auto Wait = std::chrono::duration_cast<milliseconds>(Next - Now).count();
    C.multi_poll(Multi, nullptr, 0, int(Wait) + 1, nullptr);
  }
  return Error::success();
}

Error HTTPFetcher::takeFinished(Clock::time_point Deadline, bool &Any) {
  int Left;
  while (CURLMsg *Message = C.multi_info_read(Multi, &Left)) {
    if (Message->msg != CURLMSG_DONE)
      continue;
    Transfer *T = nullptr;
    CURLcode Code = Message->data.result;
    C.easy_getinfo(Message->easy_handle, CURLINFO_PRIVATE, &T);
    stop(*T);
    Any = true;
    if (Error E = finish(*T, Code, Deadline))
      return E;
  }
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Answers
//===----------------------------------------------------------------------===//

/// The text of <Code> in an error of S3: letters only.
static StringRef s3Code(const std::vector<char> &Body) {
  StringRef Text(Body.data(), Body.size());
  StringRef Rest = Text.split("<Code>").second;
  return Rest.take_while([](char C) { return isAlpha(C); }).take_front(40);
}

std::string HTTPFetcher::whyRefused(const Transfer &T) const {
  std::string Status = std::to_string(T.Status);
  if (Where.Keys)
    if (StringRef Code = s3Code(T.Body); !Code.empty())
      Status += " " + Code.str();
  switch (T.Status) {
  case 301:
  case 307:
  case 308:
    return "the bucket is in another region (" + Status + "): set AWS_REGION" +
           (all_of(T.Region, [](char C) { return isAlnum(C) || C == '-'; })
                ? " " + T.Region
                : "");
  case 401:
  case 403:
    return "access denied (HTTP status " + Status + ")" +
           (Where.Keys ? ": check the keys and AWS_REGION" : "");
  case 404:
  case 410:
    return "no such file (HTTP status " + Status + ")";
  case 412:
    return "the file was replaced while it was being read: try again";
  case 416:
    return "the server has no such range of the file (HTTP status " + Status +
           "): is it empty?";
  default:
    return "the server answers with HTTP status " + Status;
  }
}

std::string HTTPFetcher::whyFailed(const Transfer &T, CURLcode Code) const {
  if (!T.Failure.empty())
    return T.Failure;
  if (Code == CURLE_TOO_MANY_REDIRECTS)
    return "the server redirects more than " +
           std::to_string(Limits::Redirects) + " times";
  if (Code == CURLE_OPERATION_TIMEDOUT)
    return std::string("the server takes too long: ") + T.Message;
  if (Code)
    return *T.Message ? T.Message : C.easy_strerror(Code);
  return whyRefused(T);
}

bool HTTPFetcher::maySucceedLater(const Transfer &T, CURLcode Code) const {
  if (!T.Failure.empty())
    return false;
  switch (Code) {
  case CURLE_OK:
    return is_contained({408, 429, 500, 502, 503, 504}, T.Status);
  case CURLE_COULDNT_CONNECT:
    // Before the first answer this is more likely a wrong URL.
    return Size != 0;
  case CURLE_OPERATION_TIMEDOUT:
  case CURLE_SEND_ERROR:
  case CURLE_RECV_ERROR:
  case CURLE_GOT_NOTHING:
  case CURLE_PARTIAL_FILE:
  case CURLE_HTTP2:
  case CURLE_HTTP2_STREAM:
    return true;
  default:
    return false;
  }
}

Error HTTPFetcher::checkVersion(const Transfer &T) {
  if (Size == 0) {
    Size = T.Place->Total;
    ETag = T.ETag;
    LastModified = T.LastModified;
    return Error::success();
  }
  // Without an ETag the rest must do.
  if (T.Place->Total == Size && T.ETag == ETag &&
      (!ETag.empty() || T.LastModified == LastModified))
    return Error::success();
  return error("the file was replaced while it was being read: try again");
}

Error HTTPFetcher::finish(Transfer &T, CURLcode Code,
                          Clock::time_point Deadline) {
  bool IsComplete = !Code && T.Status == 206 && T.Place;
  if (IsComplete) {
    uint64_t Count = T.Place->Last - T.Place->First + 1;
    if (T.Body.size() != Count) {
      IsComplete = false;
      T.Failure = formatv("the server sends {0} bytes of the {1} that it "
                          "announces",
                          T.Body.size(), Count);
    }
  }
  if (IsComplete) {
    if (Error E = checkVersion(T))
      return E;
    T.Wanted->Place = {T.Place->First, T.Body.size()};
    T.Wanted->Bytes = std::move(T.Body);
    T.IsDone = true;
    return Error::success();
  }
  if (!Code && T.Status == 206 && T.Failure.empty())
    T.checkPlace();
  if (!Code && T.Status == 200 && T.Failure.empty())
    T.takeBody("");
  Clock::time_point Now = Clock::now();
  milliseconds Delay = Limits::FirstDelay * (1 << (T.Attempts - 1));
  Delay = std::max<milliseconds>(Delay, seconds(std::min(T.RetryAfter, 10L)));
  if (T.Attempts < Limits::Attempts && Now + Delay < Deadline &&
      maySucceedLater(T, Code)) {
    T.NotBefore = Now + Delay;
    return Error::success();
  }
  std::string Times =
      T.Attempts > 1 ? " (after " + std::to_string(T.Attempts) + " attempts)"
                     : "";
  return error(whyFailed(T, Code) + Times);
}

//===----------------------------------------------------------------------===//
// Rounds
//===----------------------------------------------------------------------===//

Expected<uint64_t> HTTPFetcher::open(Range &Head, Range &Tail) {
  Transfer Round[2];
  Round[0].Wanted = &Head;
  Round[1].Wanted = &Tail;
  Round[1].IsTail = true;
  if (Error E = run(Round))
    return E;
  return Size;
}

Error HTTPFetcher::fetch(MutableArrayRef<Range> Ranges) {
  std::vector<Transfer> Round(Ranges.size());
  for (auto [T, R] : zip(Round, Ranges))
    T.Wanted = &R;
  return run(Round);
}

std::unique_ptr<RangeFetcher> lidia::createHTTPFetcher(const Curl &C,
                                                       Location Where) {
  return std::make_unique<HTTPFetcher>(C, std::move(Where));
}
