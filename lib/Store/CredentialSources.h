//===- CredentialSources.h - The sources of keys ----------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Each source has its own file. It returns none if it is not configured or
/// does not exist on this machine, and an error if it is configured and fails.
/// Errors have no prefix, and no secret in them.
///
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_STORE_CREDENTIALSOURCES_H
#define LIDIA_LIB_STORE_CREDENTIALSOURCES_H

#include "Credentials.h"
#include "llvm/ADT/StringRef.h"

namespace lidia {

using FoundCredentials = llvm::Expected<std::optional<Credentials>>;

/// The variables AWS_ACCESS_KEY_ID and so on.
FoundCredentials environmentCredentials();

/// Exchanges a token of the identity provider for keys of a role
/// (AWS_WEB_IDENTITY_TOKEN_FILE, AWS_ROLE_ARN).
FoundCredentials webIdentityCredentials();

/// Keys of \p Role for the token in \p TokenFile. \p Session names the session
/// in logs; if it is empty, a default is used.
FoundCredentials assumeRole(llvm::StringRef Role, llvm::StringRef TokenFile,
                            llvm::StringRef Session);

/// What is asked of a role.
struct RoleRequest {
  std::string Role;
  /// Names the session in logs; if it is empty, a default is used.
  std::string Session;
  /// What the role's owner demands; may be empty.
  std::string ExternalID;
  /// In seconds; empty for the role's default.
  std::string Duration;
};

/// Keys of a role for the keys \p By. \p Source is what asks for it.
FoundCredentials assumeRole(const RoleRequest &R, const Credentials &By,
                            llvm::StringRef Source);

/// The profile files (AWS_PROFILE, AWS_SHARED_CREDENTIALS_FILE,
/// AWS_CONFIG_FILE).
FoundCredentials profileCredentials();

/// The region of the profile; empty if it has none.
std::string profileRegion();

/// The output of the program \p CommandLine (credential_process).
FoundCredentials processCredentials(llvm::StringRef CommandLine);

/// The server named by a container's variables
/// (AWS_CONTAINER_CREDENTIALS_FULL_URI).
FoundCredentials containerCredentials();

/// The instance metadata service, version 2.
FoundCredentials instanceCredentials();

//===----------------------------------------------------------------------===//
// Shared functions
//===----------------------------------------------------------------------===//

/// The first of \p Names that is set and not empty.
std::string environmentVariable(std::initializer_list<const char *> Names);

/// The region from the variables, or else from the profile, or else us-east-1.
std::string configuredRegion();

/// Whether \p Text has only characters of names of buckets and regions.
bool isPlainName(llvm::StringRef Text);

/// An error of \p Source.
llvm::Error credentialError(llvm::StringRef Source, const llvm::Twine &Message);

/// The contents of a small file; the error names \p Source.
llvm::Expected<std::string> readSmallFile(llvm::StringRef Path,
                                          llvm::StringRef Source);

/// Keys from a JSON object in the format of containers, instances and programs,
/// whose token is in the member \p TokenName.
FoundCredentials credentialsFromJSON(llvm::StringRef Text,
                                     llvm::StringRef TokenName,
                                     llvm::StringRef Source);

/// Parses "2026-11-24T18:00:00Z", also with a fraction or an offset.
std::optional<Credentials::Time> parseTime(llvm::StringRef Text);

/// Checks keys from \p Source: refuses keys that have expired, that have no
/// time although \p Expiration is not empty, or that have characters that no
/// key has.
FoundCredentials checkCredentials(Credentials C, llvm::StringRef Expiration,
                                  llvm::StringRef Source);

} // namespace lidia

#endif // LIDIA_LIB_STORE_CREDENTIALSOURCES_H
