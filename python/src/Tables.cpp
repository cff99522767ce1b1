//===- Tables.cpp - Arrow arrays as input and output ----------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Arrow's PyCapsule interface: an object with __arrow_c_array__() returns a
/// capsule with a type and one with an array; an object with
/// __arrow_c_stream__() returns one with a stream. A consumer that takes the
/// contents of a capsule leaves a released structure there; otherwise the
/// capsule releases it.
///
//===----------------------------------------------------------------------===//

#include "Bindings.h"
#include <algorithm>
#include <nanobind/stl/string.h>
#include <string_view>

using namespace lidia::python;

//===----------------------------------------------------------------------===//
// In
//===----------------------------------------------------------------------===//

template <typename T>
static T &inCapsule(nb::handle Capsule, const char *Name) {
  void *Found = PyCapsule_GetPointer(Capsule.ptr(), Name);
  if (!Found)
    throw nb::python_error();
  auto &Structure = *static_cast<T *>(Found);
  if (!Structure.release)
    throw nb::value_error("the Arrow capsule was used already");
  return Structure;
}

//===----------------------------------------------------------------------===//
// Lists and buffers
//===----------------------------------------------------------------------===//

namespace {

/// The owner of a column that was not made by another library.
struct OwnColumn {
  ~OwnColumn() {
    if (Buffer.obj) {
      nb::gil_scoped_acquire Lock;
      PyBuffer_Release(&Buffer);
    }
  }

  Py_buffer Buffer = {};
  std::vector<uint64_t> Numbers;
  std::vector<int32_t> Offsets{0};
  std::string Text;
  std::vector<uint8_t> Valid;
  std::vector<const void *> Buffers;
};

} // namespace

/// A column of \p Length values of the Arrow type \p Format, with the buffers
/// of
/// \p Own.
static std::unique_ptr<ArrowColumn>
ownColumn(std::unique_ptr<OwnColumn> Own, const char *Format, size_t Length) {
  ArrowSchema Type = {};
  Type.format = Format;
  Type.name = "";
  Type.flags = ARROW_FLAG_NULLABLE;
  Type.release = [](ArrowSchema *S) { S->release = nullptr; };
  ArrowArray Array = {};
  Array.length = int64_t(Length);
  Array.null_count = Own->Valid.empty() ? 0 : -1;
  Array.n_buffers = int64_t(Own->Buffers.size());
  Array.buffers = Own->Buffers.data();
  Array.private_data = Own.release();
  Array.release = [](ArrowArray *A) {
    delete static_cast<OwnColumn *>(A->private_data);
    A->release = nullptr;
  };
  auto Column = std::make_unique<ArrowColumn>();
  Column->take(Type, Array);
  return Column;
}

/// A column of integers of 64 bits in memory, such as a NumPy array; null if
/// \p From is none.
static std::unique_ptr<ArrowColumn> bufferColumn(nb::handle From) {
  auto Own = std::make_unique<OwnColumn>();
  if (PyObject_GetBuffer(From.ptr(), &Own->Buffer,
                         PyBUF_FORMAT | PyBUF_C_CONTIGUOUS)) {
    PyErr_Clear();
    return nullptr;
  }
  const Py_buffer &B = Own->Buffer;
  std::string_view Format = B.format ? B.format : "B";
  bool IsSigned = Format == "l" || Format == "q";
  bool IsUnsigned = Format == "L" || Format == "Q";
  if (B.ndim != 1 || B.itemsize != 8 || (!IsSigned && !IsUnsigned))
    return nullptr;
  Own->Buffers = {nullptr, B.buf};
  size_t Length = size_t(B.len) / 8;
  return ownColumn(std::move(Own), IsSigned ? "l" : "L", Length);
}

/// Marks the item \p I of \p Own as null if \p IsNull.
static void addValidity(OwnColumn &Own, size_t I, bool IsNull) {
  if (I % 8 == 0)
    Own.Valid.push_back(0xff);
  if (IsNull)
    Own.Valid.back() &= uint8_t(~(1U << (I % 8)));
}

