//===- SharedProfiles.cpp - Keys of profiles in files ---------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// ~/.aws/credentials, which has precedence, and ~/.aws/config, as described in
/// "AWS SDKs and Tools Reference Guide".
///
//===----------------------------------------------------------------------===//

#include "CredentialSources.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace lidia;
using namespace llvm;

static std::string profileName() {
  return environmentVariable({"AWS_PROFILE", "AWS_DEFAULT_PROFILE"});
}

static std::string fileName(const char *Variable, StringRef Default) {
  std::string Name = environmentVariable({Variable});
  if (!Name.empty())
    return Name;
  SmallString<128> Path;
  if (!sys::path::home_directory(Path))
    return "";
  sys::path::append(Path, ".aws", Default);
  return Path.str().str();
}

namespace {
/// A profile's values from both files.
class Profile {
public:
  Profile() : Name(profileName()), Source("profile") {
    if (Name.empty())
      Name = "default";
    else
      IsNamed = true;
    Source += " " + Name;
  }

  /// Reads the files. Fails if a file exists but cannot be read.
  Error read();
  std::string get(StringRef Key) const { return Values.lookup(Key); }
  bool isNamed() const { return IsNamed; }
  bool isThere() const { return IsThere; }
  StringRef source() const { return Source; }

private:
  Error readFile(StringRef Path, bool IsConfig);
  bool isOurs(StringRef Section, bool IsConfig) const;

  std::string Name;
  std::string Source;
  bool IsNamed = false;
  bool IsThere = false;
  StringMap<std::string> Values;
};
} // namespace

/// The configuration file names a section "profile NAME", except the default
/// one.
bool Profile::isOurs(StringRef Section, bool IsConfig) const {
  Section = Section.trim();
  if (Section == Name && (!IsConfig || Name == "default"))
    return true;
  return IsConfig && Section.consume_front("profile") &&
         Section != Section.ltrim() && Section.trim() == Name;
}

Error Profile::readFile(StringRef Path, bool IsConfig) {
  if (Path.empty() || !sys::fs::exists(Path))
    return Error::success();
  Expected<std::string> Text = readSmallFile(Path, Source);
  if (!Text)
    return Text.takeError();
  bool IsIn = false;
  for (StringRef Left = *Text; !Left.empty();) {
    StringRef Line;
    std::tie(Line, Left) = Left.split('\n');
    // An indented line belongs to a nested value, which is not needed.
    if (Line.empty() || StringRef(" \t#;").contains(Line.front()))
      continue;
    if (Line.consume_front("[")) {
      IsIn = isOurs(Line.split(']').first, IsConfig);
      IsThere |= IsIn;
      continue;
    }
    if (!IsIn || !Line.contains('='))
      continue;
    auto [Key, Value] = Line.split('=');
    // A comment begins after a space.
    Value = Value.split(" #").first.split(" ;").first;
    // Values of the first file have precedence.
    Values.try_emplace(Key.trim().lower(), Value.trim().str());
  }
  return Error::success();
}

Error Profile::read() {
  if (Error E = readFile(fileName("AWS_SHARED_CREDENTIALS_FILE", "credentials"),
                         /*IsConfig=*/false))
    return E;
  return readFile(fileName("AWS_CONFIG_FILE", "config"), /*IsConfig=*/true);
}

FoundCredentials lidia::profileCredentials() {
  Profile P;
  if (Error E = P.read())
    return E;
  if (!P.isThere() && P.isNamed())
    return credentialError(P.source(), "no file has it (AWS_PROFILE, "
                                       "AWS_CONFIG_FILE, "
                                       "AWS_SHARED_CREDENTIALS_FILE)");
  std::string Role = P.get("role_arn");
  std::string TokenFile = P.get("web_identity_token_file");
  if (!Role.empty() && !TokenFile.empty())
    return assumeRole(Role, TokenFile, P.get("role_session_name"));
  bool IsOther = !Role.empty();
  for (const char *Key : {"sso_session", "sso_account_id", "login_session"})
    IsOther |= !P.get(Key).empty();
  if (!IsOther && !P.get("aws_access_key_id").empty()) {
    Credentials C;
    C.ID = P.get("aws_access_key_id");
    C.Secret = P.get("aws_secret_access_key");
    C.Token = P.get("aws_session_token");
    return checkCredentials(std::move(C), "", P.source());
  }
  if (std::string Command = P.get("credential_process"); !Command.empty())
    return processCredentials(Command);
  if (IsOther)
    return credentialError(
        P.source(), "roles of other profiles and single sign-on are not "
                    "supported: set credential_process = aws configure "
                    "export-credentials --profile NAME in another profile");
  return std::nullopt;
}

std::string lidia::profileRegion() {
  Profile P;
  // Reading the keys reports this error.
  if (Error E = P.read()) {
    consumeError(std::move(E));
    return "";
  }
  return P.get("region");
}
