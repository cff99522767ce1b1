//===- ArrowFuzzer.cpp - Malformed Arrow arrays ---------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Makes a column of build IDs and one of addresses that the input describes,
/// and symbolizes them. Buffers have exactly the size that their array needs,
/// so that a sanitizer detects each read beyond them. Everything that the
/// interface allows a reader to check may be wrong. No archive is found, so the
/// fuzzer checks that the result has a reason for each row that is not null.
///
//===----------------------------------------------------------------------===//

#include "FuzzInput.h"
#include "lidia/Arrow/TableSymbolizer.h"
#include "lidia/Error.h"
#include <memory>

using namespace lidia;
using namespace lidia::arrow;
using namespace llvm;

namespace {

/// An array and the storage that it owns.
struct MadeColumn {
  ArrowSchema Type = {};
  ArrowArray Array = {};
  std::string Format;
  std::vector<std::unique_ptr<char[]>> Memory;
  std::vector<const void *> Buffers;
  std::unique_ptr<MadeColumn> Dictionary;

  char *add(size_t Size) {
    Memory.push_back(std::make_unique<char[]>(Size));
    Buffers.push_back(Memory.back().get());
    return Memory.back().get();
  }
};

} // namespace

static void fill(FuzzInput &In, char *To, size_t Size) {
  for (size_t I = 0; I != Size; ++I)
    To[I] = char(In.byte());
}

static void addValidity(FuzzInput &In, MadeColumn &C, size_t Rows) {
  if (In.byte() % 2) {
    fill(In, C.add((Rows + 7) / 8), (Rows + 7) / 8);
    return;
  }
  C.Buffers.push_back(nullptr);
}

/// Offsets stay within the characters, whose number a reader cannot know, but
/// may be negative or descending.
template <typename T>
static void addStrings(FuzzInput &In, MadeColumn &C, size_t Rows) {
  size_t Size = In.byte();
  char *Offsets = C.add((Rows + 1) * sizeof(T));
  for (size_t I = 0; I != Rows + 1; ++I) {
    T Offset = T(In.byte()) % T(Size + 2) - 1;
    std::memcpy(Offsets + I * sizeof(T), &Offset, sizeof(T));
  }
  fill(In, C.add(Size), Size);
}

static void addViews(FuzzInput &In, MadeColumn &C, size_t Rows) {
  size_t Count = In.byte() % 3;
  fill(In, C.add(16 * Rows), 16 * Rows);
  std::vector<int64_t> Sizes;
  for (size_t I = 0; I != Count; ++I) {
    Sizes.push_back(In.byte());
    fill(In, C.add(size_t(Sizes.back())), size_t(Sizes.back()));
  }
  char *To = C.add(8 * Count);
  if (Count)
    std::memcpy(To, Sizes.data(), 8 * Count);
}

/// Makes fields wrong, but never a length or an offset in a way that is too
/// large and plausible.
static void damage(FuzzInput &In, MadeColumn &C) {
  int64_t Wild = int64_t(In.number(8)) | INT64_MIN;
  switch (In.byte() % 16) {
  case 0:
    C.Array.length = Wild;
    break;
  case 1:
    C.Array.offset = Wild;
    break;
  case 2:
    C.Array.null_count = int64_t(In.number(8));
    break;
  case 3:
    // The last buffer has the sizes of the view buffers, so n_buffers
    // determines which one that is.
    C.Array.n_buffers = int64_t(In.number(8)) %
                        (C.Format.front() == 'v' ? 3 : C.Array.n_buffers + 1);
    break;
  case 4:
    C.Array.n_children = int64_t(In.number(8));
    break;
  case 5:
    C.Array.buffers = nullptr;
    break;
  case 6:
    C.Buffers[In.byte() % C.Buffers.size()] = nullptr;
    break;
  case 7:
    C.Array.dictionary = C.Array.dictionary ? nullptr : &C.Array;
    break;
  case 8:
    C.Array.release = nullptr;
    break;
  case 9:
    C.Array.length = INT64_MAX;
    break;
  default:
    break;
  }
}

