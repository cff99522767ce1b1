//===- ELFMutator.cpp - Mutates ELF files by their sections ---------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ELFMutator.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Object/ELFTypes.h"
#include "llvm/Support/Compression.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MathExtras.h"
#include <random>
#include <string>

using namespace lidia;
using namespace llvm;
using namespace llvm::object;

/// libFuzzer's own mutations with its dictionary.
extern "C" size_t LLVMFuzzerMutate(uint8_t *Data, size_t Size, size_t MaxSize);

/// The text \p Bytes, mutated by libFuzzer to at most \p MaxSize bytes.
static std::string mutateBytes(std::string Bytes, size_t MaxSize) {
  size_t Size = Bytes.size();
  Bytes.resize(std::max(Size, MaxSize));
  Size = LLVMFuzzerMutate(reinterpret_cast<uint8_t *>(Bytes.data()), Size,
                          Bytes.size());
  Bytes.resize(std::min(Size, Bytes.size()));
  return Bytes;
}

namespace {

/// Mutates a file of one class and byte order.
template <typename ELFT> class Mutator {
  using Ehdr = typename ELFT::Ehdr;
  using Phdr = typename ELFT::Phdr;
  using Shdr = typename ELFT::Shdr;
  using Chdr = typename ELFT::Chdr;

public:
  Mutator(StringRef Bytes, size_t MaxSize, unsigned Seed)
      : File(Bytes.str()), MaxSize(MaxSize), Random(Seed) {}

  /// Returns false if there is nothing to mutate: no section headers, for
  /// example.
  bool run();

  std::string File;

private:
  Ehdr &header() { return *reinterpret_cast<Ehdr *>(File.data()); }
  MutableArrayRef<Shdr> sections();
  MutableArrayRef<Phdr> segments();
  bool isInFile(const Shdr &S) const;
  bool isDebug(const Shdr &S);
  unsigned pickSection();
  unsigned below(unsigned Limit) {
    return std::uniform_int_distribution<unsigned>(0, Limit - 1)(Random);
  }

  std::string contents(const Shdr &S);
  void replace(unsigned Index, StringRef New);
  void moveOffsets(uint64_t From, int64_t By);
  void mutateContents(unsigned Index);
  void mutateCompressed(unsigned Index);
  void repeatPart(unsigned Index);
  void mutateHeader(unsigned Index);

  const size_t MaxSize;
  std::minstd_rand Random;
};

} // namespace

template <typename ELFT>
MutableArrayRef<typename ELFT::Shdr> Mutator<ELFT>::sections() {
  uint64_t Start = header().e_shoff, Count = header().e_shnum;
  if (header().e_shentsize != sizeof(Shdr) || Start > File.size() ||
      Count > (File.size() - Start) / sizeof(Shdr))
    return {};
  return {reinterpret_cast<Shdr *>(File.data() + Start), size_t(Count)};
}

template <typename ELFT>
MutableArrayRef<typename ELFT::Phdr> Mutator<ELFT>::segments() {
  uint64_t Start = header().e_phoff, Count = header().e_phnum;
  if (header().e_phentsize != sizeof(Phdr) || Start > File.size() ||
      Count > (File.size() - Start) / sizeof(Phdr))
    return {};
  return {reinterpret_cast<Phdr *>(File.data() + Start), size_t(Count)};
}

template <typename ELFT> bool Mutator<ELFT>::isInFile(const Shdr &S) const {
  return S.sh_type != ELF::SHT_NOBITS && S.sh_type != ELF::SHT_NULL &&
         S.sh_size != 0 && S.sh_offset <= File.size() &&
         S.sh_size <= File.size() - S.sh_offset;
}

/// Whether \p S is neither loaded nor a symbol or string table: usually debug
/// information.
template <typename ELFT> bool Mutator<ELFT>::isDebug(const Shdr &S) {
  return S.sh_type == ELF::SHT_PROGBITS && !(S.sh_flags & ELF::SHF_ALLOC);
}

