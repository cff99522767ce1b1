//===- UnwindModelTest.cpp - Random stacks, unwound -----------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The unwinder finds the frames and registers of random stacks (StackModel.h)
/// on each machine. If memory is missing or wrong, it finds fewer frames, but
/// no others.
///
//===----------------------------------------------------------------------===//

#include "StackModel.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FormatVariadic.h"
#include "gtest/gtest.h"

using namespace lidia;
using namespace llvm;

namespace {

class UnwindModelTest : public testing::TestWithParam<const UnwindMachine *> {
protected:
  /// Calls \p Test with random stacks of random programs.
  void forEachStack(
      uint64_t Programs,
      function_ref<void(ModelProgram &, Unwinder &, ModelStack &)> Test);
};

std::vector<const UnwindMachine *> allMachines() {
  std::vector<const UnwindMachine *> All;
  for (uint16_t Machine :
       {ELF::EM_X86_64, ELF::EM_386, ELF::EM_AARCH64, ELF::EM_ARM,
        ELF::EM_RISCV, ELF::EM_PPC64, ELF::EM_PPC, ELF::EM_S390})
    for (uint8_t Word : {4, 8})
      for (bool IsLittle : {true, false})
        if (const UnwindMachine *M =
                UnwindMachine::find(Machine, Word, IsLittle))
          All.push_back(M);
  return All;
}

std::string
nameOfMachine(const testing::TestParamInfo<const UnwindMachine *> &Info) {
  const UnwindMachine &M = *Info.param;
  return formatv("Machine{0}Word{1}{2}", M.ELFMachine, unsigned(M.WordSize),
                 M.IsLittleEndian ? "Little" : "Big");
}

INSTANTIATE_TEST_SUITE_P(Machines, UnwindModelTest,
                         testing::ValuesIn(allMachines()), nameOfMachine);

void UnwindModelTest::forEachStack(
    uint64_t Programs,
    function_ref<void(ModelProgram &, Unwinder &, ModelStack &)> Test) {
  for (uint64_t Seed = 0; Seed != Programs && !HasFatalFailure(); ++Seed) {
    SCOPED_TRACE("seed " + std::to_string(Seed));
    ModelProgram Program(*GetParam(), Seed);
    std::deque<ModelStack> Stacks;
    for (unsigned I = 0; I != 4; ++I)
      Stacks.emplace_back(Program);
    Program.finish();
    // It remembers rules from one stack to the next.
    Unwinder U(*GetParam(), Program);
    for (ModelStack &S : Stacks)
      Test(Program, U, S);
  }
}

std::string text(const UnwoundFrame &F) {
  return formatv("{0:x}{1}{2} {3} sp {4:x}", F.Address,
                 F.IsReturnAddress ? " returns" : "",
                 F.IsSignalFrame ? " signal" : "", toString(F.Trust), F.SP);
}

std::string text(ArrayRef<UnwoundFrame> Frames) {
  std::string Text;
  for (const UnwoundFrame &F : Frames)
    Text += text(F) + "\n";
  return Text;
}

std::string text(const RegisterSet &Registers) {
  std::string Text = formatv("pc {0:x}", Registers.PC);
  for (unsigned R = 0; R != RegisterSet::Count; ++R)
    if (Registers.has(R))
      Text += formatv(" r{0} {1:x}", R, *Registers.get(R));
  return Text;
}

/// Whether \p Frames are the first frames of \p S.
bool areFirst(ArrayRef<UnwoundFrame> Frames, const ModelStack &S) {
  auto AsTuple = [](const UnwoundFrame &F) {
    return std::tie(F.Address, F.IsReturnAddress, F.IsSignalFrame, F.Trust,
                    F.SP);
  };
  return Frames.size() <= S.Frames.size() &&
         std::equal(Frames.begin(), Frames.end(), S.Frames.begin(),
                    [&](const UnwoundFrame &A, const UnwoundFrame &B) {
                      return AsTuple(A) == AsTuple(B);
                    });
}

UnwoundStack unwind(Unwinder &U, const ModelStack &S,
                    const UnwindOptions &Options) {
  return U.unwind(
      S.Context,
      [&](uint64_t Address, MutableArrayRef<uint8_t> To) {
        return S.read(Address, To);
      },
      Options);
}

/// A stack, unwound with one word of its memory changed or missing.
UnwoundStack unwindChanged(Unwinder &U, ModelStack &S, uint64_t At,
                           std::optional<uint64_t> To) {
  auto Word = S.Memory.find(At);
  if (To) {
    std::swap(Word->second, *To);
    UnwoundStack Stack = unwind(U, S, S.Options);
    std::swap(Word->second, *To);
    return Stack;
  }
  auto Node = S.Memory.extract(Word);
  UnwoundStack Stack = unwind(U, S, S.Options);
  S.Memory.insert(std::move(Node));
  return Stack;
}

} // namespace

