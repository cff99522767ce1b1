//===- Columns.cpp - Columns of addresses and build IDs -------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Arrow/Columns.h"
#include "lidia/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/JSON.h"

using namespace lidia;
using namespace lidia::arrow;
using namespace llvm;

/// Sizes in bytes and bits stay below 2^63.
static constexpr int64_t MaxOffset = INT64_MAX / 128;
/// More rows do not fit into memory, or are too many for one call.
static constexpr int64_t MaxLength = UINT32_MAX;

/// Strings up to this size are compared with the previous one. Build IDs are
/// not longer, and the address of a longer string may be invalid.
static constexpr size_t MaxCompared = 2 * BuildIDColumn::MaxBuildID;

/// The key of all longer strings in the map of numbers; no valid key is as
/// long.
static constexpr char TooLongBytes[MaxCompared + 2] = {};
static constexpr StringRef TooLong(TooLongBytes, sizeof(TooLongBytes));

static Error malformed(const Twine &Message) {
  return make_error<ArgumentError>("", "a malformed Arrow array: " + Message);
}

/// The name of \p Format in Arrow's libraries.
static std::string typeName(const ArrowSchema &Type) {
  StringRef Format = Type.format ? Type.format : "";
  StringRef Name = StringSwitch<StringRef>(Format)
                       .Case("n", "null")
                       .Case("b", "bool")
                       .Case("c", "int8")
                       .Case("C", "uint8")
                       .Case("s", "int16")
                       .Case("S", "uint16")
                       .Case("i", "int32")
                       .Case("I", "uint32")
                       .Case("l", "int64")
                       .Case("L", "uint64")
                       .Case("e", "float16")
                       .Case("f", "float32")
                       .Case("g", "float64")
                       .Case("u", "utf8")
                       .Case("U", "large_utf8")
                       .Case("vu", "string_view")
                       .Case("z", "binary")
                       .Case("Z", "large_binary")
                       .Case("vz", "binary_view")
                       .Case("+s", "struct")
                       .Case("+l", "list")
                       .Case("+L", "list")
                       .Case("+vl", "list")
                       .Case("+vL", "list")
                       .Case("+r", "run_end_encoded")
                       .Default("");
  if (Type.dictionary)
    return "dictionary";
  return Name.empty() ? "another type" : Name.str();
}

Error arrow::checkAddressType(const ArrowSchema &Type) {
  StringRef Format = Type.format ? Type.format : "";
  if (!Type.dictionary && (Format == "L" || Format == "l"))
    return Error::success();
  return make_error<UnsupportedError>(
      "", "addresses must be uint64 or int64, not " + typeName(Type));
}

/// Checks the fields that all arrays have. \p Buffers is the number of buffers,
/// or their minimum if the number is variable.
static Error checkShape(const ArrowArray &A, int64_t Buffers, bool IsVariable,
                        bool HasDictionary) {
  if (!A.release)
    return malformed("it was released");
  if (A.length < 0 || A.length > MaxLength || A.offset < 0 ||
      A.offset > MaxOffset)
    return malformed("its length is " + Twine(A.length) + ", its offset " +
                     Twine(A.offset));
  if (A.null_count < -1 || A.null_count > A.length)
    return malformed("it has " + Twine(A.null_count) + " nulls in " +
                     Twine(A.length) + " rows");
  if (IsVariable ? A.n_buffers < Buffers || A.n_buffers > (int64_t(1) << 32)
                 : A.n_buffers != Buffers)
    return malformed("it has " + Twine(A.n_buffers) + " buffers instead of " +
                     Twine(Buffers));
  if (Buffers && !A.buffers)
    return malformed("its buffers are missing");
  if (A.n_children != 0)
    return malformed("it has children");
  if (bool(A.dictionary) != HasDictionary)
    return malformed(HasDictionary ? "its dictionary is missing"
                                   : "it has a dictionary");
  return Error::success();
}

static uint64_t rowsOf(ArrayRef<ArrowArray> Arrays) {
  uint64_t Rows = 0;
  for (const ArrowArray &A : Arrays)
    Rows += uint64_t(A.length);
  return Rows;
}

