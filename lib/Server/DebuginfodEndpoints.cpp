//===- DebuginfodEndpoints.cpp - /buildid/ID/... --------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The protocol of debuginfod(8). Its clients ask for a debug file, a section of
// it, or a source file; what they could do with a binary, an archive cannot
// give.
//
//===----------------------------------------------------------------------===//

#include "Service.h"
#include "lidia/Archive/Sources.h"
#include "lidia/Cache/CachedFiles.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Object/ELFObjectFile.h"

using namespace llvm;

namespace lidia {

/// Adds the headers of debuginfod to \p R, the whole of \p Name, or refuses it
/// if it is larger than the client wants.
static HTTPResponse finish(const HTTPRequest &Request, HTTPResponse R,
                           const Twine &Name) {
  uint64_t Size = R.size(), Most;
  StringRef Wanted = Request.header("x-debuginfod-maxsize");
  if (!Wanted.empty() && !Wanted.getAsInteger(10, Most) && Most && Size > Most)
    return HTTPResponse::error(406, "the file is larger than "
                                    "X-DEBUGINFOD-MAXSIZE");
  R.add("X-DEBUGINFOD-SIZE", Twine(Size));
  std::string Text = Name.str();
  if (all_of(Text, isPrint))
    R.add("X-DEBUGINFOD-FILE", Text);
  return R;
}

//===----------------------------------------------------------------------===//
// Debug files
//===----------------------------------------------------------------------===//

/// The debug file of \p BuildID, made once for all that ask at the same time.
static Expected<std::shared_ptr<SentFile>>
openDebugFile(Service &S, const BuildIDBytes &BuildID) {
  Expected<std::shared_ptr<ServedModule>> M = S.Modules.find(BuildID);
  if (!M)
    return M.takeError();
  auto Make = [&]() -> Expected<std::string> {
    Expected<CachedFile> Made = cachedDWARF(S.Made, (*M)->archive());
    if (!Made)
      return Made.takeError();
    ++(Made->Made ? S.Counts.Exports : S.Counts.ExportHits);
    return Made->Path;
  };
  // Another process may prune the cache meanwhile.
  constexpr unsigned Attempts = 3;
  for (unsigned I = 1;; ++I) {
    Expected<std::string> Path =
        S.Exports.get(toHex(BuildID, /*LowerCase=*/true), Make);
    if (!Path)
      return Path.takeError();
    Expected<std::shared_ptr<SentFile>> File = SentFile::open(*Path);
    if (File || I == Attempts)
      return File;
    consumeError(File.takeError());
  }
}

/// Sends the file at \p Path, of \p BuildID.
static HTTPResponse sendFile(const HTTPRequest &Request, StringRef Path,
                             ArrayRef<uint8_t> BuildID, StringRef Extension) {
  Expected<std::shared_ptr<SentFile>> File = SentFile::open(Path);
  if (!File)
    return HTTPResponse::of(File.takeError());
  HTTPResponse R = HTTPResponse::file(std::move(*File));
  return finish(Request, std::move(R),
                toHex(BuildID, /*LowerCase=*/true) + Extension);
}

/// The debug file of \p BuildID as an upstream server has it, if those who ask
/// are to get that. Empty if not.
static std::string originalDebugFile(Service &S, ArrayRef<uint8_t> BuildID) {
  if (!S.Options.Upstream.PassThrough)
    return "";
  Expected<std::string> Path = S.Others.find(UpstreamKind::DebugFile, BuildID);
  if (Path)
    return *Path;
  consumeError(Path.takeError());
  return "";
}

/// While it is being fetched.
static HTTPResponse notYet() { return HTTPResponse::error(404, "not yet"); }

HTTPResponse answerDebugFile(Service &S, const HTTPRequest &Request,
                             PathParts Parts) {
  Expected<BuildIDBytes> BuildID = parseBuildID(Parts[0]);
  if (!BuildID)
    return HTTPResponse::of(BuildID.takeError());
  std::string Original = originalDebugFile(S, *BuildID);
  if (!Original.empty())
    return sendFile(Request, Original, *BuildID, ".debug");
  if (Upstream::isWanted())
    return notYet();
  Expected<std::shared_ptr<SentFile>> File = openDebugFile(S, *BuildID);
  if (!File)
    return HTTPResponse::of(File.takeError());
  std::string ID = toHex(*BuildID, /*LowerCase=*/true);
  HTTPResponse R = HTTPResponse::file(std::move(*File));
  return finish(Request, std::move(R), ID + ".debug");
}

//===----------------------------------------------------------------------===//
// Executables
//===----------------------------------------------------------------------===//

/// A program that somebody has put beside an archive in a store of debuginfod's
/// layout; empty if there is none.
static std::string storedExecutable(Service &S, ArrayRef<uint8_t> BuildID) {
  SymbolStore &Store = *S.Store;
  if (Store.options().Layout != StoreLayout::Debuginfod || Store.isFar())
    return "";
  std::string Name = Store.objectFolder(BuildID) + "executable";
  Expected<bool> IsThere = Store.objects().exists(Name);
  if (IsThere && *IsThere)
    return Store.objects().location(Name);
  consumeError(IsThere.takeError());
  return "";
}

HTTPResponse answerExecutable(Service &S, const HTTPRequest &Request,
                              PathParts Parts) {
  Expected<BuildIDBytes> BuildID = parseBuildID(Parts[0]);
  if (!BuildID)
    return HTTPResponse::of(BuildID.takeError());
  std::string Stored = storedExecutable(S, *BuildID);
  if (!Stored.empty())
    return sendFile(Request, Stored, *BuildID, "");
  Expected<std::string> Path =
      S.Others.find(UpstreamKind::Executable, *BuildID);
  if (!Path)
    return HTTPResponse::of(Path.takeError());
  return sendFile(Request, *Path, *BuildID, "");
}

//===----------------------------------------------------------------------===//
// Sections
//===----------------------------------------------------------------------===//

/// The bytes of the section \p Name of the ELF file \p File; none without it.
static Expected<std::optional<std::string>> readSection(SentFile &File,
                                                        StringRef Name) {
  ErrorOr<std::unique_ptr<MemoryBuffer>> Buffer = MemoryBuffer::getOpenFile(
      File.Descriptor, Name, File.Size, /*RequiresNullTerminator=*/false);
  if (!Buffer)
    return make_error<SystemError>(Buffer.getError(), Name);
  Expected<std::unique_ptr<object::ObjectFile>> Object =
      object::ObjectFile::createObjectFile(**Buffer);
  if (!Object)
    return Object.takeError();
  for (const object::SectionRef &Section : (*Object)->sections()) {
    Expected<StringRef> ItsName = Section.getName();
    if (!ItsName)
      return ItsName.takeError();
    if (*ItsName != Name || Section.isBSS())
      continue;
    Expected<StringRef> Contents = Section.getContents();
    if (!Contents)
      return Contents.takeError();
    return Contents->str();
  }
  return std::nullopt;
}

HTTPResponse answerSection(Service &S, const HTTPRequest &Request,
                           PathParts Parts) {
  Expected<BuildIDBytes> BuildID = parseBuildID(Parts[0]);
  if (!BuildID)
    return HTTPResponse::of(BuildID.takeError());
  // Sections of two files do not fit together.
  if (!originalDebugFile(S, *BuildID).empty())
    return HTTPResponse::error(404, "take the whole debug file");
  if (Upstream::isWanted())
    return notYet();
  Expected<std::shared_ptr<SentFile>> File = openDebugFile(S, *BuildID);
  if (!File)
    return HTTPResponse::of(File.takeError());
  StringRef Name = Parts[1];
  Expected<std::optional<std::string>> Bytes = readSection(**File, Name);
  if (!Bytes)
    return HTTPResponse::of(Bytes.takeError());
  if (!*Bytes)
    return HTTPResponse::error(404, "the debug file has no such section");
  HTTPResponse R;
  R.ContentType = "application/octet-stream";
  R.ETag = (*File)->Tag + "-" + toHex(Name);
  R.Body = std::move(**Bytes);
  return finish(Request, std::move(R), Name);
}

//===----------------------------------------------------------------------===//
// Sources
//===----------------------------------------------------------------------===//

/// The source file whose path is \p Path, or becomes that without "." and "..":
/// clients may have removed them.
static std::optional<uint64_t>
findSource(const Archive &A, const EmbeddedSources &Sources, StringRef Path) {
  std::optional<uint64_t> Similar;
  const std::string Plain = withoutDots(Path);
  for (uint64_t I = 0; I != Sources.size(); ++I) {
    StringRef File = A.string(Sources.file(I));
    if (File == Path)
      return I;
    if (!Similar && File.size() >= Plain.size() && withoutDots(File) == Plain)
      Similar = I;
  }
  return Similar;
}

/// Whether \p A names a file that is \p Path without "." and "..". Reads all of
/// the archive.
static bool namesSource(const Archive &A, StringRef Path) {
  bool IsNamed = false;
  A.forEachFile([&](StringOffset File) {
    StringRef Name = A.string(File);
    IsNamed =
        IsNamed || (Name.size() >= Path.size() && withoutDots(Name) == Path);
  });
  return IsNamed;
}

/// The source file \p Path of \p M from an upstream server. Only files that the
/// archive names are asked for: clients could name any number of others.
static HTTPResponse sendUpstreamSource(Service &S, const HTTPRequest &Request,
                                       const ServedModule &M, StringRef Path) {
  UpstreamWish Wish = UpstreamWish::source(M.buildID(), Path);
  std::string Fetched = S.Others.fetched(Wish);
  if (Fetched.empty()) {
    if (S.Others.isUsed() && namesSource(M.archive(), Wish.SourcePath))
      S.Others.want(std::move(Wish));
    return HTTPResponse::error(404, "the archive has no source code of that "
                                    "file");
  }
  Expected<std::shared_ptr<SentFile>> File = SentFile::open(Fetched);
  if (!File)
    return HTTPResponse::of(File.takeError());
  return finish(Request, HTTPResponse::file(std::move(*File)), Path);
}

HTTPResponse answerSource(Service &S, const HTTPRequest &Request,
                          PathParts Parts) {
  Expected<BuildIDBytes> BuildID = parseBuildID(Parts[0]);
  if (!BuildID)
    return HTTPResponse::of(BuildID.takeError());
  Expected<std::shared_ptr<ServedModule>> M = S.Modules.find(*BuildID);
  if (!M)
    return HTTPResponse::of(M.takeError());
  EmbeddedSources Sources((*M)->archive());
  std::string Path = "/" + StringRef(Parts[1]).ltrim('/').str();
  std::optional<uint64_t> Index = findSource((*M)->archive(), Sources, Path);
  if (!Index)
    return sendUpstreamSource(S, Request, **M, Path);
  Expected<std::string> Text = Sources.text(*Index);
  if (!Text)
    return HTTPResponse::of(Text.takeError());
  HTTPResponse R;
  R.ContentType = "application/octet-stream";
  R.Body = std::move(*Text);
  return finish(Request, std::move(R), Path);
}

} // namespace lidia
