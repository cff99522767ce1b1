//===- CodecTest.cpp - What is packed, unpacked ---------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Random statements, notes on calls, rules and unwind rows are equal after
/// they were packed and unpacked, and each prefix of the bytes is either
/// refused or gives a part of what was packed.
///
//===----------------------------------------------------------------------===//

#include "Archive/StatementCodec.h"
#include "Archive/StatementColumns.h"
#include "Archive/UnwindRuleCodec.h"
#include "lidia/Archive/UnwindTable.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "gtest/gtest.h"
#include <random>

using namespace lidia;
using namespace llvm;

namespace {
/// Numbers of all sizes, small ones more often.
class Numbers {
public:
  explicit Numbers(uint64_t Seed) : Random(Seed) {}

  uint64_t below(uint64_t Count) { return Random() % Count; }
  uint64_t upTo(unsigned Bits) { return Random() >> (64 - 1 - below(Bits)); }
  int64_t either(unsigned Bits) {
    int64_t N = int64_t(upTo(Bits));
    return below(2) ? -N : N;
  }

private:
  std::mt19937_64 Random;
};
} // namespace

static bool operator==(const Statement &A, const Statement &B) {
  return std::tie(A.Address, A.Line, A.Column, A.File, A.Flags) ==
         std::tie(B.Address, B.Line, B.Column, B.File, B.Flags);
}

TEST(CodecTest, StatementsAreThoseThatWerePacked) {
  for (uint64_t Seed = 0; Seed != 2000; ++Seed) {
    Numbers N(Seed);
    const uint64_t Start = N.upTo(48);
    std::vector<Statement> All(1 + N.below(20));
    uint64_t Address = Start;
    for (Statement &S : All) {
      S.Address = Address += N.upTo(20) * N.below(2);
      S.Line = uint32_t(N.upTo(32));
      S.Column = uint32_t(N.upTo(16));
      S.File = StringOffset(N.upTo(40));
      S.Flags = uint8_t(N.below(16));
    }
    SmallString<0> Bytes;
    StatementCodec Encoder(Start);
    std::vector<size_t> Ends;
    for (const Statement &S : All) {
      Encoder.encode(S, Bytes);
      Ends.push_back(Bytes.size());
    }
    for (size_t Size = 0; Size <= Bytes.size(); ++Size) {
      StringRef Rest = Bytes.str().take_front(Size);
      StatementCodec Decoder(Start);
      size_t Whole =
          std::upper_bound(Ends.begin(), Ends.end(), Size) - Ends.begin();
      Statement S;
      for (size_t I = 0; I != Whole; ++I) {
        ASSERT_TRUE(Decoder.decode(Rest, S)) << "seed " << Seed;
        ASSERT_TRUE(S == All[I]) << "seed " << Seed << ", statement " << I;
      }
      ASSERT_FALSE(Decoder.decode(Rest, S)) << "seed " << Seed;
    }
  }
}

static bool areEqual(ArrayRef<CallNote> A, ArrayRef<CallNote> B) {
  auto Key = [](const CallNote &N) {
    return std::tuple(N.Kind, N.Range, N.Call, N.Address, N.Function,
                      N.CallFile, N.CallLine, N.CallColumn);
  };
  return std::equal(
      A.begin(), A.end(), B.begin(), B.end(),
      [&](const CallNote &X, const CallNote &Y) { return Key(X) == Key(Y); });
}

static CallNote noteOf(CallNote::KindType Kind, uint32_t Range = 0,
                       uint64_t Address = 0) {
  CallNote N;
  N.Kind = Kind;
  N.Range = Range;
  N.Address = Address;
  return N;
}

static constexpr CallNote::KindType NoteKinds[] = {
    CallNote::Start, CallNote::Empty, CallNote::Code};

