//===- CredentialRequest.cpp - A request for keys -------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CredentialRequest.h"
#include "CredentialSources.h"
#include "CurlHandles.h"
#include "llvm/ADT/ScopeExit.h"

using namespace lidia;
using namespace llvm;

static constexpr size_t MaxOfAnswer = 64 << 10;
static constexpr unsigned Attempts = 2;

namespace {
/// Time limits of one attempt, in milliseconds.
struct Times {
  long Connect;
  long Whole;
};
} // namespace

static constexpr Times Near = {1000, 2000}, Far = {5000, 10000};

static size_t takeAnswer(char *Data, size_t, size_t Count, void *User) {
  auto &Body = *static_cast<std::string *>(User);
  if (Body.size() + Count > MaxOfAnswer)
    return 0;
  Body.append(Data, Count);
  return Count;
}

static void setUp(const Curl &C, CURL *Easy, const CredentialRequest &R) {
  C.easy_setopt(Easy, CURLOPT_URL, R.URL.c_str());
  C.easy_setopt(Easy, CURLOPT_USERAGENT, "lidia");
  C.easy_setopt(Easy, CURLOPT_PROTOCOLS_STR, "http,https");
  C.easy_setopt(Easy, CURLOPT_NOSIGNAL, 1L);
  const Times &T = R.IsNear ? Near : Far;
  C.easy_setopt(Easy, CURLOPT_CONNECTTIMEOUT_MS, T.Connect);
  C.easy_setopt(Easy, CURLOPT_TIMEOUT_MS, T.Whole);
  if (R.IsNear)
    C.easy_setopt(Easy, CURLOPT_NOPROXY, "*");
  for (const char *Name : {"CURL_CA_BUNDLE", "SSL_CERT_FILE"})
    if (std::string File = environmentVariable({Name}); !File.empty()) {
      C.easy_setopt(Easy, CURLOPT_CAINFO, File.c_str());
      break;
    }
  if (R.Signer) {
    C.easy_setopt(Easy, CURLOPT_AWS_SIGV4,
                  ("aws:amz:" + R.Region + ":sts").c_str());
    C.easy_setopt(Easy, CURLOPT_USERNAME, R.Signer->ID.c_str());
    C.easy_setopt(Easy, CURLOPT_PASSWORD, R.Signer->Secret.c_str());
  }
  if (!R.Form.empty()) {
    C.easy_setopt(Easy, CURLOPT_POSTFIELDSIZE, long(R.Form.size()));
    C.easy_setopt(Easy, CURLOPT_POSTFIELDS, R.Form.c_str());
  } else if (StringRef(R.Method) != "GET") {
    C.easy_setopt(Easy, CURLOPT_CUSTOMREQUEST, R.Method);
  }
}

Expected<std::pair<long, std::string>> CredentialRequest::send() const {
  Expected<const Curl &> Library = Curl::get();
  if (!Library)
    return Library.takeError();
  const Curl &C = *Library;
  CURL *Easy = C.easy_init();
  if (!Easy)
    return credentialError(Source, "libcurl is out of memory");
  curl_slist *Lines = nullptr;
  auto Free = make_scope_exit([&] {
    C.easy_cleanup(Easy);
    C.slist_free_all(Lines);
  });
  setUp(C, Easy, *this);
  std::vector<std::string> All = Headers;
  if (Signer && !Signer->Token.empty())
    All.push_back("x-amz-security-token: " + Signer->Token);
  for (const std::string &Line : All) {
    curl_slist *Longer = C.slist_append(Lines, Line.c_str());
    if (!Longer)
      return credentialError(Source, "libcurl is out of memory");
    Lines = Longer;
  }
  C.easy_setopt(Easy, CURLOPT_HTTPHEADER, Lines);
  std::string Body;
  C.easy_setopt(Easy, CURLOPT_WRITEFUNCTION, takeAnswer);
  C.easy_setopt(Easy, CURLOPT_WRITEDATA, &Body);
  CURLcode Code = CURLE_OK;
  long Status = 0;
  for (unsigned I = 0; I != Attempts; ++I) {
    Body.clear();
    Status = 0;
    Code = lidia::perform(C, Easy);
    C.easy_getinfo(Easy, CURLINFO_RESPONSE_CODE, &Status);
    if (Code == CURLE_COULDNT_CONNECT || Code == CURLE_OPERATION_TIMEDOUT ||
        (!Code && Status != 429 && Status < 500))
      break;
  }
  if (Code)
    return credentialError(Source,
                           Twine("no answer: ") + C.easy_strerror(Code));
  return std::pair(Status, std::move(Body));
}

Expected<std::string> CredentialRequest::fetch() const {
  auto Answer = send();
  if (!Answer)
    return Answer.takeError();
  if (Answer->first != 200)
    return credentialError(Source, "the server answers with HTTP status " +
                                       Twine(Answer->first));
  return std::move(Answer->second);
}
