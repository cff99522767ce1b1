//===- OlderRustNames.h - Rust's older mangling -----------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_SYMBOLIZE_OLDERRUSTNAMES_H
#define LIDIA_LIB_SYMBOLIZE_OLDERRUSTNAMES_H

#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>

namespace lidia {

/// Demangles \p Name, in Rust's older scheme, by the rules of the crate
/// rustc-demangle (legacy.rs), which the standard library uses for backtraces:
/// `<T as Trait>::f`, followed by `::h0123456789abcdef` with \p WithHash. None
/// if it is not such a name: without a hash, it is one of C++.
///
/// The result is never longer than \p Name. Takes linear time.
std::optional<std::string> demangleOlderRustName(llvm::StringRef Name,
                                                 bool WithHash);

} // namespace lidia

#endif // LIDIA_LIB_SYMBOLIZE_OLDERRUSTNAMES_H
