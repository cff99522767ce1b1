//===- Columns.h - Columns of addresses and build IDs -----------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Reads Arrow arrays that other programs made. The interface does not state
/// the sizes of buffers, so whoever makes an array can make this code read any
/// memory of the process. Everything else is checked: lengths, offsets, numbers
/// of buffers and children, missing buffers, indices of dictionaries, and the
/// positions of strings, of which at most MaxBuildID bytes are read. An array
/// of another type is an UnsupportedError, a malformed one an ArgumentError.
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

/// A view of an array of addresses.
struct AddressArray {
  /// Points to row 0; each row has 8 bytes. Null if all rows are null.
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

/// Fails unless the type is uint64 or int64. The bits of an int64 are used as
/// they are, so that addresses of the kernel may be negative.
llvm::Error checkAddressType(const ArrowSchema &Type);

/// A view of \p A, which must outlive the result and have a type that
/// checkAddressType() accepts.
llvm::Expected<AddressArray> readAddresses(const ArrowArray &A);

/// Fails unless there are as many build IDs as addresses. Reads only the
/// lengths of the arrays.
llvm::Error checkLengths(llvm::ArrayRef<ArrowArray> BuildIDs,
                         llvm::ArrayRef<ArrowArray> Addresses);

/// The build IDs of rows, as numbers. The type is utf8, large_utf8 or
/// string_view, which hold hexadecimal digits; or binary, large_binary,
/// binary_view or fixed_size_binary, which hold the bytes; or a dictionary of
/// one of these; or null.
class BuildIDColumn {
public:
  /// The maximum size of a build ID. GNU's build IDs have 20 bytes.
  static constexpr size_t MaxBuildID = 64;
  /// The number that stands for null.
  static constexpr uint32_t Null = 0;

  struct Value {
    /// Empty if the value is not a build ID.
    llvm::SmallVector<uint8_t, 20> Bytes;
    /// Why the value is not a build ID.
    std::string Problem;
  };

  BuildIDColumn() : Values(1) {}

  /// A column in which all rows have the build ID \p Bytes.
  static BuildIDColumn all(llvm::ArrayRef<uint8_t> Bytes);

  /// Sets the type of the arrays.
  llvm::Error setType(const ArrowSchema &Type);
  /// Adds the rows of \p A, which need not outlive this call.
  llvm::Error add(const ArrowArray &A);

  /// Adds a value, and returns its number.
  uint32_t addValue(Value V);
  /// Adds \p Count rows with the value \p Number.
  void addRows(uint32_t Number, size_t Count);

  /// Whether the column has as many rows as there are addresses.
  bool isConstant() const { return IsConstant; }
  size_t length() const { return Rows.size(); }
  /// The index in values() of the value of \p Row.
  uint32_t operator[](size_t Row) const { return IsConstant ? 1 : Rows[Row]; }
  /// The distinct values: the one for Null, then the others in the order of
  /// their first rows.
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
  /// The size of a value, for Layout::Fixed.
  uint64_t FixedSize = 0;
  /// The format of the indices of a dictionary; 0 without one.
  char IndexFormat = 0;

  bool IsConstant = false;
  std::vector<Value> Values;
  std::vector<uint32_t> Rows;
  /// Maps values, as they are in the arrays, to their numbers.
  llvm::StringMap<uint32_t> Numbers;
};

} // namespace lidia::arrow

#endif // LIDIA_ARROW_COLUMNS_H
