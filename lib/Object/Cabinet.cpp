//===- Cabinet.cpp - The file in a cabinet file ---------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cabinet.h"
#include "Decompress.h"
#include "lidia/Error.h"
#if LIDIA_HAVE_PACKAGES
#include "LibArchive.h"
#endif
#include "llvm/ADT/ScopeExit.h"

using namespace llvm;

namespace lidia {

#if LIDIA_HAVE_PACKAGES

static Error cabinetError(const LibArchive &L, archive *A) {
  const char *Text = L.error_string(A);
  return make_error<DamagedError>("", "cannot be read as a cabinet file: " +
                                          Twine(Text ? Text : "damaged"));
}

/// Appends all of \p Bytes.
static Error append(TemporaryMapping &To, StringRef Bytes) {
  while (!Bytes.empty()) {
    MutableArrayRef<uint8_t> Room = To.room();
    StringRef Part = Bytes.take_front(Room.size());
    std::memcpy(Room.data(), Part.data(), Part.size());
    if (Error E = To.append(Part.size()))
      return E;
    Bytes = Bytes.drop_front(Part.size());
  }
  return Error::success();
}

/// Unpacks the current member of \p A.
static Error unpackMember(const LibArchive &L, archive *A, uint64_t Max,
                          TemporaryMapping &To) {
  while (true) {
    const void *Bytes = nullptr;
    size_t Size = 0;
    la_int64_t Offset = 0;
    int Result = L.read_data_block(A, &Bytes, &Size, &Offset);
    if (Result == ARCHIVE_EOF)
      return Error::success();
    if (Result != ARCHIVE_OK || Offset < 0 || uint64_t(Offset) != To.size())
      return cabinetError(L, A);
    if (Size > Max - To.size())
      return make_error<LimitError>("", "unpacks to more than " + Twine(Max) +
                                            " bytes");
    if (Error E = append(To, StringRef(static_cast<const char *>(Bytes), Size)))
      return E;
  }
}

/// Unpacks the only file in \p Packed.
static Error unpackOnlyFile(const LibArchive &L, StringRef Packed,
                            TemporaryMapping &To) {
  archive *A = L.read_new();
  if (!A)
    return make_error<SystemError>(
        std::make_error_code(std::errc::not_enough_memory), "");
  auto Finish = make_scope_exit([&] { L.read_free(A); });
  archive_entry *Entry = nullptr;
  if (L.read_support_format_cab(A) != ARCHIVE_OK ||
      L.read_open_memory(A, Packed.data(), Packed.size()) != ARCHIVE_OK ||
      L.read_next_header(A, &Entry) != ARCHIVE_OK)
    return cabinetError(L, A);
  uint64_t Max = maxUnpackedSize(Packed);
  // Unpacks nothing from a file that announces too large a size.
  if (la_int64_t Size = L.entry_size(Entry); Size < 0 || uint64_t(Size) > Max)
    return make_error<LimitError>("", "unpacks to more than " + Twine(Max) +
                                          " bytes");
  if (Error E = unpackMember(L, A, Max, To))
    return E;
  if (L.read_next_header(A, &Entry) != ARCHIVE_EOF)
    return make_error<UnsupportedError>("", "holds several files: unpack it");
  return To.map();
}

Expected<std::unique_ptr<MemoryBuffer>> unpackCabinet(StringRef Bytes,
                                                      StringRef Path) {
  Expected<const LibArchive &> L = LibArchive::get();
  if (!L)
    return addPrefix(Path, L.takeError());
  Expected<std::unique_ptr<TemporaryMapping>> To = TemporaryMapping::create();
  if (!To)
    return To.takeError();
  if (Error E = unpackOnlyFile(*L, Bytes, **To))
    return addPrefix(Path, std::move(E));
  return asBuffer(std::move(*To));
}

#else

Expected<std::unique_ptr<MemoryBuffer>> unpackCabinet(StringRef,
                                                      StringRef Path) {
  return make_error<UnsupportedError>(
      Path, "this program was built without support for cabinet files: "
            "libarchive-dev was missing");
}

#endif

} // namespace lidia
