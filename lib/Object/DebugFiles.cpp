//===- DebugFiles.cpp - Finds separate debug files ------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DebugFiles.h"
#include "MachOBinary.h"
#include "SectionLayout.h"
#include "Support/NilBuildID.h"
#include "Support/WindowsNames.h"
#include "SymbolFile.h"
#include "lidia/Archive/DebugID.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/CRC.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace lidia {

std::string knownFile(ArrayRef<uint8_t> BuildID,
                      const DebugFileSearch &Search) {
  return Search.Known ? Search.Known->lookup(toHex(BuildID, /*LowerCase=*/true))
                      : std::string();
}

std::vector<std::string> debugDirectories(const DebugFileSearch &Search) {
  if (Search.Directories.empty())
    return {"/usr/lib/debug"};
  return Search.Directories;
}

std::vector<std::string> filesOfBuildID(ArrayRef<uint8_t> BuildID,
                                        ArrayRef<std::string> Directories,
                                        StringRef Extension) {
  std::vector<std::string> Paths;
  if (BuildID.size() < 2 || isNilBuildID(BuildID))
    return Paths;
  for (const std::string &Directory : Directories) {
    SmallString<128> Path(Directory);
    sys::path::append(Path, ".build-id", toHex(BuildID[0], /*LowerCase=*/true),
                      toHex(BuildID.drop_front(), /*LowerCase=*/true) +
                          Extension);
    Paths.push_back(Path.str().str());
  }
  return Paths;
}

bool hasDWARF(const Binary &File) {
  const Section *Info = File.findSection(".debug_info");
  return Info && Info->Type != ELF::SHT_NOBITS && Info->Size;
}

static FileKind kindOf(const Binary &File) {
  return fileKind(File.buffer().getBuffer());
}

static bool isWasm(const Binary &File) {
  return kindOf(File) == FileKind::WebAssembly;
}

/// Whether the WebAssembly file \p File has the bytes of its code.
static bool hasCode(const Binary &File) {
  return any_of(File.loadedBytes(),
                [](const LoadedBytes &L) { return !L.Bytes.empty(); });
}

/// Emscripten keeps the code in the debug file of a module. objcopy removes it,
/// and the build ID, so that only the name is left to tell.
static std::string whyNotDebugModuleOf(const Binary &Debug,
                                       const Binary &Main) {
  if (!hasCode(Debug) && Debug.buildID().empty())
    return std::string();
  if (Debug.buildID() != Main.buildID())
    return "the build IDs differ";
  if (hasCode(Debug) &&
      Debug.loadedBytes().front().Bytes != Main.loadedBytes().front().Bytes)
    return "their code sections differ";
  return std::string();
}

std::string whyNotDebugFileOf(const Binary &Debug, const Binary &Main) {
  if (const SymbolFile *Symbols = Debug.asSymbolFile())
    return Symbols->whyNotOf(Main);
  const ELFIdentity &A = Debug.identity(), &B = Main.identity();
  if (A.Machine != B.Machine || A.Class != B.Class || A.Data != B.Data)
    return "it is for another machine";
  if (isWasm(Debug) && isWasm(Main))
    return whyNotDebugModuleOf(Debug, Main);
  if (Debug.buildID() != Main.buildID())
    return "the build IDs differ";
  if (A.Type == ELF::ET_REL && B.Type == ELF::ET_REL &&
      !haveSamePlaces(Debug, Main))
    return "their code sections differ";
  return std::string();
}

namespace {

/// The contents of .gnu_debuglink.
struct DebugLink {
  std::string Name;
  uint32_t CRC = 0;
};

/// One search, with a method for each place. run() tries them in turn until one
/// succeeds.
class Finder {
public:
  Finder(Binary &Main, const DebugFileSearch &Search,
         function_ref<void(const Twine &)> Warn)
      : Main(Main), Search(Search), Warn(Warn) {
    Directories = Search.ModuleFolders;
    append_range(Directories, debugDirectories(Search));
  }

  DebugFile run();
  std::vector<std::string> candidates();

private:
  bool byBuildID();
  bool byDebugLink();
  bool byPath();
  bool byFolder();
  bool byServer();
  bool bySymbolServer();
  bool isPDBOfMain(StringRef Path, StringRef Name);
  bool byBundle();
  bool byPDBPath();
  bool byExternalName();
  std::vector<std::string> bundlePaths() const;
  std::vector<std::string> foreignPaths() const;
  std::vector<std::string> pdbPaths() const;
  std::vector<std::string> externalPaths() const;
  bool tryFile(StringRef Path, std::optional<uint32_t> CRC = std::nullopt);
  bool refuse(StringRef Path, const Twine &Why);
  std::optional<DebugLink> readDebugLink();
  std::vector<std::string> buildIDPaths() const;
  std::vector<std::string> debugLinkPaths(const DebugLink &Link) const;
  std::vector<std::string> modulePaths() const;

