//===- CallFrames.cpp - Reads call frame information ----------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CallFrames.h"
#include "CallFrameProgram.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/Support/MathExtras.h"

using namespace lidia;
using namespace lidia::dwarf;
using namespace llvm;
using namespace llvm::dwarf;

/// The data that functions share.
struct CallFrames::CIE {
  bool IsGood = false;
  CallFrameFactors Factors;
  uint32_t ReturnAddress = 0;
  uint8_t AddressSize = 8;
  uint8_t PointerEncoding = DW_EH_PE_absptr;
  /// Whether entries have a block of augmentation data.
  bool HasData = false;
  bool IsSignalFrame = false;
  uint64_t Instructions = 0;
  uint64_t InstructionsEnd = 0;
  /// The rules at the beginning of each function.
  UnwindRules Rules;
};

CallFrames::CallFrames(const CallFrameSection &Section) : Section(Section) {}
CallFrames::~CallFrames() = default;

//===----------------------------------------------------------------------===//
// Pointers
//===----------------------------------------------------------------------===//

/// The bytes of a pointer of this format, sign-extended if it is signed.
static std::optional<uint64_t> readValue(Cursor &C, uint8_t Format,
                                         uint8_t AddressSize) {
  switch (Format) {
  case DW_EH_PE_absptr:
    return C.sized(AddressSize);
  case DW_EH_PE_signed:
    return AddressSize == 4 ? uint64_t(SignExtend64<32>(C.u32())) : C.u64();
  case DW_EH_PE_uleb128:
    return C.uleb();
  case DW_EH_PE_sleb128:
    return uint64_t(C.sleb());
  case DW_EH_PE_udata2:
    return C.u16();
  case DW_EH_PE_udata4:
    return C.u32();
  case DW_EH_PE_udata8:
  case DW_EH_PE_sdata8:
    return C.u64();
  case DW_EH_PE_sdata2:
    return uint64_t(SignExtend64<16>(C.u16()));
  case DW_EH_PE_sdata4:
    return uint64_t(SignExtend64<32>(C.u32()));
  default:
    return std::nullopt;
  }
}

/// None if the pointer is indirect, is relative to an unknown address, or has
/// an unknown encoding. The cursor may be bad.
std::optional<uint64_t> CallFrames::readPointer(Cursor &C, uint8_t Encoding,
                                                uint8_t AddressSize) const {
  if (Encoding & DW_EH_PE_indirect)
    return std::nullopt;
  uint64_t Place = Section.Address + C.offset();
  std::optional<uint64_t> Value = readValue(C, Encoding & 0xf, AddressSize);
  if (!Value)
    return std::nullopt;
  switch (Encoding & 0x70) {
  case DW_EH_PE_absptr:
    break;
  case DW_EH_PE_pcrel:
    *Value += Place;
    break;
  case DW_EH_PE_textrel:
    if (!Section.TextBase)
      return std::nullopt;
    *Value += Section.TextBase;
    break;
  case DW_EH_PE_datarel:
    if (!Section.DataBase)
      return std::nullopt;
    *Value += Section.DataBase;
    break;
  default:
    return std::nullopt;
  }
  return AddressSize == 4 ? uint32_t(*Value) : *Value;
}

//===----------------------------------------------------------------------===//
// Entries
//===----------------------------------------------------------------------===//

namespace {
/// The head of an entry of either kind.
struct EntryHead {
  /// The offset of the first byte after the length, to which the CIE pointer of
  /// an FDE in .eh_frame is relative.
  uint64_t Body = 0;
  uint64_t End = 0;
  uint64_t ID = 0;
  bool IsCIE = false;
};
} // namespace

/// Reads the head of the entry at \p C. The end is 0 for a terminator; the
/// cursor is bad if the entry reaches past the section.
static EntryHead readHead(Cursor &C, bool IsEH) {
  EntryHead H;
  uint64_t Length = C.u32();
  bool Is64 = Length == DW_LENGTH_DWARF64;
  if (Is64)
    Length = C.u64();
  H.Body = C.offset();
  if (Length == 0 || C.bad())
    return H;
  if (Length > C.left()) {
    C.fail();
    return H;
  }
  H.End = H.Body + Length;
  bool IsWide = Is64 && !IsEH;
  H.ID = IsWide ? C.u64() : C.u32();
  H.IsCIE = H.ID == (IsEH ? 0 : IsWide ? DW64_CIE_ID : DW_CIE_ID);
  return H;
}

