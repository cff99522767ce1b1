//===- BreakpadReader.cpp - Functions of a Breakpad symbol file -----------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The format is described at
/// https://chromium.googlesource.com/breakpad/breakpad/+/master/docs/symbol_files.md
///
//===----------------------------------------------------------------------===//

#include "BreakpadFields.h"
#include "SymbolFileReader.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include <vector>

using namespace llvm;

namespace lidia {

namespace {

enum class Record : uint8_t {
  File,
  Origin,
  Function,
  Inline,
  Public,
  /// Known records that are not needed.
  Ignored,
  /// A line, which has no keyword.
  Line,
};

/// A line record.
struct LineRange {
  uint64_t Start = 0;
  uint64_t End = 0;
  uint32_t Line = 0;
  uint32_t File = 0;
};

/// A PUBLIC record.
struct PublicSymbol {
  uint64_t Address = 0;
  StringRef Name;
};

class BreakpadReader final : public RangeExtractor {
public:
  explicit BreakpadReader(const SymbolFile &File) : File(File) {}

  StringRef name() const override { return "Breakpad"; }
  uint64_t inputSize() const override { return File.size(); }
  Error extract(RangeVisitor &Visitor) override;

private:
  template <class Function> void forEachRecord(Function Visit) const;
  bool readName(StringRef Fields, DenseMap<uint64_t, StringRef> &Names);
  bool readFunction(StringRef Fields);
  bool readInline(StringRef Fields);
  bool readLine(StringRef Fields);
  bool readPublic(StringRef Fields);
  bool readBody(Record Kind, StringRef Fields);
  bool finishFunction(RangeVisitor &Visitor);
  void visitPublics(RangeVisitor &Visitor);
  StringRef file(uint32_t ID) const { return Files.lookup(ID); }

  const SymbolFile &File;
  DenseMap<uint64_t, StringRef> Files;
  DenseMap<uint64_t, StringRef> Origins;
  std::vector<PublicSymbol> Publics;
  /// The code of all functions.
  std::vector<std::pair<uint64_t, uint64_t>> Code;

