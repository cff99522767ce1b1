//===- WebStore.cpp - A store behind a web server -------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WebStore.h"
#include "ADT/URLText.h"
#include "lidia/Error.h"
#include "lidia/Store/OpenArchive.h"

using namespace lidia;
using namespace llvm;

namespace {
class WebStore : public ObjectStore {
public:
  explicit WebStore(StringRef URL)
      : ObjectStore(urlForMessages(URL), URL.str()) {}

  bool isFar() const override { return true; }
  Error checkPlace() override;
  Expected<bool> exists(StringRef Object) override;
  Expected<bool> put(StringRef, StringRef, PutMode) override {
    return cannot("be written");
  }
  /// As a bucket whose keys may read single objects.
  Error list(StringRef, Visitor, unsigned) override {
    return cannot("be listed");
  }
  Error remove(StringRef) override { return cannot("be written"); }

private:
  Error cannot(const Twine &What) const {
    return make_error<SystemError>(
        std::make_error_code(std::errc::permission_denied), name(),
        "a store behind a web server cannot " + What);
  }
};
} // namespace

/// One request, whatever the answer is about: a server that is not there would
/// be waited for with each archive.
Error WebStore::checkPlace() {
  Expected<std::shared_ptr<FarFile>> File = openURL(location(""), totals());
  if (File)
    return Error::success();
  return handleErrors(File.takeError(),
                      [](std::unique_ptr<ErrorInfoBase> Info) -> Error {
                        std::error_code Code = Info->convertToErrorCode();
                        if (Code == std::errc::no_such_file_or_directory ||
                            Code == std::errc::permission_denied)
                          return Error::success();
                        return Error(std::move(Info));
                      });
}

Expected<bool> WebStore::exists(StringRef Object) {
  Expected<std::shared_ptr<FarFile>> File = openURL(location(Object), totals());
  if (File)
    return true;
  std::unique_ptr<LidiaError> Why = toLidiaError(File.takeError());
  if (Why->convertToErrorCode() == std::errc::no_such_file_or_directory)
    return false;
  return Error(std::move(Why));
}

Expected<std::unique_ptr<ObjectStore>> lidia::createWebStore(StringRef Where) {
  if (Where.find_first_of("?#") != StringRef::npos)
    return make_error<ArgumentError>(
        urlForMessages(Where), "not a store: its URL has a query or a '#'");
  return std::make_unique<WebStore>(Where.rtrim('/'));
}
