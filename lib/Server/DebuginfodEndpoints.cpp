//===- DebuginfodEndpoints.cpp - /buildid/ID/... --------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The protocol of debuginfod(8). Clients request a debug file, one of its
// sections, or a source file. An executable cannot be made from an archive.
//
//===----------------------------------------------------------------------===//

#include "Service.h"
#include "lidia/Archive/Sources.h"
#include "lidia/Cache/CachedFiles.h"
#include "lidia/Support/RandomAccessReader.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Object/ELFObjectFile.h"

using namespace llvm;

namespace lidia {

/// Adds debuginfod's headers to \p R, which has all of \p Name, or refuses the
/// request if \p R is larger than the client's limit.
static HTTPResponse finish(const HTTPRequest &Request, HTTPResponse R,
                           const Twine &Name) {
  uint64_t Size = R.size(), Max;
  StringRef Wanted = Request.header("x-debuginfod-maxsize");
  if (!Wanted.empty() && !Wanted.getAsInteger(10, Max) && Max && Size > Max)
    return HTTPResponse::error(406, "the file is larger than "
                                    "X-DEBUGINFOD-MAXSIZE");
  R.add("X-DEBUGINFOD-SIZE", Twine(Size));
  std::string Text = Name.str();
  if (all_of(Text, isPrint))
    R.add("X-DEBUGINFOD-FILE", Text);
  return R;
}

/// Opens the file \p Name of \p BuildID in a store with debuginfod's layout on
/// this machine. Null if there is none, or a file of another build ID.
static std::shared_ptr<SentFile>
openStoredFile(Service &S, ArrayRef<uint8_t> BuildID, StringRef Name) {
  SymbolStore &Store = *S.Store;
  if (Store.options().Layout != StoreLayout::Debuginfod || Store.isFar())
    return nullptr;
  std::string Object = Store.objectFolder(BuildID) + Name.str();
  Expected<std::shared_ptr<SentFile>> File =
      SentFile::open(Store.objects().location(Object));
  // Others than this program may have written to the store.
  if (File && hasBuildID((*File)->path(), BuildID))
    return std::move(*File);
  consumeError(File.takeError());
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Debug files
//===----------------------------------------------------------------------===//

/// The error for what only a thread for such work may do.
static Error mayNotTakeLong(const HTTPRequest &Request) {
  if (Request.MayTakeLong)
    return Error::success();
  return make_error<TakesLongError>("", "this takes long");
}

/// Opens the debug file of \p BuildID that `store add` has made, which takes
/// seconds for a large program, or that an earlier request has made. Null
/// without one.
static std::shared_ptr<SentFile> openMadeFile(Service &S, const Archive &A,
                                              ArrayRef<uint8_t> BuildID) {
  if (auto Stored = openStoredFile(S, BuildID, "debuginfo"))
    return Stored;
  std::optional<std::string> Path = findCachedDWARF(S.Files, A);
  if (!Path)
    return nullptr;
  ++S.Statistics.ExportHits;
  Expected<std::shared_ptr<SentFile>> File = SentFile::open(*Path);
  if (File)
    return std::move(*File);
  consumeError(File.takeError());
  return nullptr;
}

/// Opens the debug file of \p BuildID, which is made once even if several
/// clients request it at the same time.
static Expected<std::shared_ptr<SentFile>>
openDebugFile(Service &S, const HTTPRequest &Request,
              const BuildIDBytes &BuildID) {
  Expected<std::shared_ptr<ServedModule>> M = S.find(Request, BuildID);
  if (!M)
    return M.takeError();
  if (auto File = openMadeFile(S, (*M)->archive(), BuildID))
    return File;
  if (Error E = mayNotTakeLong(Request))
    return E;
  auto Make = [&]() -> Expected<std::string> {
    Expected<CachedFile> Made = cachedDWARF(S.Files, (*M)->archive());
    if (!Made)
      return Made.takeError();
    ++(Made->Made ? S.Statistics.Exports : S.Statistics.ExportHits);
    return Made->Path;
  };
  // Another process may prune the cache in the meantime.
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

/// Sends \p File, of \p BuildID.
static Answer sendFile(const HTTPRequest &Request,
                       Expected<std::shared_ptr<SentFile>> File,
                       ArrayRef<uint8_t> BuildID, StringRef Extension) {
  if (!File)
    return File.takeError();
  HTTPResponse R = HTTPResponse::file(std::move(*File));
  return finish(Request, std::move(R),
                toHex(BuildID, /*LowerCase=*/true) + Extension);
}

/// The original debug file of \p BuildID from an upstream server, if the server
/// is to pass it through. Empty if there is none, after setting \p HasFailed if
/// a server that failed may have it. The error is a MissingFilesError.
static Expected<std::string> originalDebugFile(Service &S,
                                               const HTTPRequest &Request,
                                               ArrayRef<uint8_t> BuildID,
                                               bool *HasFailed = nullptr) {
  if (!S.Options.Upstream.PassThrough)
    return "";
  Expected<std::string> Path =
      S.UpstreamServers.find(Request, UpstreamKind::DebugFile, BuildID);
  if (Path || Path.errorIsA<MissingFilesError>())
    return Path;
  if (HasFailed)
    *HasFailed = Path.errorIsA<UpstreamFailedError>();
  consumeError(Path.takeError());
  return "";
}

Answer answerDebugFile(Service &S, const HTTPRequest &Request,
                       PathParts Parts) {
  Expected<BuildIDBytes> BuildID = parseBuildID(Parts[0]);
  if (!BuildID)
    return BuildID.takeError();
  Expected<std::string> Original = originalDebugFile(S, Request, *BuildID);
  if (!Original)
    return Original.takeError();
  if (!Original->empty())
    return sendFile(Request, SentFile::open(*Original), *BuildID, ".debug");
  return sendFile(Request, openDebugFile(S, Request, *BuildID), *BuildID,
                  ".debug");
}

//===----------------------------------------------------------------------===//
// Executables
//===----------------------------------------------------------------------===//

Answer answerExecutable(Service &S, const HTTPRequest &Request,
                        PathParts Parts) {
  Expected<BuildIDBytes> BuildID = parseBuildID(Parts[0]);
  if (!BuildID)
    return BuildID.takeError();
  // Somebody may have put it next to the archive.
  if (auto Stored = openStoredFile(S, *BuildID, "executable"))
    return sendFile(Request, std::move(Stored), *BuildID, "");
  Expected<std::string> Path =
      S.UpstreamServers.find(Request, UpstreamKind::Executable, *BuildID);
  if (!Path)
    return Path.takeError();
  return sendFile(Request, SentFile::open(*Path), *BuildID, "");
}

//===----------------------------------------------------------------------===//
// Sections
//===----------------------------------------------------------------------===//

/// The place of the section \p Name in the ELF file \p File; none if the file
/// does not have this section.
static Expected<std::optional<FileRange>> findSection(SentFile &File,
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
    if (Contents->empty())
      return FileRange{0, 0};
    return FileRange{uint64_t(Contents->data() - (*Buffer)->getBufferStart()),
                     Contents->size()};
  }
  return std::nullopt;
}

/// The answer with the section \p Name of \p File; none without it.
static Expected<std::optional<HTTPResponse>>
sendSection(const HTTPRequest &Request, std::shared_ptr<SentFile> File,
            StringRef Name) {
  Expected<std::optional<FileRange>> Place = findSection(*File, Name);
  if (!Place)
    return Place.takeError();
  if (!*Place)
    return std::nullopt;
  HTTPResponse R = HTTPResponse::file(std::move(File));
  R.ETag += "-" + toHex(Name);
  R.FileOffset = (*Place)->Offset;
  R.FileSize = (*Place)->Size;
  return finish(Request, std::move(R), Name);
}

/// The same for the program of \p BuildID, if it is on this machine: debuggers
/// ask for sections that few files have, and a program is large.
static Expected<std::optional<HTTPResponse>>
sendProgramSection(Service &S, const HTTPRequest &Request,
                   const BuildIDBytes &BuildID, StringRef Name) {
  if (auto Stored = openStoredFile(S, BuildID, "executable"))
    return sendSection(Request, std::move(Stored), Name);
  std::string Path =
      S.UpstreamServers.fetched({UpstreamKind::Executable, BuildID, ""});
  if (Path.empty())
    return std::nullopt;
  Expected<std::shared_ptr<SentFile>> File = SentFile::open(Path);
  if (!File)
    return File.takeError();
  return sendSection(Request, std::move(*File), Name);
}

Answer answerSection(Service &S, const HTTPRequest &Request, PathParts Parts) {
  Expected<BuildIDBytes> BuildID = parseBuildID(Parts[0]);
  if (!BuildID)
    return BuildID.takeError();
  // The file that answerDebugFile() sends: sections of the original and of what
  // is made from the archive do not fit together.
  bool HasFailed = false;
  Expected<std::string> Original =
      originalDebugFile(S, Request, *BuildID, &HasFailed);
  if (!Original)
    return Original.takeError();
  Expected<std::shared_ptr<SentFile>> File =
      Original->empty() ? openDebugFile(S, Request, *BuildID)
                        : SentFile::open(*Original);
  if (!File)
    return File.takeError();
  StringRef Name = Parts[1];
  Expected<std::optional<HTTPResponse>> Sent =
      sendSection(Request, std::move(*File), Name);
  // The debug file has no contents of what is loaded.
  if (Sent && !*Sent)
    Sent = sendProgramSection(S, Request, *BuildID, Name);
  if (!Sent)
    return Sent.takeError();
  if (*Sent)
    return std::move(**Sent);
  if (HasFailed)
    return make_error<UpstreamFailedError>("", "the original may have it");
  return HTTPResponse::error(404, "the debug file has no such section");
}

//===----------------------------------------------------------------------===//
// Sources
//===----------------------------------------------------------------------===//

/// The source file whose path is \p Path, or becomes \p Path without "." and
/// "..", which clients may have removed.
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

/// Whether \p A has a file whose path without "." and ".." is \p Path. Reads
/// the whole archive.
static bool namesSource(const Archive &A, StringRef Path) {
  bool IsNamed = false;
  A.forEachFile([&](StringOffset File) {
    StringRef Name = A.string(File);
    IsNamed =
        IsNamed || (Name.size() >= Path.size() && withoutDots(Name) == Path);
  });
  return IsNamed;
}

/// The source file \p Path of \p M from an upstream server. Requests only files
/// that the archive names, because clients could name any number of others.
static Answer sendUpstreamSource(Service &S, const HTTPRequest &Request,
                                 const ServedModule &M, StringRef Path) {
  UpstreamWish Wish = UpstreamWish::source(M.buildID(), Path);
  std::string Fetched = S.UpstreamServers.fetched(Wish);
  if (Fetched.empty()) {
    Error Why = make_error<MissingInformationError>(
        "", "the archive has no source code of that file");
    if (!S.UpstreamServers.isUsed())
      return Why;
    if (Error E = mayNotTakeLong(Request)) {
      consumeError(std::move(Why));
      return E;
    }
    if (namesSource(M.archive(), Wish.SourcePath))
      return S.UpstreamServers.missing(Request, std::move(Wish),
                                       std::move(Why));
    return Why;
  }
  Expected<std::shared_ptr<SentFile>> File = SentFile::open(Fetched);
  if (!File)
    return File.takeError();
  return finish(Request, HTTPResponse::file(std::move(*File)), Path);
}

Answer answerSource(Service &S, const HTTPRequest &Request, PathParts Parts) {
  Expected<BuildIDBytes> BuildID = parseBuildID(Parts[0]);
  if (!BuildID)
    return BuildID.takeError();
  Expected<std::shared_ptr<ServedModule>> M = S.find(Request, *BuildID);
  if (!M)
    return M.takeError();
  EmbeddedSources Sources((*M)->archive());
  std::string Path = "/" + StringRef(Parts[1]).ltrim('/').str();
  std::optional<uint64_t> Index = findSource((*M)->archive(), Sources, Path);
  if (!Index)
    return sendUpstreamSource(S, Request, **M, Path);
  Expected<std::string> Text = Sources.text(*Index);
  if (!Text)
    return Text.takeError();
  HTTPResponse R;
  R.ContentType = "application/octet-stream";
  R.Body = std::move(*Text);
  return finish(Request, std::move(R), Path);
}

} // namespace lidia
