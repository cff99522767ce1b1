//===- IPC.h - Columns and frames as IPC streams ----------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The streaming format of "Serialization and Interprocess Communication" in
/// Apache Arrow's specification, `application/vnd.apache.arrow.stream`: a
/// schema, dictionaries and record batches, each with metadata in a FlatBuffer.
///
//===----------------------------------------------------------------------===//

#ifndef LIDIA_ARROW_IPC_H
#define LIDIA_ARROW_IPC_H

#include "lidia/Arrow/Columns.h"
#include "lidia/Arrow/FrameTable.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace lidia::arrow {

/// The columns `build_id` and `address` of a stream.
struct IPCColumns {
  BuildIDColumn BuildIDs;
  /// The addresses of each record batch: views of the stream.
  std::vector<AddressArray> Addresses;
};

/// Reads \p Stream, which anyone may have written and which must outlive the
/// result. It may have other columns. Their types are those of Columns.h.
///
/// Fails with an ArgumentError for a malformed stream or one that lacks a
/// column, an UnsupportedError for other types, compressed buffers and what
/// else readers may leave out, and a LimitError for more than \p MaxRows rows
/// or values of dictionaries, or for a dictionary that is so large, and used by
/// so many batches, that it takes more work than reading the stream.
llvm::Expected<IPCColumns> readIPCStream(llvm::StringRef Stream,
                                         uint64_t MaxRows);

/// \p Table as a stream of a batch for each chunk, with the columns `frames`
/// and `reason` of the types of Column::Frames and Column::Reasons.
std::string writeIPCStream(const FrameTable &Table);

} // namespace lidia::arrow

#endif // LIDIA_ARROW_IPC_H
