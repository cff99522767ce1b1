//===- CacheFuzzer.cpp - Arbitrary files in a cache's folder --------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Whatever files are in a cache's folder, with the names of entries or other
/// names, a lookup's archive can be opened, and is correct after the cache was
/// emptied. The input consists of records: the kind of file to create, the size
/// of its contents in two bytes, and the contents.
///
//===----------------------------------------------------------------------===//

#include "ArchiveInput.h"
#include "ConvertCheck.h"
#include "ELFProgram.h"
#include "TemporaryFolder.h"
#include "lidia/Modules/CachedArchive.h"
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

using namespace lidia;
using namespace llvm;

namespace {
/// A program with one function.
struct Program {
  ELF::Elf64_Ehdr Header = {};
  ELF::Elf64_Shdr Sections[4] = {};
  ELF::Elf64_Sym Symbols[2] = {};
  char Names[24] = "\0.text\0.symtab\0.strtab";
};

/// The entries whose names the fuzzer knows, and the correct archive.
struct Reference {
  std::string Archive, DWARF, Bytes;
};
} // namespace

static std::string makeProgram() {
  Program P;
  startProgram(P.Header, P.Sections, offsetof(Program, Sections),
               /*Code=*/0x1000, /*CodeSize=*/0x100);
  ELF::Elf64_Shdr &Symtab = P.Sections[2], &Strtab = P.Sections[3];
  Symtab.sh_name = 7;
  Symtab.sh_type = ELF::SHT_SYMTAB;
  Symtab.sh_offset = offsetof(Program, Symbols);
  Symtab.sh_size = sizeof(P.Symbols);
  Symtab.sh_entsize = sizeof(ELF::Elf64_Sym);
  Symtab.sh_link = 3;
  Symtab.sh_info = 1;
  Strtab.sh_name = 15;
  Strtab.sh_type = ELF::SHT_STRTAB;
  Strtab.sh_offset = offsetof(Program, Names);
  Strtab.sh_size = sizeof(P.Names);
  // The name is "text".
  P.Symbols[1].st_name = 2;
  P.Symbols[1].st_info = ELF::STB_GLOBAL << 4 | ELF::STT_FUNC;
  P.Symbols[1].st_shndx = 1;
  P.Symbols[1].st_value = 0x1010;
  P.Symbols[1].st_size = 0x20;
  return std::string(reinterpret_cast<const char *>(&P), sizeof(P));
}

static Expected<Archive> open(StringRef Folder, StringRef Program,
                              CachedFile *File = nullptr) {
  Cache C(Folder);
  SilentObserver Observer;
  return openCachedArchive(C, Program, fuzzOptions(), Observer, File);
}

static Reference makeReference(StringRef Folder, StringRef Program) {
  Reference R;
  CachedFile File;
  Expected<Archive> A = open(Folder, Program, &File);
  if (!A)
    report_fatal_error(A.takeError());
  R.Archive = File.Path;
  R.Bytes = A->buffer().getBuffer().str();
  Cache C(Folder);
  Expected<CachedFile> DWARF = cachedDWARF(C, *A);
  if (!DWARF)
    report_fatal_error(DWARF.takeError());
  R.DWARF = DWARF->Path;
  return R;
}

static void writeFile(StringRef Path, StringRef Content) {
  // Otherwise writing would follow a link, or block on a pipe without a reader.
  ::unlink(Path.str().c_str());
  std::error_code EC;
  raw_fd_ostream OS(Path, EC);
  if (!EC)
    OS << Content;
}

/// Creates the file of one record in \p Folder.
static void putRecord(FuzzInput &Input, StringRef Folder, const Reference &R) {
  uint8_t Kind = Input.byte();
  StringRef Content = Input.take(size_t(Input.number(2)));
  std::string Odd = Folder.str() + "/llvmcache-lidia-";
  for (char C : Content.take_front(40))
    if (C != '/' && C != 0)
      Odd += C;
  switch (Kind & 7) {
  case 0:
  case 1:
    // The correct archive, with its beginning replaced by the content.
    return writeFile(R.Archive,
                     Content.str() + R.Bytes.substr(std::min(Content.size(),
                                                             R.Bytes.size())));
  case 2:
    return writeFile(R.Archive, Content);
  case 3:
    return writeFile(R.DWARF, Content);
  case 4:
    return writeFile(Folder.str() + "/llvmcache.timestamp", Content);
  case 5:
    return writeFile(Odd + (Kind & 8 ? ".tmp" : ".lidia"), Content);
  case 6:
    (void)::symlink(Odd.c_str(), (Kind & 8 ? Odd : R.Archive).c_str());
    return;
  case 7:
    (void)::mkfifo((Kind & 8    ? Odd
                    : Kind & 16 ? R.Archive
                                : R.DWARF)
                       .c_str(),
                   0600);
    return;
  }
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  static const TemporaryFolder Temporary;
  static const std::string Folder = Temporary.file("cache");
  static const std::string Program = [] {
    Temporary.write("program", makeProgram());
    return Temporary.file("program");
  }();
  static const Reference R = makeReference(Folder, Program);
  // LLVM's remove_directories does not remove pipes.
  std::error_code Ignored;
  std::filesystem::remove_all(Folder, Ignored);
  ::mkdir(Folder.c_str(), 0700);
  FuzzInput Input(StringRef(reinterpret_cast<const char *>(Data), Size));
  for (unsigned I = 0; I != 8 && !Input.empty(); ++I)
    putRecord(Input, Folder, R);

  Expected<Archive> A = open(Folder, Program);
  if (!A)
    report_fatal_error(A.takeError());
  SmallVector<Frame, 8> Frames;
  for (uint64_t Address : addressesToAsk(*A))
    A->lookup(Address, Frames);
  Cache C(Folder);
  if (Expected<CachedFile> DWARF = cachedDWARF(C, *A); !DWARF)
    consumeError(DWARF.takeError());
  if (Expected<std::vector<CacheEntry>> Entries = C.list(); !Entries)
    report_fatal_error(Entries.takeError());
  if (Expected<CacheRemoval> Removed = C.empty(); !Removed)
    report_fatal_error(Removed.takeError());

  Expected<Archive> Anew = open(Folder, Program);
  if (!Anew)
    report_fatal_error(Anew.takeError());
  check(Anew->buffer().getBuffer() == R.Bytes,
        "the archive is another after the cache was emptied");
  return 0;
}
