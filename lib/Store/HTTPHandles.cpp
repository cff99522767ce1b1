//===- HTTPHandles.cpp - libcurl handles for a file -----------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HTTPHandles.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <cstdlib>

using namespace lidia;
using namespace llvm;

HTTPLimits HTTPLimits::fromEnvironment() {
  HTTPLimits L;
  long Seconds;
  if (const char *Value = std::getenv("LIDIA_HTTP_TIMEOUT"))
    if (to_integer(Value, Seconds, 10) && Seconds > 0 && Seconds <= 3600)
      L.StallSeconds = Seconds;
  return L;
}

HTTPHandles::~HTTPHandles() {
  close();
  C.slist_free_all(Headers);
}

void HTTPHandles::close() {
  for (CURL *Easy : Free)
    C.easy_cleanup(Easy);
  Free.clear();
  if (Multi)
    C.multi_cleanup(Multi);
  Multi = nullptr;
}

CURLM *HTTPHandles::multi() {
  if (Multi)
    return Multi;
  Multi = C.multi_init();
  if (!Multi)
    return nullptr;
  C.multi_setopt(Multi, CURLMOPT_MAX_TOTAL_CONNECTIONS,
                 HTTPLimits::Connections);
  C.multi_setopt(Multi, CURLMOPT_MAXCONNECTS, HTTPLimits::Connections);
  return Multi;
}

void HTTPHandles::setHeaders(StringRef ETag) {
  C.slist_free_all(Headers);
  Headers = nullptr;
  auto Add = [&](const Twine &Line) {
    if (curl_slist *Longer = C.slist_append(Headers, Line.str().c_str()))
      Headers = Longer;
  };
  // If-Match never matches a weak ETag.
  if (ETag.starts_with("\""))
    Add("If-Match: " + ETag);
  if (!Where.Keys)
    return;
  // libcurl 7.88 does not add this header, the hash of an empty body.
  Add("x-amz-content-sha256: "
      "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  if (!Where.Keys->Token.empty())
    Add("x-amz-security-token: " + Where.Keys->Token);
}

/// Whether libcurl would normalize \p Path: keys of S3 may have such parts.
static bool hasDotSegments(StringRef Path) {
  auto Parts = split(Path, '/');
  return any_of(Parts, [](StringRef P) { return P == "." || P == ".."; });
}

void lidia::setTarget(const Curl &C, CURL *Easy, const Location &Where) {
  C.easy_setopt(Easy, CURLOPT_URL, Where.URL.c_str());
  // libcurl 8.13 and later refuse to sign requests with this option.
  C.easy_setopt(Easy, CURLOPT_PATH_AS_IS,
                long(!Where.Keys || hasDotSegments(Where.Key)));
  C.easy_setopt(Easy, CURLOPT_USERAGENT, "lidia");
  bool IsSecure = StringRef(Where.URL).starts_with("https://");
  C.easy_setopt(Easy, CURLOPT_PROTOCOLS_STR, "http,https");
  C.easy_setopt(Easy, CURLOPT_REDIR_PROTOCOLS_STR,
                IsSecure ? "https" : "http,https");
  C.easy_setopt(Easy, CURLOPT_MAXREDIRS, HTTPLimits::Redirects);
  // Like curl does. Private servers have their own certificates.
  for (const char *Name : {"CURL_CA_BUNDLE", "SSL_CERT_FILE"})
    if (const char *File = std::getenv(Name); File && *File) {
      C.easy_setopt(Easy, CURLOPT_CAINFO, File);
      break;
    }
  if (!Where.Keys) {
    C.easy_setopt(Easy, CURLOPT_FOLLOWLOCATION, 1L);
    // Other users of this machine see command lines.
    C.easy_setopt(Easy, CURLOPT_NETRC, long(CURL_NETRC_OPTIONAL));
    if (const char *File = std::getenv("NETRC"); File && *File)
      C.easy_setopt(Easy, CURLOPT_NETRC_FILE, File);
    return;
  }
  // Redirects are not followed, because a signature is for one host.
  setKeys(C, Easy, Where);
}

void lidia::setKeys(const Curl &C, CURL *Easy, const Location &Where) {
  if (!Where.Keys)
    return;
  const S3Keys &Keys = *Where.Keys;
  C.easy_setopt(Easy, CURLOPT_AWS_SIGV4,
                ("aws:amz:" + Keys.Region + ":s3").c_str());
  C.easy_setopt(Easy, CURLOPT_USERNAME, Keys.ID.c_str());
  C.easy_setopt(Easy, CURLOPT_PASSWORD, Keys.Secret.c_str());
}

void lidia::setTimeLimits(const Curl &C, CURL *Easy, const HTTPLimits &Limits,
                          uint64_t Size) {
  C.easy_setopt(Easy, CURLOPT_NOSIGNAL, 1L);
  C.easy_setopt(Easy, CURLOPT_CONNECTTIMEOUT,
                std::min(HTTPLimits::ConnectSeconds, Limits.StallSeconds));
  C.easy_setopt(Easy, CURLOPT_LOW_SPEED_LIMIT, HTTPLimits::StallBytesPerSecond);
  C.easy_setopt(Easy, CURLOPT_LOW_SPEED_TIME, Limits.StallSeconds);
  C.easy_setopt(Easy, CURLOPT_TIMEOUT,
                HTTPLimits::RequestSeconds +
                    long(Size / HTTPLimits::SlowestSpeed));
}

bool HTTPHandles::take(HTTPTransfer &T) {
  if (Free.empty()) {
    T.Easy = C.easy_init();
    if (!T.Easy)
      return false;
    setTarget(C, T.Easy, Where);
    C.easy_setopt(T.Easy, CURLOPT_HEADERFUNCTION, HTTPTransfer::onHeader);
    C.easy_setopt(T.Easy, CURLOPT_WRITEFUNCTION, HTTPTransfer::onBody);
  } else {
    T.Easy = Free.back();
    Free.pop_back();
    // The keys may have been renewed.
    setKeys(C, T.Easy, Where);
  }
  FileRange R = T.Wanted->Place;
  std::string Text = formatv("{0}-{1}", R.Offset, R.Offset + R.Size - 1).str();
  C.easy_setopt(T.Easy, CURLOPT_RANGE, Text.c_str());
  C.easy_setopt(T.Easy, CURLOPT_HTTPHEADER, Headers);
  C.easy_setopt(T.Easy, CURLOPT_HEADERDATA, &T);
  C.easy_setopt(T.Easy, CURLOPT_WRITEDATA, &T);
  C.easy_setopt(T.Easy, CURLOPT_PRIVATE, &T);
  C.easy_setopt(T.Easy, CURLOPT_ERRORBUFFER, T.Message);
  setTimeLimits(C, T.Easy, Limits, R.Size);
  return true;
}

void HTTPHandles::giveBack(HTTPTransfer &T) {
  if (T.Easy)
    Free.push_back(T.Easy);
  T.Easy = nullptr;
}