/// Without a block of data ("z"), only augmentations that change nothing are
/// supported.
bool CallFrames::readAugmentation(Cursor &C, StringRef Augmentation,
                                  CIE &Into) {
  if (!Augmentation.consume_front("z"))
    return Augmentation.empty();
  Into.HasData = true;
  uint64_t Size = C.uleb(), Data = C.offset();
  for (char Letter : Augmentation) {
    switch (Letter) {
    case 'R':
      Into.PointerEncoding = C.u8();
      break;
    case 'L':
      C.u8();
      break;
    case 'P': {
      uint8_t Encoding = C.u8();
      if (!readValue(C, Encoding & 0xf, Into.AddressSize))
        return false;
      break;
    }
    case 'S':
      Into.IsSignalFrame = true;
      break;
    case 'B': // The key that AArch64's return addresses are signed with.
    case 'G': // AArch64's memory tags.
      break;
    default:
      // The data of the letters before have been read; the block's size tells
      // where it ends.
      C.seek(Data);
      C.skip(Size);
      return true;
    }
  }
  C.seek(Data);
  C.skip(Size);
  return true;
}

CallFrames::CIE CallFrames::readCIE(uint64_t Offset) {
  CIE Out;
  Cursor C = cursor(Offset);
  EntryHead H = readHead(C, Section.IsEH);
  if (C.bad() || !H.IsCIE)
    return Out;
  C.limit(H.End);
  uint8_t Version = C.u8();
  if (Version != 1 && Version != 3 && Version != 4)
    return Out;
  StringRef Augmentation = C.cstring();
  Out.AddressSize = Section.AddressSize;
  if (Version == 4) {
    Out.AddressSize = C.u8();
    uint8_t SegmentSize = C.u8();
    if ((Out.AddressSize != 4 && Out.AddressSize != 8) || SegmentSize)
      return Out;
  }
  if (Augmentation.consume_front("eh"))
    C.skip(Out.AddressSize);
  Out.Factors.Code = C.uleb();
  Out.Factors.Data = C.sleb();
  uint64_t Column = Version == 1 ? C.u8() : C.uleb();
  if (Column > UINT16_MAX || !readAugmentation(C, Augmentation, Out) || C.bad())
    return Out;
  Out.ReturnAddress = uint32_t(Column);
  Out.Instructions = C.offset();
  Out.InstructionsEnd = H.End;
  CallFrameProgram Program(Section, Out.Factors);
  Program.rules().ReturnAddress = Out.ReturnAddress;
  Program.rules().IsSignalFrame = Out.IsSignalFrame;
  Out.IsGood = Program.runInitial(Out.Instructions, Out.InstructionsEnd);
  Out.Rules = Program.rules();
  return Out;
}

const CallFrames::CIE *CallFrames::findCIE(uint64_t Offset) {
  // Nor may it be a key that the map reserves.
  if (Offset >= Section.Bytes.size())
    return nullptr;
  std::unique_ptr<CIE> &Known = CIEs[Offset];
  if (!Known)
    Known = std::make_unique<CIE>(readCIE(Offset));
  return Known->IsGood ? Known.get() : nullptr;
}

bool CallFrames::readFunction(Cursor &C, uint64_t CIEOffset, uint64_t End,
                              Function &F) {
  const CIE *Common = findCIE(CIEOffset);
  if (!Common)
    return false;
  C.limit(End);
  std::optional<uint64_t> Begin =
      readPointer(C, Common->PointerEncoding, Common->AddressSize);
  std::optional<uint64_t> Size =
      readPointer(C, Common->PointerEncoding & 0xf, Common->AddressSize);
  if (!Begin || !Size)
    return false;
  if (Common->HasData)
    C.skip(C.uleb());
  // LLD sets the address of discarded functions to -1.
  uint64_t Last = *Begin + std::min(*Size, UINT64_MAX - *Begin);
  F = {*Begin, Last, CIEOffset, C.offset(), End};
  return !C.bad();
}

std::vector<CallFrames::Function> CallFrames::functions() {
  std::vector<Function> Out;
  uint64_t Offset = 0;
  while (Offset < Section.Bytes.size()) {
    Cursor C = cursor(Offset);
    EntryHead H = readHead(C, Section.IsEH);
    if (C.bad()) {
      ++Broken;
      break;
    }
    Offset = H.End ? H.End : H.Body;
    if (!H.End || H.IsCIE)
      continue;
    uint64_t CIEOffset = Section.IsEH ? H.Body - std::min(H.ID, H.Body) : H.ID;
    Function F;
    if (!readFunction(C, CIEOffset, H.End, F))
      ++Broken;
    else if (F.Begin != F.End)
      Out.push_back(F);
  }
  return Out;
}

bool CallFrames::visitRows(const Function &F, VisitRow Visit) {
  const CIE *Common = findCIE(F.CIE);
  if (!Common)
    return false;
  CallFrameProgram Program(Section, Common->Factors);
  Program.rules() = Common->Rules;
  return Program.run(F.Instructions, F.InstructionsEnd, F.Begin, F.End,
                     Common->Rules, Visit);
}
