//===- Module.cpp - The Python module lidia._lidia ------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bindings.h"
#include <cerrno>
#include <nanobind/stl/string.h>
#include <string_view>
#include <unordered_map>

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

static thread_local Cancellation *CancellationOfThread = nullptr;

Cancellation *Cancellation::ofThread() { return CancellationOfThread; }

static void raiseCancelled() {
  errno = ECANCELED;
  PyErr_SetFromErrno(PyExc_OSError);
}

void Cancellation::enter() {
  if (IsSet) {
    raiseCancelled();
    throw nb::python_error();
  }
  Outer = std::exchange(CancellationOfThread, this);
}

void Cancellation::exit() {
  CancellationOfThread = std::exchange(Outer, nullptr);
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
  const Cancellation *Stop = Cancellation::ofThread();
  if (!HasRaised && Stop && Stop->isSet()) {
    raiseCancelled();
    HasRaised = true;
  }
  return !HasRaised;
}

nb::object lidia::python::reduced(nb::handle Class, nb::handle Source,
                                  nb::handle Options) {
  nb::object Partial = nb::module_::import_("functools").attr("partial");
  return nb::make_tuple(Partial(Class, **nb::cast<nb::dict>(Options)),
                        nb::make_tuple(Source));
}

bool lidia::python::raisesOutages(const std::string &OnStoreError) {
  if (OnStoreError != "raise" && OnStoreError != "null")
    throw nb::value_error("on_store_error must be 'raise' or 'null'");
  return OnStoreError == "raise";
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
  for (nb::handle Item : Addresses) {
    handleSignals(Result.size());
    Result.push_back(addressOf(Item));
  }
  return Result;
}

//===----------------------------------------------------------------------===//
// Frames
//===----------------------------------------------------------------------===//

static nb::object numberOrNone(uint64_t Number) {
  return Number ? nb::object(nb::cast(Number)) : nb::none();
}

namespace {

/// Makes the Python objects of answers. Frames of many addresses have few
/// different texts, each of which becomes one object.
class FrameMaker {
public:
  nb::object list(const FrameList &Found) {
    nb::object List = Frames();
    for (const lidia::SymbolizedFrame &F : Found) {
      nb::object Made = frame(F);
      if (PyList_Append(List.ptr(), Made.ptr()))
        throw nb::python_error();
    }
    return List;
  }

private:
  /// A named tuple's own constructor is a function in Python.
  nb::object frame(const lidia::SymbolizedFrame &F) {
    nb::object Start = nb::none(), Offset = nb::none();
    if (F.StartAddress) {
      Start = nb::cast(*F.StartAddress);
      Offset = nb::cast(F.FunctionOffset);
    }
    return NewTuple(Frame,
                    nb::make_tuple(text(F.Function), text(F.File),
                                   numberOrNone(F.Line), numberOrNone(F.Column),
                                   F.IsInlined, Start,
                                   numberOrNone(F.FunctionSize), Offset));
  }

  nb::object text(const std::string &Text) {
    if (Text.empty())
      return nb::none();
    nb::object &Known = Texts[Text];
    if (!Known.is_valid())
      Known = nb::cast(Text);
    return Known;
  }

  nb::module_ Records = nb::module_::import_("lidia._records");
  nb::object Frame = Records.attr("Frame"), Frames = Records.attr("Frames");
  nb::object NewTuple =
      nb::handle(reinterpret_cast<PyObject *>(&PyTuple_Type)).attr("__new__");
  std::unordered_map<std::string_view, nb::object> Texts;
};

/// Stops the search for cycles, of which objects that are only made here have
/// none: it would look at all of them again and again.
class NoCollection {
public:
  NoCollection() : Was(PyGC_Disable()) {}
  ~NoCollection() {
    if (Was)
      PyGC_Enable();
  }

private:
  int Was;
};

} // namespace

nb::object lidia::python::frameList(const FrameList &Frames) {
  return FrameMaker().list(Frames);
}

void lidia::python::appendFrames(const std::vector<FrameList> &Answers,
                                 nb::list &To) {
  NoCollection Off;
  FrameMaker Maker;
  for (size_t I = 0; I != Answers.size(); ++I) {
    handleSignals(I);
    To.append(Maker.list(Answers[I]));
  }
}

NB_MODULE(_lidia, M) {
  M.doc() = "The part of lidia that is in C++.";
  // Others keep our arrays until the interpreter has ended: DuckDB, for one.
  nb::set_leak_warnings(false);
  M.def(
      "version", [] { return LIDIA_VERSION_STRING; },
      nb::sig("def version() -> str"));
  bindTables(M);
  bindArchive(M);
  bindSymbolizer(M);
  bindProcess(M);
  bindConversions(M);
}
