//===- LineProgram.cpp - Encodes .debug_line ------------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LineProgram.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/BinaryFormat/Dwarf.h"

using namespace llvm;
using namespace llvm::dwarf;

namespace lidia {

// The parameters that compilers use: one byte encodes a line advance from -5 to
// +8 and an address advance of up to 17 bytes.
static constexpr uint8_t OpcodeBase = 13;
static constexpr int LineBase = -5;
static constexpr int LineRange = 14;

namespace {

/// The state machine's registers while a sequence is written.
class Encoder {
public:
  explicit Encoder(SectionWriter &Out) : Out(Out) {}
  void point(const LinePoint &P);

private:
  void start(uint64_t Address);
  void end(uint64_t Address);
  void row(uint64_t AddressDelta, int64_t LineDelta);

  SectionWriter &Out;
  bool Open = false;
  LinePoint At;
};

} // namespace

void Encoder::start(uint64_t Address) {
  Out.u8(DW_LNS_extended_op);
  Out.uleb(1 + Out.target().AddressSize);
  Out.u8(DW_LNE_set_address);
  Out.codeAddress(Address);
  At = LinePoint();
  At.Address = Address;
  At.Line = 1;
  At.File = 1;
  At.Flags = SF_IsStmt;
  Open = true;
}

void Encoder::end(uint64_t Address) {
  if (Address != At.Address) {
    Out.u8(DW_LNS_advance_pc);
    Out.uleb(Address - At.Address);
  }
  Out.u8(DW_LNS_extended_op);
  Out.uleb(1);
  Out.u8(DW_LNE_end_sequence);
  Open = false;
}

void Encoder::row(uint64_t AddressDelta, int64_t LineDelta) {
  if (LineDelta < LineBase || LineDelta >= LineBase + LineRange) {
    Out.u8(DW_LNS_advance_line);
    Out.sleb(LineDelta);
    LineDelta = 0;
  }
  uint64_t Special = LineDelta - LineBase + OpcodeBase;
  if (AddressDelta > (255 - Special) / LineRange) {
    Out.u8(DW_LNS_advance_pc);
    Out.uleb(AddressDelta);
    AddressDelta = 0;
  }
  Out.u8(Special + AddressDelta * LineRange);
}

void Encoder::point(const LinePoint &P) {
  if (P.Flags & SF_Unknown) {
    if (Open)
      end(P.Address);
    return;
  }
  if (Open && Out.target().areApart(At.Address, P.Address))
    end(P.Address);
  if (!Open)
    start(P.Address);
  if (P.File != At.File) {
    Out.u8(DW_LNS_set_file);
    Out.uleb(P.File);
  }
  if (P.Column != At.Column) {
    Out.u8(DW_LNS_set_column);
    Out.uleb(P.Column);
  }
  if ((P.Flags ^ At.Flags) & SF_IsStmt)
    Out.u8(DW_LNS_negate_stmt);
  if (P.Flags & SF_PrologueEnd)
    Out.u8(DW_LNS_set_prologue_end);
  if (P.Flags & SF_EpilogueBegin)
    Out.u8(DW_LNS_set_epilogue_begin);
  row(P.Address - At.Address, int64_t(P.Line) - int64_t(At.Line));
  At = P;
}

static void writeFiles(SectionWriter &Out, ArrayRef<LineFile> Files) {
  bool HasSources =
      any_of(Files, [](const LineFile &F) { return F.Source != 0; });
  // One directory, with an empty name, because all paths are complete.
  Out.u8(1);
  Out.uleb(DW_LNCT_path);
  Out.uleb(DW_FORM_string);
  Out.uleb(1);
  Out.cstring("");
  Out.u8(HasSources ? 3 : 2);
  Out.uleb(DW_LNCT_path);
  Out.uleb(DW_FORM_line_strp);
  Out.uleb(DW_LNCT_directory_index);
  Out.uleb(DW_FORM_udata);
  if (HasSources) {
    Out.uleb(DW_LNCT_LLVM_source);
    Out.uleb(DW_FORM_line_strp);
  }
  Out.uleb(Files.size());
  for (const LineFile &F : Files) {
    Out.u32(F.Path);
    Out.uleb(0);
    if (HasSources)
      Out.u32(F.Source);
  }
}

void writeLineTable(SectionWriter &Out, ArrayRef<LineFile> Files,
                    ArrayRef<LinePoint> Points) {
  uint64_t Unit = Out.beginLength();
  Out.u16(5);
  Out.u8(Out.target().AddressSize);
  Out.u8(0); // segment selector size
  uint64_t Header = Out.beginLength();
  Out.u8(1); // minimum_instruction_length
  Out.u8(1); // maximum_operations_per_instruction
  Out.u8(1); // default_is_stmt
  Out.u8(uint8_t(LineBase));
  Out.u8(LineRange);
  Out.u8(OpcodeBase);
  for (uint8_t Operands : {0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1})
    Out.u8(Operands);
  writeFiles(Out, Files);
  Out.endLength(Header);
  Encoder E(Out);
  for (const LinePoint &P : Points)
    E.point(P);
  Out.endLength(Unit);
}

} // namespace lidia
