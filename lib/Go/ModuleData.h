//===- ModuleData.h - What Go's linker tells the runtime --------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_GO_MODULEDATA_H
#define LIDIA_LIB_GO_MODULEDATA_H

#include "FunctionTable.h"

namespace lidia::go {

/// runtime.firstmoduledata, as far as function tables from Go 1.16 on need it:
/// they count addresses of code and of data from two that only it has.
///
/// It has no mark of its own and stripped programs no symbol for it. But it
/// begins with a pointer to the function table, and says of several of the
/// table's parts where they are, which no other data do.
struct ModuleData {
  uint64_t Address = 0;
  /// Addresses of functions count from here (runtime.text).
  uint64_t TextStart = 0;
  /// The pieces of code, when there are more than one.
  std::vector<TextSection> TextSections;
  /// Where data of functions may begin (go:func.*), the likeliest first. The
  /// place of this field changes with versions of Go.
  llvm::SmallVector<uint64_t, 16> DataStarts;
};

/// Finds the module data that belong to \p Table.
std::optional<ModuleData> findModuleData(const FunctionTable &Table);

} // namespace lidia::go

#endif // LIDIA_LIB_GO_MODULEDATA_H
