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
  /// The rows of the units' line tables.
  Lines,
  /// The functions of the units, with the calls inlined into them.
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
  ShownThing Thing = ShownThing::Sections;
  /// Print only what covers this address.
  std::optional<uint64_t> Address;
  /// Print only what belongs to functions of this name, which may be a name as
  /// stored, a demangled one, or the result of shortName(). Empty: print
  /// everything.
  std::string Function;
  /// Print only what belongs to compile units, or to source files of symbols,
  /// whose path ends with these components, or to the unit at this offset of
  /// .debug_info ("0x1234"). Empty: print everything.
  std::string Unit;
  bool Demangle = false;
};

/// Prints what is read from \p Binary and from the debug file that \p Options
/// find, one item on each line, before anything is merged. Malformed parts are
/// reported to \p Observer and left out. The text is limited in proportion to
/// the files: if it would be longer, it is truncated, with an error.
llvm::Error show(llvm::raw_ostream &OS, llvm::StringRef Binary,
                 const ConvertOptions &Options, const ShowOptions &What,
                 ConvertObserver &Observer);

} // namespace lidia

#endif // LIDIA_EXTRACT_SHOW_H
