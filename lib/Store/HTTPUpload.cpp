//===- HTTPUpload.cpp - The body of an upload -----------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HTTPUpload.h"
#include <cstdio>
#include <cstring>

using namespace lidia;
using namespace llvm;

static size_t giveBody(char *To, size_t, size_t Max, void *User) {
  auto &U = *static_cast<HTTPUpload *>(User);
  StringRef Piece = U.Bytes.drop_front(U.Sent).take_front(Max);
  std::memcpy(To, Piece.data(), Piece.size());
  U.Sent += Piece.size();
  return Piece.size();
}

/// libcurl rewinds the body to repeat an upload when a kept connection turns
/// out to be closed.
static int seekInBody(void *User, curl_off_t Offset, int Origin) {
  auto &U = *static_cast<HTTPUpload *>(User);
  if (Origin != SEEK_SET || Offset < 0 || uint64_t(Offset) > U.Bytes.size())
    return CURL_SEEKFUNC_FAIL;
  U.Sent = Offset;
  return CURL_SEEKFUNC_OK;
}

void HTTPUpload::setUp(const Curl &C, CURL *Easy) {
  C.easy_setopt(Easy, CURLOPT_INFILESIZE_LARGE, curl_off_t(Bytes.size()));
  C.easy_setopt(Easy, CURLOPT_READFUNCTION, giveBody);
  C.easy_setopt(Easy, CURLOPT_READDATA, this);
  C.easy_setopt(Easy, CURLOPT_SEEKFUNCTION, seekInBody);
  C.easy_setopt(Easy, CURLOPT_SEEKDATA, this);
}