/// Notes in the order of ranges, kinds and addresses. One range has at most one
/// of kind Start.
static std::vector<CallNote> anyNotes(Numbers &N, uint64_t Start) {
  std::vector<CallNote> All;
  uint32_t Range = uint32_t(N.below(3));
  for (uint64_t Count = N.below(6); Count != 0; --Count) {
    for (CallNote::KindType Kind : NoteKinds) {
      uint64_t Address = Start + N.upTo(20);
      for (uint64_t Left = N.below(Kind == CallNote::Start ? 2 : 4); Left != 0;
           --Left) {
        CallNote &Note = All.emplace_back(noteOf(Kind, Range, Address));
        Address += N.below(2) * N.upTo(8);
        if (Kind == CallNote::Code)
          Note.Call = uint32_t(N.upTo(32));
        if (Kind != CallNote::Empty)
          continue;
        Note.Function = N.upTo(40);
        Note.CallFile = N.upTo(40);
        Note.CallLine = uint32_t(N.upTo(32));
        Note.CallColumn = uint32_t(N.upTo(16));
      }
    }
    Range += 1 + uint32_t(N.upTo(20));
  }
  return All;
}

/// As archives had them in STMT.
static void encodeCallNotes(ArrayRef<CallNote> Notes, uint64_t Start,
                            std::string &Out) {
  uint64_t Range = 0;
  for (const CallNote &N : Notes) {
    appendULEB(Out, (N.Range - Range) * 4 + N.Kind);
    Range = N.Range;
    appendULEB(Out, N.Address - Start);
    if (N.Kind == CallNote::Code)
      appendULEB(Out, N.Call);
    if (N.Kind != CallNote::Empty)
      continue;
    for (uint64_t Number :
         {N.Function, N.CallFile, uint64_t(N.CallLine), uint64_t(N.CallColumn)})
      appendULEB(Out, Number);
  }
}

TEST(CodecTest, NotesAreThoseThatWerePacked) {
  for (uint64_t Seed = 0; Seed != 1000; ++Seed) {
    SCOPED_TRACE("seed " + std::to_string(Seed));
    Numbers N(Seed);
    const uint64_t Start = N.upTo(48);
    const std::vector<CallNote> All = anyNotes(N, Start);
    std::string Bytes;
    std::vector<size_t> Ends;
    for (size_t Count = 1; Count <= All.size(); ++Count) {
      Bytes.clear();
      encodeCallNotes(ArrayRef(All).take_front(Count), Start, Bytes);
      Ends.push_back(Bytes.size());
    }
    const uint64_t RangeCount = All.empty() ? 1 : All.back().Range + 1;
    for (size_t Size = 0; Size <= Bytes.size(); ++Size) {
      size_t Whole =
          std::upper_bound(Ends.begin(), Ends.end(), Size) - Ends.begin();
      bool IsWhole = Size == (Whole ? Ends[Whole - 1] : 0);
      std::vector<CallNote> Back;
      ASSERT_EQ(decodeCallNotes(StringRef(Bytes).take_front(Size), Start,
                                RangeCount, Back),
                IsWhole);
      ASSERT_TRUE(areEqual(Back, ArrayRef(All).take_front(Whole)));
    }
    // The last range does not exist.
    std::vector<CallNote> Back;
    ASSERT_EQ(decodeCallNotes(Bytes, Start, RangeCount - 1, Back), All.empty());
  }
}

static bool canBeDecoded(ArrayRef<CallNote> Notes) {
  std::string Bytes;
  encodeCallNotes(Notes, 0, Bytes);
  std::vector<CallNote> Back;
  return decodeCallNotes(Bytes, 0, 3, Back);
}

TEST(CodecTest, NotesOfARangeAscend) {
  for (CallNote::KindType First : NoteKinds)
    for (CallNote::KindType Second : NoteKinds) {
      EXPECT_TRUE(canBeDecoded({noteOf(First, 1, 5), noteOf(Second, 2, 0)}));
      for (uint64_t Address : {4, 5, 6}) {
        bool Ascend = First == Second ? First != CallNote::Start && Address >= 5
                                      : First < Second;
        EXPECT_EQ(
            canBeDecoded({noteOf(First, 1, 5), noteOf(Second, 1, Address)}),
            Ascend)
            << First << " " << Second << " " << Address;
      }
    }
  // There is no other kind.
  std::vector<CallNote> Back;
  EXPECT_FALSE(decodeCallNotes(StringRef("\1\0", 2), 0, 3, Back));
}

