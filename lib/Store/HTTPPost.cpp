//===- HTTPPost.cpp - Sends bodies to a URL -------------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HTTPPost.h"
#include "CurlHandles.h"
#include "HTTPHandles.h"
#include "llvm/ADT/ScopeExit.h"

using namespace lidia;
using namespace llvm;

class HTTPPost::Impl {
public:
  Location Where;
  CurlHandles Handles;
};

HTTPPost::HTTPPost(std::string URL) : P(std::make_unique<Impl>()) {
  P->Where.URL = std::move(URL);
}

HTTPPost::~HTTPPost() = default;

static constexpr size_t MaxBody = 64 << 10;

static size_t takeBody(char *Data, size_t, size_t Count, void *User) {
  auto &Body = *static_cast<std::string *>(User);
  if (Body.size() <= MaxBody)
    Body.append(Data, Count);
  if (Body.size() > MaxBody)
    Body.resize(MaxBody + 1);
  return Count;
}

static size_t takeHeader(char *Data, size_t, size_t Count, void *User) {
  constexpr size_t LongestValue = 200;
  auto &A = *static_cast<HTTPPostAnswer *>(User);
  auto [Name, Value] = StringRef(Data, Count).split(':');
  Value = Value.trim().take_front(LongestValue);
  if (Name.equals_insensitive("content-type"))
    A.ContentType = Value.str();
  else if (Name.equals_insensitive("retry-after"))
    A.RetryAfter = Value.str();
  return Count;
}

static void setUp(const Curl &C, CURL *Easy, StringRef Body,
                  HTTPPostAnswer &A) {
  C.easy_setopt(Easy, CURLOPT_NOSIGNAL, 1L);
  C.easy_setopt(Easy, CURLOPT_FOLLOWLOCATION, 0L);
  C.easy_setopt(Easy, CURLOPT_CONNECTTIMEOUT, HTTPLimits::ConnectSeconds);
  C.easy_setopt(Easy, CURLOPT_POST, 1L);
  C.easy_setopt(Easy, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(Body.size()));
  C.easy_setopt(Easy, CURLOPT_POSTFIELDS, Body.data());
  C.easy_setopt(Easy, CURLOPT_HEADERFUNCTION, takeHeader);
  C.easy_setopt(Easy, CURLOPT_HEADERDATA, &A);
  C.easy_setopt(Easy, CURLOPT_WRITEFUNCTION, takeBody);
  C.easy_setopt(Easy, CURLOPT_WRITEDATA, &A.Body);
}

HTTPPostAnswer HTTPPost::send(StringRef Body, ArrayRef<std::string> Headers,
                              unsigned Seconds) {
  HTTPPostAnswer A;
  Expected<const Curl &> Library = Curl::get();
  if (!Library) {
    A.Failure = toString(Library.takeError());
    return A;
  }
  const Curl &C = *Library;
  CURL *Easy = P->Handles.take(C);
  if (!Easy) {
    A.Failure = "libcurl is out of memory";
    return A;
  }
  curl_slist *Lines = nullptr;
  // libcurl would otherwise wait for "100 Continue".
  for (const char *Line : {"Expect:", "Accept:"})
    Lines = C.slist_append(Lines, Line);
  for (const std::string &Line : Headers)
    Lines = C.slist_append(Lines, Line.c_str());
  auto GiveBack = make_scope_exit([&] {
    C.easy_setopt(Easy, CURLOPT_HTTPHEADER, nullptr);
    C.slist_free_all(Lines);
    P->Handles.giveBack(Easy);
  });
  setTarget(C, Easy, P->Where);
  C.easy_setopt(Easy, CURLOPT_HTTPHEADER, Lines);
  C.easy_setopt(Easy, CURLOPT_TIMEOUT, long(Seconds));
  setUp(C, Easy, Body, A);
  CURLcode Code = perform(C, Easy);
  C.easy_getinfo(Easy, CURLINFO_RESPONSE_CODE, &A.Status);
  if (Code) {
    A.Status = 0;
    A.Failure = C.easy_strerror(Code);
  }
  if (A.Body.size() > MaxBody)
    A.Body.clear();
  return A;
}
