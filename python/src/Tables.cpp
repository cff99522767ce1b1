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
#include <nanobind/stl/string.h>

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
  if (!nb::hasattr(From, "__arrow_c_stream__"))
    throw nb::type_error((std::string(What) +
                          " must be an Arrow array (of pyarrow, Polars, "
                          "pandas or another library with "
                          "__arrow_c_array__ or __arrow_c_stream__), not " +
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

static std::string describe(const ChunkedArray &A, const char *Name) {
  return std::string("<lidia.") + Name + " of " +
         (A.C == AnswerColumn::Frames ? "frames, " : "reasons, ") +
         std::to_string(rowCount(A.Table)) + " rows>";
}

void lidia::python::bindTables(nb::module_ &M) {
  nb::class_<ChunkedArray>(
      M, "ChunkedArray",
      "Rows in several Arrow arrays. pyarrow.chunked_array(), polars.Series()\n"
      "and others take it without copying.")
      .def("__len__", [](const ChunkedArray &A) { return rowCount(A.Table); })
      .def("__repr__",
           [](const ChunkedArray &A) { return describe(A, "ChunkedArray"); })
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

nb::object lidia::python::answerObject(FrameTablePointer Table, bool IsChunked,
                                       bool WithReasons) {
  nb::object Frames = tableObject(Table, AnswerColumn::Frames, IsChunked);
  if (!WithReasons)
    return Frames;
  return nb::make_tuple(
      Frames, tableObject(std::move(Table), AnswerColumn::Reasons, IsChunked));
}
