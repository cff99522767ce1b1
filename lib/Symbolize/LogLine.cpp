//===- LogLine.cpp - The addresses in a line of a log ---------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Symbolize/LogLine.h"
#include "LogForms.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <string>

using namespace llvm;

namespace lidia {

using Form = LogAddress::Form;

namespace {
/// "(module+0x12) (BuildId: ab)" in a line.
struct Location {
  LogSpan Span;
  StringRef Module;
  uint64_t Offset = 0;
  SmallVector<uint8_t, 20> BuildID;
};
} // namespace

/// The last location in \p Line that follows a space at or after \p From. With
/// \p AtFrom, the space is at \p From, because the path may contain
/// parentheses.
static std::optional<Location> findLocation(StringRef Line, size_t From,
                                            bool AtFrom) {
  size_t Plus = Line.rfind("+0x");
  if (Plus == StringRef::npos || Plus <= From)
    return std::nullopt;
  Location L;
  size_t Open = AtFrom ? 0 : Line.slice(From, Plus).rfind(" (");
  if (Open == StringRef::npos)
    return std::nullopt;
  Open += From;
  size_t At = Plus + 1;
  std::optional<uint64_t> Offset = readHex(Line, At);
  if (!Offset || !skip(Line, At, ")"))
    return std::nullopt;
  L.Offset = *Offset;
  L.Module = Line.slice(Open + 2, Plus);
  size_t End = At;
  if (skip(Line, At, " (BuildId: ")) {
    StringRef Digits = Line.substr(At).take_while(isHexDigit);
    At += Digits.size();
    if (skip(Line, At, ")")) {
      L.BuildID = buildIDInLog(Digits);
      End = At;
    }
  }
  L.Span = {Open + 1, End};
  if (L.Module.empty())
    return std::nullopt;
  return L;
}

static LogAddress at(const Location &L, Form What, LogSpan Replaced) {
  LogAddress A;
  A.What = What;
  A.Replaced = Replaced;
  A.Module = L.Module;
  A.BuildID = L.BuildID;
  A.Offset = L.Offset;
  return A;
}

//===----------------------------------------------------------------------===//
// Frames
//===----------------------------------------------------------------------===//

/// The frame of gdb or eu-stack whose address ends at \p At, if it has no
/// symbol.
static std::optional<LogAddress> frameWithoutSymbol(StringRef Line, size_t At) {
  LogAddress A;
  A.Replaced = {At, Line.size()};
  if (skip(Line, At, " in ?? ()")) {
    A.What = Form::GDB;
    if (skip(Line, At, " from "))
      A.Module = Line.substr(At);
    else if (At != Line.size())
      return std::nullopt;
    return A;
  }
  A.What = Form::EUStack;
  skip(Line, At, " - 1");
  A.Replaced = {At, At};
  if (skip(Line, At, " - /"))
    A.Module = Line.substr(At - 1);
  else if (At != Line.size())
    return std::nullopt;
  return A;
}

namespace {
/// "#1 " in a line.
struct FrameMark {
  LogSpan Number;
  /// After the spaces that follow.
  size_t End = 0;
};
} // namespace

/// The next frame number at or after \p From.
static std::optional<FrameMark> nextFrame(StringRef Line, size_t From) {
  while ((From = Line.find('#', From)) != StringRef::npos) {
    size_t Begin = ++From;
    From += Line.substr(From).take_while(isDigit).size();
    StringRef Rest = Line.substr(From);
    if (From == Begin || From - Begin > 6 || !Rest.starts_with(" "))
      continue;
    return FrameMark{{Begin, From}, Line.size() - Rest.ltrim(' ').size()};
  }
  return std::nullopt;
}

bool LogLine::parseNamedFrame(StringRef Line, LogSpan Number, size_t At) {
  std::optional<Location> L = findLocation(Line, At, /*AtFrom=*/false);
  if (!L)
    return false;
  FrameNumber = Number;
  size_t End = L->Span.Begin - 1;
  if (Line.slice(At, End).ends_with(" <null>"))
    Addresses.push_back(at(*L, Form::NamedFrame, {At, End}));
  return true;
}

/// Parses "#1 0x55d0 ...", or "#1 f <null> (a+0x12)". Returns whether the line
/// has no other addresses.
bool LogLine::parseFrame(StringRef Line) {
  std::optional<FrameMark> First = nextFrame(Line, 0);
  std::optional<FrameMark> F = First;
  while (F && !Line.substr(F->End).starts_with("0x"))
    F = nextFrame(Line, F->End);
  if (!F && First && parseNamedFrame(Line, First->Number, First->End))
    return true;
  if (!F) {
    // gdb: "#1  main () at a.c:7".
    if (First && Line.take_front(First->Number.Begin).ltrim() == "#")
      FrameNumber = First->Number;
    return false;
  }
  size_t At = F->End;
  std::optional<uint64_t> Runtime = readHex(Line, At);
  if (!Runtime)
    return false;

  FrameNumber = F->Number;
  if (std::optional<LogAddress> A = frameWithoutSymbol(Line, At)) {
    A->Runtime = Runtime;
    A->IsReturnAddress = FrameNumber->in(Line).ltrim('0') != "";
    Addresses.push_back(std::move(*A));
    return true;
  }
  // Without a name there are two spaces, or one in old versions.
  StringRef Rest = Line.substr(At);
  size_t Spaces = Rest.starts_with("  (") ? 2 : Rest.starts_with(" (") ? 1 : 0;
  if (!Spaces && !Rest.starts_with(" in "))
    return false;
  std::optional<Location> L =
      findLocation(Line, At + Spaces - (Spaces != 0), Spaces != 0);
  if (!L)
    return false;
  Addresses.push_back(at(*L, Form::Frame, {At, L->Span.End}));
  Addresses.back().Runtime = Runtime;
  return true;
}

bool LogLine::parseSummary(StringRef Line) {
  size_t At = Line.find("SUMMARY: ");
  if (At == StringRef::npos)
    return false;
  std::optional<Location> L = findLocation(Line, At, /*AtFrom=*/false);
  if (!L)
    return false;
  size_t End = L->Span.End;
  StringRef Rest = Line.substr(End);
  if (Rest.starts_with(" in "))
    End += std::min(Rest.find('\r'), Rest.size());
  else if (Rest.starts_with(" "))
    ++End;
  Addresses.push_back(at(*L, Form::Summary, {L->Span.Begin, End}));
  return true;
}

//===----------------------------------------------------------------------===//
// Addresses anywhere in a line
//===----------------------------------------------------------------------===//

namespace {
/// An offset and the text around it. The text before it begins after the
/// previous offset, so that parsing a line takes linear time.
struct OffsetInLine {
  StringRef Line;
  /// The text before the plus sign and an optional space.
  StringRef Before;
  uint64_t Offset = 0;
  /// After the digits.
  size_t End = 0;
};
} // namespace

/// "a(f+0x12) [0x55d0]", or "a(f+0x12)" alone, which only is a backtrace if a
/// is a path.
static std::optional<LogAddress> asBacktrace(const OffsetInLine &O) {
  size_t At = O.End;
  if (!skip(O.Line, At, ")"))
    return std::nullopt;
  size_t End = At;
  skip(O.Line, At, " ");
  LogAddress A;
  A.What = Form::Backtrace;
  if (skip(O.Line, At, "[")) {
    A.Runtime = readHex(O.Line, At);
    if (!A.Runtime || !skip(O.Line, At, "]"))
      return std::nullopt;
  } else {
    At = End;
  }
  size_t Open = O.Before.rfind('(');
  if (Open == StringRef::npos)
    return std::nullopt;
  A.Replaced = {At, At};
  A.Function = O.Before.substr(Open + 1);
  A.Module = lastWord(O.Before.take_front(Open));
  A.Offset = O.Offset;
  A.IsReturnAddress = true;
  // Programs that print readable names, "(f(int)+0x12) [0x55d0]", print no
  // module before them.
  if (A.Module.empty() || A.Function.find_first_of(" )") != StringRef::npos)
    return std::nullopt;
  if (!A.Runtime) {
    A.What = Form::Mention;
    A.IsReturnAddress = false;
    A.IsModule = isModuleName(A.Module);
  }
  return A;
}

/// Reads " [module]" or " [module ab]", where ab is the build ID. If the
/// bracket is not closed, the module is treated as unknown.
static void readKernelModule(StringRef Line, size_t &At, LogAddress &A) {
  size_t End = At;
  if (!skip(Line, End, " ["))
    return;
  A.Module = Line.substr(End).take_while(
      [](char C) { return isFunctionNameChar(C) || C == '-'; });
  End += A.Module.size();
  StringRef Digits;
  if (skip(Line, End, " ")) {
    Digits = Line.substr(End).take_while(isHexDigit);
    End += Digits.size();
  }
  A.IsModule = !A.Module.empty() && skip(Line, End, "]");
  if (!A.IsModule)
    return;
  A.BuildID = buildIDInLog(Digits);
  At = End;
}

/// "f+0x12/0x50 [module]".
static std::optional<LogAddress> asKernel(const OffsetInLine &O) {
  size_t At = O.End;
  if (!skip(O.Line, At, "/"))
    return std::nullopt;
  std::optional<uint64_t> Size = readHex(O.Line, At);
  if (!Size)
    return std::nullopt;
  LogAddress A;
  A.What = Form::Kernel;
  A.Size = *Size;
  A.Offset = O.Offset;
  readKernelModule(O.Line, At, A);
  A.Replaced = {At, At};
  size_t Begin = O.Before.size();
  while (Begin && isFunctionNameChar(O.Before[Begin - 1]))
    --Begin;
  A.Function = O.Before.substr(Begin);
  // Registers are exact; callers on the stack are return addresses.
  StringRef Word = O.Before.take_front(Begin).take_back(16);
  A.IsReturnAddress = !Word.contains("IP:") && !Word.contains("pc :") &&
                      !Word.contains("PC is at");
  if (A.Function.empty())
    return std::nullopt;
  return A;
}

/// "[ab]@0x55d0+0x12".
static std::optional<LogAddress> asBuildID(const OffsetInLine &O) {
  size_t Separator = O.Before.rfind("]@0x");
  uint64_t Base;
  if (Separator == StringRef::npos ||
      O.Before.substr(Separator + 4).getAsInteger(16, Base))
    return std::nullopt;
  StringRef Digits = O.Before.take_front(Separator);
  Digits = Digits.substr(Digits.rfind('[') + 1);
  LogAddress A;
  A.BuildID = buildIDInLog(Digits);
  A.Offset = O.Offset;
  A.Runtime = Base + O.Offset;
  A.Replaced = {O.End, O.End};
  if (A.BuildID.empty())
    return std::nullopt;
  return A;
}

/// "libfoo.so+0x12", "[libfoo.so+0x12]" or "(libfoo.so + 0x12)".
static std::optional<LogAddress> asMention(const OffsetInLine &O,
                                           bool HasSpace) {
  size_t At = O.End;
  LogAddress A;
  A.Module = lastWord(O.Before);
  A.IsModule = isModuleName(A.Module);
  A.Offset = O.Offset;
  StringRef Before = O.Before.drop_back(A.Module.size());
  bool IsClosed = (Before.ends_with("(") && skip(O.Line, At, ")")) ||
                  (Before.ends_with("[") && skip(O.Line, At, "]"));
  char Next = At < O.Line.size() ? O.Line[At] : ' ';
  if (A.Module.empty() || (HasSpace && !IsClosed) || isAlnum(Next) ||
      Next == '_' || Next == '/')
    return std::nullopt;
  A.Replaced = {At, At};
  return A;
}

/// "a[0x55d0]" or "a() [0x55d0]", whose address begins at \p At.
static std::optional<LogAddress>
asBacktraceWithoutOffset(StringRef Line, size_t From, size_t At) {
  StringRef Before = Line.slice(From, At);
  if (!Before.consume_back("["))
    return std::nullopt;
  Before.consume_back(" ");
  Before.consume_back("()");
  LogAddress A;
  A.What = Form::Backtrace;
  A.Runtime = readHex(Line, At);
  A.Module = lastWord(Before);
  A.IsReturnAddress = true;
  if (!A.Runtime || !skip(Line, At, "]") || !isModuleName(A.Module))
    return std::nullopt;
  A.Replaced = {At, At};
  return A;
}

void LogLine::parseMentions(StringRef Line) {
  // Text before From belongs to previous addresses.
  size_t From = 0, At = 0;
  while ((At = Line.find("0x", At)) != StringRef::npos) {
    size_t Begin = At;
    std::optional<uint64_t> Number = readHex(Line, At);
    if (!Number) {
      At = From = Begin + 2;
      continue;
    }
    OffsetInLine O = {Line, Line.slice(From, Begin), *Number, At};
    bool HasSpace = O.Before.consume_back(" ");
    std::optional<LogAddress> A;
    if (O.Before.consume_back("+")) {
      bool IsMention = HasSpace ? O.Before.consume_back(" ")
                                : !(A = asKernel(O)) && !(A = asBacktrace(O)) &&
                                      !(A = asBuildID(O));
      if (IsMention)
        A = asMention(O, HasSpace);
    } else if (O.Before.ends_with("]@")) {
      // The base address, which precedes the offset of asBuildID().
      continue;
    } else if (!HasSpace) {
      A = asBacktraceWithoutOffset(Line, From, Begin);
    }
    From = At;
    if (A) {
      From = At = std::max(At, A->Replaced.End);
      Addresses.push_back(std::move(*A));
    }
  }
}

bool LogLine::parse(StringRef Line) {
  FrameNumber.reset();
  Addresses.clear();
  if (std::optional<LogAddress> A = parseOtherForm(Line, PerfStack)) {
    // A frame of perf may have no usable address.
    if (A->Offset || A->Runtime)
      Addresses.push_back(std::move(*A));
  } else if (!parseFrame(Line) && !parseSummary(Line)) {
    parseMentions(Line);
  }
  // "a+0x12 #2 0x55d0" is not a frame.
  if (FrameNumber && !Addresses.empty() &&
      Addresses.front().Replaced.Begin < FrameNumber->End)
    FrameNumber.reset();
  return FrameNumber || !Addresses.empty();
}

} // namespace lidia
