//===- LogLine.cpp - The addresses in a line of a log ---------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Log/LogLine.h"
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

/// The first location in \p Line that follows a space at or after \p From. With
/// \p AtFrom, the space is at \p From, because the path may contain
/// parentheses.
static std::optional<Location> findLocation(StringRef Line, size_t From,
                                            bool AtFrom) {
  Location L;
  size_t Plus = From;
  size_t At = 0;
  while (true) {
    Plus = Line.find("+0x", Plus + 1);
    if (Plus == StringRef::npos)
      return std::nullopt;
    At = Plus + 1;
    std::optional<uint64_t> Offset = readHex(Line, At);
    if (!Offset || !skip(Line, At, ")"))
      continue;
    L.Offset = *Offset;
    break;
  }
  size_t Open = AtFrom ? 0 : openOfPath(Line.slice(From, Plus), '(');
  if (Open == StringRef::npos)
    return std::nullopt;
  Open += From;
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
  A.Type = What;
  A.Source = LogSource::Sanitizer;
  A.Replaced = Replaced;
  A.Module = L.Module;
  A.BuildID = L.BuildID;
  A.Offset = L.Offset;
  return A;
}

//===----------------------------------------------------------------------===//
// Frames
//===----------------------------------------------------------------------===//

/// Whether nothing follows but the end of the string in JSON that \p Text is
/// in.
static bool isEnd(StringRef Text) {
  return Text.take_front(Text.find('"')).trim().empty();
}

/// The path that begins \p Text. Other text may follow.
static StringRef pathIn(StringRef Text) {
  constexpr StringRef Deleted = " (deleted)";
  size_t Size = std::min(Text.find_first_of(" \t\""), Text.size());
  bool IsDeleted = Text.substr(Size).starts_with(Deleted);
  return Text.take_front(Size + (IsDeleted ? Deleted.size() : 0));
}

/// The frame of gdb or eu-stack whose address ends at \p At, if it has no
/// symbol.
static std::optional<LogAddress> frameWithoutSymbol(StringRef Line, size_t At) {
  LogAddress A;
  size_t Begin = At;
  if (skip(Line, At, " in ?? ()")) {
    A.Type = Form::GDB;
    A.Source = LogSource::GDB;
    if (skip(Line, At, " from "))
      A.Module = pathIn(Line.substr(At));
    else if (!isEnd(Line.substr(At)))
      return std::nullopt;
    A.Replaced = {Begin, At + A.Module.size()};
    A.Whole.End = A.Replaced.End;
    return A;
  }
  A.Type = Form::EUStack;
  A.Source =
      skip(Line, At, " - 1") ? LogSource::EUStackCall : LogSource::EUStack;
  A.Replaced = {At, At};
  if (skip(Line, At, " - /"))
    A.Module = pathIn(Line.substr(--At));
  else if (!isEnd(Line.substr(At)))
    return std::nullopt;
  A.Whole.End = At + A.Module.size();
  return A;
}

/// The digits of "#1 " that begins \p Part; empty if there are none.
static StringRef frameNumber(StringRef Part) {
  StringRef Digits = Part.drop_front(Part.starts_with("#"));
  size_t Size = Digits.take_while(isDigit).size();
  bool IsFrame = Part.starts_with("#") && Size != 0 && Size <= 6 &&
                 Digits.substr(Size).starts_with(" ");
  return IsFrame ? Digits.take_front(Size) : StringRef();
}

