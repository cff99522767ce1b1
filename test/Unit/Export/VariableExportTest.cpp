//===- VariableExportTest.cpp - Variables that would take too much --------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Archive/ArchiveWriter.h"
#include "lidia/Archive/Variables.h"
#include "lidia/Export/DWARFExport.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/BinaryFormat/ELF.h"
#include "gtest/gtest.h"

using namespace lidia;
using namespace llvm;
using namespace llvm::dwarf;

namespace {

/// A tree of two levels, the nodes of which have the name "f" and the type 0.
DIETree functionWithVariable(VariableTableBuilder &Builder) {
  DIETree Tree;
  for (Tag T : {DW_TAG_subprogram, DW_TAG_variable}) {
    DIEShape Shape = {
        T, {{DW_AT_name, ValueKind::String}, {DW_AT_type, ValueKind::Type}}};
    Tree.Nodes.push_back({Builder.shape(Shape), uint32_t(Tree.Nodes.size()),
                          uint32_t(Tree.Values.size())});
    Tree.Values.push_back(Builder.string("f"));
    Tree.Values.push_back(0);
  }
  return Tree;
}

/// A table with a variable at \p Places, which are all described by one
/// expression of \p Size bytes.
std::string sectionWith(uint32_t Places, size_t Size) {
  VariableTableBuilder Builder;
  DIEShape Base = {DW_TAG_base_type, {{DW_AT_byte_size, ValueKind::Unsigned}}};
  DIETree Type;
  Type.Nodes = {{Builder.shape(Base), 0, 0}};
  Type.Values = {4};
  Builder.addType(Type);
  Builder.addFunction(functionWithVariable(Builder));
  uint32_t Expression = Builder.expression(std::string(Size, char(DW_OP_nop)));
  FunctionVariables F;
  F.Address = 0x1000;
  F.Scopes.emplace_back().VariableCount = 1;
  ScopedVariable &V = F.Variables.emplace_back();
  V.Kind = ScopedVariable::List;
  V.EntryCount = Places;
  for (uint32_t I = 0; I != Places; ++I)
    F.Entries.push_back({I, 1, Expression});
  Builder.add(F);
  return Builder.bytes();
}

/// Exports an archive with one function. Returns the size of the export.
Expected<size_t> exportedSize(std::string Variables) {
  ArchiveWriterOptions Options;
  Options.Extension = true;
  ArchiveWriter W(Options);
  ArchiveInfo Info;
  Info.Machine = ELF::EM_X86_64;
  Info.Class = ELF::ELFCLASS64;
  Info.Data = ELF::ELFDATA2LSB;
  W.setInfo(Info);
  ArchiveRange R;
  R.Start = 0x1000;
  R.Length = 0x10000;
  R.Function = W.addString("f");
  cantFail(W.addRange(R));
  W.setVariables(std::move(Variables));
  std::string Written, Exported;
  raw_string_ostream OS(Written), Out(Exported);
  cantFail(W.write(OS));
  Expected<Archive> A = Archive::create(MemoryBuffer::getMemBuffer(
      Written, "x.lidia", /*RequiresNullTerminator=*/false));
  if (!A)
    return A.takeError();
  if (Error E = exportDWARF(*A, Out))
    return E;
  return Exported.size();
}

TEST(VariableExport, RefusesExpressionsThatExpand) {
  Expected<size_t> Few = exportedSize(sectionWith(100, 10000));
  ASSERT_TRUE(bool(Few)) << toString(Few.takeError());
  EXPECT_GT(*Few, 100u * 10000);
  Expected<size_t> Many = exportedSize(sectionWith(4000, 10000));
  ASSERT_FALSE(bool(Many));
  EXPECT_EQ(toString(Many.takeError()),
            "x.lidia: would be exported with more bytes of expressions than "
            "the limit for an archive of its size");
}

} // namespace