Error arrow::checkLengths(ArrayRef<ArrowArray> BuildIDs,
                          ArrayRef<ArrowArray> Addresses) {
  uint64_t IDs = rowsOf(BuildIDs), Rows = rowsOf(Addresses);
  if (IDs == Rows)
    return Error::success();
  return make_error<ArgumentError>("", "there are " + Twine(IDs) +
                                           " build IDs and " + Twine(Rows) +
                                           " addresses");
}

/// The validity bitmap of an array whose buffers exist.
static Validity validityOf(const ArrowArray &A) {
  return {static_cast<const uint8_t *>(A.buffers[0]), uint64_t(A.offset)};
}

/// Whether all values of the array are null, so that it needs no values.
static bool hasOnlyNulls(const ArrowArray &A) {
  if (!A.buffers[0])
    return A.length == 0;
  Validity Valid = validityOf(A);
  return all_of(seq<size_t>(0, size_t(A.length)),
                [&](size_t Row) { return Valid.isNull(Row); });
}

Expected<AddressArray> arrow::readAddresses(const ArrowArray &A) {
  if (Error E = checkShape(A, 2, /*IsVariable=*/false, /*HasDictionary=*/false))
    return E;
  AddressArray Result;
  Result.Length = size_t(A.length);
  Result.Valid = validityOf(A);
  if (const char *Values = static_cast<const char *>(A.buffers[1]))
    Result.Values = Values + 8 * A.offset;
  else if (!hasOnlyNulls(A))
    return malformed("its values are missing");
  return Result;
}

//===----------------------------------------------------------------------===//
// Build IDs
//===----------------------------------------------------------------------===//

BuildIDColumn BuildIDColumn::all(ArrayRef<uint8_t> Bytes) {
  BuildIDColumn Result;
  Result.IsConstant = true;
  Result.Values.emplace_back();
  Result.Values.back().Bytes.assign(Bytes.begin(), Bytes.end());
  return Result;
}

uint32_t BuildIDColumn::addValue(Value V) {
  Values.push_back(std::move(V));
  return uint32_t(Values.size() - 1);
}

void BuildIDColumn::addRows(uint32_t Number, size_t Count) {
  Rows.insert(Rows.end(), Count, Number);
}

Error BuildIDColumn::setValueType(StringRef Format) {
  IsText = Format == "u" || Format == "U" || Format == "vu";
  if (Format == "n")
    ValueLayout = Layout::Null;
  else if (Format == "u" || Format == "z")
    ValueLayout = Layout::Offsets32;
  else if (Format == "U" || Format == "Z")
    ValueLayout = Layout::Offsets64;
  else if (Format == "vu" || Format == "vz")
    ValueLayout = Layout::View;
  else if (Format.consume_front("w:") && !Format.getAsInteger(10, FixedSize) &&
           FixedSize <= INT32_MAX)
    ValueLayout = Layout::Fixed;
  else
    return make_error<UnsupportedError>("", "");
  return Error::success();
}

Error BuildIDColumn::setType(const ArrowSchema &Type) {
  StringRef Format = Type.format ? Type.format : "";
  const ArrowSchema &ValueType = Type.dictionary ? *Type.dictionary : Type;
  if (Type.dictionary && Format.size() == 1 &&
      StringRef("cCsSiIlL").contains(Format))
    IndexFormat = Format.front();
  if (bool(Type.dictionary) == bool(IndexFormat) && !ValueType.dictionary &&
      !errorToBool(setValueType(ValueType.format ? ValueType.format : "")))
    return Error::success();
  return make_error<UnsupportedError>(
      "", "build IDs must be utf8, large_utf8, string_view, binary, "
          "large_binary, binary_view, fixed_size_binary or a dictionary of one "
          "of them, not " +
              typeName(ValueType));
}

/// Stores the build ID \p Raw in \p V, or the reason why it is invalid.
static void parse(StringRef Raw, bool IsText, BuildIDColumn::Value &V) {
  std::string Bytes = Raw.str();
  if (Raw.empty()) {
    V.Problem = "the build ID is empty";
    return;
  }
  if (IsText && !tryGetFromHex(Raw, Bytes)) {
    V.Problem = "'" + json::fixUTF8(Raw) +
                "' is not a build ID: expected hexadecimal digits";
    return;
  }
  if (IsText && Raw.size() % 2) {
    V.Problem =
        "'" + Raw.str() + "' is not a build ID: it has an odd number of digits";
    return;
  }
  V.Bytes.assign(Bytes.begin(), Bytes.end());
}

