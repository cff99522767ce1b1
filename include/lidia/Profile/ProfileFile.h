//===- ProfileFile.h - Profiles of any format -------------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_PROFILE_PROFILEFILE_H
#define LIDIA_PROFILE_PROFILEFILE_H

#include "lidia/Profile/OTLP.h"
#include "lidia/Profile/Pprof.h"
#include <optional>
#include <string>

namespace lidia {

class ModuleArchives;
class ModuleFinder;
struct ProfileFile;
struct ProfileReadOptions;

/// A row of Formats.def.
struct ProfileFormat {
  llvm::StringLiteral Name;
  /// What the names of its files end with; empty if it is only read.
  llvm::StringLiteral Ending;
  /// Formats with one family keep all that each other's files have. Empty: its
  /// own, of which no file is kept.
  llvm::StringLiteral Family;
  /// Whether a new file is packed by gzip.
  bool IsPacked;
  /// Whether the bytes of a file, unpacked, may be in this format. Null if it
  /// is only written.
  bool (*Recognise)(llvm::StringRef Bytes);
  llvm::Error (*Read)(std::unique_ptr<llvm::MemoryBuffer> Bytes,
                      const ProfileReadOptions &Options, WarningFunction Warn,
                      ProfileFile &Into);
  /// Null if it is only read.
  void (*Write)(const ProfileFile &File, llvm::raw_ostream &OS,
                WarningFunction Warn);
  /// About how many bytes Write writes of a profile that it has to write anew.
  uint64_t (*Estimate)(const Profile &P);
};

/// The format with \p Name, or null.
const ProfileFormat *findProfileFormat(llvm::StringRef Name);

/// The format that is written to a file of this name, with or without ".gz"
/// after it; null if it has no known ending.
const ProfileFormat *profileFormatOfPath(llvm::StringRef Path);

/// The names of the formats that are read, or written, for a message: "a, b or
/// c".
std::string namesOfReadFormats();
std::string namesOfWrittenFormats();

struct ProfileReadOptions {
  /// The format of the input; null: the one that recognises it.
  const ProfileFormat *Format = nullptr;
  /// The format to write the profile in; null: that of the input. Samples are
  /// not read if the family stays the same, because they are then copied.
  const ProfileFormat *Output = nullptr;
  /// The folder of the system that a recording of perf was made on, whose
  /// proc/kallsyms and tmp/perf-PID.map name code that is in no file; empty: no
  /// such file is opened.
  std::string Root;
  /// Where a recording's modules are looked for while it is read, to unwind the
  /// stacks that perf recorded as bytes (--call-graph dwarf); without them,
  /// such stacks end at once. Both or none are null.
  ModuleFinder *Files = nullptr;
  ModuleArchives *Archives = nullptr;
};

/// A profile and, if it can be edited, the file that it was read from.
struct ProfileFile {
  const ProfileFormat *Format = nullptr;
  std::optional<PprofFile> Pprof;
  std::optional<OTLPFile> OTLP;
  /// The profile of every other format.
  Profile Other;
  /// The file, for messages.
  std::string Name;
  /// For those who look at it.
  std::string Title = "Profile";
  /// Whether it was packed by gzip.
  bool WasPacked = false;

  Profile &profile() {
    return Pprof ? Pprof->profile() : OTLP ? OTLP->profile() : Other;
  }
  const Profile &profile() const {
    return const_cast<ProfileFile *>(this)->profile();
  }
  /// Whether writing it in \p Output keeps what the file has.
  bool isKeptIn(const ProfileFormat &Output) const {
    return !Output.Family.empty() && Output.Family == Format->Family;
  }
  /// The format to write it in if none was chosen: its own, if that keeps it,
  /// or that of pprof.
  const ProfileFormat &ownOutput() const;
  /// Whether its reader has to read samples, which are otherwise copied.
  bool needsSamples(const ProfileReadOptions &Options) const {
    return Options.Output && !isKeptIn(*Options.Output);
  }
};

/// The format of \p Bytes, a whole file of any kind, if it can be told from
/// other files: unlike readProfile(), which knows that it has a profile, this
/// takes text for that of perf script, and JSON for OTLP, only if it has what
/// these have. What is packed by gzip counts as pprof's. Null if there is none.
const ProfileFormat *recogniseProfile(llvm::StringRef Bytes);

/// Reads a profile of any format, which may be packed by gzip.
llvm::Expected<ProfileFile>
readProfile(std::unique_ptr<llvm::MemoryBuffer> File,
            const ProfileReadOptions &Options, WarningFunction Warn);

/// Makes the type of value that \p Index names, or numbers, the profile's
/// default. Nothing changes if it is empty.
llvm::Error selectSampleType(Profile &P, llvm::StringRef Index);

/// Writes \p File in the format \p Output, packed by gzip if \p Packed; without
/// a value, as it was read, or as a new file of the format is. Fails before
/// anything is written if the output would be far larger than the input can
/// mean.
llvm::Error writeProfile(const ProfileFile &File, const ProfileFormat &Output,
                         std::optional<bool> Packed, llvm::raw_ostream &OS,
                         WarningFunction Warn);

} // namespace lidia

#endif // LIDIA_PROFILE_PROFILEFILE_H
