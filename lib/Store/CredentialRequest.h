//===- CredentialRequest.h - A request for keys -----------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_STORE_CREDENTIALREQUEST_H
#define LIDIA_LIB_STORE_CREDENTIALREQUEST_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace lidia {

/// A small request to a server that gives keys. Redirects are not followed, and
/// what the server says is in no message.
struct CredentialRequest {
  /// For messages: what is asked.
  llvm::StringRef Source;
  const char *Method = "GET";
  std::string URL;
  std::vector<std::string> Headers = {};
  /// Of POST.
  std::string Form = {};
  /// Of this machine, or next to it: no proxy is asked, and an answer comes at
  /// once.
  bool IsNear = true;

  /// Status and body of the answer. Tries twice, if the server is too busy or
  /// breaks off. The error says that there is no answer.
  llvm::Expected<std::pair<long, std::string>> send() const;

  /// The body of an answer with status 200. The error says what else it was.
  llvm::Expected<std::string> fetch() const;
};

} // namespace lidia

#endif // LIDIA_LIB_STORE_CREDENTIALREQUEST_H
