//===- ArchiveBinding.cpp - lidia.Archive ---------------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bindings.h"
#include <cstring>
#include <mutex>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

using namespace lidia::python;

namespace {

/// lidia.Archive. If a thread closes it, calls that run in other threads
/// continue with the handle that they have.
struct OpenArchive {
  /// Null if the archive is closed.
  ArchiveHandle::Pointer Handle;
  /// What it was opened from, if that can be opened again: a path or a URL as
  /// text, or bytes; otherwise None.
  nb::object Source;
  nb::dict Options;

  ArchiveHandle::Pointer get() const {
    if (!Handle)
      throw nb::value_error("the archive is closed");
    return Handle;
  }
};

/// Reads a Python file object. Only one thread at a time may move its position.
class FileObject {
public:
  explicit FileObject(nb::object File) : File(std::move(File)) {}
  ~FileObject() {
    nb::gil_scoped_acquire Lock;
    File.reset();
  }

  /// See CallerFile::Read.
  std::string read(uint64_t Offset, char *To, size_t Size) {
    // Locked before the interpreter's lock, which read() may release.
    std::lock_guard<std::mutex> OneReader(Mutex);
    nb::gil_scoped_acquire Lock;
    try {
      File.attr("seek")(Offset);
      for (size_t Done = 0; Done < Size;) {
        nb::object Read = File.attr("read")(Size - Done);
        nb::bytes Part = nb::cast<nb::bytes>(Read);
        if (Part.size() == 0)
          return "the file ends too early";
        size_t Taken = std::min(Part.size(), Size - Done);
        std::memcpy(To + Done, Part.c_str(), Taken);
        Done += Taken;
      }
    } catch (const std::exception &E) {
      return E.what();
    }
    return "";
  }

private:
  std::mutex Mutex;
  nb::object File;
};

} // namespace

static CallerFile callerFile(nb::object Object) {
  CallerFile File;
  File.Name = "file object";
  if (nb::hasattr(Object, "name") &&
      nb::isinstance<nb::str>(Object.attr("name")))
    File.Name = nb::cast<std::string>(Object.attr("name"));
  Object.attr("seek")(0, 2);
  File.Size = nb::cast<uint64_t>(Object.attr("tell")());
  auto Reader = std::make_shared<FileObject>(std::move(Object));
  File.Read = [Reader](uint64_t Offset, char *To, size_t Size) {
    return Reader->read(Offset, To, Size);
  };
  return File;
}

static void openArchive(OpenArchive *Self, nb::object Source, bool Demangle,
                        bool Copy) {
  ArchiveOptions Options{Demangle, Copy};
  ArchiveHandle::Pointer Handle;
  nb::object Again = nb::none();
  if (nb::isinstance<nb::bytes>(Source)) {
    Again = Source;
    CallerBytes Bytes = bytesOf(nb::cast<nb::bytes>(Source), "bytes");
    Handle = withoutLock(
        [&] { return ArchiveHandle::open(std::move(Bytes), Options); });
  } else if (nb::hasattr(Source, "read") && nb::hasattr(Source, "seek")) {
    CallerFile File = callerFile(Source);
    Handle = withoutLock(
        [&] { return ArchiveHandle::open(std::move(File), Options); });
  } else {
    nb::object Path = nb::module_::import_("os").attr("fsdecode")(Source);
    nb::bytes Encoded =
        nb::cast<nb::bytes>(nb::module_::import_("os").attr("fsencode")(Path));
    std::string Where(Encoded.c_str(), Encoded.size());
    Handle = withoutLock([&] { return ArchiveHandle::open(Where, Options); });
    Again = Path;
  }
  nb::dict Given;
  Given["demangle"] = Demangle;
  Given["copy"] = Copy;
  new (Self) OpenArchive{std::move(Handle), std::move(Again), std::move(Given)};
}

ArchiveHandle::Pointer lidia::python::archiveOf(nb::handle Object) {
  if (!nb::isinstance<OpenArchive>(Object))
    return nullptr;
  return nb::cast<OpenArchive &>(Object).get();
}

static nb::object lookup(const OpenArchive &A, nb::handle Given,
                         bool IsReturn) {
  ArchiveHandle::Pointer Handle = A.get();
  uint64_t Address = addressOf(Given);
  return frameList(
      withoutLock([&] { return Handle->lookup({Address}, IsReturn); }).front());
}

