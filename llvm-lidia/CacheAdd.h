//===- CacheAdd.h - Adds an entry to the cache ------------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLVM_LIDIA_CACHEADD_H
#define LLVM_LIDIA_CACHEADD_H

#include "Options.h"
#include "lidia/Extract/Convert.h"
#include <string>

namespace lidia {

/// The parsed command line of `llvm-lidia cache add`, `cache index` and
/// `cache export`.
struct AddRequest {
  std::string Binary;
  /// For export: the archive; if empty, that of the cache.
  std::string Archive;
  ConvertOptions Options;
  bool Statistics = false;
  bool Quiet = false;
  /// Leave the archive in a temporary file if the cache cannot be used.
  bool OrTemporary = false;
  /// The process whose end also ends this one; 0 for none.
  uint64_t EndWith = 0;
};

/// Reads the options of add, index or export with the operand \p Binary.
AddRequest readAddRequest(CommandLine &Line, llvm::StringRef Binary);

/// Reports the options of add as errors in the other subcommands of cache.
void refuseAddOptions(CommandLine &Line);

/// Makes or finds the archive, and prints its path on standard output. Fails
/// like convert(), and, unless a temporary file is allowed, if the cache in
/// \p Folder cannot keep the archive.
llvm::Error addToCache(llvm::StringRef Folder, const AddRequest &R);

/// The same for a debug file with an index of names.
llvm::Error addIndexToCache(llvm::StringRef Folder, const AddRequest &R);

/// The same for the file that a distribution's LLDB reads in place of an
/// archive. Fails also if the archive is that of another binary.
llvm::Error addExportToCache(llvm::StringRef Folder, const AddRequest &R);

} // namespace lidia

#endif // LLVM_LIDIA_CACHEADD_H
