//===- Query.h - One line of a symbolizer's input ---------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_SYMBOLIZE_QUERY_H
#define LIDIA_SYMBOLIZE_QUERY_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace lidia {

/// One line of input, parsed by llvm-symbolizer's rules for when the module is
/// given on the command line:
///
///     [CODE |DATA |FRAME ] (number | symbol[+number]) [ignored]
///
/// A number is decimal unless it begins with 0x, 0b, 0o or 0.
struct Query {
  enum class Kind { Code, Data, Frame };

  Kind Type = Kind::Code;
  /// Empty for a plain address.
  llvm::StringRef Symbol;
  /// The address, or the offset from Symbol.
  uint64_t Offset = 0;

  /// Parses \p Line. Returns null or, for an invalid line, a description of the
  /// error. Symbol points into \p Line.
  const char *parse(llvm::StringRef Line);

protected:
  const char *parseAddress(llvm::StringRef Text, bool Hexadecimal);
};

/// How a ModuleQuery is parsed.
struct ModuleQueryRules {
  /// The module was given on the command line, so lines must not name another.
  bool HasModule = false;
  /// Addresses are hexadecimal with or without "0x", as for addr2line. Offsets
  /// of symbols are not.
  bool Hexadecimal = false;
};

/// One line of input that may name its module, parsed by llvm-symbolizer's
/// rules:
///
///     [CODE |DATA |FRAME ] [module] (number | symbol[+number]) [ignored]
///
/// A module is a path, after "FILE:" or alone, or "BUILDID:" and hexadecimal
/// digits. Either may be quoted (' or "), without any escapes.
struct ModuleQuery : Query {
  /// The path, or the text of the build ID, as far as the line was understood;
  /// points into the line.
  llvm::StringRef Module;
  /// The build ID; empty if the line has none.
  llvm::SmallVector<uint8_t, 20> BuildID;

  /// Like Query::parse().
  const char *parse(llvm::StringRef Line, const ModuleQueryRules &Rules);
};

} // namespace lidia

#endif // LIDIA_SYMBOLIZE_QUERY_H
