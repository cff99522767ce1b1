//===- WebIdentity.cpp - Keys of a role, by web identity ------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// AssumeRoleWithWebIdentity of Amazon's Security Token Service: Kubernetes
/// gives a pod a token, which is exchanged for keys.
///
//===----------------------------------------------------------------------===//

#include "CredentialRequest.h"
#include "CredentialSources.h"
#include "Location.h"
#include "Support/PercentEncoding.h"
#include "llvm/ADT/StringExtras.h"

using namespace lidia;
using namespace llvm;

static constexpr StringLiteral WebIdentitySource =
    "web identity (AWS_ROLE_ARN)";

/// The text of the first element \p Name of \p XML. Keys contain no escapes.
static std::string elementText(StringRef XML, StringRef Name) {
  StringRef Rest = XML.split(("<" + Name + ">").str()).second;
  return Rest.take_until([](char C) { return C == '<'; }).trim().str();
}

static Expected<std::string> stsURL(StringRef Source, StringRef Region) {
  std::string URL =
      environmentVariable({"AWS_ENDPOINT_URL_STS", "AWS_ENDPOINT_URL"});
  if (!URL.empty())
    return URL;
  if (!isPlainName(Region))
    return credentialError(Source, "AWS_REGION is not the name of a region");
  return ("https://sts." + Region + ".amazonaws.com" +
          (Region.starts_with("cn-") ? ".cn/" : "/"))
      .str();
}

/// Sends the request for \p Action with the parameters \p More for the role of
/// \p R, and reads the keys in the answer.
static FoundCredentials askForRole(StringRef Source, StringRef Action,
                                   const RoleRequest &Asked,
                                   const std::string &More,
                                   const Credentials *Signer) {
  CredentialRequest R;
  R.Source = Source;
  R.Region = configuredRegion();
  if (Error E = stsURL(Source, R.Region).moveInto(R.URL))
    return E;
  R.Signer = Signer;
  R.IsNear = false;
  R.Form = ("Action=" + Action + "&Version=2011-06-15&RoleArn=" +
            percentEncode(Asked.Role) + "&RoleSessionName=" +
            percentEncode(Asked.Session.empty() ? "lidia" : Asked.Session))
               .str() +
           More;
  auto Answer = R.send();
  if (!Answer)
    return Answer.takeError();
  auto &[Status, Body] = *Answer;
  if (Status != 200) {
    std::string Code = elementText(Body, "Code");
    bool IsPlain = isPlainName(Code) && Code.size() <= 40;
    return credentialError(Source, "the server answers with HTTP status " +
                                       Twine(Status) +
                                       (IsPlain ? " " + Code : ""));
  }
  Credentials C;
  C.ID = elementText(Body, "AccessKeyId");
  C.Secret = elementText(Body, "SecretAccessKey");
  C.Token = elementText(Body, "SessionToken");
  return checkCredentials(std::move(C), elementText(Body, "Expiration"),
                          Source);
}

FoundCredentials lidia::assumeRole(StringRef Role, StringRef TokenFile,
                                   StringRef Session) {
  Expected<std::string> Token = readSmallFile(TokenFile, WebIdentitySource);
  if (!Token)
    return Token.takeError();
  RoleRequest R;
  R.Role = Role.str();
  R.Session = Session.str();
  return askForRole(WebIdentitySource, "AssumeRoleWithWebIdentity", R,
                    "&WebIdentityToken=" +
                        percentEncode(StringRef(*Token).trim()),
                    /*Signer=*/nullptr);
}

FoundCredentials lidia::assumeRole(const RoleRequest &R, const Credentials &By,
                                   StringRef Source) {
  std::string More;
  if (!R.ExternalID.empty())
    More += "&ExternalId=" + percentEncode(R.ExternalID);
  if (!R.Duration.empty())
    More += "&DurationSeconds=" + percentEncode(R.Duration);
  return askForRole(Source, "AssumeRole", R, More, &By);
}

FoundCredentials lidia::webIdentityCredentials() {
  std::string File = environmentVariable({"AWS_WEB_IDENTITY_TOKEN_FILE"});
  std::string Role = environmentVariable({"AWS_ROLE_ARN"});
  if (File.empty() || Role.empty())
    return std::nullopt;
  return assumeRole(Role, File, environmentVariable({"AWS_ROLE_SESSION_NAME"}));
}
