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

/// The format to read that \p Name names, or null for an empty name. Any other
/// name is an ArgumentError about \p Argument, which lists the names.
llvm::Expected<const ProfileFormat *>
findReadFormat(llvm::StringRef Name, const llvm::Twine &Argument);
/// The same for a format to write.
llvm::Expected<const ProfileFormat *>
findWrittenFormat(llvm::StringRef Name, const llvm::Twine &Argument);

struct ProfileFileOptions {
  /// The formats of the input and of the output.
  ProfileReadOptions Formats;
  /// The files of modules: programs that are used whatever their paths are,
  /// folders that have modules in any place, and the folder in which the
  /// profile's paths are opened ("/" for this system). All may be empty; no
  /// other file that the profile names is opened.
  std::vector<std::string> Binaries;
  std::vector<std::string> Folders;
  std::string Root;
  /// Beside is set by what the above say: in a folder of files from elsewhere,
  /// a link beside a file could lead out of it.
  ModuleArchivesOptions Archives;
  ProfileSymbolizerOptions Symbolizer;
};

/// Reads the profile \p Input, answers its locations by archives that are
/// found, or made in \p C, and writes it to \p OS: in Formats.Output or else in
/// its own format, packed by gzip if it was and its format is kept.
///
/// \p Observer receives warnings about modules that have no archive, about
/// answers that perf contradicts, and about the profile. Errors are those of
/// readProfile() and writeProfile(), of a Binary, a folder or a Root that
/// cannot be opened, and of damaged archives.
llvm::Error symbolizeProfileFile(std::unique_ptr<llvm::MemoryBuffer> Input,
                                 ProfileFileOptions Options, Cache &C,
                                 ConvertObserver &Observer,
                                 llvm::raw_ostream &OS);

} // namespace lidia

#endif // LIDIA_PROFILE_SYMBOLIZEFILE_H