/// A column of the items of a list, which are integers, texts or None.
static std::unique_ptr<ArrowColumn> listColumn(nb::handle From, bool IsText) {
  auto Own = std::make_unique<OwnColumn>();
  size_t Length = 0;
  for (nb::handle Item : From) {
    handleSignals(Length);
    addValidity(*Own, Length++, Item.is_none());
    if (!IsText) {
      Own->Numbers.push_back(Item.is_none() ? 0 : addressOf(Item));
      continue;
    }
    if (!Item.is_none())
      Own->Text += nb::cast<std::string>(
          nb::isinstance<nb::bytes>(Item) ? Item.attr("hex")() : nb::str(Item));
    if (Own->Text.size() > size_t(INT32_MAX))
      throw nb::value_error("the build IDs are too long: use an Arrow array");
    Own->Offsets.push_back(int32_t(Own->Text.size()));
  }
  Own->Valid.resize(std::max<size_t>(Own->Valid.size(), 1));
  if (IsText)
    Own->Buffers = {Own->Valid.data(), Own->Offsets.data(), Own->Text.data()};
  else
    Own->Buffers = {Own->Valid.data(), Own->Numbers.data()};
  return ownColumn(std::move(Own), IsText ? "u" : "L", Length);
}

std::unique_ptr<ArrowColumn> lidia::python::importColumn(nb::handle From,
                                                         const char *What) {
  auto Column = std::make_unique<ArrowColumn>();
  if (nb::hasattr(From, "__arrow_c_array__")) {
    nb::object Pair = From.attr("__arrow_c_array__")();
    nb::object Type = Pair[0], Array = Pair[1];
    Column->take(inCapsule<ArrowSchema>(Type, "arrow_schema"),
                 inCapsule<ArrowArray>(Array, "arrow_array"));
    return Column;
  }
  bool IsStream = nb::hasattr(From, "__arrow_c_stream__");
  bool IsText = std::string_view(What) == "build IDs";
  if (!IsStream && !IsText)
    if (std::unique_ptr<ArrowColumn> Numbers = bufferColumn(From))
      return Numbers;
  if (!IsStream && (PyList_Check(From.ptr()) || PyTuple_Check(From.ptr())))
    return listColumn(From, IsText);
  if (!IsStream)
    throw nb::type_error((std::string(What) +
                          " must be an Arrow array (of pyarrow, Polars, "
                          "pandas or another library with "
                          "__arrow_c_array__ or __arrow_c_stream__), a list" +
                          (IsText ? "" : ", a NumPy array of 64-bit integers") +
                          ", not " +
                          nb::cast<std::string>(From.type().attr("__name__")))
                             .c_str());
  nb::object Capsule = From.attr("__arrow_c_stream__")();
  auto &Stream = inCapsule<ArrowArrayStream>(Capsule, "arrow_array_stream");
  withoutLock([&] { return Column->takeAll(Stream); });
  return Column;
}

//===----------------------------------------------------------------------===//
// Out
//===----------------------------------------------------------------------===//

namespace {

/// lidia.ChunkedArray.
struct ChunkedArray {
  FrameTablePointer Table;
  AnswerColumn C;
};

/// lidia.Array: a table with one chunk.
struct Array : ChunkedArray {};

} // namespace

/// Returns a capsule named \p Name with a structure of type \p T, which \p Fill
/// fills.
template <typename T, typename F>
static nb::object capsule(const char *Name, F Fill) {
  auto Structure = std::make_unique<T>();
  *Structure = {};
  Fill(*Structure);
  PyObject *Capsule =
      PyCapsule_New(Structure.get(), Name, [](PyObject *Object) {
        auto *Held = static_cast<T *>(
            PyCapsule_GetPointer(Object, PyCapsule_GetName(Object)));
        if (Held->release)
          Held->release(Held);
        delete Held;
      });
  if (!Capsule) {
    Structure->release(Structure.get());
    throw nb::python_error();
  }
  Structure.release();
  return nb::steal(Capsule);
}

static nb::object typeCapsule(const ChunkedArray &A) {
  return capsule<ArrowSchema>("arrow_schema",
                              [&](ArrowSchema &To) { exportType(A.C, To); });
}

static nb::object arrayCapsules(const Array &A, nb::handle) {
  nb::object Values = capsule<ArrowArray>(
      "arrow_array", [&](ArrowArray &To) { exportArray(A.Table, A.C, 0, To); });
  return nb::make_tuple(typeCapsule(A), Values);
}

