//===- Decoder.cpp - LLVM's disassembler for one machine ------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Decoder.h"
#include "lidia/Error.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/MC/MCInst.h"
#include "llvm/MC/MCTargetOptions.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"
#include <mutex>

using namespace llvm;

namespace lidia {

static void initializeTargets() {
  static std::once_flag Once;
  std::call_once(Once, [] {
    InitializeAllTargetInfos();
    InitializeAllTargetMCs();
    InitializeAllDisassemblers();
  });
}

static Error unsupported(const Machine &M) {
  return make_error<UnsupportedError>(
      "", "this LLVM has no disassembler for " +
              (M.Triple.getArch() == Triple::UnknownArch
                   ? Twine("its machine")
                   : Twine(M.Triple.getArchName())));
}

/// \p T in the form that targets expect: a string before LLVM 22.
#if LLVM_VERSION_MAJOR >= 22
static const Triple &forTarget(const Triple &T) { return T; }
#else
static StringRef forTarget(const Triple &T) { return T.getTriple(); }
#endif

Expected<std::unique_ptr<Decoder>> Decoder::create(const Machine &M) {
  initializeTargets();
  std::string Message;
  const Target *T = TargetRegistry::lookupTarget(forTarget(M.Triple), Message);
  if (!T)
    return unsupported(M);
  std::unique_ptr<Decoder> D(new Decoder);
  D->Registers.reset(T->createMCRegInfo(forTarget(M.Triple)));
  if (!D->Registers)
    return unsupported(M);
  D->AsmInfo.reset(T->createMCAsmInfo(*D->Registers, forTarget(M.Triple),
                                      MCTargetOptions()));
  D->Subtarget.reset(
      T->createMCSubtargetInfo(forTarget(M.Triple), M.CPU, M.Features));
  D->Instructions.reset(T->createMCInstrInfo());
  if (!D->AsmInfo || !D->Subtarget || !D->Instructions)
    return unsupported(M);
  D->Analysis.reset(T->createMCInstrAnalysis(D->Instructions.get()));
  D->Context = std::make_unique<MCContext>(
      M.Triple, D->AsmInfo.get(), D->Registers.get(), D->Subtarget.get());
  D->Disassembler.reset(T->createMCDisassembler(*D->Subtarget, *D->Context));
  if (!D->Disassembler)
    return unsupported(M);
  // A target without its own analysis uses the generic one.
  if (!D->Analysis)
    D->Analysis = std::make_unique<MCInstrAnalysis>(D->Instructions.get());
  D->Printer.reset(
      T->createMCInstPrinter(M.Triple, D->AsmInfo->getAssemblerDialect(),
                             *D->AsmInfo, *D->Instructions, *D->Registers));
  return D;
}

Decoder::Instruction Decoder::read(ArrayRef<uint8_t> Bytes, uint64_t Address) {
  MCInst Inst;
  Instruction Result;
  uint64_t Size = 0;
  bool IsInstruction =
      Disassembler->getInstruction(Inst, Size, Bytes, Address, nulls()) !=
      MCDisassembler::Fail;
  if (!IsInstruction && Size == 0)
    Size = Disassembler->suggestBytesToSkip(Bytes, Address);
  // Always make progress and stay in bounds, whatever the target returns.
  Result.Size = std::min<uint64_t>(std::max<uint64_t>(Size, 1), Bytes.size());
  if (IsInstruction && Size == Result.Size) {
    Result.IsCall = Analysis->isCall(Inst);
    Result.HasDelaySlot =
        Result.IsCall && Instructions->get(Inst.getOpcode()).hasDelaySlot();
  }
  return Result;
}

uint64_t Decoder::print(ArrayRef<uint8_t> Bytes, uint64_t Address,
                        std::string &To) {
  MCInst Inst;
  uint64_t Size = 0;
  if (!Printer || Bytes.empty() ||
      Disassembler->getInstruction(Inst, Size, Bytes, Address, nulls()) !=
          MCDisassembler::Success ||
      Size > Bytes.size())
    return 0;
  std::string Text;
  raw_string_ostream OS(Text);
  Printer->setPrintImmHex(true);
  Printer->setPrintBranchImmAsAddress(true);
  // The printer of x86 adds the immediate to the next instruction's address.
  bool IsX86 = Context->getTargetTriple().isX86();
  Printer->printInst(&Inst, Address + (IsX86 ? Size : 0), /*Annot=*/"",
                     *Subtarget, OS);
  SmallVector<StringRef, 4> Columns;
  SplitString(Text, Columns, "\t ");
  To += join(Columns, " ");
  return Size;
}

} // namespace lidia
