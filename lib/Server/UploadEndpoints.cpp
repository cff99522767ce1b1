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

#include "AccessLog.h"
#include "Answers.h"
#include "Service.h"
#include "lidia/Error.h"
#include "lidia/Store/RemoveArchive.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace lidia {

/// The answer for \p E: 422 if the file is invalid, 507 if a disk is full, 503
/// if the store does not answer, and 500 for other errors of the server.
static HTTPResponse failUpload(Error E) {
  std::unique_ptr<LidiaError> Why = toLidiaError(std::move(E));
  const ErrorInfoBase &Base = *Why;
  if (Base.isA<ArgumentError>() || Base.isA<LimitError>())
    return HTTPResponse::error(422, Why->message());
  std::error_code Code = Why->convertToErrorCode();
  if (Code == std::errc::operation_canceled)
    return HTTPResponse::busy();
  if (Code == std::errc::no_space_on_device)
    return HTTPResponse::error(507, "insufficient storage on the server");
  if (Code == std::errc::host_unreachable)
    return HTTPResponse::unavailable("the store cannot be written now");
  return HTTPResponse::error(500, "the store cannot be written now");
}

void logChange(Service &S, const HTTPRequest &Request,
               ArrayRef<uint8_t> BuildID, const Twine &Result) {
  StringRef User = Request.Token.Name, Peer = Request.Peer;
  S.Log.Note((logTime() + " " + Request.Method + " " +
              toHex(BuildID, /*LowerCase=*/true) + ": " + Result + ", by " +
              (User.empty() ? "anyone" : User) + " from " +
              (Peer.empty() ? "this machine" : Peer))
                 .str());
}

/// Whether \p Request asks to replace any archive.
static bool asksToReplace(const HTTPRequest &Request) {
  std::vector<std::string> Values = Request.parameters("replace");
  return !Values.empty() && (Values.back() == "true" || Values.back() == "1");
}

static UploadMode modeOf(Service &S, const HTTPRequest &Request) {
  if (asksToReplace(Request))
    return UploadMode::Replace;
  return S.Options.Upload.KeepsOld ? UploadMode::Keep : UploadMode::Improve;
}

Expected<std::vector<StoredFile>> storeUpload(Service &S,
                                              const HTTPRequest &Request,
                                              ArrayRef<uint8_t> OnlyBuildID) {
  if (Request.BodyFile.empty())
    return make_error<ArgumentError>("", "the request has no body");
  S.Statistics.UploadBytes += Request.BodyFileSize;
  Expected<std::vector<StoredFile>> Stored =
      S.Converter.add({Request.BodyFile}, OnlyBuildID, modeOf(S, Request));
  if (!Stored) {
    RememberedError Why(Stored.takeError());
    logChange(S, Request, OnlyBuildID, "failed: " + toString(Why.get()));
    return Why.get();
  }
  for (const StoredFile &File : *Stored) {
    S.Statistics.UploadsStored += File.Result != "present";
    S.Modules.forget(File.BuildID);
    logChange(S, Request, File.BuildID, File.Result);
  }
  return Stored;
}

static Answer store(Service &S, const HTTPRequest &Request,
                    ArrayRef<uint8_t> OnlyBuildID) {
  // Who may only add could otherwise replace what is right.
  if (asksToReplace(Request) &&
      (!Request.Token.MayRemove || S.Options.Upload.KeepsOld))
    return HTTPResponse::error(
        403, S.Options.Upload.KeepsOld
                 ? "this server replaces nothing (--no-replace)"
                 : "this token may not replace what is as good: that needs the "
                   "right to remove (--tokens)");
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

Answer answerRemoval(Service &S, const HTTPRequest &Request, PathParts Parts) {
  Expected<BuildIDBytes> BuildID = parseBuildID(Parts[0]);
  if (!BuildID)
    return BuildID.takeError();
  if (Error E = removeArchive(*S.Store, *BuildID)) {
    std::unique_ptr<LidiaError> Why = toLidiaError(std::move(E));
    const ErrorInfoBase &Base = *Why;
    if (Base.isA<ArgumentError>() && Why->file().empty())
      return HTTPResponse::error(409, Why->message());
    if (Why->convertToErrorCode() == std::errc::no_such_file_or_directory)
      return HTTPResponse::error(404, "the store has no such archive");
    S.Log.Warn("an archive could not be removed: " + Why->message());
    return failUpload(Error(std::move(Why)));
  }
  S.Modules.forget(*BuildID);
  logChange(S, Request, *BuildID, "removed");
  return HTTPResponse::json("{}\n");
}

Answer answerPackage(Service &S, const HTTPRequest &Request, PathParts) {
  return store(S, Request, {});
}

} // namespace lidia