static nb::object streamCapsule(const ChunkedArray &A, nb::handle) {
  return capsule<ArrowArrayStream>(
      "arrow_array_stream",
      [&](ArrowArrayStream &To) { exportStream(A.Table, A.C, To); });
}

static const char *nameOf(AnswerColumn C) {
  switch (C) {
  case AnswerColumn::Frames:
    return "frames";
  case AnswerColumn::Reasons:
    return "reasons";
  case AnswerColumn::Misses:
    break;
  }
  return "misses";
}

static std::string describe(const ChunkedArray &A, const char *Name) {
  return std::string("<lidia.") + Name + " of " + nameOf(A.C) + ", " +
         std::to_string(rowCount(A.Table)) + " rows>";
}

static nb::dict missesOf(const ChunkedArray &A) {
  nb::dict Result;
  for (auto [Name, Rows] : missCounts(A.Table))
    Result[Name] = Rows;
  return Result;
}

static constexpr const char MissesSignature[] =
    "def misses(self) -> dict[str, int]";
static constexpr const char MissesText[] =
    "How many rows have no name or no line, by the code of the reason\n"
    "(docs/Misses.md).";

void lidia::python::bindTables(nb::module_ &M) {
  nb::class_<ChunkedArray>(
      M, "ChunkedArray",
      "Rows in several Arrow arrays. pyarrow.chunked_array(), polars.Series()\n"
      "and others take it without copying.")
      .def("__len__", [](const ChunkedArray &A) { return rowCount(A.Table); })
      .def("__repr__",
           [](const ChunkedArray &A) { return describe(A, "ChunkedArray"); })
      .def_prop_ro("misses", missesOf, nb::sig(MissesSignature), MissesText)
      .def("__arrow_c_schema__", typeCapsule,
           nb::sig("def __arrow_c_schema__(self) -> object"))
      .def("__arrow_c_stream__", streamCapsule,
           nb::arg("requested_schema") = nb::none(),
           nb::sig("def __arrow_c_stream__(self, requested_schema: object | "
                   "None = None) -> object"));
  nb::class_<Array>(
      M, "Array",
      "Rows in one Arrow array. pyarrow.array(), polars.Series() and others\n"
      "take it without copying.")
      .def("__len__", [](const Array &A) { return rowCount(A.Table); })
      .def("__repr__", [](const Array &A) { return describe(A, "Array"); })
      .def_prop_ro(
          "misses", [](const Array &A) { return missesOf(A); },
          nb::sig(MissesSignature), MissesText)
      .def(
          "__arrow_c_schema__", [](const Array &A) { return typeCapsule(A); },
          nb::sig("def __arrow_c_schema__(self) -> object"))
      .def("__arrow_c_array__", arrayCapsules,
           nb::arg("requested_schema") = nb::none(),
           nb::sig("def __arrow_c_array__(self, requested_schema: object | "
                   "None = None) -> tuple[object, object]"))
      .def(
          "__arrow_c_stream__",
          [](const Array &A, nb::handle Requested) {
            return streamCapsule(A, Requested);
          },
          nb::arg("requested_schema") = nb::none(),
          nb::sig("def __arrow_c_stream__(self, requested_schema: object | "
                  "None = None) -> object"));
}

nb::object lidia::python::tableObject(FrameTablePointer Table, AnswerColumn C,
                                      bool IsChunked) {
  ChunkedArray Result{std::move(Table), C};
  if (IsChunked)
    return nb::cast(std::move(Result));
  return nb::cast(Array{std::move(Result)});
}

nb::object
lidia::python::answerObject(FrameTablePointer Table, bool IsChunked,
                            const std::vector<AnswerColumn> &Others) {
  nb::object Frames = tableObject(Table, AnswerColumn::Frames, IsChunked);
  if (Others.empty())
    return Frames;
  nb::list All;
  All.append(Frames);
  for (AnswerColumn C : Others)
    All.append(tableObject(Table, C, IsChunked));
  return nb::tuple(All);
}

std::vector<AnswerColumn> lidia::python::otherColumns(bool WithReasons,
                                                      bool WithMisses) {
  std::vector<AnswerColumn> Others;
  if (WithReasons)
    Others.push_back(AnswerColumn::Reasons);
  if (WithMisses)
    Others.push_back(AnswerColumn::Misses);
  return Others;
}
