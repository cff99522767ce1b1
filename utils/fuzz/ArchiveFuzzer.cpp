//===- ArchiveFuzzer.cpp - Any bytes as an archive ------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Opening any bytes either fails or returns an archive on which every other
/// operation works.
///
//===----------------------------------------------------------------------===//

#include "ArchiveInput.h"
#include "lidia/Archive/Aliases.h"
#include "lidia/Archive/Compression.h"
#include "lidia/Archive/Copies.h"
#include "lidia/Archive/NameOrigins.h"
#include "lidia/Archive/Sources.h"
#include "lidia/Archive/Statements.h"
#include "lidia/Archive/UnnamedFunctions.h"
#include "lidia/Archive/UnwindTable.h"
#include "lidia/Archive/Verify.h"
#include "lidia/Support/RandomAccessReader.h"
#include <atomic>
#include <climits>

using namespace lidia;
using namespace llvm;

static void readRanges(const Archive &A) {
  uint64_t Count = A.rangeCount();
  for (uint64_t I = 0; I != Count;
       I = I == 16 && Count > 32 ? Count - 16 : I + 1) {
    RangeEntry R = A.range(I);
    if (R.RowCount != 0) {
      A.row(R, 0);
      A.row(R, R.RowCount - 1);
    }
    A.parent(I);
    A.callColumn(I);
    if (std::optional<uint64_t> Entry = A.entry(I))
      A.range(*Entry);
  }
}

static void checkUnwindRows(const Archive &A) {
  Expected<UnwindTable> Table = A.unwindTable();
  if (!Table)
    return consumeError(Table.takeError());
  consumeError(Table->forEachRow([&](const UnwindRow &Row) {
    Table->find(Row.Begin);
    Table->rules(Row.Rules);
  }));
  for (uint64_t Address : addressesToAsk(A))
    Table->find(Address);
}

static void checkLookups(const Archive &A) {
  std::vector<uint64_t> Addresses = addressesToAsk(A);
  SmallVector<Frame, 8> Frames;
  for (uint64_t Address : Addresses) {
    A.lookup(Address, Frames);
    for (const Frame &F : Frames) {
      A.string(F.Function);
      A.directoryLength(F.File);
    }
  }
  for (uint64_t Address : Addresses)
    A.lookupReturn(Address, Frames);
  A.forEachReturnPad([&](const ReturnPad &Pad) {
    A.lookupReturn(Pad.Address, Frames);
    A.lookupReturn(Pad.Address + 1, Frames);
  });
  A.lookupBatch(Addresses, [&](size_t, ArrayRef<Frame>) {});
}

static void readStatements(const Archive &A) {
  StatementReader Reader(A);
  std::vector<Statement> Statements;
  std::vector<CallNote> Calls;
  for (uint64_t I = 0; I != std::min<uint64_t>(A.rangeCount(), 16); ++I) {
    consumeError(Reader.readForDebugger(I, Statements, &Calls));
    inlinedCalls(A, I, Calls);
    RangeEntry R = A.range(I);
    A.string(A.declaration(R.Function, R.File).File);
    A.string(A.lastDeclaration(R.Function, R.File).File);
    A.string(A.plainName(R.Function));
    FunctionUnit Unit = A.unit(I);
    A.string(Unit.Name);
    A.string(Unit.Directory);
  }
  CopiedRows Copies(A, Reader);
  consumeError(visitCopies(A, [&](const UnitCopies &C) {
    A.string(C.Unit.Name);
    for (uint64_t Root : ArrayRef(C.Roots).take_front(16)) {
      for (StringOffset File : Copies.files(Root))
        A.string(File);
      Copies.read(Root, Statements);
    }
  }));
  consumeError(visitAliases(A, [&](const FunctionAlias &Alias) {
    if (Alias.Name.empty() || A.range(Alias.Root).Depth != 0)
      abort();
  }));
  NameOrigins Origins(A);
  UnnamedFunctions Unnamed(A);
  for (uint64_t I = 0; I != std::min<uint64_t>(A.rangeCount(), 16); ++I) {
    NameReach Reach = Origins.reach(I);
    if (Reach.Shown > Reach.Possible ||
        Origins.origin(I) >= NameOrigin::RuntimeNames ||
        (Unnamed.find(A.range(I).VA) && Unnamed.all().empty()))
      abort();
  }
  consumeError(Origins.damage(A));
  consumeError(Unnamed.damage(A));
  EmbeddedSources Sources(A);
  for (uint64_t I = 0; I != std::min<uint64_t>(Sources.size(), 16); ++I) {
    A.string(Sources.file(I));
    Sources.find(Sources.file(I));
    consumeError(Sources.text(I).takeError());
  }
  Reader.forEach([](uint64_t, ArrayRef<Statement>, ArrayRef<CallNote>) {},
                 consumeError);
}

