//===- Report.h - Any input with functions and lines ------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_REPORT_REPORT_H
#define LIDIA_REPORT_REPORT_H

#include "lidia/Cache/ModuleArchives.h"
#include "lidia/Minidump/MinidumpSpace.h"
#include "lidia/Process/MissingModule.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"
#include <map>
#include <string>
#include <vector>

namespace lidia {

/// What an input is, by its contents.
enum class ReportKind : uint8_t {
  /// Any text: a log, a stack trace, a sanitizer's report.
  Log,
  Profile,
  Minidump,
  Core,
  /// Nothing of these.
  Unknown,
};

/// "log", "profile", "minidump", "core", "unknown".
llvm::StringRef nameOf(ReportKind Kind);

/// What \p Bytes, a whole file, are. Looks at the first kilobytes, and unpacks
/// nothing: what is packed by gzip counts as a profile.
ReportKind recogniseReport(llvm::StringRef Bytes);

/// How a report is written.
enum class ReportForm : uint8_t {
  /// An object, which docs/openapi.json describes.
  JSON,
  /// As `llvm-lidia filter`, `stack` and `profile` print it.
  Text,
  /// The page of `llvm-lidia serve` with this report in it, in one file.
  Page,
  /// The object with what the page shows: of a profile the flame graph.
  PageData,
  /// Of a profile the flame graph alone.
  FlameGraph,
};

struct ReportOptions {
  ReportForm Form = ReportForm::JSON;
  /// What the input is called. Any bytes.
  std::string Title;
  /// Binaries, folders of binaries and the folder in which paths are opened. No
  /// other file is opened that the input names; none at all if these are empty.
  std::vector<std::string> Binaries;
  std::vector<std::string> Folders;
  std::string Root;
  /// Whether Archives are those of a store alone, for the reasons why modules
  /// are missing.
  bool IsStoreOnly = false;
  /// Build IDs of modules that a log names without one, by base name.
  llvm::StringMap<std::vector<uint8_t>> NamedModules;
  /// For modules of minidumps of which only the debug ID is known; may be
  /// empty.
  BuildIDSource FindBuildID;
  /// The most bytes that may be written.
  uint64_t MaxSize = uint64_t(64) << 20;
};

/// Writes what \p Input, a file of any kind that recogniseReport() knows, says,
/// with functions, files and lines from \p Archives, to \p OS. \p Warn receives
/// what a user should know; in JSON and pages it is also part of the report.
///
/// Fails with an UnsupportedError for an unknown input, as the readers of the
/// kinds do, and with a LimitError beyond MaxSize; \p OS has received a part
/// then.
llvm::Error writeReport(std::unique_ptr<llvm::MemoryBuffer> Input,
                        const ReportOptions &Options, ModuleArchives &Archives,
                        WarningFunction Warn, llvm::raw_ostream &OS);

} // namespace lidia

#endif // LIDIA_REPORT_REPORT_H