TEST_P(UnwindModelTest, FindsTheFramesAndRegisters) {
  forEachStack(12, [](ModelProgram &Program, Unwinder &U, ModelStack &S) {
    UnwindOptions Options = S.Options;
    Options.FramesWithRegisters = Program.Random.below(30);
    for (unsigned Again = 0; Again != 2; ++Again) {
      UnwoundStack Stack = unwind(U, S, Options);
      ASSERT_EQ(text(Stack.Frames), text(S.Frames));
      ASSERT_EQ(nameOf(Stack.End), nameOf(StackEnd::Complete));
      ASSERT_EQ(Stack.FailedAddress, 0u);
      ASSERT_EQ(Stack.Registers.size(),
                std::min(S.Frames.size(), Options.FramesWithRegisters));
      for (size_t I = 0; I != Stack.Registers.size(); ++I)
        ASSERT_EQ(text(Stack.Registers[I]), text(S.Registers[I]))
            << "frame " << I;
    }
  });
}

TEST_P(UnwindModelTest, EndsAtTheLimit) {
  forEachStack(6, [](ModelProgram &, Unwinder &U, ModelStack &S) {
    UnwindOptions Options = S.Options;
    for (size_t Max = 1; Max <= S.Frames.size(); ++Max) {
      Options.MaxFrames = Max;
      UnwoundStack Stack = unwind(U, S, Options);
      ASSERT_EQ(Stack.Frames.size(), Max);
      ASSERT_TRUE(areFirst(Stack.Frames, S)) << text(Stack.Frames);
      ASSERT_EQ(nameOf(Stack.End), nameOf(StackEnd::TooLong));
      ASSERT_EQ(Stack.FailedAddress, 0u);
    }
  });
}

/// Each word alone cannot be read.
TEST_P(UnwindModelTest, MissingMemoryEndsTheStack) {
  forEachStack(3, [](ModelProgram &, Unwinder &U, ModelStack &S) {
    for (uint64_t At : S.KeptAt) {
      UnwoundStack Stack = unwindChanged(U, S, At, std::nullopt);
      ASSERT_TRUE(areFirst(Stack.Frames, S)) << text(Stack.Frames);
      ASSERT_TRUE(Stack.End != StackEnd::Complete ||
                  Stack.Frames.size() == S.Frames.size());
    }
    for (size_t I = 0; I + 1 < S.Frames.size(); ++I)
      for (uint64_t At : {S.CFAAt[I], S.ReturnAddressAt[I]}) {
        if (At == 0)
          continue;
        UnwoundStack Stack = unwindChanged(U, S, At, std::nullopt);
        ASSERT_EQ(Stack.Frames.size(), I + 1);
        // Elsewhere, reading memory is one of the ways that are tried.
        if (S.Frames[I + 1].Trust != FrameTrust::CFI ||
            !S.Frames[I].IsReturnAddress)
          continue;
        ASSERT_EQ(nameOf(Stack.End), nameOf(StackEnd::NoMemory));
        ASSERT_EQ(Stack.FailedAddress, At);
      }
  });
}

/// Each word alone has a value that is neither an address of code nor of the
/// stack. Only code that a signal interrupted may be at such an address.
TEST_P(UnwindModelTest, WrongMemoryGivesNoOtherFrames) {
  forEachStack(3, [](ModelProgram &, Unwinder &U, ModelStack &S) {
    constexpr uint64_t Wrong = 0x75757571;
    for (uint64_t At : S.KeptAt) {
      ArrayRef<UnwoundFrame> Right = S.Frames;
      for (const UnwoundFrame &F : unwindChanged(U, S, At, Wrong).Frames) {
        ASSERT_FALSE(Right.empty());
        if (F.Address != Right.front().Address) {
          ASSERT_FALSE(F.IsReturnAddress);
          break;
        }
        Right = Right.drop_front();
      }
    }
    for (size_t I = 0; I + 1 < S.Frames.size(); ++I)
      if (uint64_t At = S.ReturnAddressAt[I];
          At && !S.Frames[I].IsSignalFrame) {
        UnwoundStack Stack = unwindChanged(U, S, At, Wrong);
        ASSERT_EQ(Stack.Frames.size(), I + 1);
        ASSERT_NE(nameOf(Stack.End), nameOf(StackEnd::Complete));
      }
  });
}

