//===- Bindings.h - Parts of the Python module ------------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_PYTHON_SRC_BINDINGS_H
#define LIDIA_PYTHON_SRC_BINDINGS_H

#include "Facade.h"
#include <chrono>
#include <nanobind/nanobind.h>

namespace lidia::python {

namespace nb = nanobind;

/// Raises the exception of \p F.
[[noreturn]] void raise(const Failure &F);

/// Runs \p Function without the interpreter's lock, and raises what it fails
/// with.
template <typename F> auto withoutLock(F Function) {
  auto Done = [&] {
    nb::gil_scoped_release Released;
    return Function();
  }();
  if (const auto *Failed = std::get_if<Failure>(&Done))
    raise(*Failed);
  return std::move(std::get<0>(Done));
}

/// Lets Python handle signals during a call without the interpreter's lock.
/// What a handler raises, KeyboardInterrupt usually, ends the call.
class SignalWatch {
public:
  /// For the parameter GoOn of the facade.
  Interest interest() {
    return [this] { return goOn(); };
  }
  bool hasRaised() const { return HasRaised; }

private:
  bool goOn();

  std::chrono::steady_clock::time_point Last = std::chrono::steady_clock::now();
  bool HasRaised = false;
};

/// withoutLock() for a function that takes an Interest.
template <typename F> auto interruptibly(F Function) {
  SignalWatch Signals;
  auto Done = [&] {
    nb::gil_scoped_release Released;
    return Function(Signals.interest());
  }();
  if (Signals.hasRaised())
    throw nb::python_error();
  if (const auto *Failed = std::get_if<Failure>(&Done))
    raise(*Failed);
  return std::move(std::get<0>(Done));
}

/// The bytes of \p Data, without a copy, as long as \p Data lives.
CallerBytes bytesOf(nb::bytes Data, std::string Name);

/// The Arrow array or stream that \p From gives.
std::unique_ptr<ArrowColumn> importColumn(nb::handle From, const char *What);

/// \p Table as an object with Arrow's methods: lidia.Array, or
/// lidia.ChunkedArray if \p IsChunked.
nb::object tableObject(FrameTablePointer Table, AnswerColumn C, bool IsChunked);

/// The same, with the reasons beside it if \p WithReasons.
nb::object answerObject(FrameTablePointer Table, bool IsChunked,
                        bool WithReasons);

/// A lidia.Frames.
nb::object frameList(const std::vector<FrameText> &Frames);
/// A list of them.
nb::object frameLists(const std::vector<std::vector<FrameText>> &Answers);

/// The address \p Number. Raises OverflowError or TypeError.
uint64_t addressOf(nb::handle Number);
/// The integers in \p Addresses, an iterable.
std::vector<uint64_t> addressesOf(nb::handle Addresses);

// Each adds its part to the module.
void bindTables(nb::module_ &M);
void bindArchive(nb::module_ &M);
void bindSymbolizer(nb::module_ &M);
void bindProcess(nb::module_ &M);
void bindConversions(nb::module_ &M);

/// The archive after a lidia.Archive, if \p Object is one. Raises ValueError
/// if it is closed.
ArchiveHandle::Pointer archiveOf(nb::handle Object);

} // namespace lidia::python

#endif // LIDIA_PYTHON_SRC_BINDINGS_H
