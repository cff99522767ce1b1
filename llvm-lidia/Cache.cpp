//===- Cache.cpp - llvm-lidia cache: inspects and prunes it ---------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Cache/Cache.h"
#include "CacheAdd.h"
#include "Object/Binary.h"
#include "Options.h"
#include "StoreOptions.h"
#include "lidia/Archive/Archive.h"
#include "lidia/Archive/ArchiveExtension.h"
#include "lidia/Symbolize/PrintableText.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <fcntl.h>
#include <unistd.h>

using namespace llvm;

namespace {
enum class Work { List, Prune, Empty, Add, Index, Export };

/// The parsed command line.
struct CacheRequest {
  Work What = Work::List;
  std::string Folder;
  CachePruningPolicy Policy;
  bool AsJSON = false;
  lidia::AddRequest Add;
};
} // namespace

namespace lidia {

static Work readWork(CommandLine &Line) {
  std::vector<std::string> Operands = Line.operands();
  if (Operands.empty())
    return Work::List;
  bool IsExport = Operands.front() == "export";
  bool IsAdd =
      IsExport || Operands.front() == "add" || Operands.front() == "index";
  if (IsExport && Operands.size() == 3)
    return Work::Export;
  if (IsAdd && Operands.size() != 2)
    Line.fail("expected one binary after " + Operands.front() +
              (IsExport ? ", and perhaps its archive" : ""));
  else if (!IsAdd && Operands.size() > 1)
    Line.fail("expected one of list, prune and empty, but got '" +
              join(Operands, " ") + "'");
  auto What = StringSwitch<std::optional<Work>>(Operands.front())
                  .Case("list", Work::List)
                  .Case("prune", Work::Prune)
                  .Case("empty", Work::Empty)
                  .Case("add", Work::Add)
                  .Case("index", Work::Index)
                  .Case("export", Work::Export)
                  .Default(std::nullopt);
  if (!What)
    Line.fail("expected list, prune, empty, add, index or export, but got '" +
              Operands.front() + "'");
  return What.value_or(Work::List);
}

static void readPolicy(CommandLine &Line, CacheRequest &R) {
  const opt::Arg *A = Line.args().getLastArg(OPT_policy_EQ);
  if (A && R.What != Work::Prune)
    return Line.fail("--policy applies to llvm-lidia cache prune only");
  if (R.What != Work::Prune)
    return;
  Expected<CachePruningPolicy> Policy =
      A ? Cache::parsePolicy(A->getValue()) : Cache::defaultPolicy();
  if (Policy)
    R.Policy = *Policy;
  else
    Line.fail((A ? "--policy=: " : "") + toString(Policy.takeError()));
}

static CacheRequest readCacheRequest(CommandLine &Line) {
  CacheRequest R;
  R.What = readWork(Line);
  R.Folder = Line.args().getLastArgValue(OPT_cache_dir_EQ).str();
  if (R.Folder.empty())
    R.Folder = Cache::defaultFolder();
  if (R.Folder.empty())
    Line.fail("there is no home directory for a cache; name one with "
              "--cache-dir=");
  readPolicy(Line, R);
  R.AsJSON = readsJSONFormat(Line, "list");
  if (R.AsJSON && R.What != Work::List)
    Line.fail("--format= applies to llvm-lidia cache list only");
  std::vector<std::string> Operands = Line.operands();
  bool IsAdd =
      R.What == Work::Add || R.What == Work::Index || R.What == Work::Export;
  if (!IsAdd) {
    refuseAddOptions(Line);
    return R;
  }
  // Otherwise an error was reported.
  if (Operands.size() >= 2)
    R.Add = readAddRequest(Line, Operands[1]);
  if (Operands.size() == 3)
    R.Add.Archive = Operands[2];
  return R;
}

//===----------------------------------------------------------------------===//
// The list
//===----------------------------------------------------------------------===//

/// "97.0 MB"
static std::string readableSize(uint64_t Bytes) {
  static constexpr const char *Units[] = {"B", "kB", "MB", "GB", "TB"};
  if (Bytes < 1000)
    return utostr(Bytes) + " B";
  double Size = double(Bytes);
  size_t Unit = 0;
  // Print 1.0 of the next unit rather than 1000.0.
  for (; Size >= 999.95 && Unit + 1 != std::size(Units); ++Unit)
    Size /= 1000;
  std::string Text;
  raw_string_ostream(Text) << llvm::format("%.1f ", Size) << Units[Unit];
  return Text;
}

static StringRef kindOf(const CacheEntry &E) {
  return StringSwitch<StringRef>(sys::path::extension(E.Path))
      .Case(ArchiveExtension, "archive")
      .Case(".debug", "DWARF")
      .Case(".tmp", "unfinished")
      .Default("unknown");
}

/// Opens an entry without marking it as used, which reading it would do by
/// setting its access time.
static std::unique_ptr<MemoryBuffer> openUnused(const CacheEntry &E) {
  int Flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
  int FD = ::open(E.Path.c_str(), Flags | O_NOATIME);
  // Only the owner may use O_NOATIME.
  if (FD < 0)
    FD = ::open(E.Path.c_str(), Flags);
  if (FD < 0)
    return nullptr;
  ErrorOr<std::unique_ptr<MemoryBuffer>> Buffer = MemoryBuffer::getOpenFile(
      FD, E.Path, /*FileSize=*/-1, /*RequiresNullTerminator=*/false);
  ::close(FD);
  return Buffer ? std::move(*Buffer) : nullptr;
}

/// The build ID of the entry, in hexadecimal; "-" if it has none or is damaged.
static std::string buildIDOf(const CacheEntry &E) {
  std::unique_ptr<MemoryBuffer> Buffer = openUnused(E);
  if (!Buffer)
    return "-";
  SmallVector<uint8_t, 20> ID;
  if (Archive::hasMagic(Buffer->getBuffer())) {
    Expected<Archive> A = Archive::create(std::move(Buffer));
    if (A && A->info())
      ID.append(A->info()->BuildID.begin(), A->info()->BuildID.end());
    consumeError(A.takeError());
  } else {
    Expected<std::unique_ptr<Binary>> File =
        Binary::create(std::move(Buffer), E.Path);
    if (File)
      ID.append((*File)->buildID().begin(), (*File)->buildID().end());
    consumeError(File.takeError());
  }
  return ID.empty() ? "-" : toHex(ID, /*LowerCase=*/true);
}

static std::string countOf(uint64_t Entries, uint64_t Bytes) {
  return utostr(Entries) + (Entries == 1 ? " entry, " : " entries, ") +
         readableSize(Bytes);
}

static Error listAsJSON(const Cache &C) {
  Expected<std::vector<CacheEntry>> Entries = C.list();
  if (!Entries)
    return Entries.takeError();
  for (const CacheEntry &E : *Entries) {
    json::Object Entry{
        {"Kind", kindOf(E)},
        {"LastUsed", formatv("{0:%Y-%m-%dT%H:%M:%SZ}",
                             sys::toUtcTime(sys::toTimeT(E.LastUsed)))
                         .str()},
        {"Path", json::fixUTF8(E.Path)},
        {"Size", int64_t(E.Size)}};
    if (std::string ID = buildIDOf(E); ID != "-")
      Entry["BuildID"] = std::move(ID);
    outs() << json::Value(std::move(Entry)) << '\n';
  }
  return Error::success();
}

static Error list(const Cache &C) {
  Expected<std::vector<CacheEntry>> Entries = C.list();
  if (!Entries)
    return Entries.takeError();
  uint64_t Bytes = 0;
  if (!Entries->empty())
    outs() << "     Size  Last used            Kind        Build ID\n";
  for (const CacheEntry &E : *Entries) {
    outs() << formatv("{0,9}  {1:%Y-%m-%d %H:%M:%S}  {2,-10}  {3}\n",
                      readableSize(E.Size), E.LastUsed, kindOf(E),
                      buildIDOf(E));
    Bytes += E.Size;
  }
  outs() << countOf(Entries->size(), Bytes) << " in " << escapeText(C.folder())
         << '\n';
  return Error::success();
}

//===----------------------------------------------------------------------===//

static Error remove(Cache &C, const CacheRequest &R) {
  Expected<CacheRemoval> Removed =
      R.What == Work::Empty ? C.empty() : C.prune(R.Policy);
  if (!Removed)
    return Removed.takeError();
  outs() << "Removed " << countOf(Removed->Entries, Removed->Bytes) << " from "
         << escapeText(C.folder()) << '\n';
  return Error::success();
}

Error runCache(CommandLine &Line) {
  CacheRequest R = readCacheRequest(Line);
  if (Error E = Line.takeErrors())
    return E;
  if (R.What == Work::Add)
    return addToCache(R.Folder, R.Add);
  if (R.What == Work::Index)
    return addIndexToCache(R.Folder, R.Add);
  if (R.What == Work::Export)
    return addExportToCache(R.Folder, R.Add);
  Cache C(R.Folder);
  if (R.What != Work::List)
    return remove(C, R);
  return R.AsJSON ? listAsJSON(C) : list(C);
}

} // namespace lidia
