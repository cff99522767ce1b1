//===- ConvertFuzzer.cpp - Any bytes as a binary --------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

///
/// \file
/// Converting any bytes either fails or produces a valid archive, and LLVM
/// reads the archive, exported as DWARF, without errors.
///
//===----------------------------------------------------------------------===//

#include "ConvertCheck.h"
#include "ExportCheck.h"
#include "Extract/Shown.h"
#include "FuzzInput.h"
#include "lidia/Disassemble/ReturnPads.h"
#include "lidia/Export/DWARFExport.h"
#include "lidia/Symbolize/PrintableText.h"
#include "llvm/BinaryFormat/ELF.h"

using namespace lidia;
using namespace llvm;

/// Shows one kind of information, which the input's size selects. The output
/// must be bounded and have no control characters.
static void showOneThing(StringRef Bytes) {
  Expected<std::unique_ptr<Binary>> Main = Binary::create(
      MemoryBuffer::getMemBuffer(Bytes, "fuzz",
                                 /*RequiresNullTerminator=*/false),
      "fuzz");
  if (!Main)
    return consumeError(Main.takeError());
  ShowOptions What;
  constexpr unsigned Things = unsigned(ShownThing::Sections) + 1;
  What.Thing = ShownThing(Bytes.size() % Things);
  unsigned Filter = Bytes.size() / Things % 8;
  What.Demangle = Filter & 1;
  if (Filter & 2) {
    std::vector<LoadedBytes> Code = (*Main)->codeBytes();
    What.Address = Code.empty() ? 0x1000 : Code.front().Address;
  }
  if (Filter == 4)
    What.Function = "main";
  else if (Filter == 5)
    What.Unit = "c";
  LimitedStream OS(uint64_t(512) << 20);
  SilentObserver Observer;
  consumeError(show(OS, std::move(*Main), fuzzOptions(), What, Observer));
  StringRef Line, Rest = OS.text();
  while (!Rest.empty()) {
    std::tie(Line, Rest) = Rest.split('\n');
    check(isPrintableText(Line), "control characters are shown");
  }
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  StringRef Bytes(reinterpret_cast<const char *>(Data), Size);
  showOneThing(Bytes);
  Expected<std::unique_ptr<Binary>> Main = Binary::create(
      MemoryBuffer::getMemBuffer(Bytes, "fuzz",
                                 /*RequiresNullTerminator=*/false),
      "fuzz");
  if (!Main) {
    consumeError(Main.takeError());
    return 0;
  }
  ConvertOptions Options = fuzzOptions();
  // Bytes that are not code crash some of LLVM's disassemblers, so llvm-lidia
  // runs them in another program. The disassemblers of these two machines do
  // not crash.
  uint16_t Machine = (*Main)->identity().Machine;
  if (Machine == ELF::EM_X86_64 || Machine == ELF::EM_AARCH64)
    Options.FindReturnPads = findReturnPads;
  // Few inputs of other targets have variables to write.
  if (std::optional<Archive> A = convertAndCheck(std::move(*Main), Options)) {
    LimitedStream Out(uint64_t(512) << 20);
    if (Error E = exportDWARF(*A, Out))
      consumeError(std::move(E));
    else
      readWithLLVM(Out.text(), {});
  }
  return 0;
}
