//===- DebugFileTree.cpp - Objects for debuginfod clients -----------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Names are the paths of debuginfod's URLs (debuginfod(8)), so that any web
/// server for the store's files is a debuginfod server.
///
//===----------------------------------------------------------------------===//

#include "DebugFileTree.h"
#include "Object/Binary.h"
#include "lidia/Archive/Sources.h"
#include "lidia/Error.h"
#include "lidia/Export/DebugFile.h"
#include "lidia/Support/OutputFile.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace lidia;
using namespace llvm;

namespace {
class TreeWriter {
public:
  TreeWriter(SymbolStore &Store, ArrayRef<uint8_t> BuildID, StringRef Archive,
             PutMode Mode)
      : Store(Store), Prefix(Store.objectFolder(BuildID)), Mode(Mode),
        Temporary(Archive.str() + ".object"), Removal(Temporary) {}
  ~TreeWriter() { (void)sys::fs::remove(Temporary); }

  Error putDebugFile(const Archive &A);
  Error putSources(const Archive &A);

private:
  Error putSections();
  Error put(const Twine &Name, StringRef Contents);
  Error putTemporary(const Twine &Name);

  SymbolStore &Store;
  const std::string Prefix;
  const PutMode Mode;
  const std::string Temporary;
  const RemovedOnSignal Removal;
};
} // namespace

Error TreeWriter::putTemporary(const Twine &Name) {
  return Store.objects().put(Prefix + Name.str(), Temporary, Mode).takeError();
}

Error TreeWriter::put(const Twine &Name, StringRef Contents) {
  Error E = writeOutputFile(Temporary, [&](raw_ostream &OS) {
    OS << Contents;
    return Error::success();
  });
  return E ? std::move(E) : putTemporary(Name);
}

Error TreeWriter::putDebugFile(const Archive &A) {
  if (Error E = exportDebugFile(A, Temporary))
    return E;
  if (Error E = putTemporary("debuginfo"))
    return E;
  return putSections();
}

/// Adds the DWARF sections, for `debuginfod-find section`: clients do not
/// extract them from the debug file themselves.
Error TreeWriter::putSections() {
  Expected<std::unique_ptr<Binary>> File = Binary::open(Temporary);
  if (!File)
    return File.takeError();
  // Sections of a relocatable object are useless without the rest of the file.
  if ((*File)->identity().Type == ELF::ET_REL)
    return Error::success();
  for (const Section &S : (*File)->sections()) {
    if (!StringRef(S.Name).starts_with(".debug_"))
      continue;
    Expected<StringRef> Contents = (*File)->contents(S);
    if (!Contents)
      return Contents.takeError();
    // The file stays mapped, even if another file gets its name.
    if (Error E = put("section/" + S.Name, *Contents))
      return E;
  }
  return Error::success();
}

/// The path in the URL of the source file \p Path, without "..", which web
/// servers resolve. Empty if clients never request it, or if not every store
/// can have it as a name.
static std::string urlPath(StringRef Path) {
  if (!sys::path::is_absolute(Path, sys::path::Style::posix) ||
      Path.contains('\0'))
    return std::string();
  SmallString<256> Clean(Path);
  sys::path::remove_dots(Clean, /*remove_dot_dot=*/true,
                         sys::path::Style::posix);
  constexpr size_t MaxOfPart = 255, MaxOfAll = 900;
  SmallVector<StringRef, 16> Parts;
  StringRef(Clean).split(Parts, '/', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  if (Parts.empty() || Clean.size() > MaxOfAll ||
      any_of(Parts, [](StringRef P) {
        return P.size() > MaxOfPart || P == "." || P == "..";
      }))
    return std::string();
  return join(Parts, "/");
}

/// Leaves out files that cannot be objects because another file has the same
/// name as one of their folders.
Error TreeWriter::putSources(const Archive &A) {
  EmbeddedSources Sources(A);
  for (uint64_t I = 0; I != Sources.size(); ++I) {
    std::string Path = urlPath(A.string(Sources.file(I)));
    if (Path.empty())
      continue;
    Expected<std::string> Text = Sources.text(I);
    if (!Text)
      return Text.takeError();
    if (Error E = put("source/" + Path, *Text)) {
      std::error_code Code = errorToErrorCode(std::move(E));
      if (endsStore(Code) || Code == std::errc::permission_denied)
        return make_error<SystemError>(Code, Store.name());
    }
  }
  return Error::success();
}

Error lidia::putDebugFiles(SymbolStore &Store, ArrayRef<uint8_t> BuildID,
                           StringRef Archive, PutMode Mode) {
  if (StringRef Why = whyNotABuildID(BuildID); !Why.empty())
    return make_error<ArgumentError>(toHex(BuildID, /*LowerCase=*/true), Why);
  Expected<lidia::Archive> A = lidia::Archive::open(Archive);
  if (!A)
    return A.takeError();
  if (Error E = A->unpackAll())
    return E;
  TreeWriter Writer(Store, BuildID, Archive, Mode);
  if (Error E = Writer.putDebugFile(*A))
    return E;
  return Writer.putSources(*A);
}
