//===- UploadEndpoints.cpp - Uploads --------------------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PUT /buildid/ID accepts an archive, a binary or a debug file with this build
// ID; POST /v1/packages accepts what `store add` does. The answer is sent when
// the archives are in the store:
//
//   {"archives": [{"build_id": "...", "result": "added"}]}
//
// The result is "replaced" if the store had an archive with less information,
// and "present" if it has one with as much.
//
//===----------------------------------------------------------------------===//

#include "Answers.h"
#include "Service.h"
#include "lidia/Error.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace lidia {

/// The answer for \p E: 422 if the file is invalid, 500 or 503 for errors of
/// the server.
static HTTPResponse failUpload(Error E) {
  std::unique_ptr<LidiaError> Why = toLidiaError(std::move(E));
  const ErrorInfoBase &Base = *Why;
  if (Base.isA<ArgumentError>() || Base.isA<LimitError>())
    return HTTPResponse::error(422, Why->message());
  if (Why->convertToErrorCode() == std::errc::operation_canceled)
    return HTTPResponse::busy();
  return HTTPResponse::error(500, "the store cannot be written now");
}

Expected<std::vector<StoredFile>> storeUpload(Service &S,
                                              const HTTPRequest &Request,
                                              ArrayRef<uint8_t> OnlyBuildID) {
  if (Request.BodyFile.empty())
    return make_error<ArgumentError>("", "the request has no body");
  S.Statistics.UploadBytes += Request.BodyFileSize;
  Expected<std::vector<StoredFile>> Stored =
      S.Converter.add({Request.BodyFile}, OnlyBuildID);
  if (!Stored)
    return Stored;
  for (const StoredFile &File : *Stored) {
    S.Statistics.UploadsStored += File.Result != "present";
    S.Modules.forget(File.BuildID);
  }
  return Stored;
}

static Answer store(Service &S, const HTTPRequest &Request,
                    ArrayRef<uint8_t> OnlyBuildID) {
  Expected<std::vector<StoredFile>> Stored =
      storeUpload(S, Request, OnlyBuildID);
  if (!Stored)
    return failUpload(Stored.takeError());
  bool IsNew = false;
  std::string Text = "{\"archives\":[";
  for (const StoredFile &File : *Stored) {
    IsNew |= File.Result != "present";
    if (&File != &Stored->front())
      Text += ',';
    Text += "{\"build_id\":\"" + toHex(File.BuildID, /*LowerCase=*/true) +
            "\",\"result\":";
    appendJSONString(Text, File.Result);
    Text += '}';
  }
  HTTPResponse R = HTTPResponse::json(Text + "]}\n");
  R.Status = IsNew ? 201 : 200;
  return R;
}

Answer answerUpload(Service &S, const HTTPRequest &Request, PathParts Parts) {
  Expected<BuildIDBytes> BuildID = parseBuildID(Parts[0]);
  if (!BuildID)
    return BuildID.takeError();
  return store(S, Request, *BuildID);
}

Answer answerPackage(Service &S, const HTTPRequest &Request, PathParts) {
  return store(S, Request, {});
}

} // namespace lidia
