//===- DebugFile.h - The debug file of an archive ---------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Debug files as debuginfod servers send them for /buildid/ID/debuginfo, and
/// as they are in folders such as /usr/lib/debug/.build-id.
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
/// or, after an error, unchanged (writeOutputFile()). The same archive gives
/// the same bytes. Several threads may export one archive at the same time.
///
/// An archive on another machine is fetched first.
llvm::Error exportDebugFile(const Archive &A, llvm::StringRef Path);

/// Writes the debug file of \p A to the open \p Descriptor at its current
/// position, and leaves it open. After an error, part of the file may have been
/// written.
llvm::Error exportDebugFile(const Archive &A, int Descriptor);

} // namespace lidia

#endif // LIDIA_EXPORT_DEBUGFILE_H
