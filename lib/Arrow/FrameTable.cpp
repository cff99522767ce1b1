//===- FrameTable.cpp - Frames as Arrow arrays ----------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Arrow/FrameTable.h"
#include <cerrno>
#include <utility>

using namespace lidia;
using namespace lidia::arrow;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

namespace {

/// The data of an exported type.
struct TypeParts {
  std::vector<ArrowSchema> Children;
  std::vector<ArrowSchema *> ChildPointers;
  ArrowSchema Dictionary = {};
};

} // namespace

static void releaseType(ArrowSchema *S) {
  auto *Parts = static_cast<TypeParts *>(S->private_data);
  // A consumer may have moved some of them away.
  for (ArrowSchema &Child : Parts->Children)
    if (Child.release)
      Child.release(&Child);
  if (Parts->Dictionary.release)
    Parts->Dictionary.release(&Parts->Dictionary);
  delete Parts;
  S->release = nullptr;
}

/// Stores a nullable type in \p To. Both strings are literals.
static TypeParts &startType(ArrowSchema &To, const char *Format,
                            const char *Name, size_t Children = 0) {
  auto *Parts = new TypeParts;
  Parts->Children.resize(Children);
  for (ArrowSchema &Child : Parts->Children)
    Parts->ChildPointers.push_back(&Child);
  To = {Format,
        Name,
        /*metadata=*/nullptr,
        ARROW_FLAG_NULLABLE,
        int64_t(Children),
        Parts->ChildPointers.data(),
        /*dictionary=*/nullptr,
        releaseType,
        Parts};
  return *Parts;
}

static void exportTextType(ArrowSchema &To, const char *Name) {
  TypeParts &Parts = startType(To, "i", Name);
  startType(Parts.Dictionary, "u", "");
  To.dictionary = &Parts.Dictionary;
}

void arrow::exportType(Column C, ArrowSchema &To) {
  if (C != Column::Frames)
    return exportTextType(To, "");
  ArrowSchema &Frame = startType(To, "+l", "", 1).Children[0];
  std::vector<ArrowSchema> &Members =
      startType(Frame, "+s", "item", 4).Children;
  exportTextType(Members[0], "function");
  exportTextType(Members[1], "file");
  startType(Members[2], "I", "line");
  startType(Members[3], "b", "inlined");
}

//===----------------------------------------------------------------------===//
// Arrays
//===----------------------------------------------------------------------===//

namespace {

/// The data of an exported array. Each child keeps the table alive, because a
/// consumer may move some away and release the rest.
struct ArrayParts {
  std::shared_ptr<const FrameTable> Table;
  std::vector<const void *> Buffers;
  std::vector<ArrowArray> Children;
  std::vector<ArrowArray *> ChildPointers;
  ArrowArray Dictionary = {};
};

} // namespace

static void releaseArray(ArrowArray *A) {
  auto *Parts = static_cast<ArrayParts *>(A->private_data);
  for (ArrowArray &Child : Parts->Children)
    if (Child.release)
      Child.release(&Child);
  if (Parts->Dictionary.release)
    Parts->Dictionary.release(&Parts->Dictionary);
  delete Parts;
  A->release = nullptr;
}

using TablePointer = std::shared_ptr<const FrameTable>;

static ArrayParts &startArray(ArrowArray &To, const TablePointer &Table,
                              size_t Length, size_t Nulls,
                              std::vector<const void *> Buffers,
                              size_t Children = 0) {
  auto *Parts = new ArrayParts;
  Parts->Table = Table;
  Parts->Buffers = std::move(Buffers);
  Parts->Children.resize(Children);
  for (ArrowArray &Child : Parts->Children)
    Parts->ChildPointers.push_back(&Child);
  To = {int64_t(Length),
        int64_t(Nulls),
        /*offset=*/0,
        int64_t(Parts->Buffers.size()),
        int64_t(Children),
        Parts->Buffers.data(),
        Parts->ChildPointers.data(),
        /*dictionary=*/nullptr,
        releaseArray,
        Parts};
  return *Parts;
}

template <typename T>
static const void *validityOf(const NullableValues<T> &Values) {
  return Values.Nulls ? Values.Valid.data() : nullptr;
}

/// The address of the values, which is not null even if there are none.
template <typename T> static const void *placeOf(const std::vector<T> &Values) {
  static const uint64_t Nothing = 0;
  return Values.empty() ? static_cast<const void *>(&Nothing) : Values.data();
}

template <typename T>
static ArrayParts &startArray(ArrowArray &To, const TablePointer &Table,
                              const NullableValues<T> &Values) {
  return startArray(To, Table, Values.Values.size(), Values.Nulls,
                    {validityOf(Values), placeOf(Values.Values)});
}

static void exportTexts(ArrowArray &To, const TablePointer &Table,
                        const NullableValues<int32_t> &Indices,
                        const Texts &Dictionary) {
  ArrayParts &Parts = startArray(To, Table, Indices);
  startArray(Parts.Dictionary, Table, Dictionary.size(), 0,
             {nullptr, placeOf(Dictionary.Offsets), placeOf(Dictionary.Bytes)});
  To.dictionary = &Parts.Dictionary;
}

void arrow::exportArray(const TablePointer &Table, Column C, size_t Chunk,
                        ArrowArray &To) {
  const FrameTable::Chunk &Part = Table->Chunks[Chunk];
  if (C == Column::Reasons)
    return exportTexts(To, Table, Part.Reasons, Table->ReasonTexts);
  if (C == Column::Misses)
    return exportTexts(To, Table, Part.Misses, Table->MissNames);
  ArrowArray &Frame =
      startArray(To, Table, Part.Rows, Part.Offsets.Nulls,
                 {validityOf(Part.Offsets), placeOf(Part.Offsets.Values)}, 1)
          .Children[0];
  size_t Frames = Part.Lines.Values.size();
  std::vector<ArrowArray> &Members =
      startArray(Frame, Table, Frames, 0, {nullptr}, 4).Children;
  exportTexts(Members[0], Table, Part.Functions, Table->FunctionNames);
  exportTexts(Members[1], Table, Part.Files, Table->FileNames);
  startArray(Members[2], Table, Part.Lines);
  startArray(Members[3], Table, Frames, 0, {nullptr, placeOf(Part.Inlined)});
}

//===----------------------------------------------------------------------===//
// Streams
//===----------------------------------------------------------------------===//

namespace {

struct StreamState {
  TablePointer Table;
  Column C;
  size_t Next = 0;
};

} // namespace

void arrow::exportStream(TablePointer Table, Column C, ArrowArrayStream &To) {
  To.private_data = new StreamState{std::move(Table), C};
  To.get_schema = [](ArrowArrayStream *S, ArrowSchema *Out) {
    exportType(static_cast<StreamState *>(S->private_data)->C, *Out);
    return 0;
  };
  To.get_next = [](ArrowArrayStream *S, ArrowArray *Out) {
    auto &State = *static_cast<StreamState *>(S->private_data);
    if (State.Next == State.Table->Chunks.size())
      Out->release = nullptr;
    else
      exportArray(State.Table, State.C, State.Next++, *Out);
    return 0;
  };
  To.get_last_error = [](ArrowArrayStream *) -> const char * {
    return nullptr;
  };
  To.release = [](ArrowArrayStream *S) {
    delete static_cast<StreamState *>(S->private_data);
    S->release = nullptr;
  };
}
