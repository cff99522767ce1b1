//===- HTTPFailure.h - Errors of HTTP requests ------------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_STORE_HTTPFAILURE_H
#define LIDIA_LIB_STORE_HTTPFAILURE_H

#include "HTTPTransfer.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"

namespace lidia {

/// The text of <Code> in an error of S3, if it has only letters.
llvm::StringRef s3Code(const std::vector<char> &Body);

/// The errno for the answer \p T: ENOENT if there is no such file, EACCES if
/// this request is not allowed, ESTALE if the file was replaced, EIO for other
/// errors. The values for which endsStore() is true concern the whole bucket:
/// EPERM if the keys are refused, ENXIO if it does not exist or is elsewhere,
/// ENOSPC.
int errorNumber(const HTTPTransfer &T, bool IsS3);

/// Why \p T, which libcurl ended with \p Code, failed, and what to do: for the
/// user, without the file's name. Of the server's text, it contains only a few
/// letters.
std::string whyFailed(const HTTPTransfer &T, CURLcode Code, const Curl &C,
                      bool IsS3);

/// The error of the request \p T for \p Name, which libcurl ended with \p Code:
/// an OutageError if it does not show whether the file exists.
llvm::Error requestError(const HTTPTransfer &T, CURLcode Code, const Curl &C,
                         bool IsS3, const llvm::Twine &Name);

/// The error \p E of renewing keys, without which nothing can be read.
llvm::Error keysError(llvm::Error E);

/// Whether no server, or no trusted one, was reached: its name is unknown,
/// nothing listens, or it is another kind of server.
bool isUnreachable(CURLcode Code);

/// Whether the same request may succeed later. \p IsFirst says that the server
/// has never answered.
bool maySucceedLater(const HTTPTransfer &T, CURLcode Code, bool IsFirst);

} // namespace lidia

#endif // LIDIA_LIB_STORE_HTTPFAILURE_H
