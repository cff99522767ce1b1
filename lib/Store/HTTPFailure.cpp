//===- HTTPFailure.cpp - Errors of HTTP requests --------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HTTPFailure.h"
#include "HTTPLimits.h"
#include "lidia/Error.h"
#include "lidia/Store/ObjectStore.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <cerrno>

using namespace lidia;
using namespace llvm;

StringRef lidia::s3Code(const std::vector<char> &Body) {
  StringRef Text(Body.data(), Body.size());
  StringRef Rest = Text.split("<Code>").second;
  return Rest.take_while([](char C) { return isAlpha(C); }).take_front(40);
}

/// Whether the S3 error \p Code, with any status, is about the keys or about
/// the signature.
static bool isAboutKeys(StringRef Code) {
  return is_contained<StringRef>(
      {"AuthorizationHeaderMalformed", "ExpiredToken", "InvalidAccessKeyId",
       "InvalidToken", "RequestTimeTooSkewed", "SignatureDoesNotMatch",
       "XAdminUserNotFound"},
      Code);
}

static constexpr StringLiteral NoBucket = "NoSuchBucket";

/// Zero for all other codes, and without a code: answers to HEAD requests have
/// no body, and those of other servers no code.
static int s3ErrorNumber(StringRef Code) {
  if (isAboutKeys(Code))
    return EPERM;
  return Code == NoBucket ? ENXIO : 0;
}

int lidia::errorNumber(const HTTPTransfer &T, bool IsS3) {
  if (int Number = IsS3 ? s3ErrorNumber(s3Code(T.Body)) : 0)
    return Number;
  switch (T.Status) {
  case 301:
  case 308:
    return IsS3 ? ENXIO : EIO;
  case 401:
    return IsS3 ? EPERM : EACCES;
  case 403:
    return EACCES;
  case 404:
  case 410:
    return ENOENT;
  case 412:
    return ESTALE;
  case 507:
    return ENOSPC;
  default:
    return EIO;
  }
}

static std::string whyRefused(const HTTPTransfer &T, bool IsS3) {
  std::string Status = std::to_string(T.Status);
  StringRef Code = IsS3 ? s3Code(T.Body) : "";
  if (!Code.empty())
    Status += " " + Code.str();
  if (Code == "ExpiredToken")
    return "the keys have expired (HTTP status " + Status + "): get new ones";
  if (Code == NoBucket)
    return "no such bucket (HTTP status " + Status + ")";
  switch (isAboutKeys(Code) ? 403 : T.Status) {
  case 307:
    return "the server redirects temporarily (HTTP status " + Status +
           "), as S3 does for a new bucket: try again later, or set "
           "AWS_REGION to that of the bucket";
  case 301:
  case 308:
    return "the bucket is in another region (" + Status + "): set AWS_REGION" +
           (T.Region.size() <= 40 &&
                    all_of(T.Region,
                           [](char C) { return isAlnum(C) || C == '-'; })
                ? " " + T.Region
                : "");
  case 401:
  case 403:
    return "access denied (HTTP status " + Status + ")" +
           (IsS3 ? ": check the keys and AWS_REGION" : "");
  case 404:
  case 410:
    return "no such file (HTTP status " + Status + ")";
  case 412:
    return "the file was replaced while it was being read: try again";
  case 416:
    return "the server has no such range of the file (HTTP status " + Status +
           "): is it empty?";
  default:
    return "the server answers with HTTP status " + Status;
  }
}

std::string lidia::whyFailed(const HTTPTransfer &T, CURLcode Code,
                             const Curl &C, bool IsS3) {
  if (!T.Failure.empty())
    return T.Failure;
  if (Code == CURLE_TOO_MANY_REDIRECTS)
    return "the server redirects more than " +
           std::to_string(HTTPLimits::Redirects) + " times";
  // libcurl uses this code for two errors.
  if (Code == CURLE_UNSUPPORTED_PROTOCOL && !T.Status)
    return "the server does not answer in HTTP/1.0 or later: " +
           std::string(*T.Message ? T.Message : C.easy_strerror(Code));
  if (Code == CURLE_UNSUPPORTED_PROTOCOL)
    return std::string("the server redirects to an unsupported protocol: ") +
           T.Message;
  // libcurl accepts headers up to 100 KB. From version 8.6 on, it has a code
  // for larger ones, CURLE_TOO_LARGE.
  if (Code == CURLE_OUT_OF_MEMORY || Code == 100)
    return "the server's header is too large, or libcurl is out of memory";
  if (Code == CURLE_OPERATION_TIMEDOUT)
    return std::string("the server takes too long: ") + T.Message;
  if (Code == CURLE_PEER_FAILED_VERIFICATION ||
      Code == CURLE_SSL_CACERT_BADFILE)
    return std::string("the server is not trusted: ") +
           (*T.Message ? T.Message : C.easy_strerror(Code)) +
           " (CURL_CA_BUNDLE or SSL_CERT_FILE names a file of certificates to "
           "trust)";
  if (Code)
    return *T.Message ? T.Message : C.easy_strerror(Code);
  return whyRefused(T, IsS3);
}

/// Whether the answer \p T says something about the server and not the file.
static bool isAboutServer(const HTTPTransfer &T) {
  return T.Status >= 500 || is_contained({307, 408, 425, 429}, T.Status);
}

Error lidia::requestError(const HTTPTransfer &T, CURLcode Code, const Curl &C,
                          bool IsS3, const Twine &Name) {
  if (Code == CURLE_ABORTED_BY_CALLBACK)
    return cancelledError(Name);
  std::string Why = whyFailed(T, Code, C, IsS3);
  if (T.Attempts > 1)
    Why += " (after " + std::to_string(T.Attempts) + " attempts)";
  std::error_code Number(Code ? EIO : errorNumber(T, IsS3),
                         std::generic_category());
  // A callback ends the transfer of an answer that makes no sense.
  bool IsOutage =
      T.Failure.empty() && (Code || isAboutServer(T) || endsStore(Number));
  if (!IsOutage)
    return make_error<SystemError>(Number, Name, Why);
  // Servers may be unable to send a single file.
  bool IsGeneral =
      Code || T.Status == 503 || T.Status == 429 || endsStore(Number);
  return make_error<OutageError>(Number, Name, Why, IsGeneral);
}

Error lidia::keysError(Error E) {
  return make_error<OutageError>(
      std::make_error_code(std::errc::operation_not_permitted), "",
      toString(std::move(E)), /*IsGeneral=*/true);
}

bool lidia::isUnreachable(CURLcode Code) {
  return is_contained({CURLE_COULDNT_RESOLVE_PROXY, CURLE_COULDNT_RESOLVE_HOST,
                       CURLE_COULDNT_CONNECT, CURLE_SSL_CONNECT_ERROR,
                       CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE,
                       CURLE_UNSUPPORTED_PROTOCOL},
                      Code);
}

bool lidia::maySucceedLater(const HTTPTransfer &T, CURLcode Code,
                            bool IsFirst) {
  if (!T.Failure.empty())
    return false;
  switch (Code) {
  case CURLE_OK:
    return is_contained({408, 429, 500, 502, 503, 504}, T.Status);
  case CURLE_COULDNT_CONNECT:
    // Before the first answer, a wrong URL is more likely.
    return !IsFirst;
  case CURLE_OPERATION_TIMEDOUT:
  case CURLE_SEND_ERROR:
  case CURLE_RECV_ERROR:
  case CURLE_GOT_NOTHING:
  case CURLE_PARTIAL_FILE:
  case CURLE_HTTP2:
  case CURLE_HTTP2_STREAM:
    return true;
  default:
    return false;
  }
}
