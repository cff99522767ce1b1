//===- CredentialRequest.h - A request for keys -----------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_STORE_CREDENTIALREQUEST_H
#define LIDIA_LIB_STORE_CREDENTIALREQUEST_H

#include "Credentials.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace lidia {

/// A small request to a server that issues keys. Redirects are not followed,
/// and messages do not contain text from the server.
struct CredentialRequest {
  /// What is requested, for messages.
  llvm::StringRef Source;
  const char *Method = "GET";
  std::string URL;
  std::vector<std::string> Headers = {};
  /// The body of a POST request.
  std::string Form = {};
  /// The keys that sign the request, and its region; null for none.
  const Credentials *Signer = nullptr;
  std::string Region = {};
  /// Whether the server is on this machine or next to it: no proxy is used, and
  /// an answer is expected quickly.
  bool IsNear = true;

  /// Returns status and body of the answer. Retries once if the server is too
  /// busy or breaks off. Fails only if there is no answer.
  llvm::Expected<std::pair<long, std::string>> send() const;

  /// Returns the body of an answer with status 200. Otherwise the error says
  /// what happened.
  llvm::Expected<std::string> fetch() const;
};

} // namespace lidia

#endif // LIDIA_LIB_STORE_CREDENTIALREQUEST_H
