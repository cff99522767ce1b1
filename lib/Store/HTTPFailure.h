//===- HTTPFailure.h - Why a request failed ---------------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_STORE_HTTPFAILURE_H
#define LIDIA_LIB_STORE_HTTPFAILURE_H

#include "HTTPTransfer.h"

namespace lidia {

/// The text of <Code> in an error of S3: letters only.
llvm::StringRef s3Code(const std::vector<char> &Body);

/// The errno for the answer \p T: ENOENT if there is no such file, EACCES if
/// this request is not allowed, ESTALE if the file is another one, EIO for what
/// has no number of its own. Those that endsStore() tells are of the whole
/// bucket: EPERM if the keys are refused, ENXIO if it does not exist or is
/// elsewhere, ENOSPC.
int errorNumber(const HTTPTransfer &T, bool IsS3);

/// Why \p T, which libcurl has ended with \p Code, has no range, and what to
/// do: for the user, without the file's name. Has nothing of what the server
/// says but a few letters.
std::string whyFailed(const HTTPTransfer &T, CURLcode Code, const Curl &C,
                      bool IsS3);

/// Whether no request reaches the server, or one that is trusted: its name is
/// unknown, nothing listens, or it is another kind of server.
bool isUnreachable(CURLcode Code);

/// Whether the same request may succeed a moment later. \p IsFirst says that
/// the server has never answered.
bool maySucceedLater(const HTTPTransfer &T, CURLcode Code, bool IsFirst);

} // namespace lidia

#endif // LIDIA_LIB_STORE_HTTPFAILURE_H