  Binary &Main;
  const DebugFileSearch &Search;
  function_ref<void(const Twine &)> Warn;
  std::vector<std::string> Directories;
  std::unique_ptr<Binary> Found;
};

} // namespace

bool Finder::refuse(StringRef Path, const Twine &Why) {
  Warn(Path + ": not used as the debug file of " + Main.path() + ": " + Why);
  return false;
}

/// Takes the file at \p Path if it is the binary's debug file. For a file
/// without build ID, a matching \p CRC of a debug link is sufficient proof.
bool Finder::tryFile(StringRef Path, std::optional<uint32_t> CRC) {
  // Opening a pipe or a device may block forever.
  if (!sys::fs::is_regular_file(Path))
    return false;
  ErrorOr<std::unique_ptr<MemoryBuffer>> Buffer =
      MemoryBuffer::getFile(Path, /*IsText=*/false,
                            /*RequiresNullTerminator=*/false);
  if (!Buffer)
    return refuse(Path, Buffer.getError().message());
  if (CRC) {
    uint32_t Actual = crc32(arrayRefFromStringRef((*Buffer)->getBuffer()));
    if (Actual != *CRC)
      return refuse(Path, "its CRC is 0x" + Twine::utohexstr(Actual) +
                              ", but the debug link says 0x" +
                              Twine::utohexstr(*CRC));
  }
  Expected<std::unique_ptr<Binary>> File =
      Binary::create(std::move(*Buffer), Path, Main.architecture());
  if (!File) {
    Warn(toString(File.takeError()));
    return false;
  }
  std::string Why = whyNotDebugFileOf(**File, Main);
  if (!Why.empty() && !(CRC && (*File)->buildID().empty()))
    return refuse(Path, Why);
  // For example, .build-id may link to the stripped binary itself.
  if (!hasDWARF(**File) && !(*File)->hasSymbolTable(SymbolTable::Symtab) &&
      !(*File)->asSymbolFile())
    return false;
  Found = std::move(*File);
  return true;
}

std::vector<std::string> Finder::buildIDPaths() const {
  std::vector<std::string> Paths;
  if (!Search.OnlyKnown)
    Paths = filesOfBuildID(Main.buildID(), Directories);
  if (std::string Known = knownFile(Main.buildID(), Search); !Known.empty())
    Paths.insert(Paths.begin(), std::move(Known));
  return Paths;
}

bool Finder::byBuildID() {
  return any_of(buildIDPaths(),
                [&](const std::string &Path) { return tryFile(Path); });
}

std::optional<DebugLink> Finder::readDebugLink() {
  const Section *S = Main.findSection(".gnu_debuglink");
  if (!S)
    return std::nullopt;
  auto Ignore = [&](const Twine &Why) {
    Warn(Main.path() + ": .gnu_debuglink is ignored: " + Why);
    return std::nullopt;
  };
  Expected<StringRef> Bytes = Main.contents(*S);
  if (!Bytes)
    return Ignore(toString(Bytes.takeError()));
  // A name, NUL, padding to four bytes, and the CRC.
  size_t NameSize = Bytes->find('\0');
  if (NameSize == StringRef::npos || alignTo(NameSize + 1, 4) > Bytes->size() ||
      Bytes->size() - alignTo(NameSize + 1, 4) < 4)
    return Ignore("it is too short");
  DebugLink Link;
  Link.Name = Bytes->take_front(NameSize).str();
  // The search determines the folders, not the untrusted binary.
  if (Link.Name.empty() || Link.Name == ".." ||
      Link.Name.find('/') != std::string::npos)
    return Ignore("'" + Link.Name + "' is not the name of a file");
  Link.CRC = support::endian::read<uint32_t>(
      Bytes->data() + alignTo(NameSize + 1, 4),
      Main.isLittleEndian() ? endianness::little : endianness::big);
  return Link;
}

std::vector<std::string> Finder::debugLinkPaths(const DebugLink &Link) const {
  std::vector<std::string> Paths;
  auto Add = [&](const Twine &A, const Twine &B) {
    SmallString<128> Path;
    sys::path::append(Path, A, B, Link.Name);
    Paths.push_back(Path.str().str());
  };
  SmallString<128> Folder(sys::path::parent_path(Main.path()));
  Add(Folder, "");
  Add(Folder, ".debug");
  // /usr/lib/debug/usr/bin for /usr/bin, for any working directory.
  if (sys::fs::make_absolute(Folder))
    return Paths;
  sys::path::remove_dots(Folder, /*remove_dot_dot=*/true);
  StringRef Below = sys::path::relative_path(Folder);
  if (!Search.FallbackPath.empty())
    Add(Search.FallbackPath, Below);
  else
    for (const std::string &Directory : Directories)
      Add(Directory, Below);
  return Paths;
}

