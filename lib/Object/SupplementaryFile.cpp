//===- SupplementaryFile.cpp - Supplementary debug files ------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SupplementaryFile.h"
#include "DebugFiles.h"
#include "lidia/Error.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/DataExtractor.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace lidia {

namespace {

/// The link of a file to its supplementary file or, of a supplementary file,
/// its own ID.
struct Link {
  /// The name of the referenced file; empty if there is none.
  std::string Path;
  /// The ID of the referenced file, or this file's own if IsSupplementary.
  SmallVector<uint8_t, 20> ID;
  bool IsSupplementary = false;
};

} // namespace

static SmallVector<uint8_t, 20> bytesOf(StringRef S) {
  return SmallVector<uint8_t, 20>(S.bytes());
}

/// .gnu_debugaltlink: a NUL-terminated name and a build ID.
static Expected<Link> readAltLink(StringRef Contents) {
  size_t Nul = Contents.find('\0');
  if (Nul == 0 || Nul == StringRef::npos || Nul + 1 == Contents.size())
    return make_error<DamagedError>("", "has no name or no build ID");
  Link L;
  L.Path = Contents.take_front(Nul).str();
  L.ID = bytesOf(Contents.drop_front(Nul + 1));
  return L;
}

/// .debug_sup (DWARF 5, section 7.3.6).
static Expected<Link> readDebugSup(StringRef Contents, bool LittleEndian) {
  DataExtractor Data(Contents, LittleEndian, 8);
  DataExtractor::Cursor C(0);
  uint16_t Version = Data.getU16(C);
  uint8_t IsSupplementary = Data.getU8(C);
  StringRef Name = Data.getCStrRef(C);
  uint64_t Length = Data.getULEB128(C);
  StringRef ID = Data.getBytes(C, Length);
  if (!C) {
    consumeError(C.takeError());
    return make_error<DamagedError>("", "ends within its fields");
  }
  if (Version < 2 || Version > 5 || IsSupplementary > 1)
    return make_error<UnsupportedError>("", "version " + Twine(Version) +
                                                " is not known");
  if (ID.empty() || Name.empty() != bool(IsSupplementary))
    return make_error<DamagedError>("", "has no name or no checksum");
  Link L;
  L.Path = Name.str();
  L.ID = bytesOf(ID);
  L.IsSupplementary = IsSupplementary;
  return L;
}

/// Empty if \p File has no link to a supplementary file.
static Expected<Link> readLink(Binary &File) {
  for (StringRef Name : {".gnu_debugaltlink", ".debug_sup"}) {
    const Section *S = File.findSection(Name);
    if (!S)
      continue;
    Expected<StringRef> Contents = File.contents(*S);
    if (!Contents)
      return Contents.takeError();
    Expected<Link> L = Name == ".debug_sup"
                           ? readDebugSup(*Contents, File.isLittleEndian())
                           : readAltLink(*Contents);
    if (L)
      return L;
    return addPrefix(File.path(), addWhere(Name, L.takeError()));
  }
  return Link();
}

/// Appends the possible paths of \p Name relative to the folder of \p From.
static void addBeside(StringRef From, StringRef Name,
                      SmallVectorImpl<std::string> &Out) {
  SmallString<128> Path = sys::path::parent_path(From);
  sys::path::append(Path, Name);
  if (!is_contained(Out, Path))
    Out.push_back(Path.str().str());
}

/// Appends the possible paths of the file of \p L below a debug directory.
static void addBelow(StringRef Directory, const Link &L,
                     SmallVectorImpl<std::string> &Out) {
  size_t At = L.Path.rfind("/.dwz/");
  StringRef Rest = At == std::string::npos
                       ? sys::path::filename(L.Path)
                       : StringRef(L.Path).drop_front(At + 6);
  SmallString<128> Path(Directory);
  sys::path::append(Path, ".dwz", Rest);
  Out.push_back(Path.str().str());

  Path = Directory;
  ArrayRef<uint8_t> ID = L.ID;
  sys::path::append(Path, ".build-id",
                    toHex(ID.take_front(1), /*LowerCase=*/true),
                    toHex(ID.drop_front(1), /*LowerCase=*/true) + ".debug");
  Out.push_back(Path.str().str());
}

/// All possible paths of the file of \p L, best first.
static SmallVector<std::string, 8> candidates(StringRef File, const Link &L,
                                              const DebugFileSearch &Search) {
  SmallVector<std::string, 8> Result;
  if (std::string Known = knownFile(L.ID, Search); !Known.empty())
    Result.push_back(std::move(Known));
  if (Search.OnlyKnown)
    return Result;
  SmallString<128> Real;
  bool HasReal = !sys::fs::real_path(File, Real);
  if (sys::path::is_absolute(L.Path)) {
    Result.push_back(L.Path);
  } else {
    addBeside(File, L.Path, Result);
    // dwz writes a path relative to the file itself, not to symbolic links to
    // it.
    if (HasReal)
      addBeside(Real, L.Path, Result);
  }
  size_t At = HasReal ? Real.str().rfind("/.build-id/") : StringRef::npos;
  if (At != StringRef::npos)
    addBelow(Real.str().take_front(At), L, Result);
  for (const std::string &Directory : debugDirectories(Search))
    addBelow(Directory, L, Result);
  return Result;
}

/// Opens \p Path if it is the file to which the link \p L of \p File refers.
static Expected<std::unique_ptr<Binary>>
openCandidate(StringRef Path, const Link &L, const Binary &File) {
  Expected<std::unique_ptr<Binary>> Found = Binary::open(Path);
  if (!Found)
    return Found;
  Expected<Link> Own = readLink(**Found);
  if (!Own)
    return Own.takeError();
  if ((*Found)->buildID() != ArrayRef<uint8_t>(L.ID) &&
      !(Own->IsSupplementary && Own->ID == L.ID))
    return make_error<ArgumentError>(
        Path, "is not the supplementary file that " + File.path() +
                  " refers to: the IDs differ");
  // A chain could be a cycle, and no tool creates one.
  if (!Own->Path.empty())
    return make_error<UnsupportedError>(Path, "is the supplementary file of " +
                                                  File.path() +
                                                  " and refers to another");
  return Found;
}

Expected<std::unique_ptr<Binary>>
openSupplementaryFile(Binary &File, const DebugFileSearch &Search) {
  Expected<Link> L = readLink(File);
  if (!L)
    return L.takeError();
  if (L->Path.empty())
    return nullptr;
  RememberedError WrongFile;
  for (StringRef Path : candidates(File.path(), *L, Search)) {
    if (!sys::fs::is_regular_file(Path))
      continue;
    Expected<std::unique_ptr<Binary>> Found = openCandidate(Path, *L, File);
    if (Found)
      return Found;
    RememberedError Why(Found.takeError());
    if (!WrongFile)
      WrongFile = std::move(Why);
  }
  if (WrongFile)
    return WrongFile.get();
  return make_error<MissingInformationError>(
      File.path(), "its supplementary file " + L->Path + " was not found");
}

SmallVector<uint8_t, 20> supplementaryBuildID(Binary &File) {
  Expected<Link> L = readLink(File);
  if (L && !L->Path.empty())
    return L->ID;
  consumeError(L.takeError());
  return {};
}

} // namespace lidia
