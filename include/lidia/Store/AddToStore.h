//===- AddToStore.h - From binaries and packages to a store -----*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A library of its own, LidiaStoreAdd, because it makes archives.
///
//===----------------------------------------------------------------------===//

#ifndef LIDIA_STORE_ADDTOSTORE_H
#define LIDIA_STORE_ADDTOSTORE_H

#include "lidia/Extract/ConvertMany.h"
#include "lidia/Store/SymbolStore.h"

namespace lidia {

struct AddOptions {
  /// How archives are made. addToStore() overrides options that the layout of
  /// the store requires. Conversion.Search finds debug files that are not among
  /// the inputs.
  ConvertOptions Conversion;
  ConvertManyLimits Limits;
  /// Also make the archives that the store already has.
  bool Force = false;
  /// Like Force, but replace an archive only if the new one has more lines,
  /// else more functions, else more of what is only in a binary and not in its
  /// debug file.
  bool Improve = false;
  /// Never replace an archive, not even one without lines.
  bool KeepsOld = false;
  /// If not empty, inputs of another build ID fail.
  llvm::SmallVector<uint8_t, 20> OnlyBuildID;
  /// Whether the names of input files are those of the binaries. Those of
  /// members of packages are in any case.
  bool HasNames = true;
  /// A folder that nobody else can write to, for binaries of packages and for
  /// archives before they are stored. Files in it are removed.
  std::string WorkFolder;
  /// The maximum size in bytes of binaries of packages in WorkFolder.
  uint64_t MaxDisk = uint64_t(4) << 30;
};

struct AddStatistics {
  /// Archives added, and archives that replaced others.
  uint64_t Added = 0;
  uint64_t Replaced = 0;
  /// Build IDs that were in the store already.
  uint64_t Present = 0;
  /// Binaries in folders and packages without a build ID, or in which nothing
  /// names any code.
  uint64_t Skipped = 0;
  uint64_t Failed = 0;
  /// Binaries whose archives were not made because the store had failed.
  uint64_t Left = 0;
};

/// What was done with an archive.
enum class AddResult : uint8_t { Added, Replaced, Present };

/// Receives the reports of addToStore(), one at a time, and may stop it.
class AddObserver {
public:
  virtual ~AddObserver() = default;
  /// A part of \p Input, which names a binary, is malformed and was left out.
  virtual void warning(llvm::StringRef Input, const llvm::Twine &Message) = 0;
  /// An input, or a part of a package, could not be added. The other inputs are
  /// still added.
  virtual void failed(llvm::Error E) = 0;
  /// The archive of \p Input is in the store. \p Input is empty if it was not
  /// read.
  virtual void added(llvm::StringRef, llvm::ArrayRef<uint8_t>, AddResult) {}
  /// \p Done of \p Total inputs have been read, or archives made, as \p Phase
  /// says.
  virtual void progress(llvm::StringRef Phase, uint64_t Done,
                        uint64_t Total) = 0;
  /// Whether to stop. Asked, from several threads at once, all the time: what
  /// has begun is left unfinished.
  virtual bool isCancelled() { return false; }
};

/// Adds the archives of \p Inputs to \p Store. Inputs are binaries, debug
/// files, packages of Debian, RPM and Alpine Linux, tar archives, and folders
/// with any of these (tar archives in folders are ignored). Lidia archives
/// given as inputs are verified and added unchanged. A binary and a debug file
/// with the same build ID become one archive, wherever they are among the
/// inputs; supplementary files (dwz) that they refer to are read as well. A
/// binary or a debug file alone becomes an archive, too. Archives that the
/// store already has are not made again, so a call that was interrupted can be
/// repeated; but an archive without lines, or one that lacks parts that were
/// damaged, is replaced by a better one.
///
/// A package is not unpacked again if a store of the layout BuildID has all of
/// its archives: the store keeps a record of each package.
///
/// Fails only if nothing can be added at all, and with the code
/// std::errc::operation_canceled if \p Observer stops it: other errors go to
/// \p Observer. An error that would affect all archives (endsStore(), or
/// permission denied) is reported once and ends the call. Archives that were
/// added stay.
llvm::Expected<AddStatistics> addToStore(SymbolStore &Store,
                                         llvm::ArrayRef<std::string> Inputs,
                                         const AddOptions &Options,
                                         AddObserver &Observer);

/// Removes the records of packages whose archives are no longer all in
/// \p Store, because such a package would be unpacked again anyway.
/// \p HasArchive, which any thread may call, says whether the store has a build
/// ID. Reads each record.
llvm::Error removeUselessRecords(
    SymbolStore &Store,
    llvm::function_ref<bool(llvm::ArrayRef<uint8_t> BuildID)> HasArchive);

} // namespace lidia

#endif // LIDIA_STORE_ADDTOSTORE_H
