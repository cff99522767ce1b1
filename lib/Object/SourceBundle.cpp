//===- SourceBundle.cpp - Source files in a bundle of Sentry's ------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// RapidJSON's reader calls a handler for each name and value of the manifest.
/// LLVM's reader is recursive, and keeps objects of many times the text's size.
///
//===----------------------------------------------------------------------===//

#include "SourceBundle.h"
#include "Support/RapidJSON.h"
#include "lidia/Error.h"
#include "lidia/Object/FileKind.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/StringSaver.h"
#include <algorithm>
#include <numeric>

using namespace llvm;

namespace lidia {

static constexpr StringLiteral ManifestName = "manifest.json";

/// Like symbolic, which compares paths with slashes only.
static std::string withSlashes(StringRef Path) {
  std::string Result = Path.str();
  std::replace(Result.begin(), Result.end(), '\\', '/');
  return Result;
}

namespace {
/// The handler of RapidJSON's reader. The manifest is an object such as
///
///   {"files": {"files/src/a.c": {"type": "source", "path": "/src/a.c"}},
///    "debug_id": "487a36f9-...", "object_name": "a"}
///
/// Other members, and values of other types, are ignored.
class ManifestHandler
    : public rapidjson::BaseReaderHandler<rapidjson::UTF8<>, ManifestHandler> {
public:
  explicit ManifestHandler(function_ref<void(StringRef Name, StringRef Path)> F)
      : AddFile(F) {}

  // The names are RapidJSON's. NOLINTBEGIN(readability-identifier-naming)
  bool StartObject() {
    if (++Depth == DepthOfFile)
      Path = Type = std::string();
    return true;
  }
  bool EndObject(rapidjson::SizeType) {
    bool IsSource = Type.empty() || Type == "source";
    if (Depth-- == DepthOfFile && Member == "files" && IsSource &&
        !Path.empty())
      AddFile(Name, Path);
    return true;
  }
  bool StartArray() {
    ++Depth;
    return true;
  }
  bool EndArray(rapidjson::SizeType) {
    --Depth;
    return true;
  }
  bool Key(const char *Text, rapidjson::SizeType Size, bool) {
    std::string *const Keys[] = {&Member, &Name, &Field};
    if (Depth <= DepthOfFile)
      Keys[Depth - 1]->assign(Text, Size);
    return true;
  }
  bool String(const char *Text, rapidjson::SizeType Size, bool) {
    if (Depth == 1 && Member == "debug_id")
      ID.assign(Text, Size);
    else if (Depth == DepthOfFile && Field == "path")
      Path.assign(Text, Size);
    else if (Depth == DepthOfFile && Field == "type")
      Type.assign(Text, Size);
    return true;
  }
  // NOLINTEND(readability-identifier-naming)

  /// The text of the debug ID; empty if there is none.
  std::string ID;

private:
  static constexpr uint64_t DepthOfFile = 3;

  const function_ref<void(StringRef Name, StringRef Path)> AddFile;
  uint64_t Depth = 0;
  /// The last keys at the first three depths.
  std::string Member, Name, Field;
  std::string Path, Type;
};

/// A file in a zip file, as a stream for RapidJSON. It ends at an error.
class ManifestStream {
public:
  // The names are RapidJSON's. NOLINTBEGIN(readability-identifier-naming)
  using Ch = char;

  explicit ManifestStream(ZipEntryReader &Reader) : Reader(Reader) { fill(); }
  ~ManifestStream() { consumeError(std::move(Failure)); }

  char Peek() const { return Piece.empty() ? '\0' : Piece.front(); }
  char Take() {
    char C = Peek();
    Piece = Piece.drop_front(!Piece.empty());
    ++Done;
    if (Piece.empty())
      fill();
    return C;
  }
  size_t Tell() const { return Done; }
  // Only for streams that are written to.
  char *PutBegin() { return nullptr; }
  void Put(char) {}
  void Flush() {}
  size_t PutEnd(char *) { return 0; }
  // NOLINTEND(readability-identifier-naming)

  /// Reads what is left. Fails if the file could not be read.
  Error finish() {
    while (!Piece.empty())
      fill();
    return std::move(Failure);
  }

private:
  /// Fetches the next piece; none after the end or an error.
  void fill() {
    Piece = StringRef();
    if (IsAtEnd)
      return;
    Expected<StringRef> Next = Reader.next();
    if (Next)
      Piece = *Next;
    else
      Failure = joinErrors(std::move(Failure), Next.takeError());
    IsAtEnd = Piece.empty();
  }

  ZipEntryReader &Reader;
  StringRef Piece;
  size_t Done = 0;
  bool IsAtEnd = false;
  Error Failure = Error::success();
};

/// The entries of a zip file by name.
class EntriesByName {
public:
  explicit EntriesByName(ArrayRef<ZipFile::Entry> Entries) : Entries(Entries) {
    Sorted.resize(Entries.size());
    std::iota(Sorted.begin(), Sorted.end(), 0);
    llvm::sort(Sorted, [&](uint32_t A, uint32_t B) {
      return std::pair(Entries[A].Name, A) < std::pair(Entries[B].Name, B);
    });
  }

