//===- Listen.cpp - Listening sockets -------------------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Listen.h"
#include "lidia/Error.h"
#include "lidia/Server/Server.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include <arpa/inet.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

using namespace llvm;

namespace lidia {

static constexpr int Backlog = 1024;

static Error systemError(StringRef Address, int Code) {
  return make_error<SystemError>(std::error_code(Code, std::generic_category()),
                                 Address);
}

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

static bool isLoopback(const sockaddr_storage &Address) {
  if (Address.ss_family == AF_INET) {
    const auto &V4 = reinterpret_cast<const sockaddr_in &>(Address);
    return (ntohl(V4.sin_addr.s_addr) >> 24) == IN_LOOPBACKNET;
  }
  if (Address.ss_family == AF_INET6) {
    const auto &V6 = reinterpret_cast<const sockaddr_in6 &>(Address);
    return IN6_IS_ADDR_LOOPBACK(&V6.sin6_addr);
  }
  return Address.ss_family == AF_UNIX;
}

/// \p Descriptor, a bound socket, with its address.
static ListeningSocket describe(int Descriptor) {
  ListeningSocket S;
  S.Descriptor = Descriptor;
  sockaddr_storage Address = {};
  socklen_t Size = sizeof(Address);
  if (::getsockname(Descriptor, reinterpret_cast<sockaddr *>(&Address), &Size))
    return S;
  S.IsLocal = isLoopback(Address);
  if (Address.ss_family == AF_UNIX) {
    S.Address = std::string("unix:") +
                reinterpret_cast<const sockaddr_un &>(Address).sun_path;
    return S;
  }
  char Host[NI_MAXHOST], Port[NI_MAXSERV];
  if (!::getnameinfo(reinterpret_cast<sockaddr *>(&Address), Size, Host,
                     sizeof(Host), Port, sizeof(Port),
                     NI_NUMERICHOST | NI_NUMERICSERV))
    S.Address = Address.ss_family == AF_INET6
                    ? (Twine("[") + Host + "]:" + Port).str()
                    : (Twine(Host) + ":" + Port).str();
  return S;
}

//===----------------------------------------------------------------------===//
// Opening
//===----------------------------------------------------------------------===//

static Expected<ListeningSocket> openUnix(StringRef Address, StringRef Path) {
  sockaddr_un Where = {};
  Where.sun_family = AF_UNIX;
  if (Path.empty() || Path.size() >= sizeof(Where.sun_path))
    return make_error<ArgumentError>(Address,
                                     "the path of a socket has 1 to 107 bytes");
  llvm::copy(Path, Where.sun_path);
  // Remove a socket that a killed server left. Any other file stays, and
  // binding to it fails.
  struct stat Status;
  if (!::lstat(Where.sun_path, &Status) && S_ISSOCK(Status.st_mode))
    ::unlink(Where.sun_path);
  int FD = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (FD < 0)
    return systemError(Address, errno);
  if (::bind(FD, reinterpret_cast<sockaddr *>(&Where), sizeof(Where)) ||
      ::listen(FD, Backlog)) {
    int Code = errno;
    ::close(FD);
    return systemError(Address, Code);
  }
  return describe(FD);
}

static Expected<ListeningSocket> openTCP(StringRef Address) {
  auto [Host, Port] = Address.rsplit(':');
  Host.consume_front("[");
  Host.consume_back("]");
  unsigned Number;
  if (Host.empty() || Port.getAsInteger(10, Number) || Number > 65535)
    return make_error<ArgumentError>(
        Address, "expected HOST:PORT, [IPv6]:PORT or unix:PATH");
  addrinfo Hints = {}, *Found = nullptr;
  Hints.ai_socktype = SOCK_STREAM;
  Hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  if (int Status =
          ::getaddrinfo(Host.str().c_str(), Port.str().c_str(), &Hints, &Found))
    return make_error<ArgumentError>(Address, ::gai_strerror(Status));
  auto Free = make_scope_exit([&] { ::freeaddrinfo(Found); });
  int FD =
      ::socket(Found->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (FD < 0)
    return systemError(Address, errno);
  int Yes = 1;
  ::setsockopt(FD, SOL_SOCKET, SO_REUSEADDR, &Yes, sizeof(Yes));
  if (::bind(FD, Found->ai_addr, Found->ai_addrlen) || ::listen(FD, Backlog)) {
    int Code = errno;
    ::close(FD);
    return systemError(Address, Code);
  }
  return describe(FD);
}

/// The sockets that systemd passed to this process, from descriptor 3 on.
static std::vector<ListeningSocket> socketsOfSystemd() {
  constexpr int First = 3;
  std::vector<ListeningSocket> Sockets;
  const char *Process = std::getenv("LISTEN_PID");
  const char *Number = std::getenv("LISTEN_FDS");
  int PID, Count;
  if (!Process || !Number || StringRef(Process).getAsInteger(10, PID) ||
      PID != ::getpid() || StringRef(Number).getAsInteger(10, Count))
    return Sockets;
  constexpr int Max = 64;
  for (int FD = First; FD < First + std::min(Count, Max); ++FD) {
    ::fcntl(FD, F_SETFD, FD_CLOEXEC);
    ::fcntl(FD, F_SETFL, ::fcntl(FD, F_GETFL) | O_NONBLOCK);
    Sockets.push_back(describe(FD));
  }
  return Sockets;
}

Expected<std::vector<ListeningSocket>>
openSockets(ArrayRef<std::string> Addresses) {
  std::vector<ListeningSocket> Sockets;
  std::vector<std::string> Default = {"127.0.0.1:8002"};
  if (Addresses.empty()) {
    Sockets = socketsOfSystemd();
    if (!Sockets.empty())
      return Sockets;
    Addresses = Default;
  }
  for (StringRef Address : Addresses) {
    StringRef Path = Address;
    Expected<ListeningSocket> Opened = Path.consume_front("unix:")
                                           ? openUnix(Address, Path)
                                           : openTCP(Address);
    if (Opened) {
      Sockets.push_back(std::move(*Opened));
      continue;
    }
    for (const ListeningSocket &S : Sockets)
      ::close(S.Descriptor);
    return Opened.takeError();
  }
  return Sockets;
}

//===----------------------------------------------------------------------===//
// sd_notify
//===----------------------------------------------------------------------===//

void notifySystemd(StringRef State) {
  const char *Path = std::getenv("NOTIFY_SOCKET");
  sockaddr_un Where = {};
  Where.sun_family = AF_UNIX;
  StringRef Name = Path ? Path : "";
  if (Name.empty() || Name.size() >= sizeof(Where.sun_path))
    return;
  llvm::copy(Name, Where.sun_path);
  // A name in Linux's abstract namespace, without a file.
  if (Where.sun_path[0] == '@')
    Where.sun_path[0] = '\0';
  int FD = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (FD < 0)
    return;
  (void)!::sendto(FD, State.data(), State.size(), MSG_NOSIGNAL,
                  reinterpret_cast<sockaddr *>(&Where),
                  offsetof(sockaddr_un, sun_path) + Name.size());
  ::close(FD);
}

} // namespace lidia
