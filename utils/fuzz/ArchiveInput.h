//===- ArchiveInput.h - Archives from a fuzzer's input ----------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Bytes that begin with an archive's magic number are used as an archive. This
/// tests damaged archives, but rarely yields valid ones: changing a byte of one
/// range breaks the order of all ranges. Other bytes are therefore instructions
/// for ArchiveWriter, which always produce a valid archive.
///
//===----------------------------------------------------------------------===//

#ifndef LIDIA_UTILS_FUZZ_ARCHIVEINPUT_H
#define LIDIA_UTILS_FUZZ_ARCHIVEINPUT_H

#include "FuzzInput.h"
#include "lidia/Archive/ArchiveWriter.h"
#include <string>

namespace lidia {

/// The writer's input, which is compared with the archive's answers.
struct ModelRow {
  uint64_t Offset = 0;
  uint32_t Line = 0;
  uint32_t Column = 0;
  std::string File;
};
struct ModelRange {
  uint64_t Start = 0;
  uint64_t Length = 0;
  uint32_t Depth = 0;
  std::string Function, File, CallFile;
  uint32_t CallLine = 0;
  uint32_t CallColumn = 0;
  std::vector<ModelRow> Rows;
};
struct ArchiveModel {
  ArchiveWriterOptions Options;
  std::vector<ModelRange> Ranges;
  std::vector<uint64_t> Pads;
};

/// Reads instructions and writes the archive. Ends the process if the writer
/// fails, or if its output cannot be opened.
Archive buildArchive(FuzzInput Input, ArchiveModel &Model);

/// The archive that \p Input contains or describes; none if it is an archive
/// that cannot be opened. \p Input must outlive the result.
std::optional<Archive> archiveFromInput(llvm::StringRef Input);

/// Interesting addresses: at and around the borders of the first and last
/// ranges, and outside all ranges.
std::vector<uint64_t> addressesToAsk(const Archive &A);

/// Whether verify() finds no issue.
bool isSound(const Archive &A);

} // namespace lidia

#endif // LIDIA_UTILS_FUZZ_ARCHIVEINPUT_H
