//===- SymbolizeFile.h - A profile with names and lines ---------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_PROFILE_SYMBOLIZEFILE_H
#define LIDIA_PROFILE_SYMBOLIZEFILE_H

#include "lidia/Cache/ModuleArchives.h"
#include "lidia/Profile/ProfileFile.h"
#include "lidia/Profile/ProfileSymbolizer.h"

namespace lidia {

/// The format with \p Name that can be read, or null if \p Name is empty. An
/// unknown name is an ArgumentError about \p Argument, which lists the names.
llvm::Expected<const ProfileFormat *>
findReadFormat(llvm::StringRef Name, const llvm::Twine &Argument);
/// Like the above, for a format that can be written.
llvm::Expected<const ProfileFormat *>
findWrittenFormat(llvm::StringRef Name, const llvm::Twine &Argument);

/// When the file \p Path was written, in nanoseconds since 1970; zero if it is
/// not a regular file.
uint64_t timeWritten(llvm::StringRef Path);

struct ProfileFileOptions {
  /// The formats of the input and of the output.
  ProfileReadOptions Formats;
  /// Where modules are found: programs, which are used for modules with any
  /// path; folders with modules anywhere in them; and the folder in which the
  /// profile's paths are opened ("/" for this system). All may be empty. No
  /// other file that the profile names is opened.
  std::vector<std::string> Binaries;
  std::vector<std::string> Folders;
  std::string Root;
  /// Archives.Beside is set according to the members above: in a folder of
  /// files from elsewhere, a link beside a file could lead out of the folder.
  ModuleArchivesOptions Archives;
  ProfileSymbolizerOptions Symbolizer;
};

/// Reads the profile \p Input, which has its path as its name, symbolizes its
/// locations with archives that are found, or made in \p C, and writes it to \p
/// OS in Formats.Output or else in its own format. The output is compressed by
/// gzip if the input was and the format is the same.
///
/// \p Observer receives warnings about modules without an archive, about names
/// that differ from perf's, and about the profile. Errors are those of
/// readProfile() and writeProfile(), of a Binary, a folder or a Root that
/// cannot be opened, and of damaged archives.
llvm::Error symbolizeProfileFile(std::unique_ptr<llvm::MemoryBuffer> Input,
                                 ProfileFileOptions Options, Cache &C,
                                 ConvertObserver &Observer,
                                 llvm::raw_ostream &OS);

} // namespace lidia

#endif // LIDIA_PROFILE_SYMBOLIZEFILE_H