bool Finder::byDebugLink() {
  std::optional<DebugLink> Link = readDebugLink();
  return Link && any_of(debugLinkPaths(*Link), [&](const std::string &Path) {
           return tryFile(Path, Link->CRC);
         });
}

/// Distributions install the debug files of kernel modules, which have no debug
/// link, at the modules' own paths below the debug directories.
std::vector<std::string> Finder::modulePaths() const {
  std::vector<std::string> Paths;
  SmallString<128> Path(Main.path());
  if (Main.identity().Type != ELF::ET_REL || Main.buildID().empty() ||
      sys::fs::make_absolute(Path))
    return Paths;
  sys::path::remove_dots(Path, /*remove_dot_dot=*/true);
  StringRef Name = Path;
  Name.consume_back(".xz") || Name.consume_back(".zst");
  if (Name.ends_with(".ko"))
    for (const std::string &Directory : Directories)
      for (const char *Extension : {"", ".debug"})
        Paths.push_back(Directory + Name.str() + Extension);
  return Paths;
}

bool Finder::byPath() {
  return any_of(modulePaths(),
                [&](const std::string &Path) { return tryFile(Path); });
}

bool Finder::byServer() {
  if (!Search.Fetch || Main.buildID().empty())
    return false;
  std::string Path = Search.Fetch(Main.buildID(), Warn);
  return !Path.empty() && tryFile(Path);
}

/// The files of the bundle that dsymutil writes beside a Mach-O file.
std::vector<std::string> Finder::bundlePaths() const {
  if (Main.architecture().empty())
    return {};
  return filesOfBundle((Main.path() + ".dSYM").str());
}

bool Finder::byBundle() {
  return any_of(bundlePaths(),
                [&](const std::string &Path) { return tryFile(Path); });
}

/// The name of the PDB file of \p Main, without folders; empty if there is
/// none.
static StringRef pdbName(const Binary &Main) {
  StringRef Linked = Main.pdbPath();
  StringRef Name = baseNameOfWindows(Linked);
  return Name == "." || Name == ".." ? StringRef() : Name;
}

/// What the caller finds for a PE or Mach-O file.
std::vector<std::string> Finder::foreignPaths() const {
  ForeignDebugFile Wanted;
  Wanted.IsPDB = kindOf(Main) == FileKind::PE;
  if (!Search.FindForeign || !(Wanted.IsPDB || kindOf(Main) == FileKind::MachO))
    return {};
  std::string ID = debugID(Main.identity(), Main.buildID()).text();
  Wanted.BuildID = Main.buildID();
  Wanted.Name = pdbName(Main);
  Wanted.DebugID = ID;
  return Search.FindForeign(Wanted);
}

bool Finder::byFolder() {
  return any_of(foreignPaths(),
                [&](const std::string &Path) { return tryFile(Path); });
}

/// The possible paths of the PDB file of a PE file: beside the file, at the
/// path in the file, if it was linked on this machine, and in the debug
/// directories and folders of the symbol path, which may be symbol stores in
/// Microsoft's layout.
std::vector<std::string> Finder::pdbPaths() const {
  StringRef Linked = Main.pdbPath(), Name = pdbName(Main);
  std::vector<std::string> Paths;
  if (Name.empty())
    return Paths;
  std::string Packed = packedName(Name);
  auto Add = [&](StringRef Folder, const Twine &A = "", const Twine &B = "") {
    for (StringRef File : {Name, StringRef(Packed)}) {
      SmallString<128> Path(Folder);
      sys::path::append(Path, A, B, File);
      Paths.push_back(Path.str().str());
    }
  };
  Add(sys::path::parent_path(Main.path()));
  if (Linked.starts_with("/"))
    Paths.push_back(Linked.str());
  std::string ID = debugID(Main.identity(), Main.buildID()).text();
  const std::vector<std::string> Debug = debugDirectories(Search);
  for (ArrayRef<std::string> Folders :
       {ArrayRef(Debug), ArrayRef(Search.SymbolFolders)})
    for (const std::string &Folder : Folders) {
      Add(Folder, Name, ID);
      Add(Folder);
    }
  return Paths;
}

bool Finder::byPDBPath() {
  return any_of(pdbPaths(),
                [&](const std::string &Path) { return tryFile(Path); });
}

