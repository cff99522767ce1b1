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
#include "lidia/Profile/ProfilePrinters.h"
#include "lidia/Symbolize/SourceURLs.h"
#include <functional>
#include <optional>
#include <string>

namespace lidia {

class ModuleResolver;
struct ProfileFile;
struct ProfileReadOptions;

/// A row of Formats.def.
struct ProfileFormat {
  llvm::StringLiteral Name;
  /// The suffix of the format's files; empty if the format is only read.
  llvm::StringLiteral Ending;
  /// Formats of one family can hold everything in each other's files. Empty for
  /// a format whose files cannot be kept.
  llvm::StringLiteral Family;
  /// Whether a new file is compressed by gzip.
  bool IsPacked;
  /// Whether the bytes of a file, uncompressed, may be in this format. Null if
  /// the format is only written.
  bool (*Recognise)(llvm::StringRef Bytes);
  llvm::Error (*Read)(std::unique_ptr<llvm::MemoryBuffer> Bytes,
                      const ProfileReadOptions &Options, WarningFunction Warn,
                      ProfileFile &Into);
  /// Null if the format is only read.
  void (*Write)(const ProfileFile &File, llvm::raw_ostream &OS,
                WarningFunction Warn);
  /// Estimates the bytes that Write writes for a profile that was not read from
  /// this format.
  uint64_t (*Estimate)(const Profile &P);
  /// Whether a file shows when and on which thread samples occurred
  /// (Profile::Events).
  bool keepsEvents() const { return Name == "html" || Name == "firefox"; }
  /// Whether a file has only the values of the default type.
  bool showsOneType() const {
    return Name == "top" || Name == "folded" || Name == "firefox";
  }
};

/// The format with \p Name, or null.
const ProfileFormat *findProfileFormat(llvm::StringRef Name);

/// The format to write to a file of this name, with or without ".gz" at the
/// end; null if the name has no known suffix.
const ProfileFormat *profileFormatOfPath(llvm::StringRef Path);

/// The names of the formats that can be read, or written, for a message: "a, b
/// or c".
std::string namesOfReadFormats();
std::string namesOfWrittenFormats();

struct ProfileReadOptions {
  /// The format of the input; null to recognise it.
  const ProfileFormat *Format = nullptr;
  /// The format to write the profile in; null for that of the input. Samples
  /// are not read if both have the same family, because they are then copied.
  const ProfileFormat *Output = nullptr;
  /// When the input was written, in nanoseconds since 1970; zero if unknown. A
  /// recording of perf that does not say when it was made ended then.
  uint64_t Written = 0;
  /// Used while a recording is read, to unwind the stacks that perf recorded as
  /// bytes (--call-graph dwarf). If it is null, such stacks end at the first
  /// frame. The root folder of its files has the names of code that is not in a
  /// file: proc/kallsyms and tmp/perf-PID.map.
  ModuleResolver *Modules = nullptr;
  /// Whether these stacks have frames of functions that tail calls replaced.
  bool TailCalls = true;
  /// Whether a part of the profile will be selected, so that samples cannot be
  /// copied, and whether that needs Profile::Events.
  bool Selects = false;
  bool SelectsEvents = false;
  /// If set, returns the names that samply has written beside the profile
  /// \p Name (x.syms.json), or null if there are none. Only a caller who was
  /// given the path may set it: a profile must not choose what is opened.
  std::function<std::unique_ptr<llvm::MemoryBuffer>(llvm::StringRef Name)>
      NamesBeside;

  /// Whether to read Profile::Events.
  bool needsEvents() const {
    return SelectsEvents || (Output && Output->keepsEvents());
  }
};

/// A profile and, if it can be edited, the file that it was read from.
struct ProfileFile {
  const ProfileFormat *Format = nullptr;
  std::optional<PprofFile> Pprof;
  std::optional<OTLPFile> OTLP;
  /// The profile, if it was read from any other format.
  Profile Other;
  /// The file, for messages.
  std::string Name;
  /// The title for people.
  std::string Title = "Profile";
  /// For tables and text.
  ProfileView View;
  /// For formats that link to sources: JSON and the flame graph.
  SourceURLs Sources;
  /// Whether the file was compressed by gzip.
  bool WasPacked = false;
  /// ProfileReadOptions::Selects.
  bool IsSelected = false;

  Profile &profile() {
    return Pprof ? Pprof->profile() : OTLP ? OTLP->profile() : Other;
  }
  const Profile &profile() const {
    return const_cast<ProfileFile *>(this)->profile();
  }
  /// Whether writing the profile in \p Output keeps everything in the file.
  bool isKeptIn(const ProfileFormat &Output) const {
    return !IsSelected && !Output.Family.empty() &&
           Output.Family == Format->Family;
  }
  /// The format to write the profile in if none was chosen: the format of the
  /// file if files of it can be kept, otherwise pprof.
  const ProfileFormat &ownOutput() const;
  /// Whether the reader has to read samples. Otherwise they are copied.
  bool needsSamples(const ProfileReadOptions &Options) const {
    return IsSelected || (Options.Output && !isKeptIn(*Options.Output));
  }
};

/// The format of \p Bytes, a whole file of any kind; null if it is not
/// recognised as a profile. This is stricter than readProfile(), whose input is
/// known to be a profile: text is perf script's and JSON is OTLP only if the
/// contents look like it. A file compressed by gzip counts as pprof's.
const ProfileFormat *recogniseProfile(llvm::StringRef Bytes);

/// Reads a profile of any format, which may be compressed by gzip.
llvm::Expected<ProfileFile>
readProfile(std::unique_ptr<llvm::MemoryBuffer> File,
            const ProfileReadOptions &Options, WarningFunction Warn);

/// Makes the value type with the name or number \p Index the profile's default;
/// "page-faults" is "page-faults:u", too. Does nothing if \p Index is empty.
llvm::Error selectSampleType(Profile &P, llvm::StringRef Index);

/// Writes \p File in the format \p Output, compressed by gzip if \p Packed. If
/// \p Packed has no value, the output is compressed if the input was or, for
/// another format, if new files of that format are. Fails before writing
/// anything if the output would be out of proportion to the input.
llvm::Error writeProfile(const ProfileFile &File, const ProfileFormat &Output,
                         std::optional<bool> Packed, llvm::raw_ostream &OS,
                         WarningFunction Warn);

} // namespace lidia

#endif // LIDIA_PROFILE_PROFILEFILE_H