/// Notes take more memory than bytes.
TEST(CodecTest, NotesAreLimited) {
  std::vector<CallNote> Empty(format::MaxCallsWithoutCode,
                              noteOf(CallNote::Empty));
  EXPECT_TRUE(canBeDecoded(Empty));
  Empty.push_back(noteOf(CallNote::Empty, 1));
  EXPECT_FALSE(canBeDecoded(Empty));
  // The first of each range is not counted.
  std::vector<CallNote> Code(format::MaxCuts + 1, noteOf(CallNote::Code));
  Code.push_back(noteOf(CallNote::Code, 1));
  EXPECT_TRUE(canBeDecoded(Code));
  Code.push_back(noteOf(CallNote::Code, 1));
  EXPECT_FALSE(canBeDecoded(Code));
}

/// Statements that often have the address or the position of one of \p Lines or
/// of the statement before.
static std::vector<Statement> anyStatements(Numbers &N,
                                            ArrayRef<FunctionLine> Lines,
                                            uint64_t Start, bool HasColumns) {
  std::vector<Statement> All(1 + N.below(20));
  Statement S;
  S.Address = Start;
  for (Statement &Next : All) {
    const FunctionLine &L = Lines[N.below(Lines.size())];
    if (L.Address > S.Address && N.below(2))
      S.Address = L.Address;
    else
      S.Address += N.upTo(20) * N.below(2);
    if (N.below(2)) {
      S.Line = N.below(2) ? L.Line : uint32_t(N.upTo(32));
      S.File = N.below(2) ? L.File : StringOffset(N.upTo(40));
      S.Column = HasColumns ? L.Column : 0;
    }
    S.Flags = uint8_t(N.below(16));
    Next = S;
  }
  return All;
}

static std::vector<FunctionLine> anyLines(Numbers &N, uint64_t Start) {
  std::vector<FunctionLine> Lines;
  uint64_t Address = Start;
  for (uint64_t Count = 1 + N.below(20); Count; --Count) {
    Lines.push_back({Address, StringOffset(N.upTo(4)), uint32_t(N.upTo(8)),
                     uint32_t(N.upTo(4))});
    Address += 1 + N.upTo(12);
  }
  return Lines;
}