static nb::object lookupBatch(const OpenArchive &A, nb::handle Given,
                              bool AreReturns) {
  ArchiveHandle::Pointer Handle = A.get();
  std::vector<uint64_t> Addresses = addressesOf(Given);
  // In pieces, so that Python handles signals soon, and no second copy of all
  // answers is needed.
  constexpr size_t MaxPiece = 1 << 15;
  nb::list All;
  for (size_t First = 0; First < Addresses.size(); First += MaxPiece) {
    std::vector<uint64_t> Piece(
        Addresses.begin() + First,
        Addresses.begin() + std::min(First + MaxPiece, Addresses.size()));
    appendFrames(withoutLock([&] { return Handle->lookup(Piece, AreReturns); }),
                 All);
  }
  return All;
}

static nb::object symbolize(const OpenArchive &A, nb::handle Given,
                            bool AreReturns, bool WithReasons,
                            bool WithMisses) {
  ArchiveHandle::Pointer Handle = A.get();
  std::unique_ptr<ArrowColumn> Addresses = importColumn(Given, "addresses");
  FrameTablePointer Table = withoutLock([&](const Interest &GoOn) {
    return Handle->symbolize(*Addresses, AreReturns, GoOn);
  });
  return answerObject(std::move(Table), Addresses->isChunked(),
                      otherColumns(WithReasons, WithMisses));
}

static nb::object functions(const OpenArchive &A,
                            const std::optional<std::string> &Name) {
  ArchiveHandle::Pointer Handle = A.get();
  std::vector<FunctionText> All =
      withoutLock([&] { return Handle->functions(Name ? &*Name : nullptr); });
  nb::object Class = nb::module_::import_("lidia._records").attr("Function");
  nb::list List;
  for (const FunctionText &F : All) {
    nb::object File =
        F.File.empty() ? nb::none() : nb::object(nb::cast(F.File));
    List.append(
        Class(F.Name, File, nb::tuple(nb::cast(F.Entries)), F.InlinedRanges));
  }
  return List;
}

static nb::object addressOfOffset(const OpenArchive &A, nb::handle Offset) {
  std::optional<uint64_t> Address = A.get()->addressOf(addressOf(Offset));
  return Address ? nb::object(nb::cast(*Address)) : nb::none();
}

/// lidia.names() reports the warnings.
static nb::tuple openNames(nb::object Path, bool Demangle) {
  nb::bytes Encoded =
      nb::cast<nb::bytes>(nb::module_::import_("os").attr("fsencode")(Path));
  std::string Where(Encoded.c_str(), Encoded.size());
  std::vector<std::string> Warnings;
  ArchiveHandle::Pointer Handle = withoutLock([&] {
    return ArchiveHandle::openNames(Where, {Demangle, false}, Warnings);
  });
  return nb::make_tuple(OpenArchive{std::move(Handle), nb::none(), nb::dict()},
                        Warnings);
}

static nb::object reduce(const OpenArchive &A) {
  if (A.Source.is_none())
    throw nb::type_error("an archive that was opened from a file object cannot "
                         "be pickled: open it by path");
  return reduced(nb::type<OpenArchive>(), A.Source, A.Options);
}

static nb::object buildID(const OpenArchive &A) {
  std::string ID = A.get()->describe().BuildID;
  return ID.empty() ? nb::none() : nb::object(nb::cast(ID));
}

static std::string describe(const OpenArchive &A) {
  if (!A.Handle)
    return "<lidia.Archive, closed>";
  ArchiveText Text = A.Handle->describe();
  return "<lidia.Archive " + Text.Name + ", " + std::to_string(Text.Ranges) +
         " ranges>";
}

