//===- ReadablePaths.h - Paths of sources for people ------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_SYMBOLIZE_READABLEPATHS_H
#define LIDIA_SYMBOLIZE_READABLEPATHS_H

#include "lidia/Symbolize/PrefixMap.h"
#include <string>

namespace lidia {

/// How much of a path is shown.
enum class PathStyle : uint8_t {
  /// The whole path.
  Full,
  /// For a file of a package, the part from the package's name and version on
  /// ("serde-1.0.152/src/de/mod.rs"); for other files, the part after the
  /// compilation directory.
  Relative,
  /// For a file of a package, the part from the package's name on, without the
  /// version ("serde/src/de/mod.rs"); for other files, the part from the last
  /// folder "src" on, if there is one ("src/foo.rs").
  Short,
};

/// Shortens paths of source files for people.
///
/// Packages are recognized by where tools keep and build them: crates of
/// Cargo's registry and checkouts, Rust's own libraries (/rustc/HASH/library,
/// toolchains of rustup), modules of Go and Go's own packages, the build
/// folders of Debian and Fedora, Bazel's execution roots and external
/// repositories, and Nix's store.
class ReadablePaths {
public:
  /// \p TheMap is applied before the style.
  ReadablePaths(PathStyle TheStyle, PrefixMap TheMap)
      : Style(TheStyle), Map(std::move(TheMap)) {}

  /// Returns \p Path for people. Its first \p DirectoryLength bytes are the
  /// compilation directory with the separator; zero if that is not known. Takes
  /// time in proportion to the path. The result is at most as long as the path
  /// and a replacement.
  std::string shown(llvm::StringRef Path, size_t DirectoryLength) const;

private:
  const PathStyle Style;
  const PrefixMap Map;
};

} // namespace lidia

#endif // LIDIA_SYMBOLIZE_READABLEPATHS_H