/// \p Kind selects the type.
static std::unique_ptr<MadeColumn> makeColumn(FuzzInput &In, unsigned Kind) {
  static const char *const Formats[] = {"L",    "l",    "u",  "z", "U",
                                        "Z",    "vu",   "vz", "c", "I",
                                        "w:20", "w:65", "w:0"};
  static constexpr size_t Sizes[] = {8, 8, 0, 0, 0, 0, 0, 0, 1, 4, 20, 65, 0};
  auto C = std::make_unique<MadeColumn>();
  Kind %= std::size(Formats);
  size_t Length = In.byte() % 40, Offset = In.byte() % 10;
  C->Format = Formats[Kind];
  addValidity(In, *C, Length + Offset);
  if (Kind == 2 || Kind == 3)
    addStrings<int32_t>(In, *C, Length + Offset);
  else if (Kind == 4 || Kind == 5)
    addStrings<int64_t>(In, *C, Length + Offset);
  else if (Kind == 6 || Kind == 7)
    addViews(In, *C, Length + Offset);
  else
    fill(In, C->add(Sizes[Kind] * (Length + Offset)),
         Sizes[Kind] * (Length + Offset));
  C->Type.format = C->Format.c_str();
  C->Array.length = int64_t(Length);
  C->Array.offset = int64_t(Offset);
  C->Array.null_count = -1;
  C->Array.n_buffers = int64_t(C->Buffers.size());
  C->Array.release = [](ArrowArray *) {};
  if (Kind == 8 || Kind == 9) {
    C->Dictionary = makeColumn(In, 2 + In.byte() % 6);
    C->Type.dictionary = &C->Dictionary->Type;
    C->Array.dictionary = &C->Dictionary->Array;
  }
  C->Array.buffers = C->Buffers.data();
  damage(In, *C);
  return C;
}

static void checkTable(const FrameTable &Table, const AddressArray &Addresses,
                       const BuildIDColumn &IDs) {
  check(Table.Chunks.size() == 1, "there is not one chunk");
  const FrameTable::Chunk &C = Table.Chunks.front();
  check(C.Rows == Addresses.Length && C.Offsets.Nulls == C.Rows,
        "a row has frames from nowhere");
  for (size_t Row = 0; Row != C.Rows; ++Row) {
    bool HasReason = C.Reasons.Valid[Row / 8] >> (Row % 8) & 1;
    bool IsNull = Addresses.isNull(Row) || IDs[Row] == BuildIDColumn::Null;
    check(HasReason != IsNull, "a row has no reason, or a wrong one");
    check(!HasReason ||
              size_t(C.Reasons.Values[Row]) < Table.ReasonTexts.size(),
          "a reason does not exist");
  }
}

static Error run(FuzzInput In) {
  unsigned IDKind = In.byte(), AddressKind = In.byte() % 8 ? 0 : In.byte();
  std::unique_ptr<MadeColumn> From = makeColumn(In, IDKind);
  std::unique_ptr<MadeColumn> Values = makeColumn(In, AddressKind);
  BuildIDColumn IDs;
  if (Error E = IDs.setType(From->Type))
    return E;
  if (Error E = IDs.add(From->Array))
    return E;
  if (Error E = checkAddressType(Values->Type))
    return E;
  Expected<AddressArray> Addresses = readAddresses(Values->Array);
  if (!Addresses)
    return Addresses.takeError();
  TableRequest Request{{*Addresses}, IDs, false};
  Expected<FrameTable> Table = symbolize(
      Request, [](uint32_t) -> Expected<std::shared_ptr<ArchiveAnswers>> {
        return make_error<MissingInformationError>("", "there is no archive");
      });
  if (!Table)
    return Table.takeError();
  checkTable(*Table, *Addresses, IDs);
  return Error::success();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  consumeError(
      run(FuzzInput(StringRef(reinterpret_cast<const char *>(Data), Size))));
  return 0;
}
