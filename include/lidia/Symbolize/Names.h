//===- Names.h - Demangled and short function names -------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_SYMBOLIZE_NAMES_H
#define LIDIA_SYMBOLIZE_NAMES_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <string>

namespace lidia {

/// Whether \p Name may be mangled, so that calling demangleName() is
/// worthwhile. In every scheme used in ELF files, names begin with an
/// underscore (Itanium `_Z`, Rust `_R`, D `_D`), after a dot on some targets;
/// Microsoft's begin with a question mark.
inline bool mayBeMangled(llvm::StringRef Name) {
  return !Name.empty() &&
         (Name.front() == '_' || Name.front() == '.' || Name.front() == '?');
}

/// Whether \p Name can be demangled within bounds of memory, time and stack in
/// proportion to its size. Do not pass other names to a demangler: it could
/// turn a few hundred bytes into more than any machine can hold.
bool canDemangle(llvm::StringRef Name);

/// Whether LLDB 19 takes \p Name for a mangled one, and its demangler cannot
/// read it, as in "_Rb_insert", a function in C. Such a function has no display
/// name (SBFunction.GetDisplayName() is null), for which lldb-dap ends with
/// SIGSEGV. The same is true for names that cannot be demangled within bounds.
bool isUnreadableInLLDB(llvm::StringRef Name);

/// The demangled form of \p Name if it is a mangled name with the suffix of a
/// PLT entry ("@plt"), with which no demangler reads it; otherwise \p Name.
std::string withReadableStub(llvm::StringRef Name);

/// How names in Rust's older mangling are written, which is the default of
/// Rust's compilers and looks like that of C++: _ZN...17h0123456789abcdefE.
enum class OlderRust : uint8_t {
  /// As C++, the same as llvm-symbolizer:
  /// "_$LT$a..B$u20$as$u20$c..D$GT$::area::h0123456789abcdef". Names of D are
  /// also written as llvm-symbolizer writes them: functions stay mangled.
  AsCXX,
  /// As Rust: "<a::B as c::D>::area::h0123456789abcdef".
  WithHash,
  /// As Rust, without the hash: "<a::B as c::D>::area".
  Plain,
};

/// Demangles \p Name, in the scheme of Itanium, Rust, D or Microsoft. Returns
/// other names, and names that cannot be demangled within bounds, unchanged.
/// The text is the same as llvm-symbolizer's, unless \p Rust says otherwise. An
/// "@plt" suffix is kept.
///
/// For output to people, use readableName().
std::string demangleName(llvm::StringRef Name, OlderRust Rust);

/// \p Name in the form in which all commands print it for people by default.
inline std::string readableName(llvm::StringRef Name) {
  return demangleName(Name, OlderRust::Plain);
}

/// Whether \p Name is mangled in one of Rust's two schemes.
bool isRustName(llvm::StringRef Name);

/// The function's own name, without scopes, parameters and return type, but
/// with template arguments: `f<int>` for `_ZN2ns1fIiEEiT_`, which is the
/// function's name in DWARF and what llvm-symbolizer prints for
/// `--functions=short`. Also works on names that are not mangled but have their
/// scopes spelled out (`ns::f`, `(anonymous namespace)::f`).
///
/// The hash at the end of a legacy Rust name, and a mangled name's clone suffix
/// (`.constprop.0`), are left out.
std::string shortName(llvm::StringRef Name, OlderRust Rust);

/// The mangled \p Name without the suffix of a clone (`.constprop.0`,
/// `.actor`). Dots within identifiers, as in the names of GCC's coroutines and
/// in Rust's older mangling, begin no suffix.
llvm::StringRef withoutCloneSuffix(llvm::StringRef Name);

/// The name that compilers give to the symbol of a piece of the function
/// \p Name that is separate from its entry: "f.cold". An archive does not keep
/// such names.
std::string pieceName(llvm::StringRef Name);

} // namespace lidia

#endif // LIDIA_SYMBOLIZE_NAMES_H