uint32_t BuildIDColumn::number(StringRef Raw) {
  // Longer strings are not read, and all have the same number.
  bool IsTooLong = Raw.size() > MaxBuildID * (IsText ? 2 : 1);
  if (IsTooLong)
    Raw = TooLong;
  auto [It, IsNew] = Numbers.try_emplace(Raw, uint32_t(Values.size()));
  if (!IsNew)
    return It->second;
  Values.emplace_back();
  if (IsTooLong)
    Values.back().Problem = "the build ID is too long";
  else
    parse(Raw, IsText, Values.back());
  return It->second;
}

namespace {

template <typename T> T readAt(const void *Base, uint64_t Index) {
  T Value;
  std::memcpy(&Value, static_cast<const char *>(Base) + Index * sizeof(T),
              sizeof(T));
  return Value;
}

/// An array of strings whose offsets are of the type \p T.
template <typename T> class OffsetStrings {
public:
  explicit OffsetStrings(const ArrowArray &A) : A(A) {}

  Expected<StringRef> operator()(uint64_t Row) const {
    T Start = readAt<T>(A.buffers[1], Row);
    T End = readAt<T>(A.buffers[1], Row + 1);
    if (Start < 0 || End < Start)
      return malformed("a string has the offsets " + Twine(Start) + " and " +
                       Twine(End));
    if (Start == End)
      return StringRef("");
    if (!A.buffers[2])
      return malformed("its characters are missing");
    return StringRef(static_cast<const char *>(A.buffers[2]) + Start,
                     size_t(End - Start));
  }

private:
  const ArrowArray &A;
};

/// An array of string views of 16 bytes: the first four are the length, and the
/// rest is the string or its location.
class ViewStrings {
public:
  explicit ViewStrings(const ArrowArray &A) : A(A) {}

  Expected<StringRef> operator()(uint64_t Row) const {
    const char *View = static_cast<const char *>(A.buffers[1]) + 16 * Row;
    auto Length = readAt<int32_t>(View, 0);
    if (Length < 0)
      return malformed("a string has the length " + Twine(Length));
    if (Length <= 12)
      return StringRef(View + 4, size_t(Length));
    auto Buffer = readAt<int32_t>(View, 2), Offset = readAt<int32_t>(View, 3);
    // The views are followed by the buffers that they refer to, and by their
    // sizes.
    int64_t Count = A.n_buffers - 3;
    if (Buffer < 0 || Buffer >= Count || Offset < 0)
      return malformed("a string is in buffer " + Twine(Buffer) + " of " +
                       Twine(Count) + ", at " + Twine(Offset));
    const void *Sizes = A.buffers[A.n_buffers - 1];
    const void *Bytes = A.buffers[2 + Buffer];
    if (!Sizes || !Bytes ||
        int64_t(Offset) + Length > readAt<int64_t>(Sizes, uint64_t(Buffer)))
      return malformed("a string is outside of its buffer");
    return StringRef(static_cast<const char *>(Bytes) + Offset, size_t(Length));
  }

private:
  const ArrowArray &A;
};

} // namespace

/// Calls \p Number with the string of each row that is not null, and appends
/// the results to \p To.
template <typename GetString, typename GetNumber>
static Error addStrings(const ArrowArray &A, GetString String, GetNumber Number,
                        std::vector<uint32_t> &To) {
  Validity Valid = validityOf(A);
  // Consecutive rows often have the same build ID.
  StringRef Last;
  uint32_t LastNumber = BuildIDColumn::Null;
  for (size_t Row = 0; Row != size_t(A.length); ++Row) {
    if (Valid.isNull(Row)) {
      To.push_back(BuildIDColumn::Null);
      continue;
    }
    Expected<StringRef> Raw = String(uint64_t(A.offset) + Row);
    if (!Raw)
      return Raw.takeError();
    if (LastNumber == BuildIDColumn::Null || Raw->size() > MaxCompared ||
        *Raw != Last)
      LastNumber = Number(*Raw);
    Last = *Raw;
    To.push_back(LastNumber);
  }
  return Error::success();
}

