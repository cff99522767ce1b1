//===- ArchiveInput.cpp - Archives from a fuzzer's input ------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ArchiveInput.h"
#include "lidia/Archive/Verify.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/BinaryFormat/ELF.h"

using namespace lidia;
using namespace llvm;

namespace {

/// Reads instructions for the writer.
class ArchiveBuilder {
public:
  ArchiveBuilder(FuzzInput Input, ArchiveModel &Model)
      : Input(Input), Model(Model) {}

  Archive build();

private:
  /// A range that may contain the next one.
  struct OpenRange {
    /// The lowest start of the next range inside it.
    uint64_t Next;
    uint64_t End;
  };

  ArchiveInfo readInfo();
  void readRanges();
  bool readRange();
  void readRows(ModelRange &R);
  const std::string &text();
  StringRef readString();
  void addRange(ArchiveWriter &W, const ModelRange &R) const;
  void addPads(ArchiveWriter &W);

  FuzzInput Input;
  ArchiveModel &Model;
  std::vector<std::string> Texts = {""};
  std::vector<OpenRange> Open;
};

} // namespace

ArchiveInfo ArchiveBuilder::readInfo() {
  static constexpr uint16_t Machines[] = {
      ELF::EM_X86_64, ELF::EM_AARCH64, ELF::EM_386,  ELF::EM_ARM,
      ELF::EM_PPC64,  ELF::EM_RISCV,   ELF::EM_S390, ELF::EM_MIPS};
  ArchiveInfo Info;
  uint8_t Kind = Input.byte();
  Info.Machine = Machines[Kind & 7];
  Info.Class = Kind & 8 ? ELF::ELFCLASS32 : ELF::ELFCLASS64;
  Info.Data = Kind & 16 ? ELF::ELFDATA2MSB : ELF::ELFDATA2LSB;
  Info.Type = Kind & 32 ? ELF::ET_DYN : ELF::ET_EXEC;
  if (Kind & 64)
    Info.Machine = uint16_t(Input.number(2));
  if (Kind & 128) {
    StringRef ID = Input.take(Input.byte() & 31);
    Info.BuildID = ArrayRef<uint8_t>(ID.bytes_begin(), ID.size());
  }
  return Info;
}

StringRef ArchiveBuilder::readString() {
  static constexpr StringRef Known[] = {
      "",           "main",         "_ZN2ns1fIiEEiT_",
      "ns::f<int>", "/src/a.c",     "/src/b.cpp",
      "a.rs",       "_RNvC1a4main", "f.cold",
      "_Z1fv",      "operator<",    "(anonymous namespace)::g"};
  uint8_t Size = Input.byte();
  if (Size < std::size(Known))
    return Known[Size];
  return Input.take(Size - std::size(Known));
}

/// Returns an earlier string or a new one.
const std::string &ArchiveBuilder::text() {
  uint8_t Choice = Input.byte();
  if (Choice & 1)
    return Texts[(Choice >> 1) % Texts.size()];
  Texts.push_back(readString().str());
  return Texts.back();
}

void ArchiveBuilder::readRows(ModelRange &R) {
  uint8_t Count = Input.byte() & 15;
  uint64_t Offset = 0;
  for (uint8_t I = 0; I != Count; ++I) {
    // Row offsets in the format have 32 bits.
    Offset += uint32_t(Input.variableNumber()) + uint64_t(I != 0);
    if (Offset >= R.Length || Offset > UINT32_MAX)
      return;
    ModelRow Row;
    Row.Offset = Offset;
    Row.Line = uint32_t(Input.variableNumber());
    uint8_t Kind = Input.byte();
    Row.File = Kind & 1 ? text() : R.File;
    if (Kind & 2)
      Row.Column = uint32_t(Input.variableNumber());
    R.Rows.push_back(std::move(Row));
  }
}

/// Reads the next range. Returns false if no further range is possible.
bool ArchiveBuilder::readRange() {
  uint8_t Kind = Input.byte();
  ModelRange R;
  R.Depth = uint32_t(std::min<size_t>(Kind & 7, Open.size() - 1));
  Open.resize(R.Depth + 1);
  OpenRange &Parent = Open.back();
  uint64_t Gap = Input.variableNumber();
  if (Gap >= Parent.End - Parent.Next)
    return false;
  R.Start = Parent.Next + Gap;
  R.Length =
      std::min(Input.variableNumber() % UINT32_MAX + 1, Parent.End - R.Start);
  R.Function = text();
  R.File = text();
  if (R.Depth) {
    R.CallFile = text();
    R.CallLine = uint32_t(Input.variableNumber());
    R.CallColumn = uint32_t(Input.variableNumber());
  }
  if (Kind & 8)
    readRows(R);
  if (Kind & 16)
    Model.Pads.push_back(R.Start + Input.variableNumber());
  Parent.Next = R.Start + R.Length;
  Open.push_back({R.Start, R.Start + R.Length});
  Model.Ranges.push_back(std::move(R));
  return true;
}