  /// The first entry \p Name; null if there is none.
  const ZipFile::Entry *find(StringRef Name) const {
    auto At = partition_point(
        Sorted, [&](uint32_t I) { return Entries[I].Name < Name; });
    bool IsThere = At != Sorted.end() && Entries[*At].Name == Name;
    return IsThere ? &Entries[*At] : nullptr;
  }

private:
  const ArrayRef<ZipFile::Entry> Entries;
  std::vector<uint32_t> Sorted;
};
} // namespace

/// Reads the manifest in pieces, because it may be as large as the zip file.
Error SourceBundle::readManifest() {
  EntriesByName Entries(Zip.entries());
  const ZipFile::Entry *Manifest = Entries.find(ManifestName);
  if (!Manifest)
    return make_error<UnsupportedError>(
        Path, "not a source bundle: it has no manifest.json");
  auto InManifest = [&](Error Why) {
    return addPrefix(Path + "!" + ManifestName, std::move(Why));
  };
  if (Error Why = ZipFile::checkSize(*Manifest))
    return InManifest(std::move(Why));
  StringSaver Saver(Paths);
  auto AddFile = [&](StringRef Name, StringRef Recorded) {
    if (const ZipFile::Entry *E = Entries.find(Name))
      Files.push_back({Saver.save(withSlashes(Recorded)), E});
  };
  ManifestHandler Handler(AddFile);
  ZipEntryReader Unpacked(Zip, *Manifest);
  ManifestStream Stream(Unpacked);
  rapidjson::Reader Reader;
  constexpr unsigned Flags = rapidjson::kParseIterativeFlag |
                             rapidjson::kParseNumbersAsStringsFlag |
                             rapidjson::kParseValidateEncodingFlag;
  bool IsJSON = bool(Reader.Parse<Flags>(Stream, Handler));
  if (Error Why = Stream.finish())
    return InManifest(std::move(Why));
  if (!IsJSON)
    return make_error<DamagedError>(
        Path, "a source bundle whose manifest.json is not JSON");
  // Of several files with one path, the first in the zip file counts.
  llvm::sort(Files, [](const File &A, const File &B) {
    return std::pair(A.Path, A.Entry) < std::pair(B.Path, B.Entry);
  });
  ID = DebugID::parse(Handler.ID);
  // symbolic leaves out an age of 0.
  if (!ID)
    ID = DebugID::parse(Handler.ID + "0");
  return Error::success();
}

Expected<SourceBundle>
SourceBundle::create(std::unique_ptr<MemoryBuffer> Buffer, StringRef Path) {
  StringRef Bytes = Buffer->getBuffer();
  // symbolic writes "SYSB" and a version before the zip file.
  if (!Bytes.starts_with("SYSB") && fileKind(Bytes) != FileKind::Zip)
    return make_error<UnsupportedError>(
        Path, "not a source bundle, which is a zip file with a manifest.json");
  SourceBundle Bundle;
  Bundle.Path = Path.str();
  Bundle.Buffer = std::move(Buffer);
  if (Error E =
          ZipFile::open(Bundle.Buffer->getBuffer(), Path).moveInto(Bundle.Zip))
    return E;
  if (Error E = Bundle.readManifest())
    return E;
  return Bundle;
}

Expected<SourceBundle> SourceBundle::open(StringRef Path) {
  // Opening a pipe may block.
  if (!sys::fs::is_regular_file(Path))
    return make_error<ArgumentError>(Path, "not a regular file");
  ErrorOr<std::unique_ptr<MemoryBuffer>> Buffer =
      MemoryBuffer::getFile(Path, /*IsText=*/false,
                            /*RequiresNullTerminator=*/false);
  if (!Buffer)
    return make_error<SystemError>(Buffer.getError(), Path);
  return create(std::move(*Buffer), Path);
}

const ZipFile::Entry *SourceBundle::find(StringRef Recorded) const {
  std::string Wanted = withSlashes(Recorded);
  auto At =
      partition_point(Files, [&](const File &F) { return F.Path < Wanted; });
  bool IsThere = At != Files.end() && At->Path == Wanted;
  return IsThere ? At->Entry : nullptr;
}

Expected<std::unique_ptr<MemoryBuffer>>
SourceBundle::read(const ZipFile::Entry &E) const {
  return Zip.read(E, Path + "!" + E.Name);
}

std::string SourceBundle::whyNotOf(ArrayRef<uint8_t> BuildID) const {
  if (!ID || BuildID.empty())
    return std::string();
  // The first fields of an ELF file's build ID are swapped, unless it is
  // big-endian; those of other formats are not.
  DebugID Plain, Swapped = DebugID::ofGUID(BuildID);
  ArrayRef<uint8_t> First = BuildID.take_front(Plain.UUID.size());
  std::copy(First.begin(), First.end(), Plain.UUID.begin());
  if (ID->UUID == Plain.UUID || ID->UUID == Swapped.UUID)
    return std::string();
  return "its debug ID is " + ID->text() + " instead of " + Swapped.text();
}

} // namespace lidia
