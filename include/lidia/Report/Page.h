//===- Page.h - The page of a server and of a report ------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_REPORT_PAGE_H
#define LIDIA_REPORT_PAGE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"
#include <string>

namespace lidia {

/// Writes the page: HTML, style and script in one file that loads nothing else.
/// \p Report is the JSON to show (ReportForm::PageData), or "null" for the page
/// of a server, which requests reports from the server.
void writePage(llvm::StringRef Report, llvm::raw_ostream &OS);

/// The content security policy of the page. It allows, by their hashes, only
/// the style and script of the page and of the flame graphs in it. For a
/// server's page (\p MayConnect), it also allows requests to the server.
std::string pagePolicy(bool MayConnect);

} // namespace lidia

#endif // LIDIA_REPORT_PAGE_H