void ArchiveBuilder::readRanges() {
  static constexpr uint64_t Bases[] = {
      0, 0x1000, 0x400000, 0xfffff000, 0xffffffff80000000, UINT64_MAX - 0x1000};
  uint8_t Base = Input.byte();
  uint64_t Start =
      Base < std::size(Bases) ? Bases[Base] : Input.variableNumber();
  Open.push_back({Start, UINT64_MAX});
  while (!Input.empty() && Model.Ranges.size() < 256)
    if (!readRange())
      return;
}

void ArchiveBuilder::addRange(ArchiveWriter &W, const ModelRange &R) const {
  std::vector<ArchiveRow> Rows;
  for (const ModelRow &Row : R.Rows)
    Rows.push_back({Row.Offset, Row.Line, Row.Column, W.addString(Row.File)});
  ArchiveRange Out;
  Out.Start = R.Start;
  Out.Length = R.Length;
  Out.Depth = R.Depth;
  Out.Function = W.addString(R.Function);
  Out.File = W.addString(R.File);
  Out.CallFile = W.addString(R.CallFile);
  Out.CallLine = R.CallLine;
  Out.CallColumn = R.CallColumn;
  Out.Rows = Rows;
  if (Error E = W.addRange(Out))
    report_fatal_error(std::move(E));
}

void ArchiveBuilder::addPads(ArchiveWriter &W) {
  std::vector<uint64_t> &Pads = Model.Pads;
  llvm::erase(Pads, 0);
  std::sort(Pads.begin(), Pads.end());
  Pads.erase(std::unique(Pads.begin(), Pads.end()), Pads.end());
  if (!Model.Options.Extension)
    Pads.clear();
  if (!Pads.empty())
    if (Error E = W.setReturnPads(Pads))
      report_fatal_error(std::move(E));
}

Archive ArchiveBuilder::build() {
  uint8_t Bits = Input.byte();
  Model.Options.Checksums = Bits & 1;
  Model.Options.Extension = !(Bits & 2);
  Model.Options.Columns = Model.Options.Extension && (Bits & 4);
  Model.Options.Strings = Bits & 8 ? format::StringForm::NulTerminated
                                   : format::StringForm::Prefixed;
  ArchiveWriter W(Model.Options);
  W.setInfo(readInfo());
  readRanges();
  for (const ModelRange &R : Model.Ranges)
    addRange(W, R);
  addPads(W);
  SmallString<0> Written;
  raw_svector_ostream OS(Written);
  if (Expected<ArchiveSizes> Sizes = W.write(OS); !Sizes)
    report_fatal_error(Sizes.takeError());
  Expected<Archive> A =
      Archive::create(MemoryBuffer::getMemBufferCopy(Written, "written"));
  if (!A)
    report_fatal_error(A.takeError());
  return std::move(*A);
}

Archive lidia::buildArchive(FuzzInput Input, ArchiveModel &Model) {
  return ArchiveBuilder(Input, Model).build();
}

std::optional<Archive> lidia::archiveFromInput(StringRef Input) {
  if (!Archive::hasMagic(Input)) {
    // No name may contain the bytes that announce an extension
    // (docs/Format.md).
    if (Input.contains("LIDIAEXT"))
      return std::nullopt;
    ArchiveModel Model;
    return buildArchive(FuzzInput(Input), Model);
  }
  Expected<Archive> A = Archive::create(MemoryBuffer::getMemBuffer(
      Input, "fuzz", /*RequiresNullTerminator=*/false));
  if (A)
    return std::move(*A);
  consumeError(A.takeError());
  return std::nullopt;
}

std::vector<uint64_t> lidia::addressesToAsk(const Archive &A) {
  std::vector<uint64_t> Addresses = {0, 1, UINT32_MAX, UINT64_MAX};
  uint64_t Count = A.rangeCount();
  for (uint64_t I = 0; I != Count;
       I = I == 16 && Count > 32 ? Count - 16 : I + 1) {
    RangeEntry R = A.range(I);
    for (uint64_t Address : {R.VA - 1, R.VA, R.VA + R.Length / 2,
                             R.VA + R.Length - 1, R.VA + R.Length})
      Addresses.push_back(Address);
  }
  return Addresses;
}

bool lidia::isSound(const Archive &A) {
  Error E = verify(A, [](const Issue &) {});
  bool Sound = !E;
  consumeError(std::move(E));
  return Sound;
}
