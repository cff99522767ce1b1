//===- LibArchive.cpp - libarchive, loaded on demand ----------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LibArchive.h"
#include "lidia/Error.h"
#include <dlfcn.h>
#include <string>

using namespace lidia;
using namespace llvm;

namespace {
struct LoadedArchive {
  LoadedArchive();

  LibArchive Functions;
  std::string Failure;
};
} // namespace

LoadedArchive::LoadedArchive() {
  void *Library = ::dlopen("libarchive.so.13", RTLD_NOW | RTLD_LOCAL);
  if (!Library) {
    Failure = ::dlerror();
    return;
  }
#define LIDIA_LOAD(NAME)                                                       \
  Functions.NAME = reinterpret_cast<decltype(Functions.NAME)>(                 \
      ::dlsym(Library, "archive_" #NAME));                                     \
  if (!Functions.NAME)                                                         \
    Failure = "archive_" #NAME " is missing";
  LIDIA_ARCHIVE_FUNCTIONS(LIDIA_LOAD)
#undef LIDIA_LOAD
}

Expected<const LibArchive &> LibArchive::get() {
  static const LoadedArchive Library;
  if (Library.Failure.empty())
    return Library.Functions;
  return make_error<UnsupportedError>(
      "",
      "packages and cabinet files need libarchive, which cannot be loaded: " +
          Library.Failure + " (install Debian's package libarchive13)");
}
