//===- IndexFuzzer.cpp - Any bytes as a file to index ---------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

///
/// \file
/// Any ELF file is rejected, or gets an index that LLVM reads without errors
/// and whose size the file's size limits. The sections of the result are those
/// of the file.
///
//===----------------------------------------------------------------------===//

#include "FuzzInput.h"
#include "Object/Binary.h"
#include "TemporaryFolder.h"
#include "lidia/Index/DWARFIndex.h"
#include "llvm/DebugInfo/DWARF/DWARFAcceleratorTable.h"
#include "llvm/Support/DataExtractor.h"

using namespace lidia;
using namespace llvm;

static std::unique_ptr<Binary> open(StringRef Bytes) {
  Expected<std::unique_ptr<Binary>> File =
      Binary::create(MemoryBuffer::getMemBufferCopy(Bytes, "fuzz"), "fuzz");
  if (File)
    return std::move(*File);
  consumeError(File.takeError());
  return nullptr;
}

static StringRef contents(Binary &File, StringRef Name) {
  const Section *Found = File.findSection(Name);
  if (!Found)
    return {};
  Expected<StringRef> Contents = File.contents(*Found);
  if (Contents)
    return *Contents;
  consumeError(Contents.takeError());
  return {};
}

/// Reads every entry of \p Names.
static void readIndex(StringRef Names, StringRef Str, bool LittleEndian) {
  DWARFDataExtractor Data(Names, LittleEndian, 8);
  DWARFDebugNames Index(Data, DataExtractor(Str, LittleEndian, 8));
  if (Error E = Index.extract())
    check(false, "LLVM does not read the index: " + toString(std::move(E)));
  for (const DWARFDebugNames::NameIndex &Of : Index)
    for (const DWARFDebugNames::NameTableEntry &Name : Of) {
      uint64_t Offset = Name.getEntryOffset();
      Expected<DWARFDebugNames::Entry> Entry = Of.getEntry(&Offset);
      for (; Entry; Entry = Of.getEntry(&Offset))
        check(Entry->getDIEUnitOffset().has_value(), "an entry has no DIE");
      // The end of the list is reported as an error, too.
      consumeError(Entry.takeError());
    }
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  StringRef Bytes(reinterpret_cast<const char *>(Data), Size);
  static TemporaryFolder Folder;
  Folder.write("input", Bytes);
  IndexOptions Options;
  Options.Replace = true;
  Options.Unpack = Size % 2;
  Options.Threads = 1 + Size % 3;
  Expected<std::unique_ptr<IndexedFile>> File =
      IndexedFile::read(Folder.file("input"), Options, [](StringRef) {});
  if (!File) {
    consumeError(File.takeError());
    return 0;
  }
  // Compressed sections expand.
  LimitedStream OS((uint64_t(64) << 20) + Size * 64);
  if (Error E = (*File)->write(OS)) {
    consumeError(std::move(E));
    return 0;
  }
  std::unique_ptr<Binary> Before = open(Bytes), After = open(OS.text());
  check(After != nullptr, "the result cannot be read");
  check(contents(*Before, ".debug_info") == contents(*After, ".debug_info"),
        "the DWARF is not the same");
  readIndex(contents(*After, ".debug_names"), contents(*After, ".debug_str"),
            After->isLittleEndian());
  return 0;
}
