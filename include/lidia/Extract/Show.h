//===- Show.h - What is read of a binary, as text ---------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_EXTRACT_SHOW_H
#define LIDIA_EXTRACT_SHOW_H

#include "lidia/Extract/Convert.h"

namespace lidia {

/// What show() prints: things that archives are made from.
enum class ShownThing : uint8_t {
  /// The headers and root DIEs of DWARF's units.
  Units,
  /// The rows of their line tables.
  Lines,
  /// Their functions, with the calls inlined into them.
  Functions,
  /// The symbols that name code.
  Symbols,
  /// Go's function table.
  Go,
  /// The stubs of the procedure linkage table.
  PLT,
  /// The sections of the files.
  Sections,
};

struct ShowOptions {
  ShownThing What = ShownThing::Sections;
  /// Only what covers this address.
  std::optional<uint64_t> Address;
  /// Only what belongs to functions of this name: as it is stored, demangled,
  /// or as shortName() gives it. Empty: of all.
  std::string Function;
  /// Only what belongs to the compile units, or the source files of symbols,
  /// whose path ends with these names of folders and files, or to the unit at
  /// this offset of .debug_info ("0x1234"). Empty: of all.
  std::string Unit;
  bool Demangle = false;
};

/// Prints what is read of \p Binary, and of the debug file that is found by
/// \p Options, one thing a line, before anything is merged. Malformed parts are
/// reported to \p Observer and left out. The text is limited in proportion to
/// the files: if it would be longer, it is truncated, with an error.
llvm::Error show(llvm::raw_ostream &OS, llvm::StringRef Binary,
                 const ConvertOptions &Options, const ShowOptions &What,
                 ConvertObserver &Observer);

} // namespace lidia

#endif // LIDIA_EXTRACT_SHOW_H
