//===- Columns.h - Columns of addresses and build IDs -----------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Reads Arrow arrays that other programs made. The interface has no sizes of
/// buffers: whoever makes an array can have us read any memory of the process.
/// All else is checked: lengths, offsets, numbers of buffers and children,
/// missing buffers, indices of dictionaries, and places of strings, of which at
/// most MaxBuildID bytes are read. An array of another type is an
/// UnsupportedError, a malformed one an ArgumentError.
///
//===----------------------------------------------------------------------===//

#ifndef LIDIA_ARROW_COLUMNS_H
#define LIDIA_ARROW_COLUMNS_H

#include "lidia/Arrow/CDataInterface.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"
#include <cstring>
#include <vector>

namespace lidia::arrow {

/// The bits that say which rows are not null.
struct Validity {
  /// Null if all rows are valid.
  const uint8_t *Bits = nullptr;
  /// The bit of row 0.
  uint64_t First = 0;

  bool isNull(size_t Row) const {
    return Bits && !(Bits[(First + Row) / 8] >> ((First + Row) % 8) & 1);
  }
};

/// An array of addresses, which stays where it is.
struct AddressArray {
  /// Row 0, of 8 bytes. Null if all rows are null.
  const char *Values = nullptr;
  Validity Valid;
  size_t Length = 0;

  bool isNull(size_t Row) const { return !Values || Valid.isNull(Row); }
  uint64_t operator[](size_t Row) const {
    uint64_t Value;
    std::memcpy(&Value, Values + 8 * Row, sizeof(Value));
    return Value;
  }
};

/// Fails unless the type is uint64 or int64 (whose bits count, so that the
/// kernel's addresses may be negative).
llvm::Error checkAddressType(const ArrowSchema &Type);

/// \p A, which must outlive the result and have such a type.
llvm::Expected<AddressArray> readAddresses(const ArrowArray &A);

/// Fails unless the arrays have as many build IDs as addresses. Reads nothing
/// but their lengths.
llvm::Error checkLengths(llvm::ArrayRef<ArrowArray> BuildIDs,
                         llvm::ArrayRef<ArrowArray> Addresses);

/// The build IDs of rows, as numbers. The type is utf8, large_utf8 or
/// string_view, which hold hexadecimal digits; or binary, large_binary,
/// binary_view or fixed_size_binary, which hold the bytes; or a dictionary of
/// one of these; or null.
class BuildIDColumn {
public:
  /// Longer ones are no build IDs: those of GNU have 20 bytes.
  static constexpr size_t MaxBuildID = 64;
  /// The number of null.
  static constexpr uint32_t Null = 0;

  struct Value {
    /// Empty if it is no build ID.
    llvm::SmallVector<uint8_t, 20> Bytes;
    /// What is wrong with it.
    std::string Problem;
  };

  BuildIDColumn() : Values(1) {}

  /// All rows have the build ID \p Bytes.
  static BuildIDColumn all(llvm::ArrayRef<uint8_t> Bytes);

  /// Says of which type the arrays are.
  llvm::Error setType(const ArrowSchema &Type);
  /// Adds the rows of \p A, which need not outlive this call.
  llvm::Error add(const ArrowArray &A);

  /// Whether the column has as many rows as there are addresses.
  bool isConstant() const { return IsConstant; }
  size_t length() const { return Rows.size(); }
  /// The number of \p Row's value in values().
  uint32_t operator[](size_t Row) const { return IsConstant ? 1 : Rows[Row]; }
  /// Distinct values, in the order of their first rows, after that of Null.
  llvm::ArrayRef<Value> values() const { return Values; }

private:
  enum class Layout { Null, Offsets32, Offsets64, View, Fixed };

  llvm::Error setValueType(llvm::StringRef Format);
  uint32_t number(llvm::StringRef Raw);
  template <typename T>
  llvm::Error addIndices(const ArrowArray &A, llvm::ArrayRef<uint32_t> OfValue,
                         uint64_t Length);
  llvm::Error addDictionary(const ArrowArray &A);
  llvm::Error addValues(const ArrowArray &A, std::vector<uint32_t> &To);

  Layout ValueLayout = Layout::Null;
  bool IsText = false;
  /// Of Layout::Fixed.
  uint64_t FixedSize = 0;
  /// The format of the indices of a dictionary; 0 without one.
  char IndexFormat = 0;

  bool IsConstant = false;
  std::vector<Value> Values;
  std::vector<uint32_t> Rows;
  /// Of the values as they are in the arrays.
  llvm::StringMap<uint32_t> Numbers;
};

} // namespace lidia::arrow

#endif // LIDIA_ARROW_COLUMNS_H
