//===- ConversionBinding.cpp - Conversions and profiles for Python --------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Implements lidia.convert() and lidia.symbolize_profile(), which are in
/// Python.
///
//===----------------------------------------------------------------------===//

#include "Bindings.h"
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

using namespace lidia::python;

static std::vector<std::string>
convertBinary(nb::object Binary, std::string Output, bool Files, bool Lines,
              bool Columns, bool Checksums, bool Compress, bool FindDebugFile,
              std::string DebugFile, std::string Architecture, unsigned Threads,
              const Cancellation &Cancel) {
  ConversionOptions Options{Files,
                            Lines,
                            Columns,
                            Checksums,
                            Compress,
                            FindDebugFile,
                            std::move(DebugFile),
                            std::move(Architecture),
                            Threads};
  std::vector<std::string> Warnings;
  if (nb::isinstance<nb::bytes>(Binary)) {
    CallerBytes Bytes = bytesOf(nb::cast<nb::bytes>(Binary), "bytes");
    withoutLock([&] {
      return convertBytes(Bytes, Output, Options, Cancel.isSet(), Warnings);
    });
    return Warnings;
  }
  auto Path = nb::cast<std::string>(Binary);
  withoutLock([&] {
    return convertFile(Path, Output, Options, Cancel.isSet(), Warnings);
  });
  return Warnings;
}

static nb::object addInputs(std::string Where, std::vector<std::string> Inputs,
                            std::string WorkFolder, bool Force,
                            unsigned Threads, const Cancellation &Cancel) {
  std::vector<std::string> Warnings;
  AddedCounts Counts = withoutLock([&] {
    return addToStore(Where, Inputs, WorkFolder, Force, Threads, Cancel.isSet(),
                      Warnings);
  });
  return nb::make_tuple(Counts.Added, Counts.Present, Counts.Skipped,
                        Counts.Failures, Warnings);
}

static nb::object profileWithNames(
    nb::bytes Data, std::string Name, std::vector<std::string> Binaries,
    std::vector<std::string> Folders, std::string Root, std::string Store,
    std::string CacheFolder, bool Demangle, bool Force, bool Columns,
    std::string OnStoreError, std::string InputFormat, std::string OutputFormat,
    const Cancellation &Cancel) {
  ProfileOptions Options{std::move(Binaries),
                         std::move(Folders),
                         std::move(Root),
                         std::move(Store),
                         std::move(CacheFolder),
                         Demangle,
                         Force,
                         Columns,
                         raisesOutages(OnStoreError),
                         std::move(InputFormat),
                         std::move(OutputFormat)};
  CallerBytes Bytes = bytesOf(std::move(Data), std::move(Name));
  std::vector<std::string> Warnings;
  std::string Result = withoutLock([&] {
    return symbolizeProfile(Bytes, Options, Cancel.isSet(), Warnings);
  });
  return nb::make_tuple(nb::bytes(Result.data(), Result.size()), Warnings);
}

void lidia::python::bindConversions(nb::module_ &M) {
  nb::class_<Cancellation>(
      M, "Cancellation",
      "Stops calls from another thread: those that are given it, and all in a "
      "with statement.")
      .def(nb::init<>())
      .def("cancel", &Cancellation::cancel)
      .def("__enter__", &Cancellation::enter)
      .def(
          "__exit__", [](Cancellation &Self, nb::args) { Self.exit(); },
          nb::sig("def __exit__(self, *args: object) -> None"))
      .def_static("of_thread", &Cancellation::ofThread,
                  nb::rv_policy::reference,
                  nb::sig("def of_thread() -> Cancellation | None"));
  M.def("convert", convertBinary, nb::arg("binary"), nb::arg("output"),
        nb::arg("files"), nb::arg("lines"), nb::arg("columns"),
        nb::arg("checksums"), nb::arg("compress"), nb::arg("find_debug_file"),
        nb::arg("debug_file"), nb::arg("architecture"), nb::arg("threads"),
        nb::arg("cancellation"),
        nb::sig("def convert(binary: str | bytes, output: str, files: bool, "
                "lines: bool, columns: bool, checksums: bool, compress: bool, "
                "find_debug_file: bool, debug_file: str, architecture: str, "
                "threads: int, cancellation: Cancellation) -> list[str]"));
  M.def("add_to_store", addInputs, nb::arg("store"), nb::arg("inputs"),
        nb::arg("work_folder"), nb::arg("force"), nb::arg("threads"),
        nb::arg("cancellation"),
        nb::sig("def add_to_store(store: str, inputs: list[str], work_folder: "
                "str, force: bool, threads: int, cancellation: Cancellation) "
                "-> tuple[int, int, int, list[str], list[str]]"));
  M.def("symbolize_profile", profileWithNames, nb::arg("data"), nb::arg("name"),
        nb::arg("binaries"), nb::arg("folders"), nb::arg("root"),
        nb::arg("store"), nb::arg("cache"), nb::arg("demangle"),
        nb::arg("force"), nb::arg("columns"), nb::arg("on_store_error"),
        nb::arg("input_format"), nb::arg("format"), nb::arg("cancellation"),
        nb::sig(
            "def symbolize_profile(data: bytes, name: str, binaries: "
            "list[str], folders: list[str], root: str, store: str, cache: str, "
            "demangle: bool, force: bool, columns: bool, on_store_error: str, "
            "input_format: str, format: str, cancellation: Cancellation) -> "
            "tuple[bytes, list[str]]"));
}