Error BuildIDColumn::addValues(const ArrowArray &A, std::vector<uint32_t> &To) {
  static constexpr int64_t BufferCounts[] = {0, 3, 3, 3, 2};
  if (Error E = checkShape(A, BufferCounts[size_t(ValueLayout)],
                           ValueLayout == Layout::View,
                           /*HasDictionary=*/false))
    return E;
  if (ValueLayout == Layout::Null) {
    To.insert(To.end(), size_t(A.length), Null);
    return Error::success();
  }
  // Empty arrays need no offsets, either.
  if (!A.buffers[1] && !(ValueLayout == Layout::Fixed && FixedSize == 0)) {
    if (!hasOnlyNulls(A))
      return malformed("its values are missing");
    To.insert(To.end(), size_t(A.length), Null);
    return Error::success();
  }
  auto Number = [&](StringRef Raw) { return number(Raw); };
  switch (ValueLayout) {
  case Layout::Offsets32:
    return addStrings(A, OffsetStrings<int32_t>(A), Number, To);
  case Layout::Offsets64:
    return addStrings(A, OffsetStrings<int64_t>(A), Number, To);
  case Layout::View:
    return addStrings(A, ViewStrings(A), Number, To);
  default:
    return addStrings(
        A,
        [&](uint64_t Row) -> Expected<StringRef> {
          return StringRef(static_cast<const char *>(A.buffers[1]) +
                               Row * FixedSize,
                           FixedSize);
        },
        Number, To);
  }
}

/// Whether the values of \p A take no memory, so that all are equal: nulls, or
/// strings of a fixed length of 0.
static bool hasNoMemory(const ArrowArray &A) {
  return A.n_buffers == 0 ||
         (A.n_buffers == 2 && A.buffers && !A.buffers[0] && !A.buffers[1]);
}

/// Appends a row for each index in \p A into a dictionary of \p Length values.
/// If these are all equal, \p OfValue has only the first.
template <typename T>
Error BuildIDColumn::addIndices(const ArrowArray &A, ArrayRef<uint32_t> OfValue,
                                uint64_t Length) {
  Validity Valid = validityOf(A);
  for (size_t Row = 0; Row != size_t(A.length); ++Row) {
    if (Valid.isNull(Row)) {
      Rows.push_back(Null);
      continue;
    }
    T Index = readAt<T>(A.buffers[1], uint64_t(A.offset) + Row);
    if (Index < 0 || uint64_t(Index) >= Length)
      return malformed("it has the index " + Twine(Index) +
                       " in a dictionary of " + Twine(Length));
    Rows.push_back(OfValue[OfValue.size() == 1 ? 0 : size_t(Index)]);
  }
  return Error::success();
}

Error BuildIDColumn::addDictionary(const ArrowArray &A) {
  if (Error E = checkShape(A, 2, /*IsVariable=*/false, /*HasDictionary=*/true))
    return E;
  std::vector<uint32_t> OfValue;
  ArrowArray Values = *A.dictionary;
  // Convert one value for all, because their claimed number takes no memory.
  if (hasNoMemory(Values) && Values.length > 1 && Values.length <= MaxLength) {
    Values.length = 1;
    Values.null_count = -1;
  }
  if (Error E = addValues(Values, OfValue))
    return E;
  uint64_t Length = uint64_t(A.dictionary->length);
  if (!A.buffers[1]) {
    if (!hasOnlyNulls(A))
      return malformed("its indices are missing");
    Rows.insert(Rows.end(), size_t(A.length), Null);
    return Error::success();
  }
  switch (IndexFormat) {
  case 'c':
    return addIndices<int8_t>(A, OfValue, Length);
  case 'C':
    return addIndices<uint8_t>(A, OfValue, Length);
  case 's':
    return addIndices<int16_t>(A, OfValue, Length);
  case 'S':
    return addIndices<uint16_t>(A, OfValue, Length);
  case 'i':
    return addIndices<int32_t>(A, OfValue, Length);
  case 'I':
    return addIndices<uint32_t>(A, OfValue, Length);
  case 'l':
    return addIndices<int64_t>(A, OfValue, Length);
  default:
    return addIndices<uint64_t>(A, OfValue, Length);
  }
}

Error BuildIDColumn::add(const ArrowArray &A) {
  return IndexFormat ? addDictionary(A) : addValues(A, Rows);
}
