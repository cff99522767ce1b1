//===- CInterfaceFuzzer.cpp - Any archive through the C interface ---------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Any archive can be read by a program in C, and a valid one returns the same
/// frames as in C++. Input that is not an archive, and a reader that fails,
/// cause an error. The last byte of the input selects the options and the read
/// that fails.
///
//===----------------------------------------------------------------------===//

#include "ArchiveInput.h"
#include "lidia-c/lidia.h"
#include <cerrno>
#include <cstring>

using namespace lidia;
using namespace llvm;

static void require(bool Condition, const char *What) {
  if (!Condition)
    report_fatal_error(What);
}

/// Calls a function that returns a status and an error, and checks that they
/// agree. Returns whether it succeeded.
template <typename Function> static bool call(Function F) {
  lidia_error *E = nullptr;
  lidia_status Status = F(&E);
  require((Status == LIDIA_OK) == !E, "an error without a status or the other");
  if (!E)
    return true;
  require(lidia_error_status(E) == Status, "the error has another status");
  require(*lidia_error_message(E), "an error without a message");
  lidia_error_free(E);
  return false;
}

namespace {
struct FailingFile {
  StringRef Bytes;
  int GoodReads;
  bool Closed = false;

  static int read(void *Context, uint64_t Offset, void *To, size_t Size) {
    auto &File = *static_cast<FailingFile *>(Context);
    require(!File.Closed, "a read after the end");
    require(Offset <= File.Bytes.size() && Size <= File.Bytes.size() - Offset,
            "a read outside the file");
    if (File.GoodReads-- <= 0)
      return EIO;
    std::memcpy(To, File.Bytes.data() + Offset, Size);
    return 0;
  }
  static void close(void *Context) {
    auto &File = *static_cast<FailingFile *>(Context);
    require(!File.Closed, "closed twice");
    File.Closed = true;
  }
};
} // namespace

/// Reads all frames, and compares them with those of \p Expected if there is
/// one.
static void lookUp(lidia_archive *A, ArrayRef<uint64_t> Addresses,
                   uint32_t Flags, const Archive *Expected) {
  lidia_lookup_options Options = {};
  Options.struct_size = sizeof(Options);
  Options.flags = Flags;
  lidia_lookup *Lookup = nullptr;
  call([&](lidia_error **E) {
    return lidia_lookup_create(A, &Options, &Lookup, E);
  });
  require(Lookup, "no lookup");
  call([&](lidia_error **E) {
    return lidia_lookup_addresses(Lookup, Addresses.data(), Addresses.size(),
                                  E);
  });
  SmallVector<Frame, 8> Frames;
  for (size_t I = 0; I != Addresses.size(); ++I) {
    size_t Count = lidia_lookup_frame_count(Lookup, I);
    if (Expected) {
      Expected->lookup(Addresses[I], Frames);
      require(Count == Frames.size(), "another number of frames");
    }
    for (size_t Number = 0; Number != Count; ++Number) {
      lidia_frame F = {};
      F.struct_size = sizeof(F);
      call([&](lidia_error **E) {
        return lidia_lookup_get_frame(Lookup, I, Number, &F, E);
      });
      require(F.function && F.function[F.function_length] == 0,
              "a function without end");
      require(F.file && F.file[F.file_length] == 0, "a file without end");
      if (Expected)
        require(F.line == Frames[Number].Line, "another line");
    }
    lidia_frame Beyond = {};
    Beyond.struct_size = sizeof(Beyond);
    require(!call([&](lidia_error **E) {
      return lidia_lookup_get_frame(Lookup, I, Count, &Beyond, E);
    }),
            "a frame after the last");
  }
  lidia_lookup_free(Lookup);
}

static void readAll(lidia_archive *A, ArrayRef<uint64_t> Addresses,
                    uint32_t Flags, const Archive *Expected) {
  lidia_archive_info Info = {};
  Info.struct_size = sizeof(Info);
  call([&](lidia_error **E) { return lidia_archive_get_info(A, &Info, E); });
  require(Info.build_id || !Info.build_id_size, "a build ID of no bytes");
  call([&](lidia_error **E) { return lidia_archive_verify(A, E); });
  uint64_t Pads = 0;
  lidia_archive_for_each_return_pad(
      A, [](void *Count, uint64_t) { ++*static_cast<uint64_t *>(Count); },
      &Pads);
  require(Pads <= Info.return_pad_count, "more return pads than announced");
  lookUp(A, Addresses, Flags, Expected);
}

static void openByReader(StringRef Bytes, int GoodReads,
                         ArrayRef<uint64_t> Addresses, uint32_t Flags) {
  FailingFile File{Bytes, GoodReads};
  lidia_reader Reader = {sizeof(Reader), &File, Bytes.size(), FailingFile::read,
                         FailingFile::close};
  lidia_archive *A = nullptr;
  call([&](lidia_error **E) {
    return lidia_archive_open_reader(&Reader, "far", nullptr, &A, E);
  });
  if (A)
    readAll(A, Addresses, Flags, /*Expected=*/nullptr);
  lidia_archive_close(A);
  require(File.Closed, "the reader stays open");
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  StringRef Input(reinterpret_cast<const char *>(Data), Size);
  uint8_t Bits = takeLastByte(Input);
  uint32_t Flags = Bits & (LIDIA_LOOKUP_DEMANGLE | LIDIA_LOOKUP_SHORT_NAMES);
  std::optional<Archive> Expected = archiveFromInput(Input);
  StringRef Bytes = Expected ? Expected->buffer().getBuffer() : Input;
  std::vector<uint64_t> Addresses;
  if (Expected)
    Addresses = addressesToAsk(*Expected);

  lidia_archive *A = nullptr;
  call([&](lidia_error **E) {
    return lidia_archive_open_memory(Bytes.data(), Bytes.size(), "fuzz",
                                     nullptr, &A, E);
  });
  // archiveFromInput() does not accept compressed archives.
  require(A || !Expected, "only one interface opens it");
  if (A)
    // Searches in unsorted ranges may find different ones.
    readAll(A, Addresses, Flags,
            Expected && isSound(*Expected) ? &*Expected : nullptr);
  lidia_archive_close(A);
  openByReader(Bytes, Bits >> 2, Addresses,
               Flags | LIDIA_LOOKUP_RETURN_ADDRESSES);
  return 0;
}
