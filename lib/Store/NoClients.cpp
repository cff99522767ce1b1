//===- NoClients.cpp - Clients for builds without libcurl -----------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HTTPPost.h"
#include "lidia/Store/Debuginfod.h"
#include "lidia/Store/SymbolServers.h"

using namespace lidia;
using namespace llvm;

class DebuginfodClient::Impl {};

DebuginfodClient::DebuginfodClient(DebuginfodOptions) {}

DebuginfodClient::~DebuginfodClient() = default;

std::string DebuginfodClient::debugFile(ArrayRef<uint8_t>,
                                        function_ref<bool(StringRef)>,
                                        Warning Warn) {
  Warn("debuginfod: this program was built without libcurl, and cannot ask "
       "servers");
  return std::string();
}

DownloadedFile DebuginfodClient::file(ArrayRef<uint8_t> BuildID, StringRef,
                                      function_ref<bool(StringRef)> IsRight,
                                      Warning Warn, StringRef) {
  DownloadedFile None;
  None.Path = debugFile(BuildID, IsRight, Warn);
  return None;
}

DownloadedFile DebuginfodClient::source(ArrayRef<uint8_t> BuildID, StringRef,
                                        StringRef CacheName, Warning Warn,
                                        StringRef) {
  return file(BuildID, CacheName, [](StringRef) { return true; }, Warn);
}

class SymbolServers::Impl {};

SymbolServers::SymbolServers(std::vector<SymbolPath::Server>, DownloadOptions) {
}

SymbolServers::~SymbolServers() = default;

std::string SymbolServers::pdb(StringRef, StringRef,
                               function_ref<bool(StringRef)>,
                               function_ref<void(const Twine &)> Warn) {
  Warn("symbol server: this program was built without libcurl, and cannot ask "
       "servers");
  return std::string();
}

class HTTPPost::Impl {};

HTTPPost::HTTPPost(std::string) {}

HTTPPost::~HTTPPost() = default;

HTTPPostAnswer HTTPPost::send(StringRef, ArrayRef<std::string>, unsigned) {
  HTTPPostAnswer A;
  A.Failure = "this program was built without libcurl";
  return A;
}
