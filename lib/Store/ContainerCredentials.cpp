//===- ContainerCredentials.cpp - Keys of a container's role --------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Credentials of Amazon's ECS, and of EKS' Pod Identity.
///
//===----------------------------------------------------------------------===//

#include "CredentialRequest.h"
#include "CredentialSources.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace lidia;
using namespace llvm;

static constexpr StringLiteral ContainerSource = "container (AWS_CONTAINER_*)";

/// Whether \p Host is an IPv4 address that begins with 127.
static bool isLoopback(StringRef Host) {
  SmallVector<StringRef, 4> Parts;
  Host.split(Parts, '.');
  return Parts.size() == 4 && Parts.front() == "127" &&
         all_of(Parts, [](StringRef P) {
           unsigned Value;
           return P.size() <= 3 && all_of(P, isDigit) &&
                  !P.getAsInteger(10, Value) && Value < 256;
         });
}

/// Whether keys and the token that requests them may be sent to \p URL: only to
/// this machine, to the addresses of containers' servers, or over TLS.
static bool isAllowed(StringRef URL) {
  if (URL.starts_with_insensitive("https://"))
    return true;
  if (!URL.consume_front_insensitive("http://"))
    return false;
  StringRef Server =
      URL.take_until([](char C) { return StringRef("/?#").contains(C); });
  if (Server.contains('@') || Server.contains('\\'))
    return false;
  StringRef Host = Server.starts_with("[")
                       ? Server.split(']').first.drop_front()
                       : Server.split(':').first;
  return isLoopback(Host) ||
         is_contained<StringRef>({"localhost", "::1", "169.254.170.2",
                                  "169.254.170.23", "fd00:ec2::23"},
                                 Host);
}

static Expected<std::string> authorization() {
  std::string File =
      environmentVariable({"AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"});
  std::string Token =
      environmentVariable({"AWS_CONTAINER_AUTHORIZATION_TOKEN"});
  if (!File.empty()) {
    Expected<std::string> Text = readSmallFile(File, ContainerSource);
    if (!Text)
      return Text.takeError();
    Token = StringRef(*Text).trim().str();
  }
  // A line break would begin another header.
  if (!all_of(Token, isPrint))
    return credentialError(ContainerSource,
                           "the authorization token has invalid characters");
  return Token;
}

FoundCredentials lidia::containerCredentials() {
  CredentialRequest R;
  R.Source = ContainerSource;
  R.URL = environmentVariable({"AWS_CONTAINER_CREDENTIALS_FULL_URI"});
  std::string Path =
      environmentVariable({"AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"});
  if (!Path.empty()) {
    if (Path.front() != '/')
      return credentialError(ContainerSource,
                             "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI "
                             "does not begin with a slash");
    R.URL = "http://169.254.170.2" + Path;
  }
  if (R.URL.empty())
    return std::nullopt;
  if (!isAllowed(R.URL))
    return credentialError(
        ContainerSource,
        "AWS_CONTAINER_CREDENTIALS_FULL_URI must be an https URL, or that of "
        "this machine or a container's server");
  Expected<std::string> Token = authorization();
  if (!Token)
    return Token.takeError();
  if (!Token->empty())
    R.Headers.push_back("Authorization: " + *Token);
  Expected<std::string> Body = R.fetch();
  if (!Body)
    return Body.takeError();
  return credentialsFromJSON(*Body, "Token", ContainerSource);
}
