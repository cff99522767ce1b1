//===- Dossier.h - A report of bounded size ---------------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_REPORT_DOSSIER_H
#define LIDIA_LIB_REPORT_DOSSIER_H

#include "Reports.h"
#include "lidia/Stack/StackPrinter.h"

namespace lidia {

// Dossier.cpp
/// The text from the first line on that says what went wrong; all of it if
/// there is none.
llvm::StringRef fromFailure(llvm::StringRef Text);
/// Writes \p R as Markdown in at most ReportOptions::MaxDossier bytes: the most
/// important first, stacks cut between frames, and text between lines. \p Text
/// is that of a log or a profile, or the stacks of a dump.
void writeMarkdown(const Report &R, llvm::StringRef Text,
                   const ReportOptions &O, llvm::raw_ostream &OS);
/// The same as one object. R.Value has the stacks or the text.
void writeDossierJSON(const Report &R, const ReportOptions &O,
                      llvm::raw_ostream &OS);

// DumpFacts.cpp
/// The facts about a dump of kind \p Kind, whose stacks are \p Groups. Texts
/// are safe to print, or with \p IsJSON, UTF-8.
DossierFacts factsOfDump(ReportInput &In, ProcessSymbolizer &S,
                         llvm::ArrayRef<StackPrinter::Group> Groups,
                         ReportKind Kind, bool IsJSON);

/// Appends the lines around \p F, of which SourceLines has \p ReportOptions::
/// SourceLines, if it has any.
void addExcerpt(const SymbolizedFrame &F,
                std::vector<DossierFacts::Excerpt> &To);

/// \p F as "f at a.c:3:5".
std::string describeFrame(const FrameView &F);

} // namespace lidia

#endif // LIDIA_LIB_REPORT_DOSSIER_H
