//===- MergeModelTest.cpp - Random functions, merged and asked ------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Converts random functions that overlap, with inlined calls and rows, and
/// compares the answer at each address with a model that searches the functions
/// by hand, as RangeVisitor::visit() describes it.
///
//===----------------------------------------------------------------------===//

#include "AskArchive.h"
#include "lidia/Extract/Convert.h"
#include "lidia/Extract/RangeExtractor.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"
#include <deque>
#include <random>

using namespace lidia;
using namespace llvm;

namespace {

constexpr uint64_t Base = 0x1000, CodeSize = 240;

/// Random functions, and the answers that they imply.
class Model final : public RangeExtractor {
public:
  explicit Model(uint64_t Seed) : Random(Seed) {
    for (unsigned Count = 1 + below(24); Count != 0; --Count)
      addFunction();
  }

  StringRef name() const override { return "model"; }
  uint64_t inputSize() const override { return 1 << 20; }
  Error extract(RangeVisitor &Visitor) override {
    for (Function &F : Functions) {
      F.Range.Calls = F.Calls;
      F.Range.Rows = F.Rows;
      Visitor.visit(F.Range);
    }
    return Error::success();
  }

  /// The frames at \p Address: "g /1.c:2 < f /2.c:10".
  std::string answer(uint64_t Address) const;

private:
  struct Function {
    FunctionRange Range;
    std::vector<InlinedRange> Calls;
    std::vector<SourceRow> Rows;
  };

  uint64_t below(uint64_t Count) { return Random() % Count; }
  StringRef text(const Twine &T) {
    Texts.push_back(T.str());
    return Texts.back();
  }
  StringRef file() { return text("/" + Twine(below(4)) + ".c"); }
  void addFunction();
  void addCalls(Function &F, uint64_t Start, uint64_t End, uint32_t Depth);

  std::mt19937_64 Random;
  std::deque<std::string> Texts;
  std::vector<Function> Functions;
};

} // namespace

/// Adds calls inside Start..End that do not overlap, and calls inside those.
void Model::addCalls(Function &F, uint64_t Start, uint64_t End,
                     uint32_t Depth) {
  uint64_t At = Start;
  while (Depth <= 4 && At < End && below(3) != 0) {
    InlinedRange C;
    C.Start = At + below(End - At);
    C.End = C.Start + 1 + below(End - C.Start);
    C.Depth = Depth;
    C.Name = text("c" + Twine(Texts.size()));
    C.CallFile = file();
    C.CallLine = uint32_t(1 + below(1000));
    F.Calls.push_back(C);
    addCalls(F, C.Start, C.End, Depth + 1);
    At = C.End;
  }
}

void Model::addFunction() {
  Function F;
  F.Range.Start = Base + below(CodeSize - 1);
  F.Range.End = F.Range.Start + 1 + below(Base + CodeSize - F.Range.Start);
  F.Range.Name = text("f" + Twine(Functions.size()));
  addCalls(F, F.Range.Start, F.Range.End, 1);
  std::shuffle(F.Calls.begin(), F.Calls.end(), Random);
  // The file of code before the first row is a guess.
  F.Rows.push_back({F.Range.Start, file(), uint32_t(1 + below(1000)), 0});
  for (uint64_t Count = below(8); Count != 0; --Count)
    F.Rows.push_back({F.Range.Start + below(F.Range.End - F.Range.Start),
                      file(), uint32_t(1 + below(1000)), 0});
  Functions.push_back(std::move(F));
}

std::string Model::answer(uint64_t Address) const {
  auto Covers = [&](const auto &R) {
    return R.Start <= Address && Address < R.End;
  };
  const Function *Winner = nullptr;
  for (const Function &F : Functions)
    if (Covers(F.Range) && (!Winner || F.Range.Start > Winner->Range.Start))
      Winner = &F;
  if (!Winner)
    return "";
  const SourceRow *Row = nullptr;
  for (const SourceRow &R : Winner->Rows)
    if (R.Address <= Address && (!Row || R.Address >= Row->Address))
      Row = &R;
  std::string Place = (" " + Row->File + ":" + Twine(Row->Line)).str();
  std::vector<const InlinedRange *> Chain;
  for (const InlinedRange &C : Winner->Calls)
    if (Covers(C))
      Chain.push_back(&C);
  std::sort(Chain.begin(), Chain.end(),
            [](auto *A, auto *B) { return A->Depth > B->Depth; });
  std::string Text;
  for (const InlinedRange *C : Chain) {
    Text += C->Name.str() + Place + " < ";
    Place = (" " + C->CallFile + ":" + Twine(C->CallLine)).str();
  }
  return Text + Winner->Range.Name.str() + Place;
}

namespace {
class Silent final : public ConvertObserver {
public:
  void warning(const Twine &) override {}
  void progress(StringRef, uint64_t, uint64_t) override {}
};
} // namespace

static std::unique_ptr<MemoryBuffer> read(StringRef Path) {
  ErrorOr<std::unique_ptr<MemoryBuffer>> File = MemoryBuffer::getFile(Path);
  if (!File)
    report_fatal_error("no archive");
  return std::move(*File);
}

TEST(MergeModelTest, AnswersAsTheFunctionsSay) {
  SmallString<128> Path;
  ASSERT_FALSE(sys::fs::createTemporaryFile("merge", "lidia", Path));
  Silent Observer;
  for (uint64_t Seed = 0; Seed != 300; ++Seed) {
    Model M(Seed);
    ModuleInfo Module;
    Module.Name = "model";
    ConvertOptions Options;
    Options.Lines = true;
    Options.Threads = 1 + Seed % 3;
    Expected<ConvertStatistics> S = convert(M, Module, Path, Options, Observer);
    ASSERT_TRUE(bool(S)) << (S ? "" : toString(S.takeError()));
    Expected<Archive> A = Archive::open(Path);
    ASSERT_TRUE(bool(A)) << (A ? "" : toString(A.takeError()));
    for (uint64_t Address = Base - 1; Address != Base + CodeSize + 2; ++Address)
      ASSERT_EQ(ask(*A, Address), M.answer(Address))
          << "seed " << Seed << ", address " << Address;
    std::unique_ptr<MemoryBuffer> First = read(Path);
    std::string Bytes = First->getBuffer().str();
    Options.Threads = 4;
    Model Again(Seed);
    S = convert(Again, Module, Path, Options, Observer);
    ASSERT_TRUE(bool(S)) << (S ? "" : toString(S.takeError()));
    ASSERT_EQ(Bytes, read(Path)->getBuffer().str()) << "seed " << Seed;
  }
  sys::fs::remove(Path);
}
