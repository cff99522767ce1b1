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
  /// How archives are made; addToStore() sets what the layout of the store
  /// requires. Debug files that are not among the inputs are found by Search.
  ConvertOptions Conversion;
  ConvertManyLimits Limits;
  /// Make archives again that the store has.
  bool Force = false;
  /// The same, but replace one only if the new one has more in it: more lines,
  /// else more functions, else more of what a binary has and its debug file has
  /// not.
  bool Improve = false;
  /// If not empty, inputs of another build ID fail.
  llvm::SmallVector<uint8_t, 20> OnlyBuildID;
  /// A folder that nobody else can write to, for binaries of packages and for
  /// archives on their way to the store. Its files are removed.
  std::string WorkFolder;
  /// The most bytes that binaries of packages take there.
  uint64_t MaxDisk = uint64_t(4) << 30;
};

struct AddCounts {
  /// Those that replaced others included.
  uint64_t Added = 0;
  /// Build IDs that the store had already.
  uint64_t Present = 0;
  /// Binaries in folders and packages without a build ID, or in which nothing
  /// names any code.
  uint64_t Skipped = 0;
  uint64_t Failed = 0;
  /// Binaries whose archives were not made because the store had failed.
  uint64_t Left = 0;
};

/// What became of an archive.
enum class AddResult : uint8_t { Added, Replaced, Present };

/// Receives the reports of addToStore(), one at a time, and may stop it.
class AddObserver {
public:
  virtual ~AddObserver() = default;
  /// A part of \p Input, which names a binary, is malformed and was left out.
  virtual void warning(llvm::StringRef Input, const llvm::Twine &Message) = 0;
  /// An input, or a part of a package, could not be added; the rest goes on.
  virtual void failed(llvm::Error E) = 0;
  /// The archive of \p Input, which is empty if it was not read, is in the
  /// store.
  virtual void added(llvm::StringRef, llvm::ArrayRef<uint8_t>, AddResult) {}
  /// \p Done of \p Total inputs have been read, or archives made, as \p Phase
  /// says.
  virtual void progress(llvm::StringRef Phase, uint64_t Done,
                        uint64_t Total) = 0;
  /// Whether to stop. Asked, from several threads at once, before each input,
  /// each binary in a package and each archive.
  virtual bool isCancelled() { return false; }
};

/// Adds the archives of \p Inputs to \p Store: of binaries, debug files,
/// packages of Debian, RPM and Alpine Linux, archives of tar, and of those in
/// folders (but tar, which must be named). Archives that are named are added as
/// they are, after they were verified. A binary and a debug file of one
/// build ID become one archive, wherever among the inputs they are; so do those
/// with the supplementary files (dwz) that they refer to. A binary or a debug
/// file alone becomes one, too. One that the store has is left as it is, so
/// that a call that was interrupted can be repeated.
///
/// A package that a store of the layout BuildID has all of is not unpacked
/// again: the store keeps a record of what it holds.
///
/// Fails only if nothing can be added at all, and with the code
/// std::errc::operation_canceled if \p Observer stops it: other errors go to
/// \p Observer. One that all archives would have (endsStore(), or permission
/// denied) ends the call, once. What was added stays.
llvm::Expected<AddCounts> addToStore(SymbolStore &Store,
                                     llvm::ArrayRef<std::string> Inputs,
                                     const AddOptions &Options,
                                     AddObserver &Observer);

/// Removes the records of packages in \p Store of which it no longer has all
/// archives, as \p HasArchive says of a build ID: such a package would be
/// unpacked again anyway. Reads each record.
llvm::Error removeUselessRecords(
    SymbolStore &Store,
    llvm::function_ref<bool(llvm::ArrayRef<uint8_t> BuildID)> HasArchive);

} // namespace lidia

#endif // LIDIA_STORE_ADDTOSTORE_H