/// Words of the stack are in each other's places. All frames are plausible.
TEST_P(UnwindModelTest, MixedMemoryGivesPlausibleFrames) {
  forEachStack(12, [](ModelProgram &Program, Unwinder &U, ModelStack &S) {
    ModelStack Mixed = S;
    std::vector<uint64_t> Words;
    for (const auto &[At, Value] : S.Memory)
      Words.push_back(Value);
    for (auto &[At, Value] : Mixed.Memory)
      if (Program.Random.oneIn(20))
        Value = Words[Program.Random.below(Words.size())];
    UnwindOptions Options = S.Options;
    Options.Scan = Program.Random.oneIn(2);
    Options.MaxFrames = 200;
    UnwoundStack Stack = unwind(U, Mixed, Options);
    ASSERT_LE(Stack.Frames.size(), Options.MaxFrames);
    for (size_t I = 1; I != Stack.Frames.size(); ++I) {
      const UnwoundFrame &Callee = Stack.Frames[I - 1], &F = Stack.Frames[I];
      ASSERT_EQ(F.IsReturnAddress,
                !Callee.IsSignalFrame || F.Trust == FrameTrust::Scan);
      if (!F.IsReturnAddress)
        continue;
      ASSERT_TRUE(Program.find(F.Address - 1).IsCode);
      ASSERT_GE(F.SP, Callee.SP);
    }
  });
}

namespace {
/// Code with one row, which is that of a signal trampoline.
class SignalCode final : public UnwindModules {
public:
  SignalCode() {
    UnwindRules Rules;
    Rules.IsSignalFrame = true;
    Rules.ReturnAddress = 16;
    Rules.CFA.How = RegisterRule::Kind::IsRegister;
    Rules.CFA.Register = 7;
    RegisterRule AtCFA;
    AtCFA.How = RegisterRule::Kind::AtCFA;
    Rules.Registers.push_back({16, AtCFA});
    UnwindTableBuilder Builder(16);
    cantFail(Builder.addRow({0x1000, 0x1010, *Builder.intern(Rules)}));
    Bytes = *Builder.bytes();
    Table = cantFail(UnwindTable::open(Bytes));
  }
  Place find(uint64_t) override { return {&Table, 0, true}; }

private:
  std::string Bytes;
  UnwindTable Table;
};
} // namespace

/// A signal frame that interrupted itself has no end.
TEST(UnwinderTest, LimitsSignalFrames) {
  SignalCode Code;
  Unwinder U(*UnwindMachine::find(ELF::EM_X86_64, 8, true), Code);
  RegisterSet Context;
  Context.PC = 0x1000;
  Context.set(7, 0x8000);
  UnwoundStack Stack =
      U.unwind(Context, [](uint64_t, MutableArrayRef<uint8_t> To) {
        support::endian::write64le(To.data(), 0x1000);
        return To.size();
      });
  EXPECT_EQ(Stack.Frames.size(), 257u);
  EXPECT_EQ(nameOf(Stack.End), nameOf(StackEnd::Corrupt));
}

namespace {
/// Code without rows.
class PlainCode final : public UnwindModules {
public:
  Place find(uint64_t Address) override {
    return {nullptr, 0, Address >= 0x1000 && Address < 0x1010};
  }
};
} // namespace

/// The call of a wrong address at the end of a module. The lowest bit of the
/// return address, which says that the code is Thumb, is not a part of it.
TEST(UnwinderTest, ReturnsToTheEndOfArmCode) {
  PlainCode Code;
  Unwinder U(*UnwindMachine::find(ELF::EM_ARM, 4, true), Code);
  RegisterSet Context;
  Context.PC = 0x20;
  Context.set(13, 0x8000);
  Context.set(14, 0x1011);
  UnwoundStack Stack = U.unwind(
      Context, [](uint64_t, MutableArrayRef<uint8_t>) -> size_t { return 0; });
  ASSERT_EQ(Stack.Frames.size(), 2u);
  EXPECT_EQ(Stack.Frames[1].Address, 0x1010u);
  EXPECT_TRUE(Stack.Frames[1].IsReturnAddress);
}
