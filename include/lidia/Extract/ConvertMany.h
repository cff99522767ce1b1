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

/// Receives the reports of convertMany(), each with the index of its job.
/// Several threads may call at the same time, but not for the same job.
class ConvertManyObserver {
public:
  virtual ~ConvertManyObserver() = default;
  /// Whether to do the job, whose binary is \p File. finished() is called in
  /// either case.
  virtual bool isWanted(size_t Job, Binary &File) = 0;
  /// See ConvertObserver.
  virtual void warning(size_t Job, const llvm::Twine &Message) = 0;
  /// The last call about a job. \p Result is what convert() returned, or null
  /// if the job was not wanted.
  virtual void finished(size_t Job,
                        llvm::Expected<ConvertStatistics> *Result) = 0;
  /// Whether the jobs are to stop. See ConvertObserver.
  virtual bool isCancelled() { return false; }
};

struct ConvertManyLimits {
  /// The maximum total size in bytes of the binaries and debug files that are
  /// read at once. A larger binary is read alone. Reading compressed debug
  /// information takes two to three times its size in memory.
  uint64_t BytesAtOnce = uint64_t(128) << 20;
};

/// Does \p Jobs. The resulting archives are those of convert(). A job that
/// fails does not affect the others.
///
/// Options.Threads threads share the jobs: each works on a job of its own, the
/// largest first, and helps with another thread's job when no job is left, so
/// that all threads work on the last or a very large job. A job fails if its
/// binary is not a regular file, or if its output is an existing object file,
/// which may be an input. Folders of outputs are created as needed. No two
/// outputs may be the same.
void convertMany(llvm::ArrayRef<ConvertJob> Jobs, const ConvertOptions &Options,
                 ConvertManyObserver &Observer,
                 const ConvertManyLimits &Limits = {});

} // namespace lidia

#endif // LIDIA_EXTRACT_CONVERTMANY_H
