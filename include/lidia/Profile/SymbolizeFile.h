//===- SymbolizeFile.h - A profile with names and lines ---------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_PROFILE_SYMBOLIZEFILE_H
#define LIDIA_PROFILE_SYMBOLIZEFILE_H

#include "lidia/Profile/ProfileFile.h"
#include "lidia/Profile/ProfileSelection.h"
#include "lidia/Profile/ProfileSymbolizer.h"
#include <functional>

namespace lidia {

/// The format with \p Name that can be read, or null if \p Name is empty. An
/// unknown name is an ArgumentError about \p Argument, which lists the names.
llvm::Expected<const ProfileFormat *>
findReadFormat(llvm::StringRef Name, const llvm::Twine &Argument);
/// Like the above, for a format that can be written.
llvm::Expected<const ProfileFormat *>
findWrittenFormat(llvm::StringRef Name, const llvm::Twine &Argument);

/// How symbolizeProfileFile() reads, answers and writes.
struct ProfileFileOptions {
  /// The formats of the input and of the output. Modules is set by the call.
  ProfileReadOptions Formats;
  ProfileSymbolizerOptions Symbolizer;
  /// The part to answer with, of the base, too.
  ProfileSelection Selection;
  /// The name or number of the value type that counts; may be empty.
  std::string SampleIndex;
  /// Returns further profiles to add up, and null after the last one; may be
  /// empty. Those that cannot be read, or have other types of values, are left
  /// out with a warning.
  std::function<llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>()> More;
  /// A profile to compare with (addBaseProfile()); may be null.
  std::unique_ptr<llvm::MemoryBuffer> Base;
  /// The title for people; that of the file if it is empty.
  std::string Title;
  SourceURLs Sources;
  ProfileView View;
  /// Whether to compress the output with gzip; see writeProfile().
  std::optional<bool> Packed;
};

/// Reads the profile \p Input, which has its path as its name, and symbolizes
/// its locations with archives that \p Modules finds. It sets \p Statistics.
///
/// \p Warn receives messages about names that differ from perf's, and about the
/// profile. Errors are those of readProfile() and selectSampleType().
llvm::Expected<ProfileFile>
symbolizeProfileFile(std::unique_ptr<llvm::MemoryBuffer> Input,
                     ProfileFileOptions &Options, ModuleResolver &Modules,
                     WarningFunction Warn, ProfileStatistics &Statistics);

/// Writes \p File in Formats.Output or else in its own format.
llvm::Error writeProfileFile(const ProfileFile &File,
                             const ProfileFileOptions &Options,
                             WarningFunction Warn, llvm::raw_ostream &OS);

/// Both, with a warning for each module without an archive.
llvm::Error convertProfileFile(std::unique_ptr<llvm::MemoryBuffer> Input,
                               ProfileFileOptions Options,
                               ModuleResolver &Modules, WarningFunction Warn,
                               llvm::raw_ostream &OS);

} // namespace lidia

#endif // LIDIA_PROFILE_SYMBOLIZEFILE_H