/// A function of a block is what was encoded, and can be skipped. Without the
/// last byte of a column it is refused.
TEST(CodecTest, ColumnsAreThoseThatWereEncoded) {
  for (uint64_t Seed = 0; Seed != 2000; ++Seed) {
    SCOPED_TRACE("seed " + std::to_string(Seed));
    Numbers N(Seed);
    const uint64_t Start = N.upTo(48);
    const bool HasColumns = N.below(2), UsesLines = N.below(2);
    const std::vector<FunctionLine> Lines = anyLines(N, Start);
    ArrayRef<FunctionLine> Known = UsesLines ? ArrayRef(Lines) : std::nullopt;
    const auto Rows = anyStatements(N, Lines, Start, HasColumns);
    const std::vector<CallNote> Notes = anyNotes(N, Start);
    const uint64_t RangeCount = Notes.empty() ? 1 : Notes.back().Range + 1;
    auto StartOf = [&](uint32_t Range) { return Start + 7 * Range; };
    std::vector<StringOffset> Names;
    auto Number = [&](StringOffset Name) {
      Names.push_back(Name);
      return uint32_t(Names.size() - 1);
    };
    StatementColumnBytes Bytes;
    StatementCoder Encoder(Start, Known, HasColumns);
    for (const Statement &S : Rows)
      Encoder.encode(S, Number, Bytes);
    encodeNotes(Notes, StartOf, Number, Bytes);

    auto Decode = [&](const StatementColumnRefs &Given) {
      StatementColumnRefs In = Given;
      StatementCoder Decoder(Start, Known, HasColumns);
      for (const Statement &Row : Rows) {
        Statement S;
        if (!Decoder.decode(In, Names, S))
          return false;
        EXPECT_TRUE(S == Row);
      }
      std::vector<CallNote> Back;
      return decodeNotes(Notes.size(), RangeCount, StartOf, Names, In, Back) &&
             areEqual(Back, Notes);
    };
    auto Skip = [&](StatementColumnRefs &In) {
      return skipStatements(Rows.size(), HasColumns, In) &&
             skipNotes(Notes.size(), In);
    };
    StatementColumnRefs All;
    std::copy(Bytes.begin(), Bytes.end(), All.begin());
    ASSERT_TRUE(Decode(All));
    StatementColumnRefs Rest = All;
    ASSERT_TRUE(Skip(Rest));
    for (StringRef Column : Rest)
      ASSERT_TRUE(Column.empty());
    for (unsigned C = 0; C != SC_Count; ++C) {
      if (All[C].empty())
        continue;
      StatementColumnRefs Short = All;
      Short[C] = Short[C].drop_back();
      ASSERT_FALSE(Decode(Short)) << C;
      ASSERT_FALSE(Skip(Short)) << C;
    }
  }
}

static RegisterRule anyRule(Numbers &N, ArrayRef<uint8_t> Expressions,
                            bool IsCFA) {
  using Kind = RegisterRule::Kind;
  static constexpr Kind ForCFA[] = {Kind::IsRegister, Kind::IsExpression,
                                    Kind::AtRegister};
  RegisterRule R;
  R.How = IsCFA ? ForCFA[N.below(3)] : Kind(N.below(9));
  switch (R.How) {
  case Kind::Undefined:
  case Kind::Same:
    break;
  case Kind::AtCFA:
  case Kind::IsCFA:
    R.Offset = N.either(40);
    break;
  case Kind::Register:
    R.Register = uint32_t(N.upTo(16));
    break;
  case Kind::AtRegister:
  case Kind::IsRegister:
    R.Register = uint32_t(N.upTo(16));
    R.Offset = N.either(40);
    break;
  case Kind::AtExpression:
  case Kind::IsExpression:
    R.Expression = Expressions.take_front(1 + N.below(Expressions.size()));
    break;
  }
  return R;
}

static UnwindRules anyRules(Numbers &N, ArrayRef<uint8_t> Expressions) {
  UnwindRules R;
  R.CFA = anyRule(N, Expressions, /*IsCFA=*/true);
  R.ReturnAddress = uint32_t(N.below(3) ? 16 : N.upTo(8));
  R.IsSignalFrame = N.below(8) == 0;
  R.IsSigned = N.below(8) == 0;
  R.HoldAtCallsOnly = N.below(8) == 0;
  R.IsFaultFrame = N.below(8) == 0;
  uint32_t Register = 0;
  for (uint64_t Count = N.below(9); Count != 0; --Count)
    R.Registers.emplace_back(Register += 1 + uint32_t(N.upTo(6)),
                             anyRule(N, Expressions, /*IsCFA=*/false));
  return R;
}

static bool operator==(const RegisterRule &A, const RegisterRule &B) {
  return A.How == B.How && A.Register == B.Register && A.Offset == B.Offset &&
         A.Expression == B.Expression;
}

static bool operator==(const UnwindRules &A, const UnwindRules &B) {
  return A.CFA == B.CFA && A.ReturnAddress == B.ReturnAddress &&
         A.IsSignalFrame == B.IsSignalFrame && A.IsSigned == B.IsSigned &&
         A.HoldAtCallsOnly == B.HoldAtCallsOnly &&
         A.IsFaultFrame == B.IsFaultFrame &&
         std::equal(A.Registers.begin(), A.Registers.end(), B.Registers.begin(),
                    B.Registers.end(), [](const auto &X, const auto &Y) {
                      return X.first == Y.first && X.second == Y.second;
                    });
}