/// The index of a section with contents; zero if there is none. Debug
/// information is chosen more often.
template <typename ELFT> unsigned Mutator<ELFT>::pickSection() {
  SmallVector<unsigned, 64> All, Debug;
  for (const auto &[Index, S] : enumerate(sections())) {
    if (!isInFile(S))
      continue;
    All.push_back(unsigned(Index));
    if (isDebug(S))
      Debug.push_back(unsigned(Index));
  }
  SmallVectorImpl<unsigned> &Choice =
      !Debug.empty() && below(4) != 0 ? Debug : All;
  return Choice.empty() ? 0 : Choice[below(unsigned(Choice.size()))];
}

template <typename ELFT> std::string Mutator<ELFT>::contents(const Shdr &S) {
  return File.substr(size_t(S.sh_offset), size_t(S.sh_size));
}

/// Adds \p By to all offsets in the headers that are at least \p From.
template <typename ELFT>
void Mutator<ELFT>::moveOffsets(uint64_t From, int64_t By) {
  auto Move = [&](auto &Field) {
    if (Field >= From)
      Field = Field + By;
  };
  for (Shdr &S : sections())
    Move(S.sh_offset);
  for (Phdr &P : segments())
    Move(P.p_offset);
  // Last, because these offsets locate the headers above.
  Move(header().e_phoff);
  Move(header().e_shoff);
}

/// Replaces the contents of section \p Index with \p New. Everything after it
/// moves by a multiple of eight, to keep its alignment.
template <typename ELFT>
void Mutator<ELFT>::replace(unsigned Index, StringRef New) {
  Shdr &S = sections()[Index];
  uint64_t Start = S.sh_offset, OldSize = S.sh_size, End = Start + OldSize;
  int64_t By = New.size() > OldSize
                   ? int64_t(alignTo(New.size() - OldSize, 8))
                   : -int64_t(alignDown(OldSize - New.size(), 8));
  if (int64_t(File.size()) + By > int64_t(MaxSize))
    return;
  S.sh_size = New.size();
  moveOffsets(End, By);
  std::string Padded = New.str();
  Padded.resize(size_t(int64_t(OldSize) + By));
  File.replace(size_t(Start), size_t(OldSize), Padded);
}

template <typename ELFT> void Mutator<ELFT>::mutateCompressed(unsigned Index) {
  std::string Packed = contents(sections()[Index]);
  if (Packed.size() < sizeof(Chdr))
    return;
  Chdr Head;
  std::memcpy(&Head, Packed.data(), sizeof(Chdr));
  bool Zstd = Head.ch_type == ELF::ELFCOMPRESS_ZSTD;
  ArrayRef<uint8_t> Body =
      arrayRefFromStringRef(StringRef(Packed).drop_front(sizeof(Chdr)));
  constexpr uint64_t MaxUnpacked = 1024 * 1024;
  SmallVector<uint8_t, 0> Unpacked;
  uint64_t Size = std::min<uint64_t>(Head.ch_size, MaxUnpacked);
  if (Error E = Zstd ? compression::zstd::decompress(Body, Unpacked, Size)
                     : compression::zlib::decompress(Body, Unpacked, Size))
    return consumeError(std::move(E));
  std::string New =
      mutateBytes(toStringRef(Unpacked).str(), Unpacked.size() + 64);
  SmallVector<uint8_t, 0> Again;
  if (Zstd)
    compression::zstd::compress(arrayRefFromStringRef(New), Again, 1);
  else
    compression::zlib::compress(arrayRefFromStringRef(New), Again, 1);
  Head.ch_size = New.size();
  std::string Result(reinterpret_cast<const char *>(&Head), sizeof(Chdr));
  replace(Index, Result + toStringRef(Again).str());
}

