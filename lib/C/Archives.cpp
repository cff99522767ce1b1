//===- Archives.cpp - Archives in the C interface -------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Objects.h"
#include "lidia/Archive/Verify.h"
#include "lidia/Error.h"
#include "lidia/Support/RandomAccessReader.h"
#include "lidia/Symbolize/ArchiveSearch.h"
#include "llvm/ADT/SmallString.h"

using namespace lidia;
using namespace llvm;

static lidia_status readOpenOptions(const lidia_open_options *Given,
                                    OpenOptions &Options, lidia_error **Error) {
  lidia_open_options Copy;
  if (lidia_status S = readOptions(Given, LIDIA_OPEN_COPY, Copy, Error))
    return S;
  if (Copy.flags & LIDIA_OPEN_COPY)
    Options.Access = FileAccess::Copy;
  if (Copy.frame_cache_size)
    Options.FrameCacheSize = Copy.frame_cache_size;
  return LIDIA_OK;
}

static lidia_status give(Expected<Archive> Opened, lidia_archive **Result,
                         lidia_error **Error) {
  if (!Opened)
    return fail(Error, Opened.takeError());
  *Result =
      new lidia_archive{std::make_shared<const Archive>(std::move(*Opened))};
  return succeed(Error);
}

lidia_status lidia_archive_open(const char *path,
                                const lidia_open_options *options,
                                lidia_archive **archive, lidia_error **error) {
  OpenOptions Options;
  if (!path || !archive)
    return failArgument(error, "lidia_archive_open needs a path and a result");
  if (lidia_status S = readOpenOptions(options, Options, error))
    return S;
  return give(Archive::open(path, Options), archive, error);
}

lidia_status lidia_archive_open_memory(const void *data, size_t size,
                                       const char *name,
                                       const lidia_open_options *options,
                                       lidia_archive **archive,
                                       lidia_error **error) {
  OpenOptions Options;
  if ((!data && size) || !archive)
    return failArgument(error,
                        "lidia_archive_open_memory needs data and a result");
  if (lidia_status S = readOpenOptions(options, Options, error))
    return S;
  std::unique_ptr<MemoryBuffer> Buffer = MemoryBuffer::getMemBuffer(
      StringRef(static_cast<const char *>(data), size), name ? name : "memory",
      /*RequiresNullTerminator=*/false);
  return give(Archive::create(std::move(Buffer), Options), archive, error);
}

namespace {

/// A file that is read by the caller's functions.
class CallerReader final : public RandomAccessReader {
public:
  CallerReader(const lidia_reader &From, StringRef Name) : Name(Name.str()) {
    LIDIA_INIT(Reader);
    std::memcpy(&Reader, &From, std::min(From.struct_size, sizeof(Reader)));
  }
  ~CallerReader() override {
    if (Reader.close)
      Reader.close(Reader.context);
  }

  StringRef name() const override { return Name; }
  uint64_t size() const override { return Reader.file_size; }

  Expected<StringRef> read(uint64_t Offset, size_t Size,
                           SmallVectorImpl<char> &Storage) const override {
    Storage.resize_for_overwrite(Size);
    if (int Code = Reader.read_at(Reader.context, Offset, Storage.data(), Size))
      return make_error<SystemError>(
          std::error_code(Code, std::generic_category()), Name);
    return StringRef(Storage.data(), Size);
  }

private:
  lidia_reader Reader;
  std::string Name;
};

} // namespace

lidia_status lidia_archive_open_reader(const lidia_reader *reader,
                                       const char *name,
                                       const lidia_open_options *options,
                                       lidia_archive **archive,
                                       lidia_error **error) {
  constexpr StringLiteral Invalid =
      "lidia_archive_open_reader needs a reader with a valid struct_size and "
      "read_at";
  if (!reader ||
      !isStructSize(reader->struct_size, offsetof(lidia_reader, close)))
    return failArgument(error, Invalid);
  // Closes the reader in all cases.
  auto File =
      std::make_shared<const CallerReader>(*reader, name ? name : "reader");
  if (!reader->read_at)
    return failArgument(error, Invalid);
  if (!archive)
    return failArgument(error, "lidia_archive_open_reader needs a result");
  OpenOptions Options;
  if (lidia_status S = readOpenOptions(options, Options, error))
    return S;
  return give(Archive::create(std::move(File), Options), archive, error);
}