/// Parses "#1 0x55d0 ...", or "#1 f <null> (a+0x12)", at the beginning of
/// \p Part. Returns the end of what it has understood; zero if it is nothing,
/// or only the number.
size_t LogLine::parseFrame(StringRef Part, bool IsAtBegin) {
  StringRef Digits = frameNumber(Part);
  if (Digits.empty())
    return 0;
  LogSpan Number = {1, 1 + Digits.size()};
  size_t At = Part.size() - Part.drop_front(Number.End).ltrim(' ').size();
  auto Add = [&](LogAddress A) {
    A.Whole.Begin = 0;
    size_t End = A.Whole.End;
    FrameNumbers.push_back(Number);
    Addresses.push_back(std::move(A));
    return End;
  };
  size_t Begin = At;
  std::optional<uint64_t> Runtime = readHex(Part, At);
  if (!Runtime && !Part.substr(At).starts_with("0x")) {
    std::optional<Location> L = findLocation(Part, At, /*AtFrom=*/false);
    // gdb: "#1  main () at a.c:7".
    if (L || IsAtBegin)
      FrameNumbers.push_back(Number);
    if (!L)
      return 0;
    size_t End = L->Span.Begin - 1;
    if (!Part.slice(At, End).ends_with(" <null>"))
      return L->Span.End;
    FrameNumbers.pop_back();
    LogAddress A = at(*L, Form::NamedFrame, {At, End});
    A.Whole.End = L->Span.End;
    return Add(std::move(A));
  }
  if (!Runtime)
    return 0;
  std::optional<LogAddress> A = frameWithoutSymbol(Part, At);
  // "a+0x12 #2 0x55d0" is not a frame.
  if (A && TextHasMention && A->Type == Form::EUStack && A->Module.empty())
    return 0;
  if (A) {
    A->Runtime = Runtime;
    bool IsFirst = Digits.ltrim('0').empty();
    HasCallMarks =
        A->Source == LogSource::EUStackCall || (HasCallMarks && !IsFirst);
    A->IsReturnAddress = !IsFirst && !HasCallMarks;
    return Add(std::move(*A));
  }
  // Without a name there are two spaces, or one in old versions.
  StringRef Rest = Part.substr(At);
  size_t Spaces = Rest.starts_with("  (") ? 2 : Rest.starts_with(" (") ? 1 : 0;
  std::optional<Location> L;
  if (Spaces || Rest.starts_with(" in "))
    L = findLocation(Part, At + Spaces - (Spaces != 0), Spaces != 0);
  if (!L) {
    if (!TextHasMention)
      FrameNumbers.push_back(Number);
    return Begin;
  }
  A = at(*L, Form::Frame, {At, L->Span.End});
  A->Runtime = Runtime;
  A->Whole.End = L->Span.End;
  return Add(std::move(*A));
}

/// Whether the word that ends \p Before, and the word that begins \p After, are
/// parts of one name: "f(int) const", "unsigned long f<int>(int)".
static bool isOneName(StringRef Before, StringRef After) {
  constexpr StringRef Types[] = {"void",  "bool",   "char",     "short",
                                 "int",   "long",   "unsigned", "signed",
                                 "float", "double", "operator"};
  StringRef Last = Before.substr(Before.rfind(' ') + 1);
  StringRef Next = After.take_until([](char C) { return isSpace(C); });
  size_t Open = Next.find('(');
  // The type that it returns precedes it.
  bool IsSignature = Next.ends_with(")") && Open != StringRef::npos &&
                     Open > 0 && !Next.contains('/') && !Before.contains('(');
  return is_contained(Types, Last) || Next == "const" || Next == "volatile" ||
         Next == "&" || Next == "&&" || After.starts_with("[clone ") ||
         After.starts_with("(.") || IsSignature;
}

/// The size of the symbol after "operator".
static size_t sizeOfOperator(StringRef Text) {
  if (Text.starts_with("()") || Text.starts_with("[]"))
    return 2;
  return Text.size() - Text.ltrim("<>-=!&|+*/%^~,").size();
}

/// The size of the function's name that begins \p Text. More text may follow.
static size_t sizeOfName(StringRef Text) {
  int Depth = 0;
  size_t FirstSpace = StringRef::npos;
  for (size_t I = 0; I != Text.size(); ++I) {
    StringRef Before = Text.take_front(I);
    char C = Text[I];
    if (C == '"' || C == '\r')
      return I;
    if (Before.ends_with("operator"))
      I += sizeOfOperator(Text.substr(I));
    if (I >= Text.size())
      break;
    C = Text[I];
    if (StringRef("(<[{").contains(C))
      ++Depth;
    else if (StringRef(")>]}").contains(C))
      Depth -= Depth > 0;
    if (C != ' ')
      continue;
    FirstSpace = std::min(FirstSpace, I);
    if (Depth == 0 && !isOneName(Text.take_front(I), Text.substr(I + 1)))
      return I;
  }
  // A bracket that is not closed is not part of a name.
  return Depth == 0 ? Text.size() : std::min(FirstSpace, Text.size());
}

