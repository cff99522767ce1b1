//===- Module.cpp - The Python module lidia._lidia ------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bindings.h"
#include <nanobind/stl/string.h>

using namespace lidia::python;

void lidia::python::raise(const Failure &F) {
  std::string_view Class = F.Class;
  nb::object File = F.File.empty() ? nb::none() : nb::object(nb::cast(F.File));
  nb::object Exception;
  if (Class == "OSError")
    // Python picks the subclass: FileNotFoundError, ...
    Exception = nb::handle(PyExc_OSError)(F.Number, F.Message, File);
  else if (Class == "ValueError" || Class == "TypeError")
    Exception = nb::handle(Class == "ValueError" ? PyExc_ValueError
                                                 : PyExc_TypeError)(F.Message);
  else
    Exception =
        nb::module_::import_("lidia._errors").attr(F.Class)(F.Message, File);
  PyErr_SetObject(Exception.type().ptr(), Exception.ptr());
  throw nb::python_error();
}

CallerBytes lidia::python::bytesOf(nb::bytes Data, std::string Name) {
  CallerBytes Bytes{std::move(Name), Data.c_str(), Data.size(), nullptr};
  // Released by whichever thread closes the archive.
  Bytes.Owner =
      std::shared_ptr<const void>(Data.release().ptr(), [](const void *Object) {
        nb::gil_scoped_acquire Lock;
        Py_DECREF(static_cast<PyObject *>(const_cast<void *>(Object)));
      });
  return Bytes;
}

std::vector<uint64_t> lidia::python::addressesOf(nb::handle Addresses) {
  std::vector<uint64_t> Result;
  for (nb::handle Item : Addresses)
    Result.push_back(nb::cast<uint64_t>(Item));
  return Result;
}

static nb::object textOrNone(const std::string &Text) {
  return Text.empty() ? nb::none() : nb::object(nb::cast(Text));
}

static nb::object numberOrNone(uint32_t Number) {
  return Number ? nb::object(nb::cast(Number)) : nb::none();
}

static nb::object frameList(const nb::object &FrameClass,
                            const std::vector<FrameText> &Frames) {
  nb::list List;
  for (const FrameText &F : Frames)
    List.append(FrameClass(textOrNone(F.Function), textOrNone(F.File),
                           numberOrNone(F.Line), numberOrNone(F.Column),
                           F.IsInlined));
  return List;
}

static nb::object frameClass() {
  return nb::module_::import_("lidia._records").attr("Frame");
}

nb::object lidia::python::frameList(const std::vector<FrameText> &Frames) {
  return ::frameList(frameClass(), Frames);
}

nb::object
lidia::python::frameLists(const std::vector<std::vector<FrameText>> &Answers) {
  nb::object Class = frameClass();
  nb::list List;
  for (const std::vector<FrameText> &Frames : Answers)
    List.append(::frameList(Class, Frames));
  return List;
}

NB_MODULE(_lidia, M) {
  M.doc() = "The part of lidia that is in C++.";
  bindTables(M);
  bindArchive(M);
  bindSymbolizer(M);
  bindConversions(M);
}
