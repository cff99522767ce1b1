//===- UnnamedFunctions.h - Functions without a name ------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The section FUNC (docs/Format.md) has the functions that only unwind
/// information has, as in a stripped file. Their names are not known, but where
/// they begin is: it groups the addresses of one function.
///
//===----------------------------------------------------------------------===//

#ifndef LIDIA_ARCHIVE_UNNAMEDFUNCTIONS_H
#define LIDIA_ARCHIVE_UNNAMEDFUNCTIONS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lidia {

class Archive;

/// A function, or a part of one, in unwind information. If its end is not
/// known, End is Begin.
struct FunctionExtent {
  uint64_t Begin = 0;
  uint64_t End = 0;
};

/// The section of an archive, unpacked: 16 bytes for each function. Immutable.
class UnnamedFunctions {
public:
  UnnamedFunctions() = default;
  /// Reads the section of \p A; the rest of a damaged section is ignored.
  explicit UnnamedFunctions(const Archive &A);

  /// In order of address, without overlaps.
  llvm::ArrayRef<FunctionExtent> all() const { return Functions; }

  /// The function that contains \p Address.
  std::optional<FunctionExtent> find(uint64_t Address) const;

  /// The error says that the section is damaged.
  llvm::Error damage(const Archive &A) const;

private:
  std::vector<FunctionExtent> Functions;
  bool IsDamaged = false;
};

/// "<function at 0x1234>", for texts in place of a name.
std::string unnamedFunction(uint64_t Begin);

/// The section with \p Functions, which are in order of address and neither
/// overlap nor are empty.
std::string unnamedFunctionsSection(llvm::ArrayRef<FunctionExtent> Functions);

} // namespace lidia

#endif // LIDIA_ARCHIVE_UNNAMEDFUNCTIONS_H
