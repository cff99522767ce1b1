//===- Reports.h - Reports of each kind of input ----------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_REPORT_REPORTS_H
#define LIDIA_LIB_REPORT_REPORTS_H

#include "lidia/Report/Report.h"
#include "llvm/ADT/StringSet.h"

namespace lidia {

/// What a dossier says beside the stacks or the text.
struct DossierFacts {
  /// A line for each stack: the threads, and the function to look at first.
  std::vector<std::string> Causes;
  /// The number of stacks without such a line.
  uint64_t OtherStacks = 0;
  struct Excerpt {
    std::string Function;
    std::string File;
    uint32_t Line = 0;
    /// The number of the first of Lines.
    uint64_t First = 0;
    std::vector<std::string> Lines;
  };
  std::vector<Excerpt> Source;
  /// Of the thread that ended the process: names and values.
  std::vector<std::pair<std::string, uint64_t>> Registers;
  unsigned WordSize = 8;
  struct Instruction {
    uint64_t Address = 0;
    /// "module+0x12"
    std::string Place;
    /// In hexadecimal digits.
    std::string Bytes;
    std::string Text;
  };
  std::optional<Instruction> Stopped;
  std::vector<std::string> Uncertain;
  /// Modules of the first stack with an archive that lacks names or lines.
  std::vector<MissingModule> Incomplete;
  struct Module {
    std::string Name;
    std::vector<uint8_t> BuildID;
  };
  /// Those of the first stack, and the others.
  std::vector<Module> Modules;
  std::vector<Module> OtherModules;
};

/// A report that is being made.
struct Report {
  ReportKind Kind = ReportKind::Unknown;
  /// The name of a profile's format.
  std::string Format;
  std::vector<MissingModule> Missing;
  std::vector<std::string> Warnings;
  /// The files of a log or a dump, if ReportOptions::Sources has rules.
  llvm::StringSet<> Files;
  /// Addresses in the input, and those that now have lines or only a name.
  uint64_t Addresses = 0;
  uint64_t WithLines = 0;
  uint64_t WithNames = 0;
  /// Of a profile: those that were named before.
  uint64_t Known = 0;
  /// The rest of the object: the name of a field, and its value in JSON.
  std::string Field;
  std::string Value;
  /// Only for dossiers.
  DossierFacts Facts;
};

/// The inputs of a report.
struct ReportInput {
  std::unique_ptr<llvm::MemoryBuffer> Bytes;
  const ReportOptions &Options;
  ModuleResolver &Modules;
  WarningFunction Warn;
};

/// A stream to a string that keeps up to \p Max bytes and drops the rest.
class BoundedStream final : public llvm::raw_ostream {
public:
  BoundedStream(std::string &To, uint64_t Max) : To(To), Max(Max) {}
  ~BoundedStream() override { flush(); }

  bool isFull() const { return To.size() >= Max; }
  /// Returns a LimitError if something was dropped.
  llvm::Error finish();

private:
  void write_impl(const char *Data, size_t Size) override;
  uint64_t current_pos() const override { return To.size(); }

  std::string &To;
  const uint64_t Max;
  bool HasDropped = false;
};

// Each function fills \p R, or writes text to \p Text if that is not null.

// LogReport.cpp
llvm::Error reportLog(ReportInput &In, Report &R, std::string *Text);
// DumpReport.cpp
llvm::Error reportDump(ReportInput &In, Report &R, std::string *Text);
// ProfileReport.cpp
llvm::Error reportProfile(ReportInput &In, Report &R, std::string *Text);

} // namespace lidia

#endif // LIDIA_LIB_REPORT_REPORTS_H
