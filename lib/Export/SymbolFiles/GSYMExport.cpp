//===- GSYMExport.cpp - From an archive to a GSYM file --------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Archive/ExportLimits.h"
#include "lidia/Archive/FunctionLines.h"
#include "lidia/Archive/InlinedCalls.h"
#include "lidia/Error.h"
#include "lidia/Export/SymbolFiles.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/DebugInfo/GSYM/FileWriter.h"
#include "llvm/DebugInfo/GSYM/GsymCreator.h"
#include "llvm/DebugInfo/GSYM/OutputAggregator.h"

using namespace llvm;
using namespace llvm::gsym;

namespace lidia {

namespace {

class GSYMBuilder {
public:
  explicit GSYMBuilder(const Archive &A) : A(A) {}

  Error read();
  Error write(raw_ostream &OS);

  uint64_t functionsLeftOut() const { return FunctionsLeftOut; }

private:
  void addFunction(uint64_t Root);
  LineTable lines(uint64_t Root);
  InlineInfo calls(uint64_t Root, const FunctionInfo &F);
  Error error(const Twine &Message) const {
    return make_error<LimitError>(A.name(), Message);
  }

  const Archive &A;
  uint64_t FunctionsLeftOut = 0;
  GsymCreator Creator;
};

} // namespace

LineTable GSYMBuilder::lines(uint64_t Root) {
  LineTable Table;
  RangeEntry R = A.range(Root);
  visitFunctionLines(A, Root, [&](const FunctionLine &Line) {
    if (Line.Address - R.VA < R.Length)
      Table.push(
          {Line.Address, Creator.insertFile(A.string(Line.File)), Line.Line});
  });
  return Table;
}

InlineInfo GSYMBuilder::calls(uint64_t Root, const FunctionInfo &F) {
  InlineInfo Top;
  Top.Name = F.Name;
  Top.Ranges.insert(F.Range);
  std::vector<InlinedCall> Calls = inlinedCalls(A, Root);
  std::vector<InlineInfo> Infos(Calls.size());
  for (auto [Info, Call] : zip_equal(Infos, Calls)) {
    Info.Name = Creator.insertString(A.string(Call.Function));
    Info.CallFile = Creator.insertFile(A.string(Call.CallFile));
    Info.CallLine = Call.CallLine;
    for (const CallCode &Code : Call.Code)
      Info.Ranges.insert({Code.Start, Code.End});
  }
  // A call comes after the call that it is inlined into.
  for (size_t I = Calls.size(); I-- > 0;) {
    if (Calls[I].Code.empty())
      continue;
    uint32_t Parent = Calls[I].Parent;
    InlineInfo &To = Parent == InlinedCall::None ? Top : Infos[Parent];
    std::reverse(Infos[I].Children.begin(), Infos[I].Children.end());
    To.Children.push_back(std::move(Infos[I]));
  }
  std::reverse(Top.Children.begin(), Top.Children.end());
  return Top;
}

void GSYMBuilder::addFunction(uint64_t Root) {
  RangeEntry R = A.range(Root);
  StringRef Name = A.string(R.Function);
  if (Name.empty() || R.Length > UINT32_MAX || R.VA > UINT64_MAX - R.Length) {
    ++FunctionsLeftOut;
    return;
  }
  FunctionInfo F(R.VA, R.Length, Creator.insertString(Name));
  if (LineTable Lines = lines(Root); any_of(
          Lines, [](const LineEntry &Line) { return Line.File || Line.Line; }))
    F.OptLineTable = std::move(Lines);
  if (InlineInfo Calls = calls(Root, F); !Calls.Children.empty())
    F.Inline = std::move(Calls);
  Creator.addFunctionInfo(std::move(F));
}

Error GSYMBuilder::read() {
  if (Error E = ExportLimits(A).check())
    return E;
  if (const ArchiveInfo *Info = A.info())
    Creator.setUUID(Info->BuildID);
  for (uint64_t Root = 0; Root != A.rangeCount(); Root = functionEnd(A, Root))
    addFunction(Root);
  return Error::success();
}

Error GSYMBuilder::write(raw_ostream &OS) {
  OutputAggregator Silent(nullptr);
  if (Error E = Creator.finalize(Silent))
    return error("cannot be converted to GSYM: " + toString(std::move(E)));
  const ArchiveInfo *Info = A.info();
  bool IsBig = Info && Info->Data == ELF::ELFDATA2MSB;
  SmallVector<char, 0> Bytes;
  raw_svector_ostream Buffer(Bytes);
  FileWriter Writer(Buffer, IsBig ? endianness::big : endianness::little);
  if (Error E = Creator.encode(Writer))
    return error("cannot be converted to GSYM: " + toString(std::move(E)));
  OS << Buffer.str();
  return Error::success();
}

Error exportGSYM(const Archive &A, const ExportedModule &, raw_ostream &OS,
                 LossReport Report) {
  GSYMBuilder Builder(A);
  if (Error E = Builder.read())
    return E;
  if (uint64_t Count = Builder.functionsLeftOut())
    Report(Twine(Count) + " functions are left out: GSYM cannot hold those "
                          "without a name or of 4 GiB and more");
  return Builder.write(OS);
}

} // namespace lidia
