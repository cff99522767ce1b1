//===- VariablesFuzzer.cpp - Any variables in an archive ------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Any bytes as the section VARS are refused, or are read, and exported as
/// DWARF in which LLVM finds no error. The archive has the functions and the
/// inlined calls that the section is about.
///
/// The input is the section, without what mutations would break: one byte of
/// options, the numbers of the header, and the columns, each after its size.
///
//===----------------------------------------------------------------------===//

#include "Archive/VariableColumns.h"
#include "ArchiveInput.h"
#include "ExportCheck.h"
#include "lidia/Export/DWARFExport.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/BinaryFormat/ELF.h"

using namespace lidia;
using namespace llvm;

/// More columns than this are not of the input.
static constexpr uint32_t MaxColumns = 256;

static std::string readSection(FuzzInput &Input) {
  VariablesHeader H = {};
  for (support::ulittle32_t *Number :
       {&H.Shapes, &H.Strings, &H.Expressions, &H.Types, &H.Callees,
        &H.Functions, &H.Calls})
    *Number = uint32_t(Input.variableNumber());
  H.Columns = uint32_t(Input.variableNumber() % MaxColumns);
  std::string Sizes, Columns;
  for (uint32_t I = 0; I != H.Columns; ++I) {
    StringRef Bytes = Input.take(Input.variableNumber());
    VariableColumnSize Size = {};
    Size.Size = uint32_t(Bytes.size());
    Size.Packed = Size.Size;
    Sizes.append(reinterpret_cast<const char *>(&Size), sizeof(Size));
    Columns += Bytes;
  }
  return std::string(reinterpret_cast<const char *>(&H), sizeof(H)) + Sizes +
         Columns;
}

namespace {

/// Makes the ranges that the variables of a table belong to.
class RangeMaker {
public:
  RangeMaker(const VariableTable &Table, ArchiveWriter &W)
      : Table(Table), W(W) {}

  /// Returns false if a function is at an address that it cannot have.
  bool addFunctions();

private:
  void addRange(uint32_t Scope, uint32_t Depth, uint64_t Start, uint64_t End);
  void addCalls(uint32_t Scope, uint32_t Depth, uint64_t Start, uint64_t End);
  StringRef nameOf(uint32_t Callee) const;

  const VariableTable &Table;
  ArchiveWriter &W;
  FunctionVariables F;
};

} // namespace

StringRef RangeMaker::nameOf(uint32_t Callee) const {
  std::optional<uint64_t> Name =
      Table.find(Table.function(Callee).front(), dwarf::DW_AT_name);
  return Name ? Table.string(uint32_t(*Name)) : StringRef();
}

void RangeMaker::addRange(uint32_t Scope, uint32_t Depth, uint64_t Start,
                          uint64_t End) {
  ArchiveRange Out;
  Out.Start = Start;
  Out.Length = End - Start;
  Out.Depth = Depth;
  Out.Function = W.addString(nameOf(F.Scopes[Scope].Callee));
  Out.File = W.addString("a.c");
  cantFail(W.addRange(Out));
  addCalls(Scope, Depth, Start, End);
}

/// Adds the calls in a scope that begin in [\p Start, \p End), each up to the
/// next one.
void RangeMaker::addCalls(uint32_t Scope, uint32_t Depth, uint64_t Start,
                          uint64_t End) {
  std::vector<std::pair<uint64_t, uint32_t>> Calls;
  for (uint32_t I = Scope + 1; I != F.Scopes.size(); ++I) {
    uint32_t Around = F.Scopes[I].Parent;
    while (F.Scopes[Around].Kind == VariableScope::Block && Around != Scope)
      Around = F.Scopes[Around].Parent;
    uint64_t At = F.Address + F.Scopes[I].Start;
    if (F.Scopes[I].Kind == VariableScope::Call && Around == Scope &&
        At >= Start && At < End)
      Calls.emplace_back(At, I);
  }
  llvm::sort(Calls);
  for (size_t I = 0; I != Calls.size() && Depth < 64; ++I) {
    uint64_t Next = I + 1 == Calls.size() ? End : Calls[I + 1].first;
    if (Calls[I].first != Next)
      addRange(Calls[I].second, Depth + 1, Calls[I].first, Next);
  }
}

bool RangeMaker::addFunctions() {
  for (uint32_t I = 0; I != Table.size(); ++I) {
    Table.read(I, F);
    uint64_t End = F.Address + 256;
    if (I + 1 != Table.size())
      End = std::min(End, Table.address(I + 1));
    if (F.Address == 0 || End < F.Address)
      return false;
    addRange(0, 0, F.Address, End);
  }
  return true;
}

static std::string writeArchive(ArchiveWriter &W) {
  std::string Written;
  raw_string_ostream OS(Written);
  cantFail(W.write(OS));
  return Written;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  FuzzInput Input(StringRef(reinterpret_cast<const char *>(Data), Size));
  uint8_t Bits = Input.byte();
  std::string Section = readSection(Input);
  Expected<VariableTable> Table = VariableTable::open(Section, "fuzz");
  if (!Table) {
    consumeError(Table.takeError());
    return 0;
  }
  ArchiveWriterOptions WriterOptions;
  WriterOptions.Extension = true;
  ArchiveWriter W(WriterOptions);
  ArchiveInfo Info;
  Info.Machine = Bits & 1 ? ELF::EM_AARCH64 : ELF::EM_X86_64;
  Info.Class = ELF::ELFCLASS64;
  Info.Data = Bits & 2 ? ELF::ELFDATA2MSB : ELF::ELFDATA2LSB;
  Info.Type = Bits & 4 ? ELF::ET_REL : ELF::ET_DYN;
  W.setInfo(Info);
  bool AreSound = RangeMaker(*Table, W).addFunctions();
  W.setVariables(Section);
  std::string Written = writeArchive(W);
  Expected<Archive> A = Archive::create(MemoryBuffer::getMemBuffer(
      Written, "fuzz", /*RequiresNullTerminator=*/false));
  if (!A)
    report_fatal_error(A.takeError());
  check(isSound(*A) || !AreSound, "the archive is not sound");
  DWARFExportOptions Options;
  Options.ForLLDB = Bits & 8;
  LimitedStream Out((uint64_t(64) << 20) + 64 * Written.size());
  if (Error E = exportDWARF(*A, Out, Options))
    consumeError(std::move(E));
  else
    readWithLLVM(Out.text(), addressesToAsk(*A));
  return 0;
}
