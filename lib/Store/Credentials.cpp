//===- Credentials.cpp - Keys for Amazon's services -----------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Credentials.h"
#include "CredentialSources.h"
#include "lidia/Error.h"
#include "lidia/Support/ForkLocal.h"
#include <cstdlib>

using namespace lidia;
using namespace llvm;

using std::chrono::system_clock;

/// Keys are renewed this long before they expire.
static constexpr std::chrono::minutes Margin{5};
/// How long the result of a failed attempt is used for all threads.
static constexpr std::chrono::seconds Pause{10};
/// Keys that are valid for less than the margin are renewed after this part of
/// their remaining time.
static constexpr int PartOfTime = 10;

CredentialCache &CredentialCache::ofProcess() {
  static ForkLocal<CredentialCache> Cache;
  return Cache.get();
}

/// The values of the variables that select the source of keys.
static std::string configuration() {
  std::string All;
  for (const char *Name :
       {"AWS_ROLE_ARN", "AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_PROFILE",
        "AWS_DEFAULT_PROFILE", "AWS_SHARED_CREDENTIALS_FILE", "AWS_CONFIG_FILE",
        "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
        "AWS_CONTAINER_CREDENTIALS_FULL_URI",
        "AWS_EC2_METADATA_SERVICE_ENDPOINT", "AWS_EC2_METADATA_DISABLED",
        "AWS_ENDPOINT_URL_STS", "HOME"}) {
    if (const char *Value = std::getenv(Name))
      All += Value;
    All += '\0';
  }
  return All;
}

static FoundCredentials fetchCredentials() {
  for (auto *Source : {webIdentityCredentials, profileCredentials,
                       containerCredentials, instanceCredentials}) {
    FoundCredentials Found = Source();
    if (!Found || *Found)
      return Found;
  }
  return std::nullopt;
}

bool CredentialCache::isFresh() const {
  return !Known->Expires || system_clock::now() + Margin < *Known->Expires;
}

Expected<Credentials> CredentialCache::get() {
  // These cost nothing to read, and programs may change them.
  FoundCredentials Here = environmentCredentials();
  if (!Here)
    return Here.takeError();
  if (*Here)
    return **Here;
  std::lock_guard<std::mutex> Lock(Mutex);
  if (std::string Now = configuration(); Now != Configuration) {
    Configuration = std::move(Now);
    Known.reset();
    Failure.clear();
    NextAttempt = {};
  }
  if (Known && isFresh())
    return *Known;
  if (Clock::now() >= NextAttempt) {
    FoundCredentials Found = fetchCredentials();
    Failure.clear();
    Clock::duration Wait = Pause;
    if (!Found) {
      Failure = toString(Found.takeError());
    } else if (*Found) {
      Known = std::move(**Found);
      if (Known->Expires)
        Wait = std::min<Clock::duration>(
            Wait, (*Known->Expires - system_clock::now()) / PartOfTime);
    } else {
      Failure = "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not set, and "
                "there are no keys of a web identity, a profile, a container "
                "or an instance: set them, or use the https URL of a public "
                "object";
    }
    NextAttempt = Clock::now() + Wait;
  }
  // Keys that are about to expire are still valid.
  if (Known && (!Known->Expires || system_clock::now() < *Known->Expires))
    return *Known;
  if (Failure.empty())
    Failure = "the keys have expired";
  return make_error<ArgumentError>("", Failure);
}
