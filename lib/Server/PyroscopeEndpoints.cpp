//===- PyroscopeEndpoints.cpp - Uploads of Pyroscope clients --------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// debuginfo.v1alpha1.DebuginfoService of Grafana Pyroscope, as used by its
// profilecli (api/debuginfo/v1alpha1/debuginfo.proto and
// cmd/profilecli/debuginfo.go, as of commit
// 3fe6a457a32004efc46da819cbc114472d07415e): ShouldInitiateUpload and
// UploadFinished are unary calls of the Connect protocol, in protobuf or JSON;
// between them, the client sends the file as the body of a plain POST. Clients
// cannot list or remove files.
//
//===----------------------------------------------------------------------===//

#include "Answers.h"
#include "JSONBody.h"
#include "Service.h"
#include "Support/ProtoFields.h"
#include "lidia/Error.h"

using namespace llvm;

namespace lidia {

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

/// The bytes of the field \p Tag of the protobuf message \p Message, or of its
/// last occurrence if it is repeated; empty if it is missing. None if the
/// message is malformed.
static std::optional<StringRef> bytesField(StringRef Message, uint32_t Tag) {
  StringRef Found;
  bool IsRight = forEachField(Message, [&](const ProtoField &F) {
    if (F.isMessage(Tag))
      Found = F.Bytes;
  });
  return IsRight ? std::optional(Found) : std::nullopt;
}

/// An error in the format that clients of Connect expect.
static HTTPResponse failCall(unsigned Status, StringRef Code,
                             const Twine &Message) {
  std::string Text = "{\"code\":";
  appendJSONString(Text, Code);
  Text += ",\"message\":";
  appendJSONString(Text, Message.str());
  HTTPResponse R = HTTPResponse::json(Text + "}\n");
  R.Status = Status;
  return R;
}

static bool isJSON(const HTTPRequest &Request) {
  return Request.header("content-type")
      .split(';')
      .first.trim()
      .equals_insensitive("application/json");
}

static HTTPResponse answerCall(const HTTPRequest &Request, std::string JSON,
                               std::string Binary) {
  if (isJSON(Request))
    return HTTPResponse::json(std::move(JSON));
  HTTPResponse R;
  R.ContentType = "application/proto";
  R.Body = std::move(Binary);
  return R;
}

/// Field numbers: `file` of a call, `gnu_build_id` of a file.
static constexpr uint32_t FileField = 1, BuildIDField = 1;

/// The build ID in \p Request: in a field of the message, or, if \p IsInFile,
/// in the message's field `file`.
static Expected<BuildIDBytes> buildIDOf(const HTTPRequest &Request,
                                        bool IsInFile) {
  auto Wrong = [] {
    return make_error<ArgumentError>("", "malformed request");
  };
  std::string Text;
  if (isJSON(Request)) {
    Expected<JSONBody> Body = JSONBody::parse(Request.Body);
    if (!Body)
      return Body.takeError();
    JSONValue Message = Body->root();
    if (IsInFile)
      Message = Message["file"];
    Text = Message["gnuBuildId"].string().value_or("").str();
  } else {
    std::optional<StringRef> Message = Request.Body;
    if (IsInFile)
      Message = bytesField(*Message, FileField);
    if (Message)
      Message = bytesField(*Message, BuildIDField);
    if (!Message)
      return Wrong();
    Text = Message->str();
  }
  return parseBuildID(Text);
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

/// Whether the store lacks line information for \p BuildID.
static Expected<bool> isWanted(Service &S, ArrayRef<uint8_t> BuildID) {
  Expected<std::shared_ptr<const Archive>> A = S.Store->archive(BuildID);
  if (A)
    return (*A)->rowCount() == 0;
  std::unique_ptr<LidiaError> Why = toLidiaError(A.takeError());
  if (Why->convertToErrorCode() == std::errc::no_such_file_or_directory)
    return true;
  return Error(std::move(Why));
}

/// The first part of both calls: reads the build ID, or returns the answer for
/// an invalid request.
static std::optional<HTTPResponse> readCall(const HTTPRequest &Request,
                                            bool IsInFile, BuildIDBytes &ID) {
  StringRef Coding = Request.header("content-encoding");
  if (!Coding.empty() && Coding != "identity")
    return failCall(501, "unimplemented",
                    "compressed requests are not supported");
  Expected<BuildIDBytes> BuildID = buildIDOf(Request, IsInFile);
  if (!BuildID)
    return failCall(400, "invalid_argument", toString(BuildID.takeError()));
  if (StringRef Why = whyNotABuildID(*BuildID); !Why.empty())
    return failCall(400, "invalid_argument", Why);
  ID = *BuildID;
  return std::nullopt;
}

Answer answerShouldUpload(Service &S, const HTTPRequest &Request, PathParts) {
  BuildIDBytes BuildID;
  if (auto Failure = readCall(Request, /*IsInFile=*/true, BuildID))
    return std::move(*Failure);
  Expected<bool> Wanted = isWanted(S, BuildID);
  if (!Wanted) {
    consumeError(Wanted.takeError());
    return failCall(503, "unavailable", "the store cannot be read now");
  }
  StringRef Reason = *Wanted ? "the store has no lines of this build ID"
                             : "the store has lines of this build ID";
  std::string JSON =
      *Wanted ? "{\"shouldInitiateUpload\":true,\"reason\":" : "{\"reason\":";
  appendJSONString(JSON, Reason);
  // Field 1, a bool, is left out if it is false; field 2 is the reason.
  std::string Binary = *Wanted ? "\x08\x01\x12" : "\x12";
  Binary += char(Reason.size());
  Binary += Reason;
  return answerCall(Request, JSON + "}", std::move(Binary));
}

Answer answerPyroscopeUpload(Service &S, const HTTPRequest &Request,
                             PathParts Parts) {
  Answer A = answerUpload(S, Request, Parts);
  // profilecli accepts no other status of success.
  if (A && A->Status / 100 == 2)
    A->Status = 200;
  return A;
}

Answer answerUploadFinished(Service &S, const HTTPRequest &Request, PathParts) {
  BuildIDBytes BuildID;
  if (auto Failure = readCall(Request, /*IsInFile=*/false, BuildID))
    return std::move(*Failure);
  Expected<bool> IsThere = S.Store->contains(BuildID);
  if (IsThere && *IsThere)
    return answerCall(Request, "{}", "");
  consumeError(IsThere.takeError());
  return failCall(404, "not_found", "no file of this build ID was uploaded");
}

} // namespace lidia
