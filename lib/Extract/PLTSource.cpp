//===- PLTSource.cpp - Ranges of PLT stubs --------------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// LLVM can do this, too (ELFObjectFileBase::getPltEntries), but only for valid
// files: it ends the process at a relocation that it cannot read. It does not
// give the size of a stub, needs the disassemblers of all targets, and ignores
// .plt.sec, which holds the stubs of programs for processors that check
// indirect branches.
//
//===----------------------------------------------------------------------===//

#include "Conversion.h"
#include "NameBudget.h"
#include "Overlap.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/StringSaver.h"

using namespace llvm;

namespace lidia {

namespace {

/// A stub in a known section.
struct Stub {
  uint64_t Offset = 0;
  uint64_t Size = 0;
  StringRef Name;
};

/// The find* methods return one table's stubs, in order of address.
class PLTReader {
public:
  PLTReader(Binary &File, const CodeMap &Code, StringPool &Strings)
      : File(File), Code(Code), Strings(Strings) {}

  Expected<SourceRanges> run();

private:
  Error readRelocations();
  std::vector<Stub> find(const Section &S, StringRef Bytes) const;
  std::vector<Stub> findX86(const Section &S, StringRef Bytes) const;
  StringRef symbolOfWord(uint64_t Address) const;
  StringRef nameOfX86(StringRef Stub, uint64_t Address) const;
  std::vector<Stub> findAArch64(const Section &S, StringRef Bytes) const;
  std::vector<Stub> findByOrder(StringRef Bytes) const;
  void add(const Section &S, const Stub &Found);

  uint32_t word(StringRef Bytes, size_t Offset) const {
    return support::endian::read32le(Bytes.data() + Offset);
  }

