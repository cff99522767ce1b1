//===- SourceBundleFuzzer.cpp - Any bytes as a source bundle --------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The first line of the input is the path of a source file. The rest is the
/// manifest, from which a zip file with two stored files is made, or a whole
/// bundle. A file that is found has the size that the zip file says.
///
//===----------------------------------------------------------------------===//

#include "FuzzInput.h"
#include "Object/SourceBundle.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CRC.h"

using namespace lidia;
using namespace llvm;

static void append(std::string &To, std::initializer_list<uint32_t> Words,
                   unsigned Size) {
  for (uint32_t Word : Words)
    for (unsigned I = 0; I != Size; ++I)
      To += char(Word >> (8 * I));
}

namespace {
/// Writes a zip file of stored files.
class ZipMaker {
public:
  void add(StringRef Name, StringRef Contents) {
    std::string Fields;
    append(Fields, {20, 0, 0, 0, 0}, 2);
    append(Fields,
           {crc32(arrayRefFromStringRef(Contents)), uint32_t(Contents.size()),
            uint32_t(Contents.size())},
           4);
    append(Fields, {uint32_t(Name.size()), 0}, 2);
    Table += "PK\x01\x02";
    append(Table, {20}, 2);
    Table += Fields;
    append(Table, {0, 0, 0}, 2);
    append(Table, {0, uint32_t(Bytes.size())}, 4);
    Table += Name;
    Bytes += "PK\x03\x04";
    (Bytes += Fields) += Name;
    Bytes += Contents;
    ++Count;
  }

  std::string finish() {
    std::string End = "PK\x05\x06";
    append(End, {0, 0, Count, Count}, 2);
    append(End, {uint32_t(Table.size()), uint32_t(Bytes.size())}, 4);
    append(End, {0}, 2);
    return Bytes + Table + End;
  }

private:
  std::string Bytes, Table;
  uint32_t Count = 0;
};
} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  StringRef Input(reinterpret_cast<const char *>(Data), Size);
  auto [Recorded, Rest] = Input.split('\n');
  std::string Bytes = Rest.str();
  if (!Rest.starts_with("PK") && !Rest.starts_with("SYSB")) {
    ZipMaker Zip;
    Zip.add("manifest.json", Rest);
    Zip.add("a.c", "int a;\n");
    Zip.add("b.c", "int b;\n");
    Bytes = Zip.finish();
  }
  Expected<SourceBundle> Bundle =
      SourceBundle::create(MemoryBuffer::getMemBufferCopy(Bytes), "fuzz");
  if (!Bundle) {
    consumeError(Bundle.takeError());
    return 0;
  }
  check(Bundle->whyNotOf({}).empty(), "a module without a build ID is refused");
  const ZipFile::Entry *E = Bundle->find(Recorded);
  if (!E || E->Size > 1 << 20)
    return 0;
  Expected<std::unique_ptr<MemoryBuffer>> File = Bundle->read(*E);
  if (File)
    check((*File)->getBufferSize() == E->Size, "a file of another size");
  else
    consumeError(File.takeError());
  return 0;
}