void lidia::python::bindArchive(nb::module_ &M) {
  nb::class_<OpenArchive>(
      M, "Archive",
      "An archive that is open for lookups. The source is a path, a URL\n"
      "(https, http, s3), bytes, or a binary file object with seek() and\n"
      "read(). A file is mapped: it must not be truncated while the archive\n"
      "is open, unless it is opened with copy=True. Threads can share an\n"
      "archive.")
      .def("__init__", openArchive, nb::arg("source").none(), nb::kw_only(),
           nb::arg("demangle") = true, nb::arg("copy") = false,
           nb::sig("def __init__(self, source: str | bytes | "
                   "os.PathLike[str] | typing.BinaryIO, *, demangle: bool = "
                   "True, copy: bool = False) -> None"))
      .def("lookup", lookup, nb::arg("address").none(), nb::kw_only(),
           nb::arg("is_return") = false,
           nb::sig("def lookup(self, address: int, *, is_return: bool = False) "
                   "-> lidia._records.Frames"),
           "The functions at an address of the binary, innermost first;\n"
           "empty if nothing is known about it. With is_return, the address\n"
           "is a return address, and the result is that of the call before\n"
           "it.")
      .def("lookup_batch", lookupBatch, nb::arg("addresses").none(),
           nb::kw_only(), nb::arg("are_returns") = false,
           nb::sig("def lookup_batch(self, addresses: "
                   "collections.abc.Iterable[int], *, are_returns: bool = "
                   "False) -> list[lidia._records.Frames]"),
           "The result of lookup() for each address, in the same order.")
      .def("symbolize", symbolize, nb::arg("addresses").none(), nb::kw_only(),
           nb::arg("are_returns") = false, nb::arg("with_reasons") = false,
           nb::arg("with_misses") = false,
           nb::sig("def symbolize(self, addresses: object, *, are_returns: "
                   "bool = False, with_reasons: bool = False, with_misses: "
                   "bool = False) -> typing.Any"),
           "The frames of each row of an Arrow array of uint64 or int64, as\n"
           "an Arrow array of the type list<struct<function, file, line,\n"
           "inlined>>: a lidia.Array or, for a chunked array, a\n"
           "lidia.ChunkedArray. Null if nothing is known about the address.\n"
           "With with_reasons or with_misses, returns a tuple: the frames,\n"
           "the reasons why rows have none, as texts, and the codes of the\n"
           "reasons (docs/Misses.md), also of rows without lines.")
      .def(
          "functions",
          [](const OpenArchive &A) { return functions(A, std::nullopt); },
          nb::sig("def functions(self) -> list[lidia._records.Function]"),
          "All functions with names, in order of address.")
      .def(
          "find",
          [](const OpenArchive &A, std::string Name) {
            return functions(A, std::move(Name));
          },
          nb::arg("name"),
          nb::sig("def find(self, name: str) -> "
                  "list[lidia._records.Function]"),
          "The functions of a name: the linkage name, or the readable one,\n"
          "with or without scopes and parameters.")
      .def("address_of", addressOfOffset, nb::arg("file_offset").none(),
           nb::sig("def address_of(self, file_offset: int) -> int | None"),
           "The address of the code at an offset in the binary's file; None\n"
           "if there is none, or the archive does not say where code is.")
      .def(
          "files",
          [](const OpenArchive &A) {
            ArchiveHandle::Pointer Handle = A.get();
            return withoutLock([&] { return Handle->files(); });
          },
          "All source files.")
      .def(
          "verify",
          [](const OpenArchive &A) {
            ArchiveHandle::Pointer Handle = A.get();
            withoutLock([&] { return Handle->verify(); });
          },
          "Reads the whole archive. Raises lidia.Damaged if it contradicts\n"
          "its checksums or itself.")
      .def(
          "close", [](OpenArchive &A) { A.Handle.reset(); },
          "Closes the archive; other calls then raise ValueError.")
      .def_prop_ro("closed", [](const OpenArchive &A) { return !A.Handle; })
      .def_prop_ro(
          "build_id", buildID, nb::sig("def build_id(self) -> str | None"),
          "The binary's build ID in hexadecimal digits, if it has one.")
      .def_prop_ro(
          "name", [](const OpenArchive &A) { return A.get()->describe().Name; },
          "The path, the URL, or the name of the file object.")
      .def(
          "__enter__", [](nb::object Self) { return Self; },
          nb::sig("def __enter__(self) -> Archive"))
      .def(
          "__exit__", [](OpenArchive &A, nb::args) { A.Handle.reset(); },
          nb::sig("def __exit__(self, *args: object) -> None"))
      .def("__reduce__", reduce,
           nb::sig("def __reduce__(self) -> tuple[typing.Any, ...]"),
           "Archives are pickled by path, URL or bytes.")
      .def("__repr__", describe);
  M.def(
      "open_names", openNames, nb::arg("binary"), nb::arg("demangle"),
      nb::sig("def open_names(binary: str | os.PathLike[str], demangle: bool) "
              "-> tuple[Archive, list[str]]"));
}
