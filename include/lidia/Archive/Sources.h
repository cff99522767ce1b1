//===- Sources.h - Source code in archives ----------------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Compilers can embed the source code in debug information (clang's
/// -gembed-source). The section SRCE (docs/Format.md) keeps it, so that the
/// source lines around a position can be shown without the files.
///
//===----------------------------------------------------------------------===//

#ifndef LIDIA_ARCHIVE_SOURCES_H
#define LIDIA_ARCHIVE_SOURCES_H

#include "lidia/Archive/Archive.h"
#include <string>

namespace lidia {

/// The source code that an archive keeps. Any number of threads may read it.
class EmbeddedSources {
public:
  /// \p A must outlive this object. Entries that do not fit into the section
  /// are left out.
  explicit EmbeddedSources(const Archive &A);

  /// The number of files.
  uint64_t size() const { return Count; }

  /// The path of file \p Index, which must be below size(). Paths are in
  /// ascending order of offset.
  StringOffset file(uint64_t Index) const;

  /// The size in bytes that the archive states for the text of file \p Index,
  /// which must be below size(). If text() succeeds, it is at most
  /// format::MaxSource.
  uint64_t textSize(uint64_t Index) const;

  /// The index of the file with the path \p File, if its text is kept.
  std::optional<uint64_t> find(StringOffset File) const;

  /// Unpacks the text of file \p Index, which must be below size(). The error
  /// says that the text is damaged or that its stated size is implausible.
  llvm::Expected<std::string> text(uint64_t Index) const;

private:
  format::SourceBlock block(uint64_t Index) const;
  llvm::Error damaged(uint64_t Index, const llvm::Twine &Why) const;

  const Archive &A;
  llvm::StringRef Section;
  uint64_t Count = 0;
};

} // namespace lidia

#endif // LIDIA_ARCHIVE_SOURCES_H
