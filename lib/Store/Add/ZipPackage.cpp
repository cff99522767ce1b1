//===- ZipPackage.cpp - The files in a zip file ---------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ZipPackage.h"
#include "Object/ZipFile.h"
#include "PackageLimits.h"
#include "lidia/Error.h"
#include "llvm/ADT/STLExtras.h"

using namespace lidia;
using namespace llvm;

namespace {
/// Visits the members of a zip file.
class ZipVisit {
public:
  using Visitor = function_ref<Error(const PackageMember &, PackageBytes)>;

  ZipVisit(const ZipFile &Zip, StringRef Path, uint64_t FileSize)
      : Zip(Zip), Path(Path), Limits(FileSize) {}
  ~ZipVisit() { consumeError(std::move(FirstUnreadable)); }

  Error run(Visitor Visit);

private:
  Error visit(uint64_t Index, Visitor Visit);
  Expected<StringRef> next(ZipEntryReader &Reader);
  Error noteUnreadable(StringRef Member, Error E);

  const ZipFile &Zip;
  const StringRef Path;
  const PackageLimits Limits;
  uint64_t Unpacked = 0;
  /// Whether the last error came from unpacking a member.
  bool IsUnreadable = false;
  uint64_t UnreadableCount = 0;
  Error FirstUnreadable = Error::success();
};
} // namespace

Expected<StringRef> ZipVisit::next(ZipEntryReader &Reader) {
  Expected<StringRef> Piece = Reader.next();
  if (!Piece) {
    IsUnreadable = true;
    return Piece;
  }
  Unpacked += Piece->size();
  if (Error E = Limits.check(Path, 0, Unpacked))
    return E;
  return Piece;
}

Error ZipVisit::noteUnreadable(StringRef Member, Error E) {
  if (UnreadableCount++)
    consumeError(std::move(E));
  else
    FirstUnreadable = addPrefix(Path + "(" + Member + ")", std::move(E));
  return Error::success();
}

Error ZipVisit::visit(uint64_t Index, Visitor Visit) {
  const ZipFile::Entry &E = Zip.entries()[Index];
  ZipEntryReader Reader(Zip, E);
  IsUnreadable = false;
  PackageMember Member{E.Name.str(), Index, E.Size};
  Error Failure = Visit(Member, [&] { return next(Reader); });
  return IsUnreadable ? noteUnreadable(E.Name, std::move(Failure))
                      : std::move(Failure);
}

Error ZipVisit::run(Visitor Visit) {
  if (Error E = Limits.check(Path, Zip.entries().size(), 0))
    return E;
  for (uint64_t Index = 0; Index != Zip.entries().size(); ++Index)
    if (Zip.entries()[Index].Size != 0)
      if (Error E = visit(Index, Visit))
        return E;
  if (UnreadableCount < 2)
    return std::exchange(FirstUnreadable, Error::success());
  std::unique_ptr<LidiaError> First =
      toLidiaError(std::exchange(FirstUnreadable, Error::success()));
  First->addDetail(", and " + Twine(UnreadableCount - 1) + " files more");
  return Error(std::move(First));
}

Error lidia::readZipPackage(
    sys::fs::file_t FD, StringRef Path,
    function_ref<Error(const PackageMember &, PackageBytes)> Visit) {
  sys::fs::file_status Status;
  if (std::error_code EC = sys::fs::status(FD, Status))
    return make_error<SystemError>(EC, Path);
  ErrorOr<std::unique_ptr<MemoryBuffer>> Bytes = MemoryBuffer::getOpenFile(
      FD, Path, Status.getSize(), /*RequiresNullTerminator=*/false);
  if (!Bytes)
    return make_error<SystemError>(Bytes.getError(), Path);
  Expected<ZipFile> Zip = ZipFile::open((*Bytes)->getBuffer(), Path);
  if (!Zip)
    return Zip.takeError();
  return ZipVisit(*Zip, Path, Status.getSize()).run(Visit);
}