/// Checks the file at \p Path, because servers may send anything. \p Name is
/// its name in warnings.
bool Finder::isPDBOfMain(StringRef Path, StringRef Name) {
  ErrorOr<std::unique_ptr<MemoryBuffer>> Buffer =
      MemoryBuffer::getFile(Path, /*IsText=*/false,
                            /*RequiresNullTerminator=*/false);
  if (!Buffer)
    return false;
  Expected<std::unique_ptr<Binary>> File =
      Binary::create(std::move(*Buffer), Name, Main.architecture());
  if (!File) {
    Warn(toString(File.takeError()));
    return false;
  }
  const SymbolFile *Symbols = (*File)->asSymbolFile();
  return Symbols && Symbols->identifiesBinary() &&
         Symbols->whyNotOf(Main).empty();
}

bool Finder::bySymbolServer() {
  StringRef Name = pdbName(Main);
  if (!Search.FetchPDB || Name.empty() || Main.buildID().empty())
    return false;
  std::string Path = Search.FetchPDB(
      Name, debugID(Main.identity(), Main.buildID()).text(),
      [&](StringRef Path) { return isPDBOfMain(Path, Name); }, Warn);
  return !Path.empty() && tryFile(Path);
}

/// The part of \p Name, a URL or a path, that leads from the module's folder to
/// its debug file if both were copied together: the whole of a relative path,
/// otherwise the last part. Empty if there is none.
static StringRef pathBesideModule(StringRef Name) {
  bool IsURL = Name.contains("://");
  if (IsURL)
    Name = Name.take_until([](char C) { return C == '?' || C == '#'; });
  bool IsBelow = !IsURL && !Name.starts_with("/") && !Name.contains('\\') &&
                 !is_contained(split(Name, '/'), "..");
  if (!IsBelow)
    Name = baseNameOfWindows(Name);
  // A name with a zero byte would be cut.
  bool IsName =
      !Name.empty() && Name != "." && Name != ".." && !Name.contains('\0');
  return IsName ? Name : StringRef();
}

/// The possible paths of the debug file of a WebAssembly module: beside the
/// module and in the debug directories. The search determines the folders, not
/// the untrusted module.
std::vector<std::string> Finder::externalPaths() const {
  StringRef Name = pathBesideModule(Main.externalDebugFile());
  std::vector<std::string> Paths;
  if (Name.empty())
    return Paths;
  auto Add = [&](StringRef Folder, StringRef File) {
    SmallString<128> Path(Folder);
    sys::path::append(Path, File);
    Paths.push_back(Path.str().str());
  };
  StringRef Last = sys::path::filename(Name);
  Add(sys::path::parent_path(Main.path()), Name);
  if (Last != Name)
    Add(sys::path::parent_path(Main.path()), Last);
  for (const std::string &Directory : Directories)
    Add(Directory, Last);
  return Paths;
}

bool Finder::byExternalName() {
  if (none_of(externalPaths(),
              [&](const std::string &Path) { return tryFile(Path); }))
    return false;
  if (!hasCode(*Found) && Found->buildID().empty())
    Warn(Found->path() + ": has neither code nor a build ID that would say " +
         "whether it belongs to " + Main.path());
  return true;
}

DebugFile Finder::run() {
  if (Search.OnlyKnown) {
    bool IsKnown = byBuildID();
    return {std::move(Found), IsKnown ? "build ID" : ""};
  }
  StringRef FoundBy = byBundle()         ? "dSYM bundle"
                      : byBuildID()      ? "build ID"
                      : byDebugLink()    ? "debug link"
                      : byPath()         ? "path"
                      : byFolder()       ? "folder"
                      : byPDBPath()      ? "PDB path"
                      : byExternalName() ? "external_debug_info"
                      : bySymbolServer() ? "symbol server"
                      : byServer()       ? "debuginfod"
                                         : "";
  return {std::move(Found), FoundBy};
}

std::vector<std::string> Finder::candidates() {
  if (Search.OnlyKnown)
    return buildIDPaths();
  std::vector<std::string> Paths = bundlePaths();
  append_range(Paths, buildIDPaths());
  if (std::optional<DebugLink> Link = readDebugLink())
    append_range(Paths, debugLinkPaths(*Link));
  append_range(Paths, modulePaths());
  append_range(Paths, foreignPaths());
  append_range(Paths, pdbPaths());
  append_range(Paths, externalPaths());
  return Paths;
}

std::vector<std::string> debugFileCandidates(Binary &Main,
                                             const DebugFileSearch &Search) {
  return Finder(Main, Search, [](const Twine &) {}).candidates();
}

DebugFile findDebugFile(Binary &Main, const DebugFileSearch &Search,
                        function_ref<void(const Twine &)> Warn) {
  return Finder(Main, Search, Warn).run();
}

} // namespace lidia