  /// The current function, if there is one, and its parts.
  std::optional<FunctionRange> Function;
  std::vector<LineRange> Lines;
  std::vector<SourceRow> Rows;
  std::vector<InlinedRange> Calls;
};

} // namespace

/// Removes the next word from \p Fields and parses it as a number.
template <class T>
static bool takeNumber(StringRef &Fields, unsigned Radix, T &Number) {
  return !takeWord(Fields).getAsInteger(Radix, Number);
}

/// Removes an address and a size from \p Fields.
static bool takeCode(StringRef &Fields, uint64_t &Start, uint64_t &End) {
  uint64_t Size = 0;
  if (!takeNumber(Fields, 16, Start) || !takeNumber(Fields, 16, Size))
    return false;
  End = Start + Size;
  return true;
}

static StringRef nameOf(StringRef Text) {
  return Text == "<name omitted>" ? StringRef() : Text;
}

/// Calls \p Visit with each record and its fields, until it returns false.
template <class FunctionT>
void BreakpadReader::forEachRecord(FunctionT Visit) const {
  StringRef Text = File.bytes();
  while (!Text.empty()) {
    auto [Line, Rest] = Text.split('\n');
    Text = Rest;
    Line.consume_back("\r");
    StringRef Fields = Line;
    Record Kind = StringSwitch<Record>(takeWord(Fields))
                      .Case("FILE", Record::File)
                      .Case("INLINE_ORIGIN", Record::Origin)
                      .Case("FUNC", Record::Function)
                      .Case("INLINE", Record::Inline)
                      .Case("PUBLIC", Record::Public)
                      .Case("MODULE", Record::Ignored)
                      .Case("INFO", Record::Ignored)
                      .Case("STACK", Record::Ignored)
                      .Case("", Record::Ignored)
                      .Default(Record::Line);
    if (!Visit(Kind, Kind == Record::Line ? Line : Fields))
      return;
  }
}

bool BreakpadReader::readName(StringRef Fields,
                              DenseMap<uint64_t, StringRef> &Names) {
  uint32_t ID = 0;
  if (!takeNumber(Fields, 10, ID))
    return false;
  Names.try_emplace(ID, nameOf(Fields));
  return true;
}

/// "m" says that the linker folded several functions into one.
static void skipMultiple(StringRef &Fields) {
  if (Fields.starts_with("m "))
    takeWord(Fields);
}

bool BreakpadReader::readFunction(StringRef Fields) {
  skipMultiple(Fields);
  FunctionRange F;
  uint64_t ParameterSize = 0;
  if (!takeCode(Fields, F.Start, F.End) ||
      !takeNumber(Fields, 16, ParameterSize))
    return false;
  F.Name = nameOf(Fields);
  Function = F;
  if (F.Start < F.End)
    Code.emplace_back(F.Start, F.End);
  return true;
}

bool BreakpadReader::readInline(StringRef Fields) {
  uint32_t Level = 0, CallFile = 0, Origin = 0;
  InlinedRange Call;
  if (!Function || !takeNumber(Fields, 10, Level) ||
      !takeNumber(Fields, 10, Call.CallLine) ||
      !takeNumber(Fields, 10, CallFile) || !takeNumber(Fields, 10, Origin))
    return false;
  if (Level == UINT32_MAX)
    return false;
  Call.Depth = Level + 1;
  Call.CallFile = file(CallFile);
  Call.Name = Origins.lookup(Origin);
  size_t First = Calls.size();
  while (!Fields.empty()) {
    if (!takeCode(Fields, Call.Start, Call.End))
      return false;
    if (Calls.size() != First && Calls.back().End == Call.Start)
      Calls.back().End = Call.End;
    else
      Calls.push_back(Call);
  }
  return true;
}

bool BreakpadReader::readLine(StringRef Fields) {
  LineRange L;
  if (!Function || !takeCode(Fields, L.Start, L.End) ||
      !takeNumber(Fields, 10, L.Line) || !takeNumber(Fields, 10, L.File))
    return false;
  Lines.push_back(L);
  return true;
}

bool BreakpadReader::readPublic(StringRef Fields) {
  skipMultiple(Fields);
  PublicSymbol P;
  uint64_t ParameterSize = 0;
  if (!takeNumber(Fields, 16, P.Address) ||
      !takeNumber(Fields, 16, ParameterSize))
    return false;
  P.Name = nameOf(Fields);
  Publics.push_back(P);
  return true;
}

/// Returns false if the record is malformed.
bool BreakpadReader::readBody(Record Kind, StringRef Fields) {
  switch (Kind) {
  case Record::Function:
    return readFunction(Fields);
  case Record::Inline:
    return readInline(Fields);
  case Record::Line:
    return readLine(Fields);
  case Record::Public:
    return readPublic(Fields);
  case Record::File:
  case Record::Origin:
  case Record::Ignored:
    return true;
  }
  llvm_unreachable("all records are handled");
}

/// Passes Function, if it is set, to \p Visitor. Returns false if the visitor
/// wants no more.
bool BreakpadReader::finishFunction(RangeVisitor &Visitor) {
  if (!Function)
    return true;
  auto Ascends = [](const LineRange &A, const LineRange &B) {
    return A.Start < B.Start;
  };
  if (!is_sorted(Lines, Ascends))
    llvm::sort(Lines, [](const LineRange &A, const LineRange &B) {
      return std::tie(A.Start, A.End, A.Line, A.File) <
             std::tie(B.Start, B.End, B.Line, B.File);
    });
  Rows.clear();
  for (auto [I, L] : enumerate(Lines)) {
    Rows.push_back({L.Start, file(L.File), L.Line, 0});
    if (L.Start < L.End &&
        (I + 1 == Lines.size() || Lines[I + 1].Start > L.End))
      Rows.push_back({L.End, {}, 0, 0});
  }
  Function->Calls = Calls;
  Function->Rows = Rows;
  bool GoOn = Visitor.visit(*Function);
  Function.reset();
  Lines.clear();
  Calls.clear();
  return GoOn;
}

/// Passes the symbols outside of functions to \p Visitor. Each ends at the next
/// symbol or function.
void BreakpadReader::visitPublics(RangeVisitor &Visitor) {
  auto Before = [](const PublicSymbol &A, const PublicSymbol &B) {
    return std::tie(A.Address, A.Name) < std::tie(B.Address, B.Name);
  };
  llvm::sort(Publics, Before);
  llvm::sort(Code);
  uint64_t CodeEnd = 0;
  auto Next = Code.begin();
  for (auto [I, P] : enumerate(Publics)) {
    for (; Next != Code.end() && Next->first <= P.Address; ++Next)
      CodeEnd = std::max(CodeEnd, Next->second);
    if (P.Address < CodeEnd || (I && Publics[I - 1].Address == P.Address))
      continue;
    FunctionRange F;
    F.Start = P.Address;
    F.Name = P.Name;
    auto Other = std::find_if(
        Publics.begin() + I, Publics.end(),
        [&](const PublicSymbol &S) { return S.Address != F.Start; });
    F.End = Other == Publics.end() ? UINT64_MAX : Other->Address;
    if (Next != Code.end())
      F.End = std::min(F.End, Next->first);
    // The end of the last symbol is not known.
    if (F.End == UINT64_MAX)
      F.End = F.Start + 1;
    if (!Visitor.visit(F))
      return;
  }
}

Error BreakpadReader::extract(RangeVisitor &Visitor) {
  uint64_t Unknown = 0;
  // Names may come after the records that use them.
  forEachRecord([&](Record Kind, StringRef Fields) {
    if (Kind == Record::File)
      Unknown += !readName(Fields, Files);
    else if (Kind == Record::Origin)
      Unknown += !readName(Fields, Origins);
    return true;
  });
  bool GoOn = true;
  forEachRecord([&](Record Kind, StringRef Fields) {
    if (Kind == Record::Function || Kind == Record::Public)
      GoOn = finishFunction(Visitor);
    Unknown += !readBody(Kind, Fields);
    return GoOn;
  });
  if (GoOn && finishFunction(Visitor))
    visitPublics(Visitor);
  if (Unknown)
    Visitor.warning(File.path() + ": " + Twine(Unknown) +
                    " lines are not understood and are left out");
  return Error::success();
}

std::unique_ptr<RangeExtractor> createBreakpadReader(const SymbolFile &File) {
  return std::make_unique<BreakpadReader>(File);
}

} // namespace lidia
