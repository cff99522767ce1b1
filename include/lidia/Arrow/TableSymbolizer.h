//===- TableSymbolizer.h - Symbolizes columns of addresses ------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_ARROW_TABLESYMBOLIZER_H
#define LIDIA_ARROW_TABLESYMBOLIZER_H

#include "lidia/Arrow/ArchiveAnswers.h"
#include "lidia/Arrow/Columns.h"
#include "lidia/Arrow/FrameTable.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <functional>

namespace lidia::arrow {

/// Columns to symbolize.
struct TableRequest {
  /// The addresses in chunks. The chunks of the result have the same lengths.
  std::vector<AddressArray> Addresses;
  const BuildIDColumn &BuildIDs;
  /// The addresses are return addresses: look up the call before each.
  bool ReturnAddresses = false;
  /// If set, the calling thread calls this after every few thousand addresses;
  /// if it returns false, symbolize() fails with std::errc::operation_canceled.
  std::function<bool()> GoOn = nullptr;
  /// The text of a reason why rows have no frames; by default the message.
  std::function<std::string(llvm::Error)> ReasonText = nullptr;
  /// Whether symbolize() fails with the OutageError of an archive. Otherwise
  /// its rows have no frames.
  bool FailOnOutage = false;
  /// Whether to count where names are from, which takes a look at each.
  bool CountOrigins = false;
  /// The maximum size of frames and names in the result, in bytes.
  uint64_t MaxBytes = UINT64_MAX;
};

/// Finds the archive of the build ID BuildIDColumn::values()[Number].
using AnswersFinder =
    llvm::function_ref<llvm::Expected<std::shared_ptr<ArchiveAnswers>>(
        uint32_t Number)>;

/// Looks up the frames of each row. Calls \p Find once for each distinct build
/// ID, in the order of their first rows. If a build ID is invalid or its
/// archive cannot be read, its rows have no frames, but a reason. If an archive
/// cannot be read any further, \p Find is called for it once more.
///
/// Each distinct address of a module is looked up once. Takes 16 bytes for each
/// row and 16 for each frame of a distinct address, besides the result.
///
/// Fails if the numbers of build IDs and addresses differ (ArgumentError), or
/// if the result would have more than 2^31 frames in a chunk, or more than
/// MaxBytes (LimitError).
llvm::Expected<FrameTable> symbolize(const TableRequest &Request,
                                     AnswersFinder Find);

} // namespace lidia::arrow

#endif // LIDIA_ARROW_TABLESYMBOLIZER_H
