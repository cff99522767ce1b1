//===- VariableColumns.h - The columns of the section VARS ------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the writer and the reader of the section share (docs/Format.md, "VARS").
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_ARCHIVE_VARIABLECOLUMNS_H
#define LIDIA_LIB_ARCHIVE_VARIABLECOLUMNS_H

#include "Support/LEB128.h"
#include "lidia/Archive/Variables.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Endian.h"

namespace lidia {

/// The columns, in their order in the section. Those of the attributes of types
/// follow, and then those of the attributes of declared functions.
enum VariableColumn : unsigned {
  // Of functions and their scopes.
  VC_Address,
  VC_FrameBase,
  VC_ScopeCount,
  VC_ScopeKind,
  VC_Callee,
  VC_CallStart,
  VC_RangeCount,
  VC_RangeStart,
  VC_RangeLength,
  VC_VariableCount,
  VC_Definition,
  VC_LocationKind,
  VC_Expression,
  VC_Constant,
  VC_ListCount,
  VC_ListStart,
  VC_ListLength,
  VC_ListExpression,
  VC_FunctionColumns,
  // Of all else.
  VC_Strings = VC_FunctionColumns,
  VC_ExpressionSizes,
  VC_ExpressionBytes,
  VC_Shapes,
  VC_Types,
  VC_Functions,
  // Of calls.
  VC_CallReturn,
  VC_CallCallee,
  VC_ValueCount,
  VC_ValueRegister,
  VC_ValueExpression,
  VC_FixedColumns,
};

struct VariablesHeader {
  llvm::support::ulittle32_t Shapes;
  llvm::support::ulittle32_t Strings;
  llvm::support::ulittle32_t Expressions;
  llvm::support::ulittle32_t Types;
  llvm::support::ulittle32_t Callees;
  llvm::support::ulittle32_t Functions;
  llvm::support::ulittle32_t Columns;
  llvm::support::ulittle32_t Calls;
};

/// The size of a column, unpacked and in the section. If both are equal, it is
/// not packed.
struct VariableColumnSize {
  llvm::support::ulittle32_t Size;
  llvm::support::ulittle32_t Packed;
};

/// Sections that are this small may unpack to as much.
inline constexpr uint64_t VariablesFloor = 64 << 10;

/// Upper bound of the values of all DIEs for each byte of the unpacked columns.
/// Flags take no byte; there are nine, and a DIE takes at least two.
inline constexpr uint64_t ValuesRatio = 4;

/// Signed numbers close to zero as small numbers.
inline uint64_t zigzag(uint64_t Value) {
  return Value << 1 ^ uint64_t(int64_t(Value) >> 63);
}
inline uint64_t unzigzag(uint64_t Value) { return Value >> 1 ^ -(Value & 1); }

/// The attributes with a column.
class AttributeColumns {
public:
  /// Numbers the attributes of \p Shapes in order, each once.
  explicit AttributeColumns(llvm::ArrayRef<DIEShape> Shapes) {
    for (const DIEShape &S : Shapes)
      for (const DIEAttribute &A : S.Attributes)
        if (A.Kind != ValueKind::Flag &&
            Indices.try_emplace(keyOf(A), All.size()).second)
          All.push_back(A);
  }

  llvm::ArrayRef<DIEAttribute> all() const { return All; }
  size_t size() const { return All.size(); }
  /// The number of an attribute that is not a flag.
  uint32_t indexOf(const DIEAttribute &A) const {
    return Indices.lookup(keyOf(A));
  }

private:
  static uint32_t keyOf(const DIEAttribute &A) {
    return uint32_t(A.Attribute) << 8 | uint32_t(A.Kind);
  }

  std::vector<DIEAttribute> All;
  llvm::DenseMap<uint32_t, uint32_t> Indices;
};

/// Codes of references to things that are mostly referred to in their order: 0
/// for the one after the last new one, small numbers for recent ones.
class NewestFirst {
public:
  uint64_t encode(uint32_t Index) {
    if (Index == Seen) {
      ++Seen;
      return 0;
    }
    return Index < Seen ? uint64_t(Seen) - Index : uint64_t(Index) + 1;
  }
  uint64_t decode(uint64_t Code) {
    if (Code == 0)
      return Seen++;
    return Code <= Seen ? Seen - Code : Code - 1;
  }
  uint32_t Seen = 0;
};

/// Takes numbers from a column.
class ColumnReader {
public:
  ColumnReader() = default;
  explicit ColumnReader(llvm::StringRef Bytes) : Rest(Bytes) {}

  /// The next number; 0 after the end.
  uint64_t next() {
    std::optional<uint64_t> Value = takeULEB(Rest);
    Bad |= !Value;
    return Value.value_or(0);
  }
  /// The next number, which must be below \p End.
  uint32_t below(uint64_t End) {
    uint64_t Value = next();
    if (Value < End && Value <= UINT32_MAX)
      return uint32_t(Value);
    Bad = true;
    return 0;
  }
  uint64_t nextSigned() { return unzigzag(next()); }
  bool atEnd() const { return Rest.empty(); }
  size_t left() const { return Rest.size(); }

  llvm::StringRef Rest;
  bool Bad = false;
};

} // namespace lidia

#endif // LIDIA_LIB_ARCHIVE_VARIABLECOLUMNS_H
