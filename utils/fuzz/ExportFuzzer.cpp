//===- ExportFuzzer.cpp - Any archive as DWARF, and back ------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Exporting any archive either fails or produces an ELF file that LLVM's DWARF
/// reader reads without errors and that our converter turns into an archive
/// with the same answers. If verify() finds no error in an archive, its export
/// may fail only because of its size. The last byte of the input is options.
///
//===----------------------------------------------------------------------===//

#include "ArchiveInput.h"
#include "ConvertCheck.h"
#include "ExportCheck.h"
#include "lidia/Export/DWARFExport.h"
#include "lidia/Export/SymbolFiles.h"
#include "lidia/Symbolize/Names.h"
#include "llvm/Support/JSON.h"

using namespace lidia;
using namespace llvm;

/// The text of a frame, for messages and for comparisons.
static std::string text(const Archive &A, const Frame &F) {
  return (A.string(F.Function) + " " + A.string(F.File) + ":" + Twine(F.Line) +
          ":" + Twine(F.Column))
      .str();
}

static void compare(const Archive &A, const Archive &Back) {
  SmallVector<Frame, 8> Want, Got;
  for (uint64_t Address : addressesToAsk(A)) {
    A.lookup(Address, Want);
    Back.lookup(Address, Got);
    check(Want.size() == Got.size(),
          "exported and read again, 0x" + Twine::utohexstr(Address) + " has " +
              Twine(Got.size()) + " frames instead of " + Twine(Want.size()));
    for (size_t I = 0; I != Want.size(); ++I)
      check(text(A, Want[I]) == text(Back, Got[I]),
            "exported and read again, 0x" + Twine::utohexstr(Address) + " is " +
                text(Back, Got[I]) + " instead of " + text(A, Want[I]));
  }
}

static void convertBack(StringRef ELF, const Archive &A) {
  Expected<std::unique_ptr<Binary>> File = Binary::create(
      MemoryBuffer::getMemBuffer(ELF, "exported",
                                 /*RequiresNullTerminator=*/false),
      "exported");
  if (!File)
    report_fatal_error(File.takeError());
  ConvertOptions Options = fuzzOptions();
  Options.Sources = {SourceKind::DWARF};
  if (std::optional<Archive> Back = convertAndCheck(std::move(*File), Options))
    compare(A, *Back);
}

/// Whether DWARF and our converter preserve all contents of \p A, so that the
/// answers can be compared.
static bool survives(const Archive &A);

/// Exports \p A to all other formats, each with at most \p MaxBytes bytes.
static void exportToOthers(const Archive &A, uint64_t MaxBytes) {
  ExportedModule Module;
  Module.Name = "module";
  for (Exporter *Export : {exportBreakpad, exportGSYM, exportSymbfile,
                           exportReturnPads, exportSymCache}) {
    LimitedStream Out(MaxBytes);
    Error E = Export(A, Module, Out, [](const Twine &) {});
    check(!!E || isSound(A), "exported an archive that is not sound");
    consumeError(std::move(E));
  }
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  StringRef Input(reinterpret_cast<const char *>(Data), Size);
  uint8_t Bits = takeLastByte(Input);
  std::optional<Archive> A = archiveFromInput(Input);
  if (!A)
    return 0;
  DWARFExportOptions Options;
  Options.SymbolTable = Bits & 1;
  uint64_t Bytes = A->buffer().getBufferSize();
  if (Bits & 4) {
    exportToOthers(*A, 64 * 1024 + 1024 * Bytes);
    return 0;
  }
  LimitedStream Out(64 * 1024 + 64 * Bytes);
  if (Error E = exportDWARF(*A, Out, Options)) {
    consumeError(std::move(E));
    return 0;
  }
  check(isSound(*A), "exported an archive that is not sound");
  if (Bits & 2)
    readWithLLVM(Out.text(), addressesToAsk(*A));
  else if (survives(*A))
    convertBack(Out.text(), *A);
  return 0;
}

static bool survives(const Archive &A) {
  const ArchiveInfo *Info = A.info();
  for (uint64_t I = 0; I != A.rangeCount(); ++I) {
    RangeEntry R = A.range(I);
    // Low addresses mean code that the linker discarded.
    if (R.VA == 0)
      return false;
    // The export truncates a name at a NUL byte, and changes a name that is not
    // UTF-8 or must not be demangled.
    for (StringOffset S : {R.Function, R.File, R.CallFile})
      if (A.string(S).empty() || A.string(S).contains('\0') ||
          !json::isUTF8(A.string(S)) || !canDemangle(A.string(S)))
        return false;
    if (Info && Info->Class == 1 && R.VA + R.Length > UINT32_MAX)
      return false;
  }
  return Info != nullptr;
}
