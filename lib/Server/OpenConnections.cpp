//===- OpenConnections.cpp - Who is connected, and how long ---------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpenConnections.h"
#include <arpa/inet.h>

namespace lidia {

using Lock = std::lock_guard<std::mutex>;

static std::string textOf(const sockaddr *Address) {
  char Text[INET6_ADDRSTRLEN] = {};
  const void *Bytes = nullptr;
  if (Address && Address->sa_family == AF_INET)
    Bytes = &reinterpret_cast<const sockaddr_in *>(Address)->sin_addr;
  if (Address && Address->sa_family == AF_INET6)
    Bytes = &reinterpret_cast<const sockaddr_in6 *>(Address)->sin6_addr;
  if (Bytes)
    (void)::inet_ntop(Address->sa_family, Bytes, Text, sizeof(Text));
  return Text;
}

OpenConnections::OpenConnections(std::chrono::seconds ForHeaders,
                                 std::chrono::seconds ForNext)
    : ForHeaders(ForHeaders), ForNext(ForNext), Watch([this] { run(); }) {}

OpenConnections::~OpenConnections() {
  {
    Lock L(Mutex);
    IsEnding = true;
  }
  Ends.notify_all();
  Watch.join();
}

OpenConnections::Client *OpenConnections::add(int Socket,
                                              const sockaddr *Address) {
  Client C;
  C.Socket = Socket;
  C.Address = textOf(Address);
  C.Deadline = Clock::now() + ForHeaders;
  Lock L(Mutex);
  All.push_back(std::move(C));
  All.back().Place = std::prev(All.end());
  return &All.back();
}

void OpenConnections::remove(Client *C) {
  Lock L(Mutex);
  if (C)
    All.erase(C->Place);
}

size_t OpenConnections::count() const {
  Lock L(Mutex);
  return All.size();
}

void OpenConnections::expectHeaders(Client &C) {
  Lock L(Mutex);
  C.IsIdle = false;
  C.Deadline = Clock::now() + ForHeaders;
}

void OpenConnections::expectNothing(Client &C) {
  Lock L(Mutex);
  C.Deadline = Clock::time_point::max();
}

void OpenConnections::expectRequest(Client &C) {
  Lock L(Mutex);
  C.IsIdle = true;
  C.Deadline = Clock::now() + ForNext;
}

void OpenConnections::drain() {
  Lock L(Mutex);
  IsDraining = true;
  // The client reads the end, and may still be sending: it learns then that
  // nobody reads its request. SHUT_RD makes libmicrohttpd close it.
  for (Client &C : All)
    if (C.IsIdle)
      (void)::shutdown(C.Socket, SHUT_RDWR);
}

void OpenConnections::run() {
  std::unique_lock<std::mutex> L(Mutex);
  while (
      !Ends.wait_for(L, std::chrono::seconds(1), [this] { return IsEnding; })) {
    Clock::time_point Now = Clock::now();
    // libmicrohttpd notices, and closes them.
    for (Client &C : All)
      if (Now > C.Deadline || (IsDraining && C.IsIdle))
        (void)::shutdown(C.Socket, SHUT_RDWR);
  }
}

} // namespace lidia
