//===- AskedArchives.h - The store for what a body names ------ -*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_SERVER_ASKEDARCHIVES_H
#define LIDIA_LIB_SERVER_ASKEDARCHIVES_H

#include "Service.h"
#include "lidia/Modules/ModuleResolver.h"
#include "llvm/ADT/StringMap.h"

namespace lidia {

/// The archives that the body of a request needs from the store. Each may cost
/// the store a request to another machine, so their number is limited. Not
/// thread-safe.
class AskedArchives {
public:
  AskedArchives(Service &S, const HTTPRequest &Request)
      : S(S), Request(Request) {
    Unused.disable();
  }

  /// Finds modules only in the store, so that a body cannot open other files of
  /// this machine. This object must outlive the result.
  llvm::Expected<std::unique_ptr<ModuleResolver>> resolver();

  /// The maximum number of modules of a request. Processes have some hundreds.
  static constexpr size_t Max = 4096;
  bool areTooMany() const { return Asked.size() > Max; }

  /// What upstream servers may have of them.
  std::vector<UpstreamWish> Wishes;

private:
  /// Ignores everything, because nothing is converted.
  class NoObserver final : public ConvertObserver {
    void warning(const llvm::Twine &) override {}
    void progress(llvm::StringRef, uint64_t, uint64_t) override {}
  };

  llvm::Expected<std::shared_ptr<const Archive>>
  find(llvm::ArrayRef<uint8_t> BuildID);
  llvm::Expected<BuildIDBytes> findID(llvm::ArrayRef<uint8_t> FileHash);

  Service &S;
  const HTTPRequest &Request;
  Cache Unused;
  NoObserver Observer;
  /// Whether the store has the archive, by build ID or htlhash.
  llvm::StringMap<bool> Asked;
};

} // namespace lidia

#endif // LIDIA_LIB_SERVER_ASKEDARCHIVES_H
