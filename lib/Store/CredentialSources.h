//===- CredentialSources.h - Where keys come from ---------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Each source has a file of its own. None if it is not configured, or there is
/// no such thing on this machine; an error if it is and fails. Errors have no
/// name before them, and no secret in them.
///
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_STORE_CREDENTIALSOURCES_H
#define LIDIA_LIB_STORE_CREDENTIALSOURCES_H

#include "Credentials.h"
#include "llvm/ADT/StringRef.h"

namespace lidia {

using FoundCredentials = llvm::Expected<std::optional<Credentials>>;

/// AWS_ACCESS_KEY_ID and so on.
FoundCredentials environmentCredentials();

/// A token of the identity provider is exchanged for keys of a role
/// (AWS_WEB_IDENTITY_TOKEN_FILE, AWS_ROLE_ARN).
FoundCredentials webIdentityCredentials();

/// That of a role with the token in \p TokenFile. \p Session names the session
/// for logs; empty for one of our own.
FoundCredentials assumeRole(llvm::StringRef Role, llvm::StringRef TokenFile,
                            llvm::StringRef Session);

/// The files of profiles (AWS_PROFILE, AWS_SHARED_CREDENTIALS_FILE,
/// AWS_CONFIG_FILE).
FoundCredentials profileCredentials();

/// The region of the profile; empty if it has none.
std::string profileRegion();

/// What the program that \p CommandLine names prints (credential_process).
FoundCredentials processCredentials(llvm::StringRef CommandLine);

/// The server that a container's variables name
/// (AWS_CONTAINER_CREDENTIALS_FULL_URI).
FoundCredentials containerCredentials();

/// The server of an instance's metadata, version 2.
FoundCredentials instanceCredentials();

//===----------------------------------------------------------------------===//
// What they share
//===----------------------------------------------------------------------===//

/// The first of \p Names that is set and not empty.
std::string environmentVariable(std::initializer_list<const char *> Names);

/// The region of the variables, else of the profile, else us-east-1.
std::string configuredRegion();

/// Whether \p Text is what names of buckets and regions are made of.
bool isPlainName(llvm::StringRef Text);

/// An error of \p Source.
llvm::Error credentialError(llvm::StringRef Source, const llvm::Twine &Message);

/// The contents of a small file; the error names \p Source.
llvm::Expected<std::string> readSmallFile(llvm::StringRef Path,
                                          llvm::StringRef Source);

/// Keys from a JSON object as containers, instances and programs give them,
/// with the token named \p TokenName.
FoundCredentials credentialsFromJSON(llvm::StringRef Text,
                                     llvm::StringRef TokenName,
                                     llvm::StringRef Source);

/// "2026-11-24T18:00:00Z", also with a fraction or an offset.
std::optional<Credentials::Time> parseTime(llvm::StringRef Text);

/// Keys that \p Source gave: refuses those that have expired, have no time
/// though \p Expiration is not empty, or characters that no key has.
FoundCredentials checkCredentials(Credentials C, llvm::StringRef Expiration,
                                  llvm::StringRef Source);

} // namespace lidia

#endif // LIDIA_LIB_STORE_CREDENTIALSOURCES_H
