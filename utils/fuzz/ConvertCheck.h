//===- ConvertCheck.h - Shared code of the conversion fuzzers ---*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_UTILS_FUZZ_CONVERTCHECK_H
#define LIDIA_UTILS_FUZZ_CONVERTCHECK_H

#include "Extract/ConvertBinary.h"
#include "lidia/Archive/Verify.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/raw_ostream.h"

namespace lidia {

/// Reports nothing, because a fuzzer's inputs are nearly always malformed.
class SilentObserver final : public ConvertObserver {
public:
  void warning(const llvm::Twine &) override {}
  void progress(llvm::StringRef, uint64_t, uint64_t) override {}
};

/// All contents of an archive, in one thread, without files other than the
/// input, because the result must depend only on the input.
inline ConvertOptions fuzzOptions() {
  ConvertOptions Options;
  Options.Lines = Options.UnwindRows = Options.Variables = true;
  Options.Archive.Columns = true;
  Options.Archive.Checksums = true;
  Options.Threads = 1;
  Options.FindDebugFile = false;
  return Options;
}

/// Converts \p Main, which may fail, and ends the process if the result is not
/// a valid archive.
inline std::optional<Archive> convertAndCheck(std::unique_ptr<Binary> Main,
                                              const ConvertOptions &Options) {
  using namespace llvm;
  SmallString<0> Written;
  raw_svector_ostream OS(Written);
  SilentObserver Observer;
  Expected<ConvertStatistics> Statistics =
      convert(std::move(Main), OS, Options, Observer);
  if (!Statistics) {
    consumeError(Statistics.takeError());
    return std::nullopt;
  }
  Expected<Archive> A =
      Archive::create(MemoryBuffer::getMemBufferCopy(Written, "written"));
  if (!A)
    report_fatal_error(A.takeError());
  if (Error E = verify(*A, [](const Issue &I) {
        errs() << I.Count << " " << I.Clause << '\n';
      }))
    report_fatal_error(std::move(E));
  return std::move(*A);
}

} // namespace lidia

#endif // LIDIA_UTILS_FUZZ_CONVERTCHECK_H
