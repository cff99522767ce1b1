//===- SymbolizerBinding.cpp - lidia.Symbolizer ---------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bindings.h"
#include <nanobind/stl/string.h>

using namespace lidia::python;

namespace {

/// lidia.Symbolizer.
struct OpenSymbolizer {
  SymbolizerHandle::Pointer Handle;
  /// The arguments that it was made with.
  nb::object Source;
  nb::dict Options;
};

} // namespace

static std::string pathOf(nb::handle Path) {
  nb::bytes Encoded =
      nb::cast<nb::bytes>(nb::module_::import_("os").attr("fsencode")(Path));
  return std::string(Encoded.c_str(), Encoded.size());
}

/// Converts a build ID, text or bytes, to hexadecimal digits. Raises TypeError.
static std::string digitsOf(nb::handle ID) {
  if (nb::isinstance<nb::str>(ID)) {
    auto Digits = nb::cast<std::string>(ID);
    if (Digits.empty() || Digits.size() % 2 ||
        Digits.find_first_not_of("0123456789abcdefABCDEF") != Digits.npos)
      throw nb::value_error(
          ("'" + Digits + "' is not a build ID in hexadecimal digits").c_str());
    return Digits;
  }
  if (!nb::isinstance<nb::bytes>(ID))
    throw nb::type_error("a build ID must be str or bytes");
  return nb::cast<std::string>(ID.attr("hex")());
}

static ArchivePlace placeOf(nb::handle Value) {
  if (ArchiveHandle::Pointer Handle = archiveOf(Value))
    return Handle;
  return pathOf(Value);
}

/// Converts a mapping from build IDs to archives, or a list of archives that
/// have build IDs.
static std::vector<std::pair<std::string, ArchivePlace>>
placesOf(nb::handle Given) {
  std::vector<std::pair<std::string, ArchivePlace>> Places;
  if (nb::hasattr(Given, "items")) {
    for (nb::handle Item : Given.attr("items")())
      Places.emplace_back(digitsOf(Item[0]), placeOf(Item[1]));
    return Places;
  }
  for (nb::handle Item : Given) {
    ArchiveHandle::Pointer Handle = archiveOf(Item);
    if (!Handle)
      throw nb::type_error("expected a store, a mapping from build IDs to "
                           "archives, or archives");
    ArchiveText Text = Handle->describe();
    if (Text.BuildID.empty())
      throw nb::value_error((Text.Name + ": has no build ID: give a mapping "
                                         "from build IDs to archives")
                                .c_str());
    Places.emplace_back(Text.BuildID, Handle);
  }
  return Places;
}

static void openSymbolizer(OpenSymbolizer *Self, nb::object Source,
                           bool Demangle, bool Copy, size_t MaxArchives,
                           uint64_t MaxMemory, std::string OnStoreError) {
  StoreOptions Options{{Demangle, Copy}, MaxArchives, MaxMemory};
  Options.FailOnOutage = raisesOutages(OnStoreError);
  SymbolizerHandle::Pointer Handle;
  bool IsStore =
      nb::isinstance<nb::str>(Source) || nb::hasattr(Source, "__fspath__");
  // What changes later, or can be read only once, is copied.
  if (nb::hasattr(Source, "items"))
    Source = nb::handle(reinterpret_cast<PyObject *>(&PyDict_Type))(Source);
  else if (!IsStore)
    Source = nb::list(Source);
  if (IsStore) {
    std::string Where = pathOf(Source);
    Handle = withoutLock(
        [&] { return SymbolizerHandle::openStore(Where, Options); });
  } else {
    auto Places = placesOf(Source);
    Handle = withoutLock([&] {
      return SymbolizerHandle::openPlaces(std::move(Places), Options);
    });
  }
  nb::dict Given;
  Given["demangle"] = Demangle;
  Given["copy"] = Copy;
  Given["max_archives"] = MaxArchives;
  Given["max_memory"] = MaxMemory;
  Given["on_store_error"] = OnStoreError;
  new (Self)
      OpenSymbolizer{std::move(Handle), std::move(Source), std::move(Given)};
}

static nb::object symbolize(const OpenSymbolizer &S, nb::handle GivenIDs,
                            nb::handle GivenAddresses, bool AreReturns,
                            bool WithReasons, bool WithMisses) {
  std::unique_ptr<ArrowColumn> Column;
  BuildIDs IDs;
  if (nb::isinstance<nb::str>(GivenIDs) || nb::isinstance<nb::bytes>(GivenIDs))
    IDs = digitsOf(GivenIDs);
  else {
    Column = importColumn(GivenIDs, "build IDs");
    IDs = Column.get();
  }
  std::unique_ptr<ArrowColumn> Addresses =
      importColumn(GivenAddresses, "addresses");
  SymbolizerHandle::Pointer Handle = S.Handle;
  FrameTablePointer Table = withoutLock([&](const Interest &GoOn) {
    return Handle->symbolize(IDs, *Addresses, AreReturns, GoOn);
  });
  return answerObject(std::move(Table), Addresses->isChunked(),
                      otherColumns(WithReasons, WithMisses));
}

static nb::object lookup(const OpenSymbolizer &S, nb::handle ID,
                         nb::handle Given, bool IsReturn) {
  SymbolizerHandle::Pointer Handle = S.Handle;
  std::string Digits = digitsOf(ID);
  uint64_t Address = addressOf(Given);
  return frameList(withoutLock([&] {
                     return Handle->lookup(Digits, {Address}, IsReturn);
                   }).front());
}

