//===- Listen.h - Listening sockets -----------------------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_SERVER_LISTEN_H
#define LIDIA_LIB_SERVER_LISTEN_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace lidia {

struct ListeningSocket {
  int Descriptor = -1;
  /// "127.0.0.1:8002", "[::1]:8002" or "unix:PATH".
  std::string Address;
  /// Whether only programs on this machine can reach it.
  bool IsLocal = false;
};

/// Opens sockets for \p Addresses (ServerOptions::Listen), or takes those that
/// systemd passes (sd_listen_fds(3)).
llvm::Expected<std::vector<ListeningSocket>>
openSockets(llvm::ArrayRef<std::string> Addresses);

} // namespace lidia

#endif // LIDIA_LIB_SERVER_LISTEN_H
