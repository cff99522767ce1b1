//===- X64UnwindTable.cpp - Windows' function table for x86-64 ------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DWARF/Cursor.h"
#include "WindowsTable.h"
#include "X64Epilogs.h"
#include "X64UnwindCodes.h"

using namespace llvm;

namespace lidia::unwindinfo {

/// The flag of an offset of unwind information that is the offset of another
/// entry.
static constexpr uint32_t IsIndirect = 1;

std::vector<WindowsTable::Function> X64UnwindTable::functions() {
  std::vector<Function> Out;
  dwarf::Cursor C(Section.Table, /*LittleEndian=*/true);
  while (!C.atEnd()) {
    uint32_t Begin = C.u32(), End = C.u32(), Info = C.u32();
    // Old linkers pad sections with zeros.
    if (!C.bad() && Begin == 0 && End == 0)
      continue;
    if (C.bad() || Begin >= End)
      ++Broken;
    else
      Out.push_back({Section.ImageBase + Begin, Section.ImageBase + End, Info});
  }
  return Out;
}

bool X64UnwindTable::isContinued(const Function &F) const {
  if (F.Content & IsIndirect)
    return true;
  StringRef Info = image(F.Content);
  return !Info.empty() && uint8_t(Info.front()) >> 3 & X64UnwindCodes::Chained;
}

bool X64UnwindTable::visitRows(const Function &F, VisitRow Visit) {
  uint32_t Info = F.Content;
  if (Info & IsIndirect) {
    dwarf::Cursor C(image(Info - IsIndirect), /*LittleEndian=*/true);
    C.skip(8);
    Info = C.u32();
    if (C.bad() || Info & IsIndirect)
      return false;
  }
  std::optional<X64UnwindCodes> Codes = X64UnwindCodes::read(
      Info, [&](uint32_t Offset) { return image(Offset); });
  if (!Codes)
    return false;
  std::vector<unsigned> Offsets = Codes->offsets();
  std::optional<UnwindRules> Rules;
  for (size_t I = 0; I != Offsets.size(); ++I) {
    uint64_t Begin = F.Begin + Offsets[I];
    bool IsLast = I + 1 == Offsets.size();
    uint64_t End = IsLast ? F.End : F.Begin + Offsets[I + 1];
    if (!charge(Codes->size()))
      return false;
    Rules = Codes->rules(Offsets[I]);
    if (!Rules)
      return false;
    if (Begin >= F.End)
      return true;
    if (!IsLast && !Visit(Begin, std::min(End, F.End), *Rules))
      return true;
  }
  return visitBody(F, F.Begin + Offsets.back(), *Rules, Visit);
}

/// Visits the rows after the prologue, which ends at \p Begin.
bool X64UnwindTable::visitBody(const Function &F, uint64_t Begin,
                               const UnwindRules &Rules, VisitRow Visit) {
  std::vector<X64EpilogStep> Steps;
  if (!Rules.IsSignalFrame)
    Steps =
        findX64Epilogs(Section.Image(Begin).take_front(F.End - Begin), Rules);
  uint64_t At = Begin;
  for (const X64EpilogStep &S : Steps) {
    if (!charge(S.Pops.size()))
      return false;
    if (At < Begin + S.Begin && !Visit(At, Begin + S.Begin, Rules))
      return true;
    At = Begin + S.End;
    if (!Visit(Begin + S.Begin, At, rulesOf(S)))
      return true;
  }
  if (At < F.End)
    Visit(At, F.End, Rules);
  return true;
}

UnwindRules X64UnwindTable::withoutFrame() { return rulesOf(X64EpilogStep()); }

} // namespace lidia::unwindinfo
