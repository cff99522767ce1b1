//===- DebugFile.h - The debug file of an archive ---------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What a debuginfod server answers for /buildid/ID/debuginfo, and what lies in
/// a folder such as /usr/lib/debug/.build-id.
///
//===----------------------------------------------------------------------===//

#ifndef LIDIA_EXPORT_DEBUGFILE_H
#define LIDIA_EXPORT_DEBUGFILE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace lidia {

class Archive;

/// Writes the debug file of \p A to \p Path, by exportDWARF() with its default
/// options. Neither the binary nor any other file is read. The file is complete
/// or, after an error, as it was (writeOutputFile()). The same archive gives
/// the same bytes. Threads may do this with one archive at a time.
///
/// An archive that is far away is fetched first.
llvm::Error exportDebugFile(const Archive &A, llvm::StringRef Path);

/// The same, to the open \p Descriptor, from where it is. It stays open. After
/// an error, part of the file may have been written.
llvm::Error exportDebugFile(const Archive &A, int Descriptor);

} // namespace lidia

#endif // LIDIA_EXPORT_DEBUGFILE_H
