//===- ReturnPads.cpp - Return addresses after calls ---------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The code is cut at each function's start and at each mark, and the pieces
/// are decoded independently of each other: in parallel, in batches, and with
/// the same result however they are distributed.
///
//===----------------------------------------------------------------------===//

#include "lidia/Disassemble/ReturnPads.h"
#include "Decoder.h"
#include "Object/CodeHints.h"
#include "Support/Threads.h"
#include "lidia/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/TargetParser/SubtargetFeature.h"
#include <atomic>

using namespace llvm;

namespace lidia {

namespace {

/// A piece of code that begins with an instruction.
struct Piece {
  uint64_t Start = 0;
  uint64_t End = 0;
  /// The bytes from Start to the end of the section, for instructions that
  /// extend past End.
  ArrayRef<uint8_t> Bytes;
  CodeMark::Kind Type = CodeMark::Code;
};

/// Cuts code into pieces in order of address.
class Cutter {
public:
  explicit Cutter(const CodeHints &Hints)
      : Starts(Hints.FunctionStarts), Marks(Hints.Marks) {
    // Of several marks at one address, the last one wins. The order must not
    // depend on the symbol table that they come from.
    sort(Marks, [](const CodeMark &A, const CodeMark &B) {
      return std::tie(A.Address, A.Type) < std::tie(B.Address, B.Type);
    });
    sort(Starts);
  }

  /// Appends the pieces of \p Code, which must be after all code that was cut
  /// before.
  void cut(const LoadedBytes &Code, std::vector<Piece> &Pieces);

private:
  std::vector<uint64_t> Starts;
  std::vector<CodeMark> Marks;
  size_t NextStart = 0;
  size_t NextMark = 0;
};

} // namespace

void Cutter::cut(const LoadedBytes &Code, std::vector<Piece> &Pieces) {
  uint64_t End = Code.Address + Code.Bytes.size();
  // A mark is valid only in its section.
  CodeMark::Kind Type = CodeMark::Code;
  while (NextMark < Marks.size() && Marks[NextMark].Address < Code.Address)
    ++NextMark;
  for (uint64_t Start = Code.Address; Start != End;) {
    for (; NextMark < Marks.size() && Marks[NextMark].Address == Start;
         ++NextMark)
      Type = Marks[NextMark].Type;
    while (NextStart < Starts.size() && Starts[NextStart] <= Start)
      ++NextStart;
    uint64_t Next = End;
    if (NextMark < Marks.size())
      Next = std::min(Next, Marks[NextMark].Address);
    if (NextStart < Starts.size())
      Next = std::min(Next, Starts[NextStart]);
    if (Type != CodeMark::Data)
      Pieces.push_back(
          {Start, Next,
           arrayRefFromStringRef(Code.Bytes.drop_front(Start - Code.Address)),
           Type});
    Start = Next;
  }
}

namespace {

/// Decodes a sequence of pieces on one thread.
class Sweeper {
public:
  static Expected<Sweeper> create(const Machine &M);

