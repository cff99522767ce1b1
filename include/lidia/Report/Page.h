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

/// Writes the page: HTML, style and script in one file, which loads nothing
/// else. \p Report is the JSON that it shows (ReportForm::PageData); "null" for
/// the page of a server, which asks that.
void writePage(llvm::StringRef Report, llvm::raw_ostream &OS);

/// The content security policy of the page: its own style and script, and those
/// of the flame graphs in it, by their hashes, and nothing else; of a server's
/// page (\p MayConnect) also requests to the server itself.
std::string pagePolicy(bool MayConnect);

} // namespace lidia

#endif // LIDIA_REPORT_PAGE_H
