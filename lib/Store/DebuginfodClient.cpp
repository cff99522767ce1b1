//===- DebuginfodClient.cpp - Debug files from debuginfod servers ---------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Downloads.h"
#include "Support/PercentEncoding.h"
#include "lidia/Store/Debuginfod.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SHA256.h"

using namespace lidia;
using namespace llvm;

class DebuginfodClient::Impl {
public:
  explicit Impl(DebuginfodOptions O)
      : MaxSize(O.MaxSize),
        Files("debuginfod", O.Servers, O.CacheFolder, O, O.HeadersFile) {}

  /// \p Name is the file's name in the URL.
  DownloadedFile file(ArrayRef<uint8_t> BuildID, StringRef Name,
                      StringRef CacheName,
                      function_ref<bool(StringRef)> IsRight, Warning Warn,
                      StringRef ForwardedFor);

private:
  const uint64_t MaxSize;
  Downloads Files;
};

DownloadedFile
DebuginfodClient::Impl::file(ArrayRef<uint8_t> BuildID, StringRef Name,
                             StringRef CacheName,
                             function_ref<bool(StringRef)> IsRight,
                             Warning Warn, StringRef ForwardedFor) {
  if (BuildID.empty())
    return {};
  std::string ID = toHex(BuildID, /*LowerCase=*/true);
  WantedFile W{("buildid/" + ID + "/" + Name).str(),
               Files.cacheFolder() + "/" + ID,
               CacheName.str(),
               "build ID " + ID,
               {},
               IsRight,
               Warn};
  // elfutils' client adds these, too.
  if (MaxSize)
    W.Headers.push_back("X-DEBUGINFOD-MAXSIZE: " + utostr(MaxSize));
  if (!ForwardedFor.empty())
    W.Headers.push_back(("X-Forwarded-For: " + ForwardedFor).str());
  return Files.get(W);
}

DebuginfodClient::DebuginfodClient(DebuginfodOptions Options)
    : P(std::make_unique<Impl>(std::move(Options))) {}

DebuginfodClient::~DebuginfodClient() = default;

std::string DebuginfodClient::debugFile(ArrayRef<uint8_t> BuildID,
                                        function_ref<bool(StringRef)> IsRight,
                                        Warning Warn) {
  return P->file(BuildID, "debuginfo", "debuginfo", IsRight, Warn, "").Path;
}

DownloadedFile DebuginfodClient::file(ArrayRef<uint8_t> BuildID, StringRef Name,
                                      function_ref<bool(StringRef)> IsRight,
                                      Warning Warn, StringRef ForwardedFor) {
  return P->file(BuildID, Name, Name, IsRight, Warn, ForwardedFor);
}

DownloadedFile DebuginfodClient::source(ArrayRef<uint8_t> BuildID,
                                        StringRef Path, Warning Warn,
                                        StringRef ForwardedFor) {
  auto IsAny = [](StringRef) { return true; };
  return P->file(BuildID, "source" + percentEncode(Path, "/"),
                 nameOfSource(Path), IsAny, Warn, ForwardedFor);
}

std::string DebuginfodClient::nameOfSource(StringRef Path) {
  // A path may be longer than the maximum length of a file name.
  return "lidia-source-" + toHex(SHA256::hash(arrayRefFromStringRef(Path)),
                                 /*LowerCase=*/true);
}
