//===- ConvertMany.h - From many binaries to their archives -----*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_EXTRACT_CONVERTMANY_H
#define LIDIA_EXTRACT_CONVERTMANY_H

#include "lidia/Extract/Convert.h"

namespace lidia {

/// A binary and the file that its archive goes to.
struct ConvertJob {
  std::string Binary;
  std::string Output;
};

/// Receives the reports of convertMany(), each with the index of its job. Calls
/// come from several threads at once, but those about one job one after the
/// other.
class ConvertManyObserver {
public:
  virtual ~ConvertManyObserver() = default;
  /// Whether the job, whose binary is \p File, has to be done; finished() is
  /// called if not, too.
  virtual bool isWanted(size_t Job, Binary &File) = 0;
  /// See ConvertObserver.
  virtual void warning(size_t Job, const llvm::Twine &Message) = 0;
  /// The last call about a job. \p Result is what convert() returned, or null
  /// if the job was not wanted.
  virtual void finished(size_t Job,
                        llvm::Expected<ConvertStatistics> *Result) = 0;
};

struct ConvertManyLimits {
  /// The size in bytes, with their debug files, of binaries that are read at
  /// once; a larger one is read alone. Reading compressed debug information
  /// takes two to three times its size of memory.
  uint64_t BytesAtOnce = uint64_t(128) << 20;
};

/// Does \p Jobs, like convert() for each of them, which gives the same bytes. A
/// failure costs its job only.
///
/// Options.Threads threads are shared: each works on a job of its own, the
/// largest first, and helps another if it has none, so that the last or a very
/// large one is done by all. Fails those that are not regular files, and those
/// whose output is an object file, which may be somebody's input. Folders of
/// outputs are created as needed. No two outputs may be the same.
void convertMany(llvm::ArrayRef<ConvertJob> Jobs, const ConvertOptions &Options,
                 ConvertManyObserver &Observer,
                 const ConvertManyLimits &Limits = {});

} // namespace lidia

#endif // LIDIA_EXTRACT_CONVERTMANY_H
