//===- FramesRequest.h - Addresses of modules, in a request -----*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_SERVER_FRAMESREQUEST_H
#define LIDIA_LIB_SERVER_FRAMESREQUEST_H

#include "Service.h"
#include <optional>

namespace lidia {

/// Requested addresses of a module.
struct WantedModule {
  /// Hexadecimal digits; empty if the module is known by its debug ID.
  std::string BuildID;
  std::string DebugIDText;
  /// Why the build ID of an Arrow table is invalid.
  std::string Problem;
  std::vector<uint64_t> Addresses;
  bool AreReturns = false;
  /// These are rows of an Arrow table without a build ID or without addresses.
  bool IsNull = false;
};

using FoundModule = llvm::Expected<std::shared_ptr<ServedModule>>;

/// Finds the modules of \p Group, and prefetches what their look-ups read. Each
/// result has a value.
std::vector<std::optional<FoundModule>>
findModules(Service &S, const HTTPRequest &Request,
            llvm::ArrayRef<WantedModule> Group);

/// The parameters "address" of \p Request.
llvm::Expected<std::vector<uint64_t>> readAddresses(const HTTPRequest &Request);

// FramesArrow.cpp

/// The media type of Arrow's streams.
inline constexpr llvm::StringLiteral ArrowMediaType =
    "application/vnd.apache.arrow.stream";

/// Reads a table with the columns `build_id` and `address`. A module of the
/// result is a run of rows with one build ID.
llvm::Expected<std::vector<WantedModule>>
readArrowModules(llvm::StringRef Stream, uint64_t MaxAddresses);

/// The frames of all addresses of \p Wanted as a table with a row for each.
Answer answerArrow(Service &S, const HTTPRequest &Request,
                   llvm::ArrayRef<WantedModule> Wanted);

} // namespace lidia

#endif // LIDIA_LIB_SERVER_FRAMESREQUEST_H
