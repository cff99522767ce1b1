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
#include "lidia/Support/Interrupt.h"
#include <atomic>
#include <chrono>
#include <nanobind/nanobind.h>
#include <type_traits>

namespace lidia::python {

namespace nb = nanobind;

/// Raises the exception for \p F.
[[noreturn]] void raise(const Failure &F);

/// Stops calls from another thread: those that are given one, and those in its
/// thread while it is entered (Python's with).
class Cancellation {
public:
  void cancel() { IsSet = true; }
  const std::atomic<bool> &isSet() const { return IsSet; }
  void enter();
  void exit();
  /// The one that this thread has entered; null if there is none.
  static Cancellation *ofThread();

private:
  std::atomic<bool> IsSet = false;
  /// What the thread had entered before.
  Cancellation *Outer = nullptr;
};

/// Lets Python handle signals during a call without the interpreter's lock. An
/// exception from a handler, usually KeyboardInterrupt, ends the call, as does
/// the thread's Cancellation.
class SignalWatch {
public:
  /// The value of the facade's parameter GoOn.
  Interest interest() {
    return [this] { return goOn(); };
  }
  bool hasRaised() const { return HasRaised; }

private:
  bool goOn();

  std::chrono::steady_clock::time_point Last = std::chrono::steady_clock::now();
  bool HasRaised = false;
};

/// Runs \p Function without the interpreter's lock, and raises its failure as
/// an exception. Python handles signals while the function waits for a server,
/// or calls the Interest that it may take.
template <typename F> auto withoutLock(F Function) {
  SignalWatch Signals;
  auto Done = [&] {
    nb::gil_scoped_release Released;
    InterruptScope Scope(Signals.interest());
    if constexpr (std::is_invocable_v<F, const Interest &>)
      return Function(Signals.interest());
    else
      return Function();
  }();
  if (Signals.hasRaised())
    throw nb::python_error();
  if (const auto *Failed = std::get_if<Failure>(&Done))
    raise(*Failed);
  return std::move(std::get<0>(Done));
}

/// Raises the exception of a signal's handler. Loops that make many objects
/// call this for each item.
inline void handleSignals(size_t Item) {
  constexpr size_t Often = 4096;
  if (Item % Often == 0 && PyErr_CheckSignals())
    throw nb::python_error();
}

/// What __reduce__() returns for an object that \p Class makes of \p Source and
/// the keyword arguments \p Options.
nb::object reduced(nb::handle Class, nb::handle Source, nb::handle Options);

/// The bytes of \p Data, not copied. They are valid as long as \p Data lives.
CallerBytes bytesOf(nb::bytes Data, std::string Name);

/// Takes the Arrow array or stream from \p From.
std::unique_ptr<ArrowColumn> importColumn(nb::handle From, const char *What);

/// Wraps \p Table in an object with Arrow's methods: lidia.Array, or
/// lidia.ChunkedArray if \p IsChunked.
nb::object tableObject(FrameTablePointer Table, AnswerColumn C, bool IsChunked);

/// The frames; in a tuple with \p Others, unless there are none.
nb::object answerObject(FrameTablePointer Table, bool IsChunked,
                        const std::vector<AnswerColumn> &Others);

/// The columns that the arguments with_reasons and with_misses request.
std::vector<AnswerColumn> otherColumns(bool WithReasons, bool WithMisses);

/// Creates a lidia.Frames.
nb::object frameList(const FrameList &Frames);
/// Appends a lidia.Frames for each of \p Answers.
void appendFrames(const std::vector<FrameList> &Answers, nb::list &To);

/// Whether the argument on_store_error is "raise", and not "null". Raises
/// ValueError if it is neither.
bool raisesOutages(const std::string &OnStoreError);

/// Converts \p Number to an address. Raises OverflowError or TypeError.
uint64_t addressOf(nb::handle Number);
/// Converts the integers in the iterable \p Addresses.
std::vector<uint64_t> addressesOf(nb::handle Addresses);

// Each function adds its part to the module.
void bindTables(nb::module_ &M);
void bindArchive(nb::module_ &M);
void bindSymbolizer(nb::module_ &M);
void bindProcess(nb::module_ &M);
void bindConversions(nb::module_ &M);

/// The archive of \p Object, if that is a lidia.Archive; otherwise null. Raises
/// ValueError if the archive is closed.
ArchiveHandle::Pointer archiveOf(nb::handle Object);

} // namespace lidia::python

#endif // LIDIA_PYTHON_SRC_BINDINGS_H
