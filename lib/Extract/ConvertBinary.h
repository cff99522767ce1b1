//===- ConvertBinary.h - Conversion within the project ----------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_EXTRACT_CONVERTBINARY_H
#define LIDIA_LIB_EXTRACT_CONVERTBINARY_H

#include "Object/Binary.h"
#include "Range.h"
#include "lidia/Extract/Convert.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace lidia {

/// The number of threads that a conversion uses.
unsigned threadCount(const ConvertOptions &Options);

/// Writes the archive of the open file \p Main to the file \p Output, like the
/// public convert() for a path. With \p CreateFolders, creates missing folders
/// of \p Output before writing.
llvm::Expected<ConvertStatistics> convert(std::unique_ptr<Binary> Main,
                                          llvm::StringRef Output,
                                          const ConvertOptions &Options,
                                          ConvertObserver &Observer,
                                          bool CreateFolders = false);

/// Writes the archive of the open file \p Main to \p OS, like the public
/// convert() for a path. Options.DebugFile is opened by name.
llvm::Expected<ConvertStatistics> convert(std::unique_ptr<Binary> Main,
                                          llvm::raw_ostream &OS,
                                          const ConvertOptions &Options,
                                          ConvertObserver &Observer);

/// The archive of the open file \p Main, in memory. Its name is the path of
/// \p Main.
llvm::Expected<Archive> convertToMemory(std::unique_ptr<Binary> Main,
                                        const ConvertOptions &Options,
                                        ConvertObserver &Observer);

class Conversion;

/// Writes what the archive says of the binary.
void setInfo(const Conversion &C, ArchiveWriter &Writer);
/// Writes where the binary's code is.
llvm::Error addPlaces(const Conversion &C, ArchiveWriter &Writer);

/// Reads the sources of \p Binary like convert() and calls \p Visit with the
/// ranges of each, before any merge.
llvm::Error
readSources(llvm::StringRef Binary, const ConvertOptions &Options,
            ConvertObserver &Observer,
            llvm::function_ref<void(const ConvertStatistics::Source &Source,
                                    const SourceRanges &Ranges,
                                    const StringPool &Strings)>
                Visit);

} // namespace lidia

#endif // LIDIA_LIB_EXTRACT_CONVERTBINARY_H
