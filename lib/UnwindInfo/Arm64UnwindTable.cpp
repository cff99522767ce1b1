//===- Arm64UnwindTable.cpp - Windows' function table for ARM64 -----------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arm64UnwindCodes.h"
#include "DWARF/Cursor.h"
#include "Support/StableSort.h"
#include "WindowsTable.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace lidia::unwindinfo {

using dwarf::Cursor;

static constexpr uint64_t InstructionSize = 4;

/// The lowest bits of an entry's second word.
enum : uint32_t { IsOffset = 0, IsPacked = 1, IsPackedFragment = 2, Kinds = 3 };

namespace {
/// The record in ".xdata" to which an entry refers.
struct Record {
  uint64_t Length = 0;
  struct Epilog {
    uint64_t Begin;
    /// The index of its first code.
    uint32_t Index;
  };
  std::vector<Epilog> Epilogs;
  /// The index of the codes if there is only one epilogue, at the end of the
  /// function.
  std::optional<uint32_t> LastEpilog;
  StringRef Codes;
};
} // namespace

/// None if it is truncated or has an unknown version.
static std::optional<Record> readRecord(StringRef Bytes) {
  Cursor C(Bytes, /*LittleEndian=*/true);
  uint32_t Head = C.u32();
  Record Out;
  Out.Length = (Head & 0x3ffff) * InstructionSize;
  uint32_t Epilogs = Head >> 22 & 31, Words = Head >> 27;
  if (Head >> 18 & 3)
    return std::nullopt;
  if (Epilogs == 0 && Words == 0) {
    uint32_t More = C.u32();
    Epilogs = More & 0xffff;
    Words = More >> 16 & 0xff;
  }
  if (Head >> 21 & 1) {
    Out.LastEpilog = Epilogs;
  } else {
    if (Epilogs > C.left() / 4)
      return std::nullopt;
    for (uint32_t I = 0; I != Epilogs; ++I) {
      uint32_t Scope = C.u32();
      Out.Epilogs.push_back({(Scope & 0x3ffff) * InstructionSize, Scope >> 22});
    }
  }
  Out.Codes = C.bytes(Words * 4);
  if (C.bad())
    return std::nullopt;
  return Out;
}

std::vector<WindowsTable::Function> Arm64UnwindTable::functions() {
  std::vector<Function> Out;
  Cursor C(Section.Table, /*LittleEndian=*/true);
  while (!C.atEnd()) {
    uint32_t Begin = C.u32(), Content = C.u32();
    if (!C.bad() && Begin == 0 && Content == 0)
      continue;
    uint64_t Length = (Content >> 2 & 0x7ff) * InstructionSize;
    if (Content % 4 == IsOffset) {
      Cursor Head(image(Content), /*LittleEndian=*/true);
      Length = (Head.u32() & 0x3ffff) * InstructionSize;
    }
    if (C.bad() || Length == 0 || Content % 4 == Kinds)
      ++Broken;
    else
      Out.push_back({Section.ImageBase + Begin,
                     Section.ImageBase + Begin + Length, Content});
  }
  return Out;
}

namespace {
/// An epilogue, in which each instruction has its own rules.
struct Part {
  /// Offset in the function.
  uint64_t Begin;
  Arm64Steps Steps;
};

/// Passes the rows of a function to the visitor in order.
class RowGiver {
public:
  RowGiver(uint64_t Begin, uint64_t End, VisitRow Visit,
           function_ref<bool(uint64_t)> Charge)
      : At(Begin), FunctionEnd(End), Visit(Visit), Charge(Charge) {}

  /// Visits the row up to \p End, where the first \p Skipped of \p Steps are
  /// undone. Returns false if rules cannot express it.
  bool give(uint64_t End, const Arm64Steps &Steps, size_t Skipped) {
    End = std::min(End, FunctionEnd);
    if (End <= At || IsDone)
      return true;
    if (!Charge(Steps.Steps.size()))
      return false;
    std::optional<UnwindRules> Rules = Steps.rules(Skipped);
    if (!Rules)
      return false;
    IsDone = !Visit(At, End, *Rules);
    At = End;
    return true;
  }
  uint64_t at() const { return At; }

private:
  uint64_t At;
  const uint64_t FunctionEnd;
  VisitRow Visit;
  function_ref<bool(uint64_t)> Charge;
  bool IsDone = false;
};
} // namespace

