//===- BinaryNames.h - The names of a store's binaries ----------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What the files of binaries are called, so that people can find an archive by
/// name. An archive does not have the name: the same binary gives the same
/// archive, whatever its file is called. Names are empty objects beside the
/// archives:
///
///   .names/ab/cdef...-NAME
///
/// Bytes of NAME other than letters, digits, "-", "_" and "." are
/// percent-encoded.
///
/// Profilers of OpenTelemetry name a file by its htlhash, if nothing else. The
/// hash names a file and not a build, so it is not in the archive, either:
///
///   .htlhash/01/2345...-BUILDID
///
//===----------------------------------------------------------------------===//

#ifndef LIDIA_STORE_BINARYNAMES_H
#define LIDIA_STORE_BINARYNAMES_H

#include "lidia/Store/SymbolStore.h"
#include <string>
#include <vector>

namespace lidia {

/// Returns what the binary of \p BuildID is called, whose file is \p Path: the
/// last part of the path, without the extension of debug files and archives.
/// Empty if the file is named by the build ID.
std::string binaryName(llvm::StringRef Path, llvm::ArrayRef<uint8_t> BuildID);

/// Records that the binary of \p BuildID is called \p Name. A name that is
/// empty, or too long for a file name, is not recorded, and the
/// layout Pyroscope has no names.
llvm::Error addBinaryName(SymbolStore &Store, llvm::ArrayRef<uint8_t> BuildID,
                          llvm::StringRef Name);

/// A name of a binary. It is untrusted: it may have any bytes.
struct NamedBinary {
  llvm::SmallVector<uint8_t, 20> BuildID;
  std::string Name;
  /// When it was recorded.
  llvm::sys::TimePoint<> Written;
};

/// Calls \p Visit with the names of the binaries whose build IDs begin with
/// \p Digits, which are lower-case hexadecimal digits, in order of build ID,
/// until it returns false; only those after the build ID \p After, if it is not
/// empty.
llvm::Error visitBinaryNames(SymbolStore &Store, llvm::StringRef Digits,
                             llvm::function_ref<bool(NamedBinary)> Visit,
                             llvm::ArrayRef<uint8_t> After = {});

/// Records that the file with the htlhash \p FileHash, of 16 bytes, has
/// \p BuildID; does nothing if \p FileHash is empty.
/// SymbolStore::buildIDOfFile() reads it.
llvm::Error addFileHash(SymbolStore &Store, llvm::ArrayRef<uint8_t> BuildID,
                        llvm::ArrayRef<uint8_t> FileHash);

/// The build ID that addFileHash() has recorded; empty if there is none, or
/// more than one whose archives \p HasArchive knows: a file has one.
llvm::Expected<llvm::SmallVector<uint8_t, 20>> findFileHash(
    ObjectStore &Objects, llvm::ArrayRef<uint8_t> FileHash,
    llvm::function_ref<llvm::Expected<bool>(llvm::ArrayRef<uint8_t> BuildID)>
        HasArchive);

/// Removes all names of the binary of \p BuildID.
llvm::Error removeBinaryNames(SymbolStore &Store,
                              llvm::ArrayRef<uint8_t> BuildID);

/// Removes the names and hashes of binaries without an archive, as
/// \p HasArchive says.
llvm::Error removeUselessNames(
    SymbolStore &Store,
    llvm::function_ref<bool(llvm::ArrayRef<uint8_t> BuildID)> HasArchive);

} // namespace lidia

#endif // LIDIA_STORE_BINARYNAMES_H
