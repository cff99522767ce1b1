//===- GoTables.h - The tables of a Go program's runtime --------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_EXTRACT_GOTABLES_H
#define LIDIA_LIB_EXTRACT_GOTABLES_H

#include "Go/ModuleData.h"
#include "Object/Binary.h"
#include <memory>
#include <optional>

namespace lidia {

/// The tables that Go's runtime prints stacks from, in a binary that stays
/// open.
class GoTables {
public:
  /// Finds the tables of \p File, whose code is \p Code. Null if it is not a Go
  /// program; fails if it is one but its tables cannot be read. With \p Search,
  /// looks for the tables anywhere in the file if no section has their name.
  static llvm::Expected<std::unique_ptr<GoTables>>
  open(const Binary &File, const CodeMap &Code, bool Search);

  const go::FunctionTable &functions() const { return *Table; }
  /// Null if the tables were not found.
  const go::ModuleData *module() const { return Module ? &*Module : nullptr; }

private:
  explicit GoTables(go::Image Memory) : Memory(std::move(Memory)) {}
  bool take(uint64_t Address, const CodeMap &Code);

  go::Image Memory;
  std::optional<go::FunctionTable> Table;
  std::optional<go::ModuleData> Module;
};

} // namespace lidia

#endif // LIDIA_LIB_EXTRACT_GOTABLES_H