/// Visits the rows of a function whose first \p Own instructions are its
/// prologue, which \p Prologue undoes.
static bool giveRows(RowGiver &Rows, const WindowsTable::Function &F,
                     size_t Own, const Arm64Steps &Prologue,
                     ArrayRef<Part> Epilogs) {
  for (size_t I = 0; I != Own; ++I)
    if (!Rows.give(F.Begin + (I + 1) * InstructionSize, Prologue, Own - I))
      return false;
  for (const Part &E : Epilogs) {
    uint64_t Begin = F.Begin + E.Begin;
    // Of overlapping epilogues, the first one is used.
    if (Begin < Rows.at())
      continue;
    if (!Rows.give(Begin, Prologue, 0))
      return false;
    for (size_t I = 0; I <= E.Steps.OwnSteps; ++I)
      if (!Rows.give(Begin + (I + 1) * InstructionSize, E.Steps, I))
        return false;
  }
  return Rows.give(F.End, Prologue, 0);
}

/// The size of the epilogue with \p Steps: one instruction for each step, and
/// one that leaves the function.
static uint64_t sizeOfEpilog(const Arm64Steps &Steps) {
  return (Steps.OwnSteps + 1) * InstructionSize;
}

/// The epilogue of a function of \p Length bytes that mirrors its prologue. It
/// need not undo instructions that set the frame pointer or store arguments.
static std::optional<Part> mirroredEpilog(const Arm64Steps &Prologue,
                                          uint64_t Length) {
  Part Out{0, Prologue};
  erase_if(Out.Steps.Steps, [](const Arm64Step &S) {
    return S.Type == Arm64Step::Kind::SetFrame ||
           (S.Type == Arm64Step::Kind::Plain && S.Saved.empty() && !S.Move);
  });
  Out.Steps.OwnSteps = Out.Steps.Steps.size();
  if (sizeOfEpilog(Out.Steps) > Length)
    return std::nullopt;
  Out.Begin = Length - sizeOfEpilog(Out.Steps);
  return Out;
}

/// Reads the epilogues of a function, in order of address. Returns false if one
/// is malformed.
static bool readEpilogs(const Record &R, std::vector<Part> &Into) {
  auto Add = [&](uint32_t Index, std::optional<uint64_t> Begin) {
    std::optional<Arm64Steps> Steps = Arm64Steps::read(
        R.Codes.drop_front(std::min<size_t>(Index, R.Codes.size())));
    if (!Steps || sizeOfEpilog(*Steps) > R.Length)
      return false;
    Into.push_back(
        {Begin.value_or(R.Length - sizeOfEpilog(*Steps)), std::move(*Steps)});
    return true;
  };
  if (R.LastEpilog)
    return Add(*R.LastEpilog, std::nullopt);
  for (const Record::Epilog &E : R.Epilogs)
    if (!Add(E.Index, E.Begin))
      return false;
  stableSort(Into, [](const Part &P) { return P.Begin; });
  return true;
}

bool Arm64UnwindTable::visitRows(const Function &F, VisitRow Visit) {
  std::optional<Arm64Steps> Prologue;
  std::vector<Part> Epilogs;
  bool HasPrologue = true;
  if (F.Content % 4 != IsOffset) {
    Prologue = Arm64Steps::fromPacked(F.Content);
    HasPrologue = F.Content % 4 == IsPacked;
    if (Prologue && HasPrologue)
      if (std::optional<Part> Last = mirroredEpilog(*Prologue, F.End - F.Begin))
        Epilogs.push_back(std::move(*Last));
  } else {
    std::optional<Record> R = readRecord(image(F.Content));
    if (!R)
      return false;
    Prologue = Arm64Steps::read(R->Codes);
    // Each epilogue may refer to all codes.
    if (!charge(R->Codes.size() * (R->Epilogs.size() + 1)) ||
        !readEpilogs(*R, Epilogs))
      return false;
  }
  if (!Prologue)
    return false;
  auto Charge = [&](uint64_t Steps) { return charge(Steps); };
  RowGiver Rows(F.Begin, F.End, Visit, Charge);
  return giveRows(Rows, F, HasPrologue ? Prologue->OwnSteps : 0, *Prologue,
                  Epilogs);
}

UnwindRules Arm64UnwindTable::withoutFrame() {
  return *Arm64Steps().rules(/*Skipped=*/0);
}

} // namespace lidia::unwindinfo
