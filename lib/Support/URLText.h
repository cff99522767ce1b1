//===- URLText.h - URLs in messages -----------------------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_SUPPORT_URLTEXT_H
#define LIDIA_LIB_SUPPORT_URLTEXT_H

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include <string>

namespace lidia {

/// Removes user, password, query and fragment, which may be secret, from
/// \p URL, which may be malformed. The user and password are everything before
/// the last "@" of the host.
inline std::string urlForMessages(llvm::StringRef URL) {
  URL = URL.take_front(URL.find_first_of("?#"));
  size_t Scheme = URL.find("://");
  size_t Start = Scheme == llvm::StringRef::npos ? 0 : Scheme + 3;
  llvm::StringRef Host = URL.drop_front(Start);
  size_t User = Host.take_front(Host.find('/')).rfind('@');
  return (llvm::Twine(URL.take_front(Start)) +
          Host.drop_front(User == llvm::StringRef::npos ? 0 : User + 1))
      .str();
}

/// Removes users and passwords from all URLs in \p Message, whatever their
/// scheme: the name of a file that does not exist may be a mistyped URL.
inline std::string withoutPasswords(llvm::StringRef Message) {
  std::string Result;
  while (true) {
    size_t At = Message.find("://");
    if (At == llvm::StringRef::npos)
      return Result + Message.str();
    Result += Message.take_front(At + 3);
    Message = Message.drop_front(At + 3);
    size_t User =
        Message.take_front(Message.find_first_of("/ \t\n'\"")).rfind('@');
    if (User != llvm::StringRef::npos)
      Message = Message.drop_front(User + 1);
  }
}

} // namespace lidia

#endif // LIDIA_LIB_SUPPORT_URLTEXT_H
