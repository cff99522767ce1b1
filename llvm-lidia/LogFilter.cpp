//===- LogFilter.cpp - Rewrites the frames in a log -----------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LogFilter.h"

using namespace llvm;

namespace lidia {

using Form = LogAddress::Form;

//===----------------------------------------------------------------------===//
// Finding the code
//===----------------------------------------------------------------------===//

/// The address of \p A in \p M; none if it is not known or ambiguous.
std::optional<uint64_t> LogFilter::addressOf(const LogAddress &A,
                                             LogModule &M) {
  if (!A.Offset)
    return M.isFixed() ? A.Runtime : std::nullopt;
  if (A.Function.empty())
    return A.Offset;
  constexpr uint64_t Page = 4096;
  std::optional<uint64_t> Found;
  for (uint64_t Start : M.addressesOf(A.Function)) {
    uint64_t Address = Start + *A.Offset;
    if (A.Runtime && (*A.Runtime - Address) % Page != 0)
      continue;
    if (Found)
      return std::nullopt;
    Found = Address;
  }
  return Found;
}

/// Stores in Places what \p A refers to; false if that is not known.
bool LogFilter::find(const LogAddress &A) {
  Places.clear();
  bool HasModule = !A.Module.empty() || !A.BuildID.empty();
  bool IsMention = A.What == Form::Mention;
  if (!HasModule || A.What == Form::Kernel || A.What == Form::GDB ||
      A.What == Form::EUStack)
    return false;
  // Otherwise it may be a function.
  if (!A.IsModule && !Modules.isNamed(A.Module))
    return false;
  ++Figures.Addresses;
  LogModule *M =
      Modules.get(A.Module, A.BuildID,
                  /*MayBeMissing=*/IsMention && !A.Module.starts_with("/"));
  std::optional<uint64_t> Address = M ? addressOf(A, *M) : std::nullopt;
  if (!Address)
    return false;
  if (A.IsReturnAddress || (IsMention && Options.ReturnAddresses))
    --*Address;
  Symbolizer &S = M->symbolizer();
  uint64_t Left = S.mostText();
  ArrayRef<Frame> Frames = S.frames(*Address);
  if (!Options.Inlines && !Frames.empty())
    Frames = ArrayRef<Frame>(S.outerFrame(*Address), 1);
  for (const Frame &F : Frames) {
    Place P = {S.function(F), S.file(F), F.Line, F.Column};
    if (P.Function.size() + P.File.size() > Left)
      break;
    Left -= P.Function.size() + P.File.size();
    Places.push_back(P);
  }
  if (Places.empty())
    return false;
  ++(Places.front().Line ? Figures.WithLines : Figures.WithNames);
  return true;
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

void LogFilter::writePosition(const Place &P) {
  OS << P.File;
  if (P.Line)
    OS << ':' << P.Line;
  if (P.Line && P.Column)
    OS << ':' << P.Column;
}

/// Writes \p Line from \p From up to \p To, with the number of its frame
/// shifted.
void LogFilter::writeTo(StringRef Line, size_t &From, size_t To) {
  if (Shift && Parsed.FrameNumber && From <= Parsed.FrameNumber->Begin &&
      To > Parsed.FrameNumber->Begin) {
    OS << Line.slice(From, Parsed.FrameNumber->Begin) << NextFrame - 1 + Shift;
    From = Parsed.FrameNumber->End;
  }
  OS << Line.slice(From, To);
  From = To;
}

/// Takes note of the frame's number.
void LogFilter::numberFrame(StringRef Line) {
  uint64_t Number = 0;
  if (!Parsed.FrameNumber ||
      Parsed.FrameNumber->in(Line).getAsInteger(10, Number)) {
    Shift = 0;
    return;
  }
  if (Number != NextFrame)
    Shift = 0;
  NextFrame = Number + 1;
}

/// The name of a function in a report: a sanitizer's own "malloc" is called
/// __interceptor_malloc.
static StringRef reportedName(StringRef Function) {
  if (!Function.consume_front("___interceptor_"))
    Function.consume_front("__interceptor_");
  return Function;
}

/// Writes what stands in place of A.Replaced, in the form of the program that
/// wrote the log.
void LogFilter::writeFrame(const LogAddress &A, const Place &P,
                           StringRef Line) {
  bool IsNamed = A.What == Form::NamedFrame;
  if (!IsNamed)
    OS << (P.Function.empty() ? " " : " in ");
  OS << reportedName(P.Function) << ' ';
  if (!P.File.empty())
    return writePosition(P);
  if (IsNamed)
    OS << "<null>";
  else
    // From the parenthesis before the module.
    OS << Line.slice(size_t(A.Module.data() - Line.data()) - 1, A.Replaced.End);
}

/// Writes a line for each function at the address.
void LogFilter::writeFrames(const LogAddress &A, StringRef Line,
                            StringRef End) {
  for (const Place &P : Places) {
    size_t From = 0;
    writeTo(Line, From, A.Replaced.Begin);
    writeFrame(A, P, Line);
    From = A.Replaced.End;
    writeTo(Line, From, Line.size());
    bool IsLast = &P == &Places.back();
    // The last line of a log may have no end.
    OS << (!IsLast && End.empty() ? "\n" : End);
    Shift += !IsLast;
  }
}

void LogFilter::writeSummary(const LogAddress &A, StringRef Line) {
  const Place &P = Places.front();
  if (P.File.empty())
    OS << Line.slice(A.Replaced.Begin, A.Replaced.End).rtrim(' ');
  else
    writePosition(P);
  if (!P.Function.empty())
    OS << " in " << reportedName(P.Function);
}

/// Writes the functions in parentheses.
void LogFilter::writeMention(const LogAddress &A) {
  const Place &First = Places.front();
  if (First.File.empty() && First.Function == A.Function)
    return;
  OS << " (";
  for (const Place &P : Places) {
    if (&P != &First)
      OS << ", inlined by ";
    OS << P.Function;
    if (P.File.empty())
      continue;
    OS << (P.Function.empty() ? "" : " at ");
    writePosition(P);
  }
  OS << ')';
}

void LogFilter::write(StringRef Line, StringRef End) {
  Parsed.parse(Line);
  numberFrame(Line);
  size_t From = 0;
  for (const LogAddress &A : Parsed.Addresses) {
    if (!find(A))
      continue;
    if (A.What == Form::Frame || A.What == Form::NamedFrame)
      return writeFrames(A, Line, End);
    writeTo(Line, From, A.Replaced.Begin);
    if (A.What == Form::Summary)
      writeSummary(A, Line);
    else
      writeMention(A);
    From = A.Replaced.End;
  }
  writeTo(Line, From, Line.size());
  OS << End;
}

} // namespace lidia