  void sweep(const Piece &P, std::vector<uint64_t> &Pads);

private:
  std::unique_ptr<Decoder> Main;
  /// Null if there is no second instruction set.
  std::unique_ptr<Decoder> Thumb;
};

} // namespace

/// Arm's second instruction set.
static Machine thumbOf(Machine M) {
  M.Features += M.Features.empty() ? "+thumb-mode" : ",+thumb-mode";
  return M;
}

Expected<Sweeper> Sweeper::create(const Machine &M) {
  Sweeper S;
  if (Error E = Decoder::create(M).moveInto(S.Main))
    return E;
  if (M.Triple.isARM())
    if (Error E = Decoder::create(thumbOf(M)).moveInto(S.Thumb))
      return E;
  return S;
}

void Sweeper::sweep(const Piece &P, std::vector<uint64_t> &Pads) {
  Decoder &D = P.Type == CodeMark::Thumb && Thumb ? *Thumb : *Main;
  uint64_t Length = P.End - P.Start;
  for (uint64_t At = 0; At < Length;) {
    Decoder::Instruction I = D.read(P.Bytes.drop_front(At), P.Start + At);
    At += I.Size;
    if (!I.IsCall)
      continue;
    uint64_t Pad = At;
    // Ignore a call whose delay slot would belong to the next function.
    if (I.HasDelaySlot)
      Pad += At < Length ? D.read(P.Bytes.drop_front(At), P.Start + At).Size
                         : uint64_t(1);
    // A call in the delay slot of another returns to the same place.
    if (Pad <= Length && (Pads.empty() || Pads.back() != P.Start + Pad))
      Pads.push_back(P.Start + Pad);
  }
}

/// The machine of a PE or Mach-O file. These have neither flags nor attributes
/// with details.
static Expected<Machine> machineOfOther(const Binary &File) {
  Machine M;
  bool IsPE = File.identity().Format == BinaryFormat::PE;
  switch (File.identity().Machine) {
  case ELF::EM_X86_64:
    M.Triple.setArch(Triple::x86_64);
    return M;
  case ELF::EM_386:
    M.Triple.setArch(Triple::x86);
    return M;
  case ELF::EM_AARCH64:
    M.Triple.setArch(Triple::aarch64);
    M.Features = "+all";
    return M;
  case ELF::EM_ARM:
    // Windows uses only Thumb. Mach-O files mix Thumb and Arm, by symbol.
    if (IsPE) {
      M.Triple = Triple("thumbv7");
      return M;
    }
    break;
  default:
    break;
  }
  return make_error<UnsupportedError>(
      File.path(), Twine("no return pads: those of a ") +
                       (IsPE ? "PE" : "Mach-O") +
                       " file for its machine are not supported");
}

/// The machine, according to the ELF header and the file's attributes.
static Expected<Machine> machineOf(const Binary &File) {
  if (File.identity().Format != BinaryFormat::ELF)
    return machineOfOther(File);
  Expected<std::unique_ptr<object::ObjectFile>> Object =
      object::ObjectFile::createELFObjectFile(File.buffer());
  if (!Object)
    return Object.takeError();
  Machine M;
  M.Triple = (*Object)->makeTriple();
  SubtargetFeatures Features;
  if (Expected<SubtargetFeatures> Known = (*Object)->getFeatures())
    Features = *Known;
  else
    consumeError(Known.takeError());
  M.CPU = (*Object)->tryGetCPUName().value_or(StringRef()).str();
  // The file does not say which extensions its code uses.
  if (M.Triple.isAArch64())
    Features.AddFeature("+all");
  // Since version 6, only data is big-endian, as shown by a flag that linkers
  // set.
  const ELFIdentity &I = File.identity();
  if (I.Machine == ELF::EM_ARM && I.Data == ELF::ELFDATA2MSB &&
      !(I.Flags & ELF::EF_ARM_BE8))
    Features.AddFeature("+big-endian-instructions");
  M.Features = Features.getString();
  return M;
}

static Error noCode(const Binary &File) {
  return make_error<MissingInformationError>(
      File.path(),
      Twine("has no code to find return pads in") +
          (File.code().empty() ? ""
                               : " (a debug file?); give the program itself "
                                 "and name this file with --debug-file="));
}

/// Distributes \p Pieces to \p Threads threads, in runs of about 64 KiB.
static Expected<std::vector<uint64_t>>
sweepAll(ArrayRef<Piece> Pieces, const Machine &M, unsigned Threads) {
  constexpr uint64_t RunSize = 65536;
  std::vector<ArrayRef<Piece>> Runs;
  for (size_t First = 0, I = 0; I != Pieces.size(); ++I)
    if (I + 1 == Pieces.size() ||
        Pieces[I + 1].End - Pieces[First].Start > RunSize) {
      Runs.push_back(Pieces.slice(First, I + 1 - First));
      First = I + 1;
    }
  std::vector<std::vector<uint64_t>> Found(Runs.size());
  std::atomic<size_t> Next = 0;
  std::vector<Sweeper> Sweepers;
  for (size_t I = 0; I != std::clamp<size_t>(Runs.size(), 1, Threads); ++I) {
    Expected<Sweeper> S = Sweeper::create(M);
    if (!S)
      return S.takeError();
    Sweepers.push_back(std::move(*S));
  }
  std::atomic<size_t> NextSweeper = 0;
  runOnThreads(unsigned(Sweepers.size()), [&] {
    Sweeper &S = Sweepers[NextSweeper++];
    for (size_t I; (I = Next++) < Runs.size();)
      for (const Piece &P : Runs[I])
        S.sweep(P, Found[I]);
  });
  std::vector<uint64_t> Pads;
  for (std::vector<uint64_t> &Some : Found)
    append_range(Pads, std::exchange(Some, {}));
  return Pads;
}

Expected<std::vector<uint64_t>>
findReturnPads(Binary &File, const CodeHints &Hints, unsigned Threads) {
  std::vector<LoadedBytes> Code = File.codeBytes();
  if (Code.empty())
    return noCode(File);
  Expected<Machine> M = machineOf(File);
  if (!M)
    return M.takeError();
  Cutter C(Hints);
  std::vector<Piece> Pieces;
  for (const LoadedBytes &Part : Code)
    C.cut(Part, Pieces);
  Expected<std::vector<uint64_t>> Pads =
      sweepAll(Pieces, *M, std::max(Threads, 1u));
  if (Pads)
    return Pads;
  return addPrefix(File.path(), addWhere("no return pads", Pads.takeError()));
}

} // namespace lidia
