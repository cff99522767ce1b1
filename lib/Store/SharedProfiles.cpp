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
  explicit Profile(const std::string &TheName)
      : Name(TheName.empty() ? "default" : TheName), Source("profile " + Name),
        IsNamed(!TheName.empty()) {}

  /// Reads the files. Fails if a file exists but cannot be read.
  Error read();
  std::string get(StringRef Key) const { return Values.lookup(Key); }
  const std::string &name() const { return Name; }
  bool isNamed() const { return IsNamed; }
  bool isThere() const { return IsThere; }
  StringRef source() const { return Source; }

private:
  Error readFile(StringRef Path, bool IsConfig);
  bool isOurs(StringRef Section, bool IsConfig) const;

  const std::string Name;
  const std::string Source;
  const bool IsNamed;
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

/// The keys that \p P has itself.
static FoundCredentials ownKeys(const Profile &P) {
  Credentials C;
  C.ID = P.get("aws_access_key_id");
  C.Secret = P.get("aws_secret_access_key");
  C.Token = P.get("aws_session_token");
  return checkCredentials(std::move(C), "", P.source());
}

static FoundCredentials credentialsOf(const std::string &Name, unsigned Depth);

/// The keys with which \p P asks for its role.
static FoundCredentials keysForRole(const Profile &P, unsigned Depth) {
  // Amazon's own programs have no limit, and find circles.
  constexpr unsigned MaxDepth = 8;
  std::string Other = P.get("source_profile"),
              Place = P.get("credential_source");
  if (Depth == MaxDepth)
    return credentialError(P.source(),
                           "source_profile leads through too many profiles");
  if (Other == P.name())
    return ownKeys(P);
  if (!Other.empty())
    return credentialsOf(Other, Depth + 1);
  if (Place == "Environment")
    return environmentCredentials();
  if (Place == "EcsContainer")
    return containerCredentials();
  if (Place == "Ec2InstanceMetadata")
    return instanceCredentials();
  return credentialError(
      P.source(), "a role needs source_profile, web_identity_token_file, or "
                  "credential_source = Environment, EcsContainer or "
                  "Ec2InstanceMetadata");
}

static FoundCredentials roleOf(const Profile &P, unsigned Depth) {
  if (!P.get("mfa_serial").empty())
    return credentialError(
        P.source(), "roles that need a device (mfa_serial) are not supported");
  FoundCredentials By = keysForRole(P, Depth);
  if (!By)
    return By;
  if (!*By)
    return credentialError(P.source(),
                           "what it names has no keys to ask for the role");
  return assumeRole({P.get("role_arn"), P.get("role_session_name"),
                     P.get("external_id"), P.get("duration_seconds")},
                    **By, P.source());
}

static FoundCredentials credentialsOf(const std::string &Name, unsigned Depth) {
  Profile P(Name);
  if (Error E = P.read())
    return E;
  if (!P.isThere() && (P.isNamed() || Depth != 0))
    return credentialError(P.source(), "no file has it (AWS_PROFILE, "
                                       "AWS_CONFIG_FILE, "
                                       "AWS_SHARED_CREDENTIALS_FILE)");
  std::string Role = P.get("role_arn");
  std::string TokenFile = P.get("web_identity_token_file");
  if (!Role.empty() && !TokenFile.empty())
    return assumeRole(Role, TokenFile, P.get("role_session_name"));
  if (!Role.empty())
    return roleOf(P, Depth);
  bool IsOther = false;
  for (const char *Key : {"sso_session", "sso_account_id", "login_session"})
    IsOther |= !P.get(Key).empty();
  if (!IsOther && !P.get("aws_access_key_id").empty())
    return ownKeys(P);
  if (std::string Command = P.get("credential_process"); !Command.empty())
    return processCredentials(Command);
  if (IsOther)
    return credentialError(
        P.source(), "single sign-on is not supported: set credential_process = "
                    "aws configure export-credentials --profile NAME in "
                    "another profile");
  return std::nullopt;
}

FoundCredentials lidia::profileCredentials() {
  return credentialsOf(profileName(), /*Depth=*/0);
}

std::string lidia::profileRegion() {
  Profile P(profileName());
  // Reading the keys reports this error.
  if (Error E = P.read()) {
    consumeError(std::move(E));
    return "";
  }
  return P.get("region");
}
