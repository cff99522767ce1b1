//===- Sources.h - Source code in archives ----------------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Compilers can put the source code into debug information (clang's
/// -gembed-source). The section SRCE (docs/Format.md) keeps it, so that the
/// lines around a position are known where the files are not.
///
//===----------------------------------------------------------------------===//

#ifndef LIDIA_ARCHIVE_SOURCES_H
#define LIDIA_ARCHIVE_SOURCES_H

#include "lidia/Archive/Archive.h"
#include <string>

namespace lidia {

/// The source code that an archive keeps. Several threads may read.
class EmbeddedSources {
public:
  /// \p A must outlive it. What does not fit into the section is left out.
  explicit EmbeddedSources(const Archive &A);

  /// The number of files.
  uint64_t size() const { return Count; }

  /// The path of file \p Index, below size(); ascending.
  StringOffset file(uint64_t Index) const;

  /// Bytes that the text of file \p Index, below size(), claims to have; at
  /// most format::MaxSource if text() gives it.
  uint64_t textSize(uint64_t Index) const;

  /// The file with the path \p File, if its text is kept.
  std::optional<uint64_t> find(StringOffset File) const;

  /// Unpacks the text of file \p Index, below size(). The error says that it is
  /// damaged, or claims more than it can have.
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
