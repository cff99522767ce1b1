//===- ProcessSymbolizerTest.cpp - Bounds and threads of a profiler -------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Process/ProcessSymbolizer.h"
#include "gtest/gtest.h"
#include <stdlib.h>
#include <thread>
#include <unistd.h>

using namespace lidia;
using namespace llvm;

// Not in the unnamed namespace, so that the symbol has exactly this name.
extern "C" __attribute__((noinline)) int lidiaTestFunction(int X) {
  volatile int Y = X;
  return Y + 1;
}

namespace {

class Quiet final : public ConvertObserver {
  void warning(const Twine &) override {}
  void progress(StringRef, uint64_t, uint64_t) override {}
};

/// Symbolizes addresses of this process.
class ProcessSymbolizerTest : public testing::Test {
protected:
  ProcessSymbolizerTest() { TheCache.disable(); }

  std::unique_ptr<ProcessSymbolizer> create(ProcessSymbolizerOptions O) {
    auto Warn = [](const Twine &) {};
    Expected<std::unique_ptr<AddressSpace>> Space =
        AddressSpace::ofProcess(uint64_t(::getpid()), Warn);
    EXPECT_TRUE(bool(Space)) << toString(Space.takeError());
    return std::make_unique<ProcessSymbolizer>(std::move(*Space), *Modules,
                                               std::move(O));
  }

  static uint64_t address(void *Function) {
    return reinterpret_cast<uint64_t>(Function);
  }
  const uint64_t Own = address(reinterpret_cast<void *>(&lidiaTestFunction));
  const uint64_t InLibC = address(reinterpret_cast<void *>(&::getpid));

  Quiet Observer;
  Cache TheCache;
  ModuleArchives Archives{TheCache, {}, Observer};
  std::unique_ptr<ModuleResolver> Modules =
      cantFail(ModuleResolver::sharing(Archives));
};

std::string nameOf(const ProcessAnswer &A) {
  return A.Frames.empty() ? "" : A.Frames.front().Function;
}

TEST_F(ProcessSymbolizerTest, AnswersAreKept) {
  auto S = create({});
  auto First = S->answer(Own, false);
  EXPECT_EQ(nameOf(*First), "lidiaTestFunction");
  // The same address, requested as a return address.
  EXPECT_EQ(S->answer(Own + 1, true), First);
  EXPECT_NE(S->answer(Own + 1, false), First);
  ProcessStatistics F = S->statistics();
  EXPECT_EQ(F.Requests, 3U);
  EXPECT_EQ(F.Hits, 1U);
  EXPECT_EQ(F.ModulesOpened, 1U);
}

TEST_F(ProcessSymbolizerTest, NumberOfAnswersIsBounded) {
  ProcessSymbolizerOptions O;
  O.MaxAnswers = 2;
  auto S = create(std::move(O));
  S->answer(Own, false);
  S->answer(Own + 1, false);
  S->answer(Own, false);
  S->answer(Own + 2, false);
  EXPECT_EQ(S->statistics().AnswersKept, 2U);
  EXPECT_EQ(S->statistics().Hits, 1U);
  // The least recently used entry was dropped.
  S->answer(Own, false);
  EXPECT_EQ(S->statistics().Hits, 2U);
  S->answer(Own + 1, false);
  EXPECT_EQ(S->statistics().Hits, 2U);
}

TEST_F(ProcessSymbolizerTest, BytesOfAnswersAreBounded) {
  ProcessSymbolizerOptions O;
  O.MaxAnswerBytes = 4096;
  auto S = create(std::move(O));
  for (uint64_t I = 0; I != 1000; ++I)
    S->answer(I, false);
  ProcessStatistics F = S->statistics();
  EXPECT_GT(F.AnswersKept, 0U);
  EXPECT_LT(F.AnswersKept, 100U);
  EXPECT_LE(F.BytesKept, 4096U);

  ProcessSymbolizerOptions None;
  None.MaxAnswerBytes = 0;
  auto T = create(std::move(None));
  EXPECT_EQ(nameOf(*T->answer(Own, false)), "lidiaTestFunction");
  EXPECT_EQ(T->statistics().AnswersKept, 0U);
}

TEST_F(ProcessSymbolizerTest, OpenModulesAreBounded) {
  ProcessSymbolizerOptions O;
  O.MaxModules = 1;
  auto S = create(std::move(O));
  for (uint64_t I = 0; I != 3; ++I) {
    EXPECT_EQ(nameOf(*S->answer(Own + I, false)), "lidiaTestFunction");
    EXPECT_EQ(S->answer(InLibC + I, false)->Type, ProcessAnswer::Kind::Module);
  }
  EXPECT_EQ(S->statistics().ModulesOpened, 6U);
  EXPECT_EQ(S->statistics().ModulesForgotten, 5U);
}

TEST_F(ProcessSymbolizerTest, ThreadsGetTheSameAnswers) {
  ProcessSymbolizerOptions O;
  O.MaxModules = 1;
  O.MaxAnswers = 3;
  auto S = create(std::move(O));
  const std::string Name = "lidiaTestFunction";
  std::vector<std::thread> Threads;
  std::atomic<unsigned> Wrong{0};
  for (unsigned T = 0; T != 4; ++T)
    Threads.emplace_back([&] {
      for (uint64_t I = 0; I != 200; ++I) {
        Wrong += nameOf(*S->answer(Own + I % 5, false)) != Name;
        Wrong += S->answer(InLibC + I % 3, false)->Type !=
                 ProcessAnswer::Kind::Module;
        Wrong += S->answer(I, false)->Type != ProcessAnswer::Kind::Unmapped;
      }
    });
  for (std::thread &T : Threads)
    T.join();
  EXPECT_EQ(Wrong, 0U);
  EXPECT_EQ(S->statistics().Requests, 4U * 200 * 3);
}

} // namespace
