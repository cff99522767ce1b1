//===- ObjectArchive.cpp - Archives of object files -----------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ObjectArchive.h"
#include "Support/InputFile.h"
#include "ZipFile.h"
#include "lidia/Error.h"
#include "llvm/Object/Archive.h"
#include "llvm/Support/Chrono.h"
#include "llvm/Support/FileSystem.h"

using namespace llvm;

namespace lidia {

Expected<ObjectArchive> ObjectArchive::open(StringRef Path) {
  ObjectArchive Result;
  if (Error E = readRegularFile(Path).moveInto(Result.Buffer))
    return E;
  Expected<std::unique_ptr<object::Archive>> Opened =
      object::Archive::create(Result.Buffer->getMemBufferRef());
  if (!Opened)
    return addPrefix(Path, Opened.takeError());
  if ((*Opened)->isThin())
    return make_error<UnsupportedError>(
        Path, "is a thin archive; name the object file itself");
  Error Broken = Error::success();
  for (const object::Archive::Child &C : (*Opened)->children(Broken)) {
    Expected<StringRef> Name = C.getName();
    Expected<StringRef> Bytes = C.getBuffer();
    Expected<sys::TimePoint<std::chrono::seconds>> Time = C.getLastModified();
    if (Name && Bytes)
      Result.Members[*Name].push_back(
          {*Bytes, Time ? uint64_t(Time->time_since_epoch().count()) : 0});
    consumeError(joinErrors(joinErrors(Name.takeError(), Bytes.takeError()),
                            Time.takeError()));
  }
  if (Broken)
    return addPrefix(Path, std::move(Broken));
  return Result;
}

ArrayRef<ObjectArchive::Member> ObjectArchive::named(StringRef Name) const {
  auto Found = Members.find(Name);
  if (Found == Members.end())
    return {};
  return Found->second;
}

std::optional<MemberPath> splitMemberPath(StringRef Path) {
  if (!Path.ends_with(")") || !Path.contains('('))
    return std::nullopt;
  auto [Archive, Member] = Path.drop_back().rsplit('(');
  if (Archive.empty() || Member.empty())
    return std::nullopt;
  return MemberPath{Archive, Member};
}

/// The same, if the archive exists but the file \p Path itself does not.
static std::optional<MemberPath> existingMemberPath(StringRef Path) {
  std::optional<MemberPath> Split = splitMemberPath(Path);
  if (!Split || sys::fs::exists(Path) ||
      !sys::fs::is_regular_file(Split->Archive))
    return std::nullopt;
  return Split;
}

bool isInsideFile(StringRef Path) {
  return existingZipPath(Path) || existingMemberPath(Path);
}

Expected<std::unique_ptr<MemoryBuffer>> readInsideFile(StringRef Path) {
  if (std::optional<ZipPath> InZip = existingZipPath(Path))
    return openZipEntry(*InZip);
  std::optional<MemberPath> Split = splitMemberPath(Path);
  if (!Split)
    return make_error<ArgumentError>(Path, "not the name of a member");
  Expected<ObjectArchive> Archive = ObjectArchive::open(Split->Archive);
  if (!Archive)
    return Archive.takeError();
  ArrayRef<ObjectArchive::Member> Named = Archive->named(Split->Member);
  if (Named.empty())
    return make_error<ArgumentError>(Split->Archive,
                                     "has no member " + Split->Member);
  if (Named.size() > 1)
    return make_error<ArgumentError>(
        Split->Archive, "has several members " + Split->Member +
                            "; extract the one that you mean (ar xN)");
  // Members are aligned to two bytes only.
  return MemoryBuffer::getMemBufferCopy(Named.front().Bytes, Path);
}

} // namespace lidia