void lidia_archive_close(lidia_archive *archive) { delete archive; }

static uint32_t flagsOf(const Archive &A) {
  uint32_t Flags = A.hasChecksums() ? LIDIA_HAS_CHECKSUMS : 0;
  if (A.rowCount())
    Flags |= LIDIA_HAS_LINES;
  if (A.returnPadCount())
    Flags |= LIDIA_HAS_RETURN_PADS;
  if (const ArchiveInfo *Info = A.info()) {
    if (Info->Options & format::IO_Files)
      Flags |= LIDIA_HAS_FILES;
    if (Info->Options & format::IO_Columns)
      Flags |= LIDIA_HAS_COLUMNS;
    if (A.hasNamesOnly())
      Flags |= LIDIA_HAS_NAMES_ONLY;
  }
  return Flags;
}

lidia_status lidia_archive_get_info(const lidia_archive *archive,
                                    lidia_archive_info *info,
                                    lidia_error **error) {
  if (!archive)
    return failArgument(error, "lidia_archive_get_info needs an archive");
  const Archive &A = *archive->A;
  lidia_archive_info Result;
  LIDIA_INIT(Result);
  Result.flags = flagsOf(A);
  Result.size = A.size();
  Result.range_count = A.rangeCount();
  Result.row_count = A.rowCount();
  Result.return_pad_count = A.returnPadCount();
  if (const ArchiveInfo *Info = A.info()) {
    Result.machine = Info->Machine;
    if (!Info->BuildID.empty())
      Result.build_id = Info->BuildID.data();
    Result.build_id_size = Info->BuildID.size();
  }
  return writeResult(info, Result, error);
}

void lidia_init(void *structure, size_t size) {
  if (!structure || size < sizeof(size))
    return;
  std::memset(structure, 0, size);
  std::memcpy(structure, &size, sizeof(size));
}

lidia_status lidia_archive_find_functions(
    const lidia_archive *archive, const char *name,
    int (*visit)(void *context, const lidia_function *function), void *context,
    lidia_error **error) {
  if (!archive || !visit)
    return failArgument(error, "lidia_archive_find_functions needs an archive "
                               "and a function to call");
  const Archive &A = *archive->A;
  if (Error E = A.unpackAll())
    return fail(error, std::move(E));
  bool IsDone = false;
  auto Visit = [&](const ListedFunction &F) {
    if (IsDone)
      return;
    SmallString<256> Name(A.string(F.Name)), File(A.string(F.File));
    lidia_function Function = {
        sizeof(Function), Name.c_str(),     Name.size(),      File.c_str(),
        File.size(),      F.Entries.data(), F.Entries.size(), F.InlinedRanges};
    IsDone = visit(context, &Function) != 0;
  };
  if (name)
    findFunctions(A, name, Visit);
  else
    A.forEachFunction(Visit);
  return succeed(error);
}

lidia_status lidia_archive_get_bytes(const lidia_archive *archive,
                                     const void **data, size_t *size,
                                     lidia_error **error) {
  if (!archive || !data || !size)
    return failArgument(error,
                        "lidia_archive_get_bytes needs an archive and results");
  const Archive &A = *archive->A;
  if (A.isPaged() || A.hasNamesOnly())
    return fail(error,
                make_error<UnsupportedError>(
                    A.name(), A.isPaged() ? "the archive is compressed"
                                          : "the archive has names only"));
  *data = A.bytes().data();
  *size = A.bytes().size();
  return succeed(error);
}

lidia_status lidia_archive_verify(const lidia_archive *archive,
                                  lidia_error **error) {
  if (!archive)
    return failArgument(error, "lidia_archive_verify needs an archive");
  const Archive &A = *archive->A;
  if (A.hasChecksums())
    if (Error E = A.verifyChecksums())
      return fail(error, std::move(E));
  if (Error E = verify(A))
    return fail(error, std::move(E));
  return succeed(error);
}

void lidia_archive_for_each_return_pad(const lidia_archive *archive,
                                       void (*visit)(void *context,
                                                     uint64_t address),
                                       void *context) {
  if (archive && visit)
    archive->A->forEachReturnPad(
        [&](const ReturnPad &Pad) { visit(context, Pad.Address); });
}
