//===- Report.h - Any input with functions and lines ------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_REPORT_REPORT_H
#define LIDIA_REPORT_REPORT_H

#include "lidia/Modules/MissingModule.h"
#include "lidia/Modules/ModuleResolver.h"
#include "lidia/Process/Mappings.h"
#include "lidia/Symbolize/AnswerCounts.h"
#include "lidia/Symbolize/CodeLine.h"
#include "lidia/Symbolize/SourceURLs.h"
#include "lidia/Symbolize/SymbolizedFrame.h"
#include "lidia/Unwind/Registers.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace lidia {

/// The kind of an input, recognised by its contents.
enum class ReportKind : uint8_t {
  /// Any text: a log, a stack trace, a sanitizer's report; or a tombstone.
  Log,
  Profile,
  Minidump,
  Core,
  /// None of the above.
  Unknown,
};

/// "log", "profile", "minidump", "core", "unknown".
llvm::StringRef nameOf(ReportKind Kind);

/// The kind of \p Bytes, a whole file. Looks at the first kilobytes and unpacks
/// nothing: a file compressed by gzip counts as a profile.
ReportKind recogniseReport(llvm::StringRef Bytes);

/// How a report is written.
enum class ReportForm : uint8_t {
  /// An object, which docs/openapi.json describes.
  JSON,
  /// Text in the form of `llvm-lidia filter`, `stack` and `profile`.
  Text,
  /// A dossier in Markdown: the most important part first (where the program
  /// ended, source, registers, what is uncertain and missing); what does not
  /// fit in MaxDossier is left out.
  Markdown,
  /// The same as a JSON object ("dossier" in docs/json-schema.json).
  DossierJSON,
  /// The page of `llvm-lidia serve` with this report, in one file.
  Page,
  /// The JSON object with the data that the page shows; for a profile, its
  /// flame graph.
  PageData,
  /// Only the flame graph of a profile.
  FlameGraph,
};

/// Whether \p Form is one of a dossier.
constexpr bool isDossier(ReportForm Form) {
  return Form == ReportForm::Markdown || Form == ReportForm::DossierJSON;
}

struct ReportOptions {
  ReportForm Form = ReportForm::JSON;
  /// The name of the input; may contain any bytes.
  std::string Title;
  /// Whether modules come only from a store. This affects the reasons why
  /// modules are missing.
  bool IsStoreOnly = false;
  /// Build IDs, by base name, of modules that a log names without a build ID.
  llvm::StringMap<std::vector<uint8_t>> NamedModules;
  /// Where the sources are on the web. All forms but text have the URLs.
  SourceURLs Sources;
  /// Whether stacks have frames of functions that tail calls replaced.
  bool TailCalls = true;
  /// Receives what the input's addresses have for an answer; may be null.
  AnswerCounts *Answers = nullptr;
  /// The maximum size of the output in bytes.
  uint64_t MaxSize = uint64_t(64) << 20;
  /// That of a dossier.
  uint64_t MaxDossier = 16 << 10;

  /// The number of lines of source around a frame's in a dossier.
  static constexpr uint32_t SourceLines = 5;
  /// Sets SymbolizedFrame::SourceLines, for a dossier, of frames of the module
  /// with this build ID; may be empty.
  std::function<void(llvm::MutableArrayRef<SymbolizedFrame>,
                     llvm::ArrayRef<uint8_t> BuildID)>
      AddSource;
  /// Returns the first \p Max instructions of the code at an address, as far as
  /// they are known. May be empty.
  std::function<std::vector<CodeLine>(const UnwindMachine &, uint64_t Address,
                                      llvm::ArrayRef<uint8_t> Code, size_t Max)>
      Disassemble;
};

/// Writes a report of \p Input, a file of any kind that recogniseReport()
/// knows, to \p OS, with functions, files and lines from \p Modules. \p Warn
/// receives messages for the user; JSON and pages include them in the report.
///
/// Fails with an UnsupportedError for an unknown input, with the errors of the
/// kind's reader, and with a LimitError if the output exceeds MaxSize, after a
/// part of it was written.
llvm::Error writeReport(std::unique_ptr<llvm::MemoryBuffer> Input,
                        const ReportOptions &Options, ModuleResolver &Modules,
                        WarningFunction Warn, llvm::raw_ostream &OS);

} // namespace lidia

#endif // LIDIA_REPORT_REPORT_H
