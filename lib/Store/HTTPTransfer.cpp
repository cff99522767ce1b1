//===- HTTPTransfer.cpp - A range request and its answer ------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Nothing from the server is trusted: an answer must be exactly the requested
/// range, and no more of it is read.
///
//===----------------------------------------------------------------------===//

#include "HTTPTransfer.h"
#include "HTTPLimits.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace lidia;
using namespace llvm;

/// `bytes 0-99/1000`.
std::optional<ContentRange> ContentRange::parse(StringRef Value) {
  ContentRange R;
  if (!Value.consume_front_insensitive("bytes "))
    return std::nullopt;
  Value = Value.ltrim();
  if (Value.consumeInteger(10, R.First) || !Value.consume_front("-") ||
      Value.consumeInteger(10, R.Last) || !Value.consume_front("/") ||
      Value.consumeInteger(10, R.Total) || !Value.empty() || R.First > R.Last ||
      R.Last >= R.Total)
    return std::nullopt;
  return R;
}

void HTTPTransfer::restart() {
  reset();
  HeaderBytes = 0;
  Failure.clear();
  Message[0] = 0;
  ++Attempts;
}

void HTTPTransfer::reset() {
  Status = 0;
  Place.reset();
  ETag.clear();
  LastModified.clear();
  Region.clear();
  IsEncoded = IsMultipart = HasBody = IsCutOff = false;
  Body.clear();
  RetryAfter = 0;
}

void HTTPTransfer::takeHeader(StringRef Line) {
  // Ignore trailers of a chunked body.
  if (HasBody)
    return;
  if (Line.starts_with("HTTP/")) {
    reset();
    StringRef(Line.split(' ').second).consumeInteger(10, Status);
    return;
  }
  auto [Name, Value] = Line.split(':');
  Value = Value.trim();
  if (Name.equals_insensitive("content-range"))
    Place = ContentRange::parse(Value);
  else if (Name.equals_insensitive("etag"))
    ETag = Value.str();
  else if (Name.equals_insensitive("last-modified"))
    LastModified = Value.str();
  else if (Name.equals_insensitive("content-encoding"))
    IsEncoded = !Value.empty() && !Value.equals_insensitive("identity");
  else if (Name.equals_insensitive("content-type"))
    IsMultipart = Value.starts_with_insensitive("multipart/");
  else if (Name.equals_insensitive("x-amz-bucket-region"))
    Region = Value.str();
  else if (Name.equals_insensitive("retry-after"))
    Value.consumeInteger(10, RetryAfter);
}

bool HTTPTransfer::checkPlace() {
  FileRange Asked = Wanted->Place;
  if (IsEncoded) {
    Failure = "the server compresses its answers, which changes the meaning of "
              "ranges: turn that off for this file";
    return false;
  }
  if (IsMultipart) {
    Failure = "the server sends several ranges where one was requested";
    return false;
  }
  if (!Place) {
    Failure = "the server does not say which range it sends";
    return false;
  }
  uint64_t First = Asked.Offset;
  uint64_t Count =
      First < Place->Total ? std::min(Asked.Size, Place->Total - First) : 0;
  if (Place->First != First || Place->Last - Place->First + 1 != Count) {
    Failure = formatv("the server sends the bytes {0} to {1} of {2} where {3} "
                      "from {4} on were requested",
                      Place->First, Place->Last, Place->Total, Count, First);
    return false;
  }
  return true;
}

bool HTTPTransfer::takeBody(StringRef Bytes) {
  constexpr size_t MaxOfError = 4096;
  HasBody = true;
  if (Status == 200) {
    Failure = "the server ignores requests for ranges, and sends all of the "
              "file: download it";
    return false;
  }
  if (Status != 206) {
    // The body of an S3 error contains its name.
    Bytes = Bytes.take_front(MaxOfError - Body.size());
    IsCutOff = Body.size() + Bytes.size() == MaxOfError;
  } else if (Body.empty() && !checkPlace())
    return false;
  else if (Bytes.size() > Place->Last - Place->First + 1 - Body.size()) {
    Failure = formatv("the server sends more than the {0} bytes from {1} on "
                      "that were requested",
                      Place->Last - Place->First + 1, Place->First);
    return false;
  }
  Body.insert(Body.end(), Bytes.begin(), Bytes.end());
  return !IsCutOff;
}

bool HTTPTransfer::isComplete() {
  // If the body was empty, neither was checked yet.
  if (Status == 200)
    return takeBody("");
  if (Status != 206 || !checkPlace())
    return false;
  uint64_t Count = Place->Last - Place->First + 1;
  if (Body.size() == Count)
    return true;
  Failure = formatv("the server sends {0} bytes of the {1} that it announces",
                    Body.size(), Count);
  return false;
}

// Returning anything but Count is an error.
size_t HTTPTransfer::onHeader(char *Data, size_t, size_t Count, void *User) {
  auto &T = *static_cast<HTTPTransfer *>(User);
  T.HeaderBytes += Count;
  if (T.HeaderBytes > HTTPLimits::HeaderBytes) {
    T.Failure = "the server's headers are too large";
    return 0;
  }
  T.takeHeader(StringRef(Data, Count).trim());
  return Count;
}

size_t HTTPTransfer::onBody(char *Data, size_t, size_t Count, void *User) {
  auto &T = *static_cast<HTTPTransfer *>(User);
  return T.takeBody({Data, Count}) ? Count : 0;
}