template <typename ELFT> void Mutator<ELFT>::mutateContents(unsigned Index) {
  const Shdr &S = sections()[Index];
  // Sometimes mutate the compressed bytes themselves.
  if (S.sh_flags & ELF::SHF_COMPRESSED && below(8) != 0)
    return mutateCompressed(Index);
  size_t Room = MaxSize - std::min(MaxSize, File.size());
  std::string Old = contents(S);
  size_t Max = Old.size() + std::min<size_t>(Room, 64);
  replace(Index, mutateBytes(std::move(Old), Max));
}

/// Copies a part of one section to an offset in the same or another section:
/// for example, a DIE after itself, or an attribute over another.
template <typename ELFT> void Mutator<ELFT>::repeatPart(unsigned Index) {
  std::string From = contents(sections()[pickSection()]);
  std::string To = contents(sections()[Index]);
  size_t Start = below(unsigned(From.size()));
  StringRef Part = StringRef(From).substr(Start, 1 + below(64));
  size_t Place = below(unsigned(To.size()) + 1);
  size_t Replaced = below(2) ? Part.size() : 0;
  To.replace(Place, Replaced, Part.str());
  replace(Index, To);
}

template <typename ELFT> void Mutator<ELFT>::mutateHeader(unsigned Index) {
  Shdr &S = sections()[Index];
  auto Mutate = [](auto &Field) {
    LLVMFuzzerMutate(reinterpret_cast<uint8_t *>(&Field), sizeof(Field),
                     sizeof(Field));
  };
  switch (below(8)) {
  case 0:
    return Mutate(S.sh_type);
  case 1:
    return Mutate(S.sh_flags);
  case 2:
    return Mutate(S.sh_addr);
  case 3:
    return Mutate(S.sh_offset);
  case 4:
    return Mutate(S.sh_size);
  case 5:
    return Mutate(S.sh_link);
  case 6:
    return Mutate(S.sh_entsize);
  case 7:
    // Turns it into another section.
    S.sh_name = sections()[pickSection()].sh_name;
  }
}

template <typename ELFT> bool Mutator<ELFT>::run() {
  if (File.size() < sizeof(Ehdr) || sections().empty())
    return false;
  for (unsigned Times = 1 + below(3); Times != 0; --Times) {
    unsigned Index = pickSection();
    if (Index == 0)
      return false;
    unsigned Choice = below(16);
    if (Choice < 10)
      mutateContents(Index);
    else if (Choice < 13)
      repeatPart(Index);
    else
      mutateHeader(Index);
  }
  return true;
}

template <typename ELFT>
static size_t mutateAs(uint8_t *Data, size_t Size, size_t MaxSize,
                       unsigned Seed) {
  StringRef Bytes(reinterpret_cast<const char *>(Data), Size);
  Mutator<ELFT> M(Bytes, MaxSize, Seed);
  if (!M.run() || M.File.size() > MaxSize)
    return LLVMFuzzerMutate(Data, Size, MaxSize);
  std::copy(M.File.begin(), M.File.end(), Data);
  return M.File.size();
}

size_t lidia::mutateELF(uint8_t *Data, size_t Size, size_t MaxSize,
                        unsigned Seed) {
  StringRef Bytes(reinterpret_cast<const char *>(Data), Size);
  if (Seed % 8 == 0 || Size < ELF::EI_NIDENT ||
      !Bytes.starts_with(StringRef(ELF::ElfMagic, 4)))
    return LLVMFuzzerMutate(Data, Size, MaxSize);
  bool Is64 = Data[ELF::EI_CLASS] == ELF::ELFCLASS64;
  bool IsBig = Data[ELF::EI_DATA] == ELF::ELFDATA2MSB;
  if (Is64)
    return IsBig ? mutateAs<ELF64BE>(Data, Size, MaxSize, Seed)
                 : mutateAs<ELF64LE>(Data, Size, MaxSize, Seed);
  return IsBig ? mutateAs<ELF32BE>(Data, Size, MaxSize, Seed)
               : mutateAs<ELF32LE>(Data, Size, MaxSize, Seed);
}