  Binary &File;
  const CodeMap &Code;
  StringPool &Strings;
  /// The base of offsets in i386 code.
  const Section *GOT = nullptr;
  /// DenseMap reserves the two greatest numbers.
  static constexpr uint64_t MaxWord = UINT64_MAX - 2;
  /// The names of IFUNCs.
  BumpPtrAllocator Allocator;
  StringSaver Saver{Allocator};
  /// The function whose address each word holds.
  DenseMap<uint64_t, StringRef> Words;
  /// Symbols of .rela.plt in its order.
  std::vector<StringRef> Ordered;
  std::vector<Interval> Claims;
  /// The names of Claims, by Item.
  std::vector<StringID> Names;
  NameBudget Budget{File};
};

} // namespace

Error PLTReader::readRelocations() {
  return File.forEachRelocatedWord([&](const RelocatedWord &W) {
    StringRef Name = W.Symbol;
    // The form of GNU objdump and perf, because the IFUNC may have no symbol.
    if (Name.empty() && W.Resolver)
      Name =
          Saver.save("*ABS*+0x" + utohexstr(*W.Resolver, /*LowerCase=*/true));
    if (W.ForPLT)
      Ordered.push_back(Name);
    if (!Name.empty() && W.Address <= MaxWord)
      Words.try_emplace(W.Address, Name);
  });
}

StringRef PLTReader::symbolOfWord(uint64_t Address) const {
  return Address <= MaxWord ? Words.lookup(Address) : StringRef();
}

/// The function that the \p Stub at \p Address calls.
StringRef PLTReader::nameOfX86(StringRef Stub, uint64_t Address) const {
  bool Is64 = File.identity().Machine == ELF::EM_X86_64;
  for (size_t I = 0; I + 6 <= Stub.size(); ++I) {
    bool Absolute = Stub.substr(I).starts_with("\xff\x25"); // relative if Is64
    bool InGOT = !Is64 && GOT && Stub.substr(I).starts_with("\xff\xa3");
    if (!Absolute && !InGOT)
      continue;
    uint64_t Target = int32_t(word(Stub, I + 2));
    Target += Is64 ? Address + I + 6 : InGOT ? GOT->Address : 0;
    if (!Is64)
      Target = uint32_t(Target);
    if (StringRef Name = symbolOfWord(Target); !Name.empty())
      return Name;
  }
  // If .plt.sec has the jumps, .plt only pushes the relocation's index.
  bool Pushes =
      Stub.size() >= 9 && Stub.starts_with("\xf3\x0f\x1e") && Stub[4] == '\x68';
  uint32_t Place = Pushes ? word(Stub, 5) : 0;
  if (!Is64)
    Place /= sizeof(ELF::Elf32_Rel);
  return Pushes && Place < Ordered.size() ? Ordered[Place] : StringRef();
}

std::vector<Stub> PLTReader::findX86(const Section &S, StringRef Bytes) const {
  std::vector<Stub> Stubs;
  size_t Size = S.EntrySize >= 8 && S.EntrySize <= 64 ? S.EntrySize : 16;
  for (size_t Offset = 0; Offset + Size <= Bytes.size(); Offset += Size)
    Stubs.push_back(
        {Offset, Size,
         nameOfX86(Bytes.substr(Offset, Size), S.Address + Offset)});
  return Stubs;
}

/// adrp x16, page; ldr x17, [x16, offset]; add x16, ...; br x17
std::vector<Stub> PLTReader::findAArch64(const Section &S,
                                         StringRef Bytes) const {
  constexpr uint32_t BTI = 0xd503245f, NOP = 0xd503201f, BR = 0xd61f0220;
  constexpr size_t MaxSize = 24;
  std::vector<Stub> Stubs;
  for (size_t I = 0; I + 8 <= Bytes.size(); I += 4) {
    uint32_t ADRP = word(Bytes, I), LDR = word(Bytes, I + 4);
    if ((ADRP & 0x9f00001f) != 0x90000010 || (LDR & 0xffc003ff) != 0xf9400211)
      continue;
    uint64_t Pages = (ADRP >> 5 & 0x7ffff) << 2 | (ADRP >> 29 & 3);
    uint64_t Target = ((S.Address + I) & ~uint64_t(0xfff)) +
                      (uint64_t(SignExtend64<21>(Pages)) << 12) +
                      (LDR >> 10 & 0xfff) * 8;
    size_t Start = I >= 4 && word(Bytes, I - 4) == BTI ? I - 4 : I;
    size_t End = I + 8;
    size_t Last = std::min(Bytes.size(), Start + MaxSize);
    while (End + 4 <= Last && word(Bytes, End - 4) != BR)
      End += 4;
    while (End + 4 <= Last && word(Bytes, End) == NOP)
      End += 4;
    Stubs.push_back({Start, End - Start, symbolOfWord(Target)});
    I = End - 4;
  }
  return Stubs;
}

std::vector<Stub> PLTReader::findByOrder(StringRef Bytes) const {
  struct Layout {
    uint16_t Machine;
    uint16_t Header;
    uint16_t Stub;
  };
  // The layouts of GNU ld and LLD.
  static constexpr Layout Layouts[] = {
      {ELF::EM_ARM, 20, 12},  {ELF::EM_ARM, 20, 16},
      {ELF::EM_ARM, 32, 16},  {ELF::EM_RISCV, 32, 16},
      {ELF::EM_S390, 32, 32}, {ELF::EM_LOONGARCH, 32, 16}};
  std::vector<Stub> Stubs;
  for (const Layout &L : Layouts) {
    if (L.Machine != File.identity().Machine ||
        L.Header + uint64_t(L.Stub) * Ordered.size() != Bytes.size())
      continue;
    for (size_t I = 0; I < Ordered.size(); ++I)
      Stubs.push_back({L.Header + I * L.Stub, L.Stub, Ordered[I]});
    break;
  }
  return Stubs;
}

std::vector<Stub> PLTReader::find(const Section &S, StringRef Bytes) const {
  switch (File.identity().Machine) {
  case ELF::EM_X86_64:
  case ELF::EM_386:
    return findX86(S, Bytes);
  case ELF::EM_AARCH64:
    return findAArch64(S, Bytes);
  default:
    return S.Name == ".plt" ? findByOrder(Bytes) : std::vector<Stub>();
  }
}

void PLTReader::add(const Section &S, const Stub &Found) {
  uint64_t Start = S.Address + Found.Offset, End = Start + Found.Size;
  if (Found.Name.empty() || Start > End || !Code.clip(Start, End) ||
      !Budget.take(Found.Name.size()))
    return;
  Claims.push_back({Start, End, Names.size(), Names.size()});
  Names.push_back(
      Strings.intern((Found.Name + "@plt").str(), /*Stable=*/false));
}

Expected<SourceRanges> PLTReader::run() {
  if (Error E = readRelocations())
    return E;
  GOT = File.findSection(".got.plt");
  if (!GOT)
    GOT = File.findSection(".got");
  for (StringRef Name : {".plt", ".plt.sec", ".plt.bnd", ".plt.got", ".iplt"}) {
    const Section *S = File.findSection(Name);
    if (!S || !(S->Flags & ELF::SHF_EXECINSTR))
      continue;
    Expected<StringRef> Bytes = File.contents(*S);
    if (!Bytes)
      return Bytes.takeError();
    for (const Stub &Found : find(*S, *Bytes))
      add(*S, Found);
  }
  SourceRanges Result;
  RangeTrees &Functions = Result.Units.emplace_back().Functions;
  for (const Interval &I : resolveOverlaps(std::move(Claims))) {
    Range R;
    R.Start = I.Start;
    R.End = I.End;
    R.Name = Names[I.Item];
    Functions.Ranges.push_back(R);
  }
  Budget.report("PLT stubs", Result.Units.front().Warnings);
  return Result;
}

/// Reads the stubs in the procedure linkage tables of \p File through which
/// calls go to functions of other files, as "f@plt".
///
/// On x86 and AArch64, a stub's code shows which word it jumps through, and the
/// relocation of that word gives the name. Elsewhere (Arm, RISC-V, LoongArch,
/// s390x), stubs are in the order of the relocations in .rela.plt; this is used
/// only if the section's size exactly matches that number of stubs.
Error readPLTSource(Conversion &C) {
  Binary &File = *C.Files.Main;
  Expected<SourceRanges> Ranges =
      PLTReader(File, C.Files.code(), C.Strings).run();
  if (!Ranges) {
    C.reportBroken(Ranges.takeError());
    return Error::success();
  }
  if (!Ranges->Units.front().Functions.Ranges.empty())
    C.addSource(SourceKind::PLT, File, std::move(*Ranges));
  C.endPhase("PLT");
  return Error::success();
}

} // namespace lidia
