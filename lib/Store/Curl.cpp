//===- Curl.cpp - libcurl, loaded on demand -------------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Curl.h"
#include "lidia/Error.h"
#include <dlfcn.h>
#include <string>

using namespace lidia;
using namespace llvm;

namespace {
struct Loaded {
  Loaded();

  Curl Functions;
  std::string Failure;
};
} // namespace

Loaded::Loaded() {
  // Debian has two libraries, for different TLS libraries. It is never
  // unloaded, because TLS libraries do not support that.
  void *Library = nullptr;
  for (const char *Name : {"libcurl.so.4", "libcurl-gnutls.so.4"}) {
    if (!Library)
      Library = ::dlopen(Name, RTLD_NOW | RTLD_LOCAL);
    if (!Library && Failure.empty())
      Failure = ::dlerror();
  }
  if (!Library)
    return;
  Failure.clear();
#define LIDIA_LOAD(NAME)                                                       \
  Functions.NAME = reinterpret_cast<decltype(Functions.NAME)>(                 \
      ::dlsym(Library, "curl_" #NAME));                                        \
  if (!Functions.NAME)                                                         \
    Failure = "curl_" #NAME " is missing";
  LIDIA_CURL_FUNCTIONS(LIDIA_LOAD)
#undef LIDIA_LOAD
  if (!Failure.empty())
    return;
  // The first version that signs requests and accepts lists of protocols as
  // text.
  if (Functions.version_info(CURLVERSION_NOW)->version_num < 0x075500)
    Failure = "it is older than 7.85";
  else if (CURLcode Code = Functions.global_init(CURL_GLOBAL_DEFAULT))
    Failure = Functions.easy_strerror(Code);
}

Expected<const Curl &> Curl::get() {
  static const Loaded Library;
  if (Library.Failure.empty())
    return Library.Functions;
  return make_error<UnsupportedError>(
      "", "URLs need libcurl, which cannot be loaded: " + Library.Failure +
              " (install Debian's package libcurl4 or libcurl3-gnutls)");
}
