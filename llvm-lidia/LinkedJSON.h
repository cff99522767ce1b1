//===- LinkedJSON.h - Answers in JSON with links to sources -----*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLVM_LIDIA_LINKEDJSON_H
#define LLVM_LIDIA_LINKEDJSON_H

#include "AnswerOptions.h"
#include "llvm/Support/JSON.h"

namespace lidia {

/// Adds the URL of each line to the frames and places of \p Answer, an object
/// of llvm-symbolizer's JSON or an array of them.
void addSourceURLs(llvm::json::Value &Answer, const SourceURLs &Links);

/// The printer for the style of \p O. In JSON, it adds the URLs of lines if
/// there are rules for them. \p OS and \p O must outlive it.
std::unique_ptr<llvm::symbolize::DIPrinter>
makePrinter(const AnswerOptions &O, llvm::raw_ostream &OS,
            llvm::symbolize::PrinterConfig &Config);

} // namespace lidia

#endif // LLVM_LIDIA_LINKEDJSON_H
