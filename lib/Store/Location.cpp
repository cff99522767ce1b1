//===- Location.cpp - What a URL stands for -------------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Location.h"
#include "ADT/URLText.h"
#include "lidia/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include <cstdlib>

using namespace lidia;
using namespace llvm;

/// The first of \p Names that is set and not empty.
static std::string environment(ArrayRef<const char *> Names) {
  for (const char *Name : Names)
    if (const char *Value = std::getenv(Name); Value && *Value)
      return Value;
  return "";
}

/// Whether \p Text is what names of buckets and regions are made of.
static bool isPlainName(StringRef Text) {
  return !Text.empty() && all_of(Text, [](char C) {
    return isAlnum(C) || C == '.' || C == '-' || C == '_';
  });
}

std::string lidia::percentEncode(StringRef Text, StringRef AlsoPlain) {
  std::string Encoded;
  for (char C : Text) {
    if (isAlnum(C) || StringRef("-._~").contains(C) || AlsoPlain.contains(C)) {
      Encoded += C;
      continue;
    }
    Encoded += '%';
    Encoded += hexdigit(uint8_t(C) >> 4);
    Encoded += hexdigit(uint8_t(C) & 15);
  }
  return Encoded;
}

/// The URL of \p Bucket, with a slash after it.
static std::string bucketURL(StringRef Bucket, StringRef Region) {
  std::string Endpoint =
      environment({"AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"});
  if (!Endpoint.empty())
    return (StringRef(Endpoint).rtrim('/') + "/" + Bucket + "/").str();
  std::string Host = ("s3." + Region + ".amazonaws.com").str();
  if (Region.starts_with("cn-"))
    Host += ".cn";
  // Certificates are for one name before the host's.
  if (Bucket.contains('.'))
    return ("https://" + Host + "/" + Bucket + "/").str();
  return ("https://" + Bucket + "." + Host + "/").str();
}

static Expected<Location> parseS3(StringRef URL) {
  auto [Bucket, Key] = URL.drop_front(strlen("s3://")).split('/');
  if (!isPlainName(Bucket) || Key.empty())
    return make_error<ArgumentError>(URL, "not of the form s3://bucket/key");
  S3Keys Keys;
  Keys.ID = environment({"AWS_ACCESS_KEY_ID"});
  Keys.Secret = environment({"AWS_SECRET_ACCESS_KEY"});
  Keys.Token = environment({"AWS_SESSION_TOKEN"});
  Keys.Region = environment({"AWS_REGION", "AWS_DEFAULT_REGION"});
  if (Keys.ID.empty() || Keys.Secret.empty())
    return make_error<ArgumentError>(
        URL,
        "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not set. Profiles "
        "and "
        "the roles of instances are not read: set the variables, for example "
        "by eval \"$(aws configure export-credentials --format env)\", or use "
        "the https URL of a public object");
  if (Keys.Region.empty())
    Keys.Region = "us-east-1";
  if (!isPlainName(Keys.Region))
    return make_error<ArgumentError>(URL,
                                     "AWS_REGION is not the name of a region");
  for (const std::string *Text : {&Keys.ID, &Keys.Secret, &Keys.Token})
    if (!all_of(*Text, isPrint))
      return make_error<ArgumentError>(URL,
                                       "the keys in the environment (AWS_*) "
                                       "have characters that no key has");
  Location L;
  L.Name = URL.str();
  L.BucketURL = bucketURL(Bucket, Keys.Region);
  L.Key = Key.str();
  L.URL = L.BucketURL + percentEncode(Key, "/");
  L.Keys = std::move(Keys);
  return L;
}

Expected<Location> Location::parse(StringRef URL) {
  if (URL.starts_with_insensitive("s3://"))
    return parseS3(URL);
  Location L;
  L.Name = urlForMessages(URL);
  L.URL = URL.str();
  return L;
}
