//===- InstanceCredentials.cpp - Keys of an instance's role ---------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The metadata of Amazon's instances, version 2, whose requests need a token:
/// a request that an attacker tricks a server into sending has none. Version 1
/// is not used.
///
//===----------------------------------------------------------------------===//

#include "CredentialRequest.h"
#include "CredentialSources.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace lidia;
using namespace llvm;

static constexpr StringLiteral InstanceSource = "instance (AWS_EC2_METADATA_*)";

static std::string metadataURL() {
  std::string URL = environmentVariable({"AWS_EC2_METADATA_SERVICE_ENDPOINT"});
  if (!URL.empty())
    return StringRef(URL).rtrim('/').str();
  std::string Mode =
      environmentVariable({"AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE"});
  return StringRef(Mode).equals_insensitive("ipv6") ? "http://[fd00:ec2::254]"
                                                    : "http://169.254.169.254";
}

/// Whether \p Text has only characters of tokens and role names.
static bool isPlain(StringRef Text) {
  return !Text.empty() && Text.size() <= 1024 && all_of(Text, [](char C) {
    return isAlnum(C) || StringRef("+=,.@_-/").contains(C);
  });
}

FoundCredentials lidia::instanceCredentials() {
  if (StringRef(environmentVariable({"AWS_EC2_METADATA_DISABLED"}))
          .equals_insensitive("true"))
    return std::nullopt;
  const std::string Server = metadataURL();
  const std::string Roles =
      Server + "/latest/meta-data/iam/security-credentials/";
  CredentialRequest Ask{InstanceSource, "PUT", Server + "/latest/api/token"};
  Ask.Headers = {"X-aws-ec2-metadata-token-ttl-seconds: 300"};
  auto Token = Ask.send();
  if (!Token) {
    // Most machines are not instances. But a configured endpoint must answer.
    if (!environmentVariable({"AWS_EC2_METADATA_SERVICE_ENDPOINT"}).empty())
      return Token.takeError();
    consumeError(Token.takeError());
    return std::nullopt;
  }
  if (Token->first != 200 || !isPlain(Token->second))
    return credentialError(InstanceSource,
                           "the server gives no token (HTTP status " +
                               Twine(Token->first) + ")");
  CredentialRequest Get{InstanceSource, "GET", Roles};
  Get.Headers = {"X-aws-ec2-metadata-token: " + Token->second};
  auto Names = Get.send();
  if (!Names)
    return Names.takeError();
  // The instance has no role.
  if (Names->first == 404)
    return std::nullopt;
  StringRef Role = StringRef(Names->second).split('\n').first.trim();
  if (Names->first != 200 || !isPlain(Role) || Role.contains('/'))
    return credentialError(InstanceSource,
                           "the server names no role (HTTP status " +
                               Twine(Names->first) + ")");
  Get.URL = Roles + Role.str();
  Expected<std::string> Body = Get.fetch();
  if (!Body)
    return Body.takeError();
  return credentialsFromJSON(*Body, "Token", InstanceSource);
}
