//===- OpenArchive.cpp - Opens archives in files and at URLs --------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Store/OpenArchive.h"
#include "Support/InputFile.h"
#include "lidia/Error.h"
#if LIDIA_HAVE_URLS
#include "HTTPFetcher.h"
#endif
#include "llvm/ADT/STLExtras.h"

using namespace lidia;
using namespace llvm;

bool lidia::isURL(StringRef Name) {
  return any_of(
      ArrayRef<StringRef>({"https://", "http://", "s3://"}),
      [&](StringRef Scheme) { return Name.starts_with_insensitive(Scheme); });
}

Expected<std::shared_ptr<FarFile>>
lidia::openURL(StringRef URL, std::shared_ptr<RequestTotals> Totals) {
#if LIDIA_HAVE_URLS
  Expected<Location> Where = Location::parse(URL);
  if (!Where)
    return Where.takeError();
  Expected<const Curl &> C = Curl::get();
  if (!C)
    return addPrefix(Where->Name, C.takeError());
  if (!Totals)
    Totals = std::make_shared<RequestTotals>();
  return FarFile::open(
      createHTTPFetcher(*C, std::move(*Where), std::move(Totals)));
#else
  (void)URL;
  (void)Totals;
  return make_error<UnsupportedError>(
      "", "this program was built without support for URLs: "
          "libcurl4-openssl-dev was missing");
#endif
}

Expected<Archive> lidia::openArchiveAt(StringRef Where,
                                       const OpenOptions &Options,
                                       std::shared_ptr<FarFile> *File,
                                       std::shared_ptr<RequestTotals> Totals) {
  if (!isURL(Where))
    return Archive::open(Where, Options);
  Expected<std::shared_ptr<FarFile>> Far = openURL(Where, std::move(Totals));
  if (!Far)
    return Far.takeError();
  if (File)
    *File = *Far;
  return Archive::create(*Far, Options);
}

Expected<Archive> lidia::openWholeArchiveAt(StringRef Where) {
  Expected<Archive> A = openArchiveAt(Where);
  if (A)
    if (Error E = A->unpackAll())
      return E;
  return A;
}

Error lidia::readWhole(StringRef Where, function_ref<void(StringRef)> Take,
                       uint64_t Max) {
  auto CheckSize = [&](uint64_t Size) -> Error {
    if (Size <= Max)
      return Error::success();
    return make_error<LimitError>(
        Where, Twine(Size) + " bytes are more than the limit for it");
  };
  if (!isURL(Where)) {
    Expected<std::unique_ptr<MemoryBuffer>> File = readRegularFile(Where);
    if (!File)
      return File.takeError();
    if (Error E = CheckSize((*File)->getBufferSize()))
      return E;
    Take((*File)->getBuffer());
    return Error::success();
  }
  Expected<std::shared_ptr<FarFile>> Far = openURL(Where);
  if (!Far)
    return Far.takeError();
  if (Error E = CheckSize((*Far)->size()))
    return E;
  constexpr uint64_t PieceSize = uint64_t(8) << 20;
  SmallVector<char, 0> Storage;
  for (uint64_t At = 0, Size = (*Far)->size(); At < Size; At += PieceSize) {
    Expected<StringRef> Piece =
        (*Far)->read(At, std::min(PieceSize, Size - At), Storage);
    if (!Piece)
      return Piece.takeError();
    Take(*Piece);
  }
  return Error::success();
}