/// Like parseFrame().
size_t LogLine::parseSummary(StringRef Part) {
  size_t At = Part.find("SUMMARY: ");
  if (At == StringRef::npos)
    return 0;
  std::optional<Location> L = findLocation(Part, At, /*AtFrom=*/false);
  if (!L)
    return 0;
  size_t End = L->Span.End;
  if (skip(Part, End, " in "))
    End += sizeOfName(Part.substr(End));
  else if (isEnd(Part.substr(End)))
    skip(Part, End, " ");
  Addresses.push_back(at(*L, Form::Summary, {L->Span.Begin, End}));
  return End;
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
  A.Type = Form::Backtrace;
  A.Source = LogSource::BacktraceSymbols;
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
  // Programs that print readable names, "(f(int)+0x12) [0x55d0]", print no
  // module before them.
  if (A.Module.empty() || A.Function.find_first_of(" )") != StringRef::npos)
    return std::nullopt;
  if (!A.Runtime) {
    A.Type = Form::Mention;
    A.Source = LogSource::Mention;
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

/// Whether \p Before, the text before a function, names a register that has the
/// address of an instruction, or a warning, which is one: "RIP: 0010:",
/// "EIP: [<c0102f12>] ", "pc : ", "WARNING: CPU: 0 PID: 1 at a.c:12 ".
static bool isExactInKernel(StringRef Before) {
  constexpr StringRef Labels[] = {
      "IP:",      "IP",       "pc :", "epc :", "epc   :",
      "PC is at", "IP is at", "TPC:", "ERA:",  "PSW :"};
  StringRef Label = Before.take_back(200);
  bool IsWarning = Label.contains("WARNING: CPU: ");
  // The address itself may precede the function, also twice, after a segment.
  while (true) {
    Label = Label.rtrim(" (<");
    StringRef Word = Label.substr(Label.rfind(' ') + 1);
    if (count_if(Word, isHexDigit) < 4 || !all_of(Word, [](char C) {
          return isHexDigit(C) || StringRef(":[]<>").contains(C);
        }))
      break;
    Label = Label.drop_back(Word.size());
  }
  return IsWarning ||
         any_of(Labels, [&](StringRef L) { return Label.ends_with(L); });
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
  A.Type = Form::Kernel;
  A.Size = *Size;
  A.Offset = O.Offset;
  readKernelModule(O.Line, At, A);
  A.Replaced = {At, At};
  size_t Begin = O.Before.size();
  while (Begin && isFunctionNameChar(O.Before[Begin - 1]))
    --Begin;
  A.Function = O.Before.substr(Begin);
  A.Source = isExactInKernel(O.Before.take_front(Begin))
                 ? LogSource::KernelRegister
                 : LogSource::Kernel;
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

/// "libfoo.so+0x12", "[libfoo.so+0x12]" or "(libfoo.so + 0x12)". Only the last
/// may have spaces in a path.
static std::optional<LogAddress> asMention(const OffsetInLine &O,
                                           bool HasSpace) {
  size_t At = O.End;
  LogAddress A;
  A.Module = lastWord(O.Before);
  bool IsOpen = O.Before.drop_back(A.Module.size()).ends_with("(");
  if (HasSpace && !IsOpen) {
    size_t Open = openOfPath(O.Before, '(');
    StringRef Path = Open == StringRef::npos ? "" : O.Before.substr(Open + 2);
    IsOpen = Path.starts_with("/") || Path.ends_with(" (deleted)");
    if (IsOpen)
      A.Module = Path;
  }
  A.IsModule = isModuleName(A.Module);
  A.Offset = O.Offset;
  if (HasSpace)
    A.Source = LogSource::Systemd;
  StringRef Before = O.Before.drop_back(A.Module.size());
  bool IsClosed = (IsOpen && skip(O.Line, At, ")")) ||
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
  A.Type = Form::Backtrace;
  A.Source = LogSource::BacktraceSymbols;
  A.Runtime = readHex(Line, At);
  A.Module = lastWord(Before);
  if (!A.Runtime || !skip(Line, At, "]") || !isModuleName(A.Module))
    return std::nullopt;
  A.Replaced = {At, At};
  return A;
}

/// Parses what follows \p From.
void LogLine::parseMentions(StringRef Line, size_t From) {
  // Text before From belongs to previous addresses.
  size_t At = From;
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

//===----------------------------------------------------------------------===//
// Return addresses
//===----------------------------------------------------------------------===//

/// Whether \p Text may be another frame there: "j  A.f()V+0", "J 12 c1 A.f()V",
/// "v  ~StubRoutines::call_stub", "C  0x00007f0000000012".
static bool isOtherJavaFrame(StringRef Text) {
  return Text.size() > 2 && StringRef("jJvVCA").contains(Text[0]) &&
         Text[1] == ' ';
}

/// Decides whether \p A in \p Part, which may set it for a caller, is a return
/// address.
void LogLine::settle(LogAddress &A, StringRef Part) {
  StringRef Number = frameNumber(Part);
  if (A.Source == LogSource::Systemd && Number.empty())
    A.Source = LogSource::Mention;
  if (A.Source == LogSource::Systemd) {
    A.IsReturnAddress = !Number.ltrim('0').empty();
    size_t At = Part.find("0x");
    A.Runtime = readHex(Part, At);
  }
  if (isNativeJavaFrame(Part) && A.Source == LogSource::Mention) {
    A.Source = LogSource::Java;
    A.IsReturnAddress = InJavaStack;
  }
  switch (ruleOf(A.Source)) {
  case LogAddressRule::Exact:
  case LogAddressRule::Unknown:
    A.IsReturnAddress = false;
    return;
  case LogAddressRule::Returns:
    A.IsReturnAddress = true;
    break;
  case LogAddressRule::Callers:
    break;
  }
  if (AfterSignal || namesSignalFrame(Part))
    A.IsReturnAddress = false;
}

/// Notes what the next frame needs to know about \p Part.
void LogLine::noteFrame(StringRef Part, bool HasFrame) {
  bool IsSignal = namesSignalFrame(Part);
  if (!HasFrame && !IsSignal)
    return;
  AfterSignal = IsSignal;
  TextHasFrame = true;
}

//===----------------------------------------------------------------------===//
// The line
//===----------------------------------------------------------------------===//

/// Parses \p Part, which begins at \p At of the line. \p IsAtBegin: only spaces
/// precede it.
void LogLine::parsePart(StringRef Part, size_t At, bool IsAtBegin) {
  size_t FirstAddress = Addresses.size();
  size_t FirstNumber = FrameNumbers.size();
  size_t From = 0;
  if (std::optional<LogAddress> A = parseOtherForm(Part)) {
    From = A->Replaced.End;
    Addresses.push_back(std::move(*A));
  } else {
    From = parseFrame(Part, IsAtBegin);
    if (From == 0)
      From = parseSummary(Part);
  }
  parseMentions(Part, From);
  bool IsJava = isNativeJavaFrame(Part) ||
                (IsAtBegin && InJavaStack && isOtherJavaFrame(Part.ltrim()));
  bool HasFrame = FirstNumber != FrameNumbers.size() || IsJava;
  for (LogSpan &Number : MutableArrayRef(FrameNumbers).drop_front(FirstNumber))
    Number = {Number.Begin + At, Number.End + At};
  for (LogAddress &A : MutableArrayRef(Addresses).drop_front(FirstAddress)) {
    settle(A, Part);
    LogAddressRule Rule = ruleOf(A.Source);
    HasFrame |= Rule == LogAddressRule::Returns || A.isFrame() ||
                Rule == LogAddressRule::Callers;
    TextHasMention |= !A.isFrame();
    A.Replaced = {A.Replaced.Begin + At, A.Replaced.End + At};
    A.Whole = {A.Whole.Begin + At, A.Whole.End + At};
  }
  noteFrame(Part, HasFrame);
  InJavaStack = IsJava;
}

/// Parses \p Text, a line of a program, which begins at \p At of the line.
void LogLine::parseText(StringRef Text, size_t At) {
  TextHasFrame = false;
  TextHasMention = false;
  if (std::optional<LogAddress> A = parsePerfFrame(Text, PerfStack)) {
    settle(*A, Text);
    noteFrame(Text, /*HasFrame=*/true);
    InJavaStack = false;
    // A frame of perf may have no usable address.
    if (!A->Offset && !A->Runtime)
      return;
    A->Replaced = {A->Replaced.Begin + At, A->Replaced.End + At};
    Addresses.push_back(std::move(*A));
    return;
  }
  for (size_t Begin = 0; Begin < Text.size();) {
    size_t End = endOfLogPart(Text, Begin);
    StringRef Part = Text.slice(Begin, End);
    bool IsAtBegin = Text.take_front(Begin).trim().empty();
    parsePart(Part, At + Begin, IsAtBegin);
    Begin = End;
  }
  AfterSignal &= TextHasFrame;
}

bool LogLine::parse(StringRef Line) {
  FrameNumbers.clear();
  Addresses.clear();
  LogSpan LineEnd = nextWrittenLineEnd(Line, 0);
  WrittenLineEnd = LineEnd.in(Line);
  size_t Begin = 0;
  while (true) {
    parseText(Line.slice(Begin, LineEnd.Begin), Begin);
    if (LineEnd.Begin == Line.size())
      break;
    Begin = LineEnd.End;
    LineEnd = nextWrittenLineEnd(Line, Begin);
  }
  return !FrameNumbers.empty() || !Addresses.empty();
}

size_t LogLine::backslashesBefore(char C) const {
  auto IsBackslash = [](char C) { return C == '\\'; };
  size_t Count = WrittenLineEnd.take_while(IsBackslash).size();
  // A quote in a text in a text is \\\", where a line end is \\n.
  bool IsEscaped = Count != 0 && (C == '"' || C == '\\');
  return IsEscaped ? 2 * Count - 1 : 0;
}

} // namespace lidia