static std::string answers(const Archive &A, ArrayRef<uint64_t> Addresses) {
  std::string Text;
  raw_string_ostream OS(Text);
  SmallVector<Frame, 8> Frames;
  for (uint64_t Address : Addresses) {
    A.lookup(Address, Frames);
    for (const Frame &F : Frames)
      OS << A.string(F.Function) << A.string(F.File) << F.Line << ' ';
  }
  return Text;
}

/// Compressed, the archive must give the same answers, with almost nothing in
/// memory.
static void checkCompressed(const Archive &Plain, StringRef Bytes) {
  CompressionOptions Compression;
  Compression.Threads = 1;
  Compression.Level = 1;
  Compression.FrameSize = 4096;
  std::string Packed;
  raw_string_ostream OS(Packed);
  cantFail(writeCompressed(OS, Compression, [&](raw_ostream &To) {
    To << Bytes;
    return Error::success();
  }));
  OpenOptions Options;
  Options.FrameCacheSize = 8192;
  Expected<Archive> A = Archive::create(
      MemoryBuffer::getMemBuffer(Packed, "packed",
                                 /*RequiresNullTerminator=*/false),
      Options);
  if (!A)
    report_fatal_error(A.takeError());
  std::vector<uint64_t> Addresses = addressesToAsk(Plain);
  if (answers(*A, Addresses) != answers(Plain, Addresses))
    report_fatal_error("a compressed archive answers otherwise");
  checkLookups(*A);
  readStatements(*A);
  cantFail(A->damage());
}

namespace {
/// A file that claims to be far away. From read number GoodReads on, all reads
/// fail.
class FarBytes : public RandomAccessReader {
public:
  FarBytes(StringRef Bytes, unsigned GoodReads)
      : Bytes(Bytes), GoodReads(GoodReads) {}

  StringRef name() const override { return "far"; }
  uint64_t size() const override { return Bytes.size(); }
  Expected<StringRef> read(uint64_t Offset, size_t Size,
                           SmallVectorImpl<char> &Storage) const override {
    StringRef Part = Bytes.substr(Offset, Size);
    if (Part.size() != Size)
      report_fatal_error("a read outside the file");
    if (Reads++ >= GoodReads)
      return createStringError("far: gone");
    Storage.assign(Part.begin(), Part.end());
    return StringRef(Storage.data(), Size);
  }
  bool isFar() const override { return true; }
  void prefetch(ArrayRef<FileRange> Ranges) const override {
    for (const FileRange &R : Ranges)
      if (R.Size > Bytes.size() || R.Offset > Bytes.size() - R.Size)
        report_fatal_error("a prefetch outside the file");
  }

private:
  StringRef Bytes;
  const unsigned GoodReads;
  mutable std::atomic<unsigned> Reads{0};
};
} // namespace

/// Read from far away, the archive must give the same answers, or report a read
/// error.
static void checkFar(const Archive *Plain, StringRef Bytes) {
  for (unsigned GoodReads : {UINT_MAX, 1u, 3u, 6u, 10u}) {
    Expected<Archive> A =
        Archive::create(std::make_shared<FarBytes>(Bytes, GoodReads));
    if (!A) {
      // It must open every archive that the other reader opens.
      if (Plain && GoodReads == UINT_MAX)
        report_fatal_error(A.takeError());
      consumeError(A.takeError());
      continue;
    }
    std::vector<uint64_t> Addresses = addressesToAsk(*A);
    A->prefetch(ArrayRef(Addresses).take_front(Archive::FarGroup));
    checkLookups(*A);
    bool IsSame = !Plain || answers(*A, addressesToAsk(*Plain)) ==
                                answers(*Plain, addressesToAsk(*Plain));
    readStatements(*A);
    if (Error E = A->damage())
      consumeError(std::move(E));
    else if (!IsSame)
      report_fatal_error("an archive answers otherwise from far away");
  }
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  StringRef Bytes(reinterpret_cast<const char *>(Data), Size);
  Expected<Archive> A = Archive::create(MemoryBuffer::getMemBuffer(
      Bytes, "fuzz", /*RequiresNullTerminator=*/false));
  if (!A) {
    consumeError(A.takeError());
    checkFar(nullptr, Bytes);
    return 0;
  }
  readRanges(*A);
  checkLookups(*A);
  readStatements(*A);
  checkUnwindRows(*A);
  consumeError(A->verifyChecksums());
  consumeError(verify(*A, [](const Issue &) {}));
  // A compressed input was already read in parts above.
  if (Archive::hasMagic(Bytes))
    checkCompressed(*A, Bytes);
  checkFar(&*A, Bytes);
  return 0;
}
