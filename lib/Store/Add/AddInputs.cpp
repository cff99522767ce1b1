//===- AddInputs.cpp - The files to add to a store ------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AddInputs.h"
#include "Object/Binary.h"
#include "Object/DebugFiles.h"
#include "Object/FileHash.h"
#include "lidia/Error.h"
#include "lidia/Support/Interrupt.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/FileSystem.h"

using namespace lidia;
using namespace llvm;

//===----------------------------------------------------------------------===//
// Finding files
//===----------------------------------------------------------------------===//

/// The regular files below \p Folder, sorted. Links are not followed: their
/// targets are in the folder, too, or are not meant to be added.
static Expected<std::vector<std::string>>
filesBelow(const std::string &Folder, function_ref<void(Error)> Fail) {
  std::vector<std::string> Files;
  std::error_code EC;
  sys::fs::recursive_directory_iterator It(Folder, EC,
                                           /*follow_symlinks=*/false),
      End;
  if (EC)
    return make_error<SystemError>(EC, Folder);
  while (It != End && !isInterrupted()) {
    std::string Path = It->path();
    sys::fs::file_status Status;
    if (!sys::fs::status(Path, Status, /*follow=*/false) &&
        sys::fs::is_regular_file(Status))
      Files.push_back(Path);
    It.increment(EC);
    // An unreadable folder costs only its own files.
    if (EC) {
      Fail(make_error<SystemError>(EC, Path));
      if (It != End)
        It.no_push();
      EC.clear();
    }
  }
  llvm::sort(Files);
  return Files;
}

std::vector<AddSource> lidia::findSources(ArrayRef<std::string> Inputs,
                                          function_ref<void(Error)> Fail) {
  std::vector<AddSource> Sources;
  for (const std::string &Input : Inputs) {
    sys::fs::file_status Status;
    if (std::error_code EC = sys::fs::status(Input, Status)) {
      Fail(make_error<SystemError>(EC, Input));
      continue;
    }
    // A bundle (a.out.dSYM) stands for the file in it.
    Expected<std::string> File = binaryFile(Input);
    if (!File) {
      Fail(File.takeError());
    } else if (*File != Input || sys::fs::is_regular_file(Status)) {
      Sources.push_back({*File, /*IsNamed=*/true});
    } else if (!sys::fs::is_directory(Status)) {
      Fail(make_error<UnsupportedError>(Input, "not a regular file"));
    } else {
      Expected<std::vector<std::string>> Files = filesBelow(Input, Fail);
      if (!Files) {
        Fail(Files.takeError());
        continue;
      }
      for (std::string &Path : *Files)
        Sources.push_back({std::move(Path), /*IsNamed=*/false});
    }
  }
  return Sources;
}

//===----------------------------------------------------------------------===//
// Describing files
//===----------------------------------------------------------------------===//

/// The htlhash of \p File, if profilers see such files.
static SmallVector<uint8_t, 16> fileHashOf(const Binary &File, InputKind Kind) {
  if (Kind != InputKind::Program ||
      File.identity().Format != BinaryFormat::ELF ||
      File.identity().Type == ELF::ET_REL)
    return {};
  FileHash Hash = hashFile(File.buffer().getBuffer());
  return SmallVector<uint8_t, 16>(Hash.begin(), Hash.end());
}

/// Whether the htlhash of \p File covers an ID of the build, so that no other
/// build has the same hash: Go's linker writes one into the first page.
static bool hashesGoBuildID(Binary &File) {
  StringRef Hashed = File.buffer().getBuffer().take_front(FileHashPart);
  for (const Section &S : File.sections()) {
    if (S.Name != ".note.go.buildid")
      continue;
    Expected<StringRef> Note = File.contents(S);
    if (Note)
      return !Note->empty() && Note->begin() >= Hashed.begin() &&
             Note->end() <= Hashed.end();
    consumeError(Note.takeError());
  }
  return false;
}

Expected<std::optional<AddInput>> lidia::describeInput(const std::string &Path,
                                                       StringRef Name,
                                                       StoreLayout Layout) {
  Expected<std::unique_ptr<Binary>> File = Binary::open(Path);
  if (!File)
    return File.takeError();
  AddInput I;
  I.Name = Name.str();
  I.Path = Path;
  I.Size = (*File)->size();
  I.BuildID.assign((*File)->buildID().begin(), (*File)->buildID().end());
  I.HasDWARF = hasDWARF(**File);
  I.MayHaveLines = I.HasDWARF || (*File)->asSymbolFile() ||
                   (*File)->identity().Format != BinaryFormat::ELF;
  if ((*File)->code().empty() && !(*File)->asSymbolFile()) {
    if (!I.HasDWARF)
      return std::nullopt;
    I.Kind = InputKind::Supplementary;
  } else if ((*File)->codeBytes().empty()) {
    I.Kind = InputKind::Debug;
  }
  I.FileHash = fileHashOf(**File, I.Kind);
  if (I.BuildID.empty() && Layout != StoreLayout::Pyroscope &&
      hashesGoBuildID(**File))
    I.BuildID.assign(I.FileHash.begin(), I.FileHash.end());
  if (!whyNotABuildID(I.BuildID).empty())
    return std::nullopt;
  return I;
}

//===----------------------------------------------------------------------===//
// Pairing
//===----------------------------------------------------------------------===//

/// Whether \p New serves better than \p Old, which comes before it and may be
/// null.
static bool isBetter(const AddInput &New, const AddInput *Old) {
  return !Old || (New.HasDWARF && !Old->HasDWARF);
}

std::vector<AddGroup> lidia::groupInputs(ArrayRef<const AddInput *> Inputs) {
  std::vector<AddGroup> Groups;
  StringMap<size_t> GroupOf;
  for (const AddInput *I : Inputs) {
    if (I->Kind == InputKind::Supplementary)
      continue;
    auto [At, IsNew] = GroupOf.try_emplace(toHex(I->BuildID), Groups.size());
    if (IsNew)
      Groups.emplace_back();
    AddGroup &G = Groups[At->second];
    const AddInput *&Place = I->Kind == InputKind::Program ? G.Main : G.Debug;
    if (!I->FileHash.empty())
      G.FileHashes.push_back(I->FileHash);
    if (isBetter(*I, Place))
      Place = I;
  }
  for (AddGroup &G : Groups)
    if (!G.Main)
      std::swap(G.Main, G.Debug);
  return Groups;
}
