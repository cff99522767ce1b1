//===- NoDebuginfodClient.cpp - A client for builds without libcurl -------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Store/Debuginfod.h"

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

DebuginfodFile DebuginfodClient::file(ArrayRef<uint8_t> BuildID, StringRef,
                                      function_ref<bool(StringRef)> IsRight,
                                      Warning Warn, StringRef) {
  DebuginfodFile None;
  None.Path = debugFile(BuildID, IsRight, Warn);
  return None;
}

DebuginfodFile DebuginfodClient::source(ArrayRef<uint8_t> BuildID, StringRef,
                                        StringRef CacheName, Warning Warn,
                                        StringRef) {
  return file(BuildID, CacheName, [](StringRef) { return true; }, Warn);
}
