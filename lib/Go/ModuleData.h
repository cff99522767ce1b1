//===- ModuleData.h - The module data of Go's runtime -----------*- C++ -*-===//
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

/// The part of runtime.firstmoduledata that function tables need from Go 1.16
/// on: only it has the bases of their code and data addresses.
///
/// It has no magic number, and stripped programs have no symbol for it. But it
/// begins with a pointer to the function table, followed by pointers to several
/// parts of the table, and nothing else does.
struct ModuleData {
  uint64_t Address = 0;
  /// The base of function addresses (runtime.text).
  uint64_t TextStart = 0;
  /// The pieces of code, if there is more than one.
  std::vector<TextSection> TextSections;
  /// Possible bases of function data (go:func.*), the likeliest first. The
  /// offset of this field varies between versions of Go.
  llvm::SmallVector<uint64_t, 16> DataStarts;
};

/// Finds the module data that belongs to \p Table.
std::optional<ModuleData> findModuleData(const FunctionTable &Table);

} // namespace lidia::go

#endif // LIDIA_LIB_GO_MODULEDATA_H
