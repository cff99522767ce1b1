//===- AgreementFuzzer.cpp - Answers beside those of LLVM -----------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// For any program with well-formed DWARF, the archive's answer at each address
/// of a function is that of LLVM's own reader: the same functions, inlined into
/// each other at the same files, lines and columns. Where docs/Rules.md differs
/// from LLVM, the program is not well-formed.
///
//===----------------------------------------------------------------------===//

#include "ConvertCheck.h"
#include "DWARFProgram.h"
#include "llvm/DebugInfo/DWARF/DWARFContext.h"
#include "llvm/Object/ObjectFile.h"

using namespace lidia;
using namespace llvm;

static std::string textOf(StringRef Function, StringRef File, uint32_t Line,
                          uint32_t Column) {
  return (Function + " " + File + ":" + Twine(Line) + ":" + Twine(Column) +
          "\n")
      .str();
}

static std::string answerOf(const Archive &A, uint64_t Address) {
  SmallVector<Frame, 8> Frames;
  A.lookup(Address, Frames);
  std::string Text;
  for (const Frame &F : Frames)
    Text += textOf(A.string(F.Function), A.string(F.File), F.Line, F.Column);
  return Text;
}

static std::string answerOf(DWARFContext &Context, uint64_t Address) {
  DIInliningInfo Frames = Context.getInliningInfoForAddress(
      {Address, object::SectionedAddress::UndefSection},
      {DILineInfoSpecifier::FileLineInfoKind::AbsoluteFilePath,
       DILineInfoSpecifier::FunctionNameKind::LinkageName});
  std::string Text;
  for (unsigned I = 0; I != Frames.getNumberOfFrames(); ++I) {
    const DILineInfo &F = Frames.getFrame(I);
    Text += textOf(F.FunctionName, F.FileName, F.Line, F.Column);
  }
  return Text;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  DWARFProgram Program = makeDWARFProgram(
      FuzzInput(StringRef(reinterpret_cast<const char *>(Data), Size)));
  MemoryBufferRef File(Program.File, "fuzz");
  std::unique_ptr<object::ObjectFile> Object =
      cantFail(object::ObjectFile::createELFObjectFile(File));
  std::unique_ptr<DWARFContext> Context = DWARFContext::create(*Object);
  std::optional<Archive> A = convertAndCheck(
      cantFail(Binary::create(MemoryBuffer::getMemBuffer(File, false), "fuzz")),
      fuzzOptions());
  check(A.has_value() || Program.Functions.empty(), "no archive is made");
  for (const CodeRange &R : Program.Functions)
    for (uint64_t Address = R.Start; Address != R.End; ++Address) {
      std::string Ours = answerOf(*A, Address);
      std::string Theirs = answerOf(*Context, Address);
      if (Ours == Theirs)
        continue;
      errs() << "LLVM's answer:\n" << Theirs << "The archive's:\n" << Ours;
      check(false, "answers differ at " + Twine::utohexstr(Address));
    }
  return 0;
}