static std::string describe(const OpenSymbolizer &S) {
  SymbolizerHandle::Pointer Handle = S.Handle;
  nb::gil_scoped_release Released;
  SymbolizerStatistics F = Handle->statistics();
  return "<lidia.Symbolizer, " + std::to_string(F.Archives) + " of at most " +
         std::to_string(F.MaxArchives) + " archives open, " +
         std::to_string(F.Memory) + " of at most " +
         std::to_string(F.MaxMemory) + " bytes>";
}

static nb::dict statistics(const OpenSymbolizer &S) {
  SymbolizerHandle::Pointer Handle = S.Handle;
  SymbolizerStatistics F = [&] {
    nb::gil_scoped_release Released;
    return Handle->statistics();
  }();
  nb::dict Result;
  Result["archives"] = F.Archives;
  Result["max_archives"] = F.MaxArchives;
  Result["memory"] = F.Memory;
  Result["max_memory"] = F.MaxMemory;
  for (auto [Name, Value] : F.Counts)
    Result[Name] = Value;
  if (F.Counts.empty())
    return Result;
  Result["open_seconds"] = F.OpenSeconds;
  nb::dict Missing;
  for (const auto &[ID, Count] : F.Missing)
    Missing[ID.c_str()] = Count;
  Result["missing_build_ids"] = Missing;
  return Result;
}

static std::string metrics(const OpenSymbolizer &S) {
  SymbolizerHandle::Pointer Handle = S.Handle;
  nb::gil_scoped_release Released;
  return Handle->metrics();
}

static void recordUse(const OpenSymbolizer &S) {
  SymbolizerHandle::Pointer Handle = S.Handle;
  withoutLock([&] { return Handle->recordUse(); });
}

void lidia::python::bindSymbolizer(nb::module_ &M) {
  nb::class_<OpenSymbolizer>(
      M, "Symbolizer",
      "The archives of a store (a folder or s3://bucket/prefix), of a\n"
      "mapping from build IDs to archives or their paths or URLs, or of a\n"
      "list of archives. Each archive is opened when it is first needed.\n"
      "The max_archives archives that were used last stay open, if they\n"
      "need at most max_memory bytes of memory without names. Threads can\n"
      "share a symbolizer.")
      .def("__init__", openSymbolizer, nb::arg("source").none(), nb::kw_only(),
           nb::arg("demangle") = true, nb::arg("copy") = false,
           nb::arg("max_archives") = 1024,
           nb::arg("max_memory") = uint64_t(1) << 30,
           nb::arg("on_store_error") = "raise",
           nb::sig("def __init__(self, source: str | os.PathLike[str] | "
                   "collections.abc.Mapping[str, str | os.PathLike[str] | "
                   "Archive] | collections.abc.Mapping[bytes, str | "
                   "os.PathLike[str] | Archive] | "
                   "collections.abc.Iterable[Archive], *, demangle: bool = "
                   "True, copy: bool = False, max_archives: int = 1024, "
                   "max_memory: int = 1073741824, on_store_error: "
                   "typing.Literal['raise', 'null'] = 'raise') -> None"))
      .def("symbolize", symbolize, nb::arg("build_ids").none(),
           nb::arg("addresses").none(), nb::kw_only(),
           nb::arg("are_returns") = false, nb::arg("with_reasons") = false,
           nb::arg("with_misses") = false,
           nb::sig("def symbolize(self, build_ids: object, addresses: object, "
                   "*, are_returns: bool = False, with_reasons: bool = False, "
                   "with_misses: bool = False) -> typing.Any"),
           "The frames of each row, as in Archive.symbolize(). The build IDs\n"
           "are an Arrow array of hexadecimal text or of bytes, or a\n"
           "dictionary of them, or one build ID for all rows. An archive that\n"
           "is missing or damaged affects only its rows, which are null. A\n"
           "store that does not answer is asked again for half a minute\n"
           "(LIDIA_STORE_TIMEOUT); then OSError is raised or, with\n"
           "on_store_error=\"null\", rows are null with the code no_answer.")
      .def("lookup", lookup, nb::arg("build_id"), nb::arg("address").none(),
           nb::kw_only(), nb::arg("is_return") = false,
           nb::sig("def lookup(self, build_id: str | bytes, address: int, *, "
                   "is_return: bool = False) -> lidia._records.Frames"),
           "The functions at an address, as in Archive.lookup().")
      .def("figures", statistics,
           nb::sig("def figures(self) -> dict[str, typing.Any]"),
           "The numbers of open archives and, for a store, of archives that\n"
           "were opened, missing and requested since the symbolizer was\n"
           "created, as a dictionary.")
      .def("metrics", metrics,
           "The figures of a store in Prometheus's text format.")
      .def("record_use", recordUse,
           "Records in the store the build IDs that were found there since\n"
           "the last call, so that llvm-lidia store prune keeps them. Call\n"
           "it regularly, at least once a day.")
      .def(
          "__reduce__",
          [](const OpenSymbolizer &S) {
            return reduced(nb::type<OpenSymbolizer>(), S.Source, S.Options);
          },
          nb::sig("def __reduce__(self) -> tuple[typing.Any, ...]"),
          "Symbolizers are pickled by what they were made of.")
      .def("__repr__", describe);
}
