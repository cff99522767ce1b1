//===- OpenArchive.h - Archives in files and behind URLs --------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_STORE_OPENARCHIVE_H
#define LIDIA_STORE_OPENARCHIVE_H

#include "lidia/Archive/Archive.h"
#include "lidia/Store/FarFile.h"
#include "lidia/Store/RequestTotals.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace lidia {

/// Whether \p Name is a URL that openURL() accepts (http, https, s3), and not a
/// path.
bool isURL(llvm::StringRef Name);

/// Opens the file at \p URL. The first call loads libcurl.
///
/// An s3 URL is `s3://bucket/key`. Requests for it are signed with the keys
/// that Amazon's own programs would use (AWS_ACCESS_KEY_ID, web identity,
/// profile, container, instance), and sent to AWS_ENDPOINT_URL_S3 or
/// AWS_ENDPOINT_URL, or to Amazon in AWS_REGION or AWS_DEFAULT_REGION. The
/// error says what is missing, and names the URL without its passwords and
/// signatures.
///
/// \p Totals, if it is not null, counts the requests, failed ones included.
llvm::Expected<std::shared_ptr<FarFile>>
openURL(llvm::StringRef URL, std::shared_ptr<RequestTotals> Totals = nullptr);

/// Opens the archive at \p Where, a path or a URL. For a URL, \p File, if it is
/// not null, receives the file, and \p Totals counts its requests.
llvm::Expected<Archive>
openArchiveAt(llvm::StringRef Where, const OpenOptions &Options = {},
              std::shared_ptr<FarFile> *File = nullptr,
              std::shared_ptr<RequestTotals> Totals = nullptr);

/// Like openArchiveAt(), but unpacks the whole archive, for callers that read
/// all of it.
llvm::Expected<Archive> openWholeArchiveAt(llvm::StringRef Where);

/// Calls \p Take with the bytes of the file at \p Where, a path or a URL, piece
/// by piece. Fails if the file has more than \p Max bytes.
llvm::Error readWhole(llvm::StringRef Where,
                      llvm::function_ref<void(llvm::StringRef)> Take,
                      uint64_t Max = UINT64_MAX);

} // namespace lidia

#endif // LIDIA_STORE_OPENARCHIVE_H
