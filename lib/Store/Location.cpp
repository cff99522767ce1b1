//===- Location.cpp - The location of a file ------------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Location.h"
#include "CredentialSources.h"
#include "Support/PercentEncoding.h"
#include "Support/URLText.h"
#include "lidia/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"

using namespace lidia;
using namespace llvm;

/// The URL of \p Bucket, with a slash at the end.
static std::string bucketURL(StringRef Bucket, StringRef Region) {
  std::string Endpoint =
      environmentVariable({"AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"});
  if (!Endpoint.empty())
    return (StringRef(Endpoint).rtrim('/') + "/" + Bucket + "/").str();
  std::string Host = ("s3." + Region + ".amazonaws.com").str();
  if (Region.starts_with("cn-"))
    Host += ".cn";
  // A wildcard certificate covers only one label before the host.
  if (Bucket.contains('.'))
    return ("https://" + Host + "/" + Bucket + "/").str();
  return ("https://" + Bucket + "." + Host + "/").str();
}

static Expected<Location> parseS3(StringRef URL) {
  auto [Bucket, Key] = URL.drop_front(strlen("s3://")).split('/');
  if (!isPlainName(Bucket) || Key.empty())
    return make_error<ArgumentError>(URL, "not of the form s3://bucket/key");
  S3Keys Keys;
  Keys.Region = configuredRegion();
  if (!isPlainName(Keys.Region))
    return make_error<ArgumentError>(URL,
                                     "AWS_REGION is not the name of a region");
  Location L;
  L.Name = URL.str();
  L.BucketURL = bucketURL(Bucket, Keys.Region);
  L.Key = Key.str();
  L.URL = L.BucketURL + percentEncode(Key, "/");
  L.Keys = std::move(Keys);
  if (Error E = L.renewKeys())
    return E;
  return L;
}

Error Location::renewKeys() {
  if (!Keys)
    return Error::success();
  Expected<Credentials> Now = CredentialCache::ofProcess().get();
  if (!Now)
    return addPrefix(Name, Now.takeError());
  Keys->ID = std::move(Now->ID);
  Keys->Secret = std::move(Now->Secret);
  Keys->Token = std::move(Now->Token);
  return Error::success();
}

Expected<Location> Location::parse(StringRef URL) {
  if (URL.starts_with_insensitive("s3://"))
    return parseS3(URL);
  Location L;
  L.Name = urlForMessages(URL);
  L.URL = URL.str();
  return L;
}
