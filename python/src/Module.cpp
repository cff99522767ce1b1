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
  // Any thread that closes the archive may release it.
  Bytes.Owner =
      std::shared_ptr<const void>(Data.release().ptr(), [](const void *Object) {
        nb::gil_scoped_acquire Lock;
        Py_DECREF(static_cast<PyObject *>(const_cast<void *>(Object)));
      });
  return Bytes;
}

bool SignalWatch::goOn() {
  // Taking the lock may have to wait for another thread.
  constexpr auto Pause = std::chrono::milliseconds(50);
  auto Now = std::chrono::steady_clock::now();
  if (HasRaised || Now - Last < Pause)
    return !HasRaised;
  Last = Now;
  nb::gil_scoped_acquire Lock;
  HasRaised = PyErr_CheckSignals() != 0;
  return !HasRaised;
}

uint64_t lidia::python::addressOf(nb::handle Number) {
  nb::object Integer = nb::steal(PyNumber_Index(Number.ptr()));
  if (!Integer.is_valid()) {
    PyErr_Clear();
    nb::str Class = nb::inst_name(Number);
    throw nb::type_error(
        (std::string("an address must be an int, not ") + Class.c_str())
            .c_str());
  }
  uint64_t Address = PyLong_AsUnsignedLongLong(Integer.ptr());
  if (Address == UINT64_MAX && PyErr_Occurred()) {
    PyErr_Clear();
    nb::str Text(Integer);
    PyErr_Format(PyExc_OverflowError,
                 "an address must be at least 0 and less than 2**64, not %s",
                 Text.c_str());
    throw nb::python_error();
  }
  return Address;
}

std::vector<uint64_t> lidia::python::addressesOf(nb::handle Addresses) {
  std::vector<uint64_t> Result;
  for (nb::handle Item : Addresses)
    Result.push_back(addressOf(Item));
  return Result;
}

static nb::object textOrNone(const std::string &Text) {
  return Text.empty() ? nb::none() : nb::object(nb::cast(Text));
}

static nb::object numberOrNone(uint32_t Number) {
  return Number ? nb::object(nb::cast(Number)) : nb::none();
}

namespace {
/// The Python classes of an answer.
struct FrameClasses {
  nb::module_ Records = nb::module_::import_("lidia._records");
  nb::object Frame = Records.attr("Frame"), Frames = Records.attr("Frames");

  nb::object list(const FrameList &Found) const {
    nb::list List;
    for (const lidia::SymbolizedFrame &F : Found)
      List.append(Frame(textOrNone(F.Function), textOrNone(F.File),
                        numberOrNone(F.Line), numberOrNone(F.Column),
                        F.IsInlined));
    return Frames(List);
  }
};
} // namespace

nb::object lidia::python::frameList(const FrameList &Frames) {
  return FrameClasses().list(Frames);
}

nb::object lidia::python::frameLists(const std::vector<FrameList> &Answers) {
  FrameClasses Classes;
  nb::list List;
  for (const FrameList &Frames : Answers)
    List.append(Classes.list(Frames));
  return List;
}

NB_MODULE(_lidia, M) {
  M.doc() = "The part of lidia that is in C++.";
  M.def(
      "version", [] { return LIDIA_VERSION_STRING; },
      nb::sig("def version() -> str"));
  bindTables(M);
  bindArchive(M);
  bindSymbolizer(M);
  bindProcess(M);
  bindConversions(M);
}