static const std::vector<uint8_t> Expressions(40, 0x23);

TEST(CodecTest, RulesAreThoseThatWerePacked) {
  for (uint64_t Seed = 0; Seed != 5000; ++Seed) {
    Numbers N(Seed);
    UnwindRuleDefaults Defaults;
    Defaults.ReturnAddress = 16;
    Defaults.Word = N.below(2) ? 8 : 4;
    UnwindRules Rules = anyRules(N, Expressions);
    std::string Bytes;
    encodeRules(Rules, Defaults, Bytes);
    std::optional<UnwindRules> Back = decodeRules(Bytes, Defaults);
    ASSERT_TRUE(Back) << "seed " << Seed;
    ASSERT_TRUE(*Back == Rules) << "seed " << Seed;
    // Nothing beyond the end is read; sanitizers would notice.
    for (size_t Size = 0; Size != Bytes.size(); ++Size) {
      std::vector<char> Exact(Bytes.begin(), Bytes.begin() + Size);
      (void)decodeRules(StringRef(Exact.data(), Size), Defaults);
    }
  }
}

TEST(CodecTest, UnwindRowsAreThoseThatWerePacked) {
  for (uint64_t Seed = 0; Seed != 200; ++Seed) {
    Numbers N(Seed);
    const unsigned Shift = unsigned(N.below(3));
    UnwindTableBuilder Builder(16, Shift);
    std::vector<UnwindRules> Kinds(1 + N.below(6));
    for (UnwindRules &R : Kinds)
      R = anyRules(N, Expressions);
    // The rules of each unit of code, or none.
    std::vector<const UnwindRules *> Of(1 + N.below(2000));
    const uint64_t Base = N.upTo(40) << Shift;
    for (size_t At = 0; At < Of.size();) {
      size_t End = std::min(Of.size(), At + 1 + size_t(N.below(30)));
      const UnwindRules *R =
          N.below(4) ? &Kinds[N.below(Kinds.size())] : nullptr;
      std::fill(Of.begin() + At, Of.begin() + End, R);
      if (R) {
        std::optional<uint32_t> Number = Builder.intern(*R);
        ASSERT_TRUE(Number);
        Error E = Builder.addRow({Base + (uint64_t(At) << Shift),
                                  Base + (uint64_t(End) << Shift), *Number});
        ASSERT_FALSE(bool(E)) << toString(std::move(E));
      }
      At = End;
    }
    std::optional<std::string> Bytes = Builder.bytes();
    if (llvm::none_of(Of, [](const UnwindRules *R) { return R; })) {
      EXPECT_FALSE(Bytes);
      continue;
    }
    ASSERT_TRUE(Bytes);
    Expected<UnwindTable> Table = UnwindTable::open(*Bytes);
    ASSERT_TRUE(bool(Table)) << toString(Table.takeError());
    for (uint64_t At = 0; At != Of.size() << Shift; ++At) {
      std::optional<UnwindRow> Row = Table->find(Base + At);
      const UnwindRules *Want = Of[At >> Shift];
      ASSERT_EQ(Row.has_value(), Want != nullptr)
          << "seed " << Seed << ", unit " << (At >> Shift);
      if (!Row)
        continue;
      ASSERT_TRUE(Row->Begin <= Base + At && Base + At < Row->End);
      std::optional<UnwindRules> Rules = Table->rules(Row->Rules);
      ASSERT_TRUE(Rules && *Rules == *Want)
          << "seed " << Seed << ", unit " << (At >> Shift);
    }
    ASSERT_FALSE(Table->find(Base + (uint64_t(Of.size()) << Shift)));
    ASSERT_FALSE(Base && Table->find(Base - 1));
  }
}
