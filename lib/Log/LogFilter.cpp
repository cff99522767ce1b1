//===- LogFilter.cpp - Rewrites the frames in a log -----------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Log/LogFilter.h"
#include "Support/MessageText.h"
#include "llvm/ADT/StringExtras.h"
#include <cstring>

using namespace llvm;

namespace lidia {

using Form = LogAddress::Form;

//===----------------------------------------------------------------------===//
// Finding the code
//===----------------------------------------------------------------------===//

/// The address of \p A in \p M; none if it is unknown or ambiguous.
static std::optional<uint64_t> addressIn(LogModule &M, const LogAddress &A) {
  if (A.Map && !M.isFixed())
    return M.addressIn(*A.Map, *A.Runtime);
  if (A.IsFromBegin && M.isFixed())
    return A.Runtime;
  // The offsets of eu-stack and of systemd-coredump are relative to the first
  // segment.
  if (A.Source == LogSource::Systemd && A.Runtime && M.isFixed() &&
      !M.symbolizer().frames(*A.Runtime).empty())
    return A.Runtime;
  if (!A.Offset || (A.Type == Form::Mention && A.Runtime && M.isFixed() &&
                    A.Source != LogSource::Systemd))
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

/// Appends the frames at \p Address of \p M to Places.
void LogFilter::look(LogModule &M, uint64_t Address) {
  Symbolizer &S = M.symbolizer();
  uint64_t Left = S.maxText();
  for (const Frame &F : S.frames(Address, Options.Frames)) {
    FrameView P = S.viewWithOrigin(F, Address);
    if (P.Function.size() + P.File.size() > Left)
      break;
    Left -= P.Function.size() + P.File.size();
    Places.push_back(P);
  }
  Missed = missOfFrames(Places, M.leftOut());
}

/// Looks up \p A in the binary that it names.
void LogFilter::lookInModule(const LogAddress &A) {
  bool IsMention = A.Type == Form::Mention;
  LogModule *M =
      Modules.get(A.Module, A.BuildID,
                  /*MayBeMissing=*/IsMention && !A.Module.starts_with("/"));
  std::optional<uint64_t> Address = M ? addressIn(*M, A) : std::nullopt;
  if (!Address)
    return;
  lookAt(*M, *Address, A);
}

/// Looks up \p A, which is at \p Address of \p M.
void LogFilter::lookAt(LogModule &M, uint64_t Address, const LogAddress &A) {
  look(M, Address - isReturnAddress(A, [&] {
            ArrayRef<Frame> Frames = M.symbolizer().frames(Address);
            return Frames.empty() ? "" : M.symbolizer().function(Frames.back());
          }));
}

/// Looks up the runtime address in the program whose place is known.
void LogFilter::lookInProgram(const LogAddress &A) {
  if (LogModule *M = Modules.get(Options.Program, {}, /*MayBeMissing=*/false))
    lookAt(*M, *A.Runtime - Options.Bias, A);
}

/// Whether \p A is a return address. \p NameAt returns the function at exactly
/// that address: neither a signal trampoline nor what it has interrupted was
/// called.
bool LogFilter::isReturnAddress(const LogAddress &A,
                                function_ref<StringRef()> NameAt) {
  LogAddressRule Rule = ruleOf(A.Source);
  if (Rule == LogAddressRule::Unknown)
    return Options.ReturnAddresses;
  if (Rule == LogAddressRule::Exact)
    return false;
  bool WasSignal = std::exchange(IsAfterSignal, false);
  IsAfterSignal = A.IsReturnAddress && namesSignalFrame(NameAt());
  return A.IsReturnAddress && !WasSignal && !IsAfterSignal;
}

/// Looks up a function with an offset in the kernel's image, or in a kernel
/// module.
void LogFilter::lookInKernel(const LogAddress &A) {
  uint64_t Offset = *A.Offset - A.IsReturnAddress;
  if (Offset >= A.Size)
    return;
  LogModule *M = nullptr;
  if (A.Module.empty())
    M = Modules.getKernel(Options.VMLinux, Options.KernelBuildID);
  else if (A.IsModule)
    M = Modules.getKernelModule(A.Module, A.BuildID,
                                /*MayBeMissing=*/Options.VMLinux.empty() &&
                                    !Options.UseKernel);
  if (!M)
    return;
  if (std::optional<uint64_t> Start = M->startOf(A.Function, A.Size))
    look(*M, *Start + Offset);
}

/// Looks up the runtime address in the address space of the command line.
void LogFilter::lookInSpace(const LogAddress &A) {
  bool IsReturnAddress = isReturnAddress(A, [&]() -> StringRef {
    Answer = Options.Space->answer(*A.Runtime, /*IsReturnAddress=*/false);
    if (Answer->Frames.empty())
      return "";
    return Answer->Frames.back().Function;
  });
  Answer = Options.Space->answer(*A.Runtime, IsReturnAddress);
  if (!Answer->Reason.empty())
    Modules.warn(Answer->Module + ": " +
                 withoutPath(Answer->Reason.Text, Answer->Module));
  Missed = Answer->miss();
  ArrayRef<SymbolizedFrame> Found = Answer->Frames;
  if (Options.Frames != FrameChoice::All)
    Found = Found.take_front();
  Places.append(Found.begin(), Found.end());
  if (Options.Frames == FrameChoice::Outer && !Found.empty())
    Places.front().Function = Answer->Frames.back().Function;
}

/// Stores the code of \p A in Places; returns false if it is unknown.
bool LogFilter::find(const LogAddress &A) {
  Places.clear();
  bool IsKernel = A.Type == Form::Kernel;
  bool IsRuntime = A.Type == Form::GDB || A.Type == Form::EUStack;
  // Otherwise the name may be that of a function.
  bool HasModule = !IsKernel && !IsRuntime &&
                   (!A.Module.empty() || !A.BuildID.empty()) &&
                   (A.IsModule || Modules.isNamed(A.Module));
  bool HasSpace = Options.Space && A.Runtime;
  bool HasProgram = !Options.Program.empty() && A.Runtime && !A.Offset &&
                    !A.Map && (A.Module.empty() || HasModule || IsRuntime);
  if (!IsKernel && !HasModule && !HasSpace && !HasProgram)
    return false;
  ++Statistics.Addresses;
  Missed = MissCode::NoFile;
  if (IsKernel)
    lookInKernel(A);
  if (HasModule)
    lookInModule(A);
  if (Places.empty() && HasSpace)
    lookInSpace(A);
  if (Places.empty() && HasProgram)
    lookInProgram(A);
  Statistics.Answers.add(
      Places.empty() ? NameOrigin::Unknown : Places.back().Origin, Missed);
  if (Options.Answered)
    Options.Answered(A, Places);
  if (Places.empty())
    return false;
  ++(Places.front().Line ? Statistics.WithLines : Statistics.WithNames);
  return true;
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

void LogFilter::note(const FrameView &P) {
  if (Options.Files)
    Options.Files->insert(P.File);
}

/// Writes a name or a path, with backslashes where the line is a text in
/// quotes.
void LogFilter::writeName(StringRef Name) {
  while (!Name.empty()) {
    size_t Size = std::min(Name.find_first_of("\"\\"), Name.size());
    OS << Name.take_front(Size);
    Name = Name.drop_front(Size);
    if (Name.empty())
      return;
    for (size_t I = Parsed.backslashesBefore(Name.front()); I != 0; --I)
      OS << '\\';
    OS << Name.front();
    Name = Name.drop_front();
  }
}

/// Writes \p Name, a form of the function of \p P.
void LogFilter::writeFunction(const FrameView &P, StringRef Name) {
  writeName(Name);
  OS << uncertainMark(P);
}

void LogFilter::writePosition(const FrameView &P) {
  writeName(P.File);
  if (P.Line)
    OS << ':' << P.Line;
  if (P.Line && P.Column)
    OS << ':' << P.Column;
  note(P);
}

/// Writes the line up to \p To, with the color codes before \p To.
void LogFilter::writeText(Cursor &C, size_t To) {
  ArrayRef<ColoredLine::Code> Codes = Colored.codes();
  for (; C.Code != Codes.size() && Codes[C.Code].At < To; ++C.Code) {
    size_t At = std::max(C.Text, Codes[C.Code].At);
    OS << Line.slice(C.Text, At) << Codes[C.Code].Bytes;
    C.Text = At;
  }
  if (C.Text < To)
    OS << Line.slice(C.Text, To);
  C.Text = std::max(C.Text, To);
}

/// Writes the color codes up to the current position in the line, before the
/// text there is replaced.
void LogFilter::writeCodes(Cursor &C) {
  ArrayRef<ColoredLine::Code> Codes = Colored.codes();
  for (; C.Code != Codes.size() && Codes[C.Code].At <= C.Text; ++C.Code)
    OS << Codes[C.Code].Bytes;
}

/// Writes \p Number, which stands at the cursor, with Shift added.
void LogFilter::writeNumber(Cursor &C, LogSpan Number) {
  if (!Shift)
    return;
  std::string Digits = utostr(NextFrame - 1 + Shift);
  writeCodes(C);
  OS << Digits;
  C.Text = Number.End;
  // Keep the column if there are enough spaces.
  for (size_t I = Number.End - Number.Begin;
       I < Digits.size() && Line.substr(C.Text).starts_with("  "); ++I)
    ++C.Text;
}

/// Writes the line up to \p To, with the numbers of frames shifted.
void LogFilter::writeTo(Cursor &C, size_t To) {
  ArrayRef<LogSpan> Numbers = Parsed.FrameNumbers;
  for (; C.Number != Numbers.size() && Numbers[C.Number].Begin < To;
       ++C.Number) {
    writeText(C, Numbers[C.Number].Begin);
    if (C.Number == Numbered) {
      numberFrame(Numbers[C.Number]);
      ++Numbered;
    }
    writeNumber(C, Numbers[C.Number]);
  }
  writeText(C, To);
}

void LogFilter::writeRest(Cursor &C) {
  writeTo(C, Line.size());
  writeCodes(C);
}

/// Updates the expected number of the next frame.
void LogFilter::numberFrame(LogSpan Span) {
  uint64_t Number = 0;
  if (Span.in(Line).getAsInteger(10, Number) || Number != NextFrame)
    Shift = 0;
  NextFrame = Number + 1;
}

/// The name of a function in a sanitizer's report. A sanitizer's own "malloc"
/// is named __interceptor_malloc.
static StringRef reportedName(StringRef Function) {
  if (!Function.consume_front("___interceptor_"))
    Function.consume_front("__interceptor_");
  return Function;
}

/// Writes the text that replaces A.Replaced, in the format of the program that
/// wrote the log.
void LogFilter::writeFrame(const LogAddress &A, const FrameView &P) {
  bool IsNamed = A.Type == Form::NamedFrame;
  if (!IsNamed)
    OS << (P.Function.empty() ? " " : " in ");
  writeFunction(P, reportedName(P.Function));
  OS << ' ';
  if (!P.File.empty())
    return writePosition(P);
  if (IsNamed)
    OS << "<null>";
  else
    // From the parenthesis before the module.
    OS << Line.slice(size_t(A.Module.data() - Line.data()) - 1, A.Replaced.End);
}

/// Writes a frame like gdb, which prints lines without columns.
void LogFilter::writeGDBFrame(const LogAddress &A, const FrameView &P) {
  writeFunction(P, P.Function.empty() ? "??" : P.Function);
  OS << (P.Function.ends_with(")") ? "" : " ()");
  if (!P.File.empty()) {
    OS << " at ";
    writeName(P.File);
    OS << ':' << P.Line;
    note(P);
  } else if (!A.Module.empty()) {
    OS << " from " << A.Module;
  }
}

/// Writes a frame like eu-stack -s: the name after the address, the position on
/// the next line.
void LogFilter::writeEUStackFrame(const FrameView &P, Cursor &C,
                                  StringRef End) {
  if (!P.Function.empty())
    OS << ' ' << P.Function << uncertainMark(P);
  writeRest(C);
  if (P.File.empty())
    return;
  OS << (End.empty() ? "\n" : End) << "    ";
  writePosition(P);
}

/// Where the text of \p A begins that a frame of an outer function does not
/// have: gdb prints no address for it.
size_t LogFilter::endOfHead(const LogAddress &A, bool IsInnermost) const {
  if (A.Type != Form::GDB || IsInnermost)
    return A.Replaced.Begin;
  return Line.find("0x", A.Whole.Begin);
}

/// Writes what replaces A.Replaced.
void LogFilter::writeReplacement(const LogAddress &A, const FrameView &P) {
  if (A.Type != Form::GDB)
    return writeFrame(A, P);
  OS << (&P == &Places.front() ? " in " : "");
  writeGDBFrame(A, P);
}

/// Writes a line for each function at the address, the only one of the line.
void LogFilter::writeFrames(const LogAddress &A, StringRef End) {
  for (const FrameView &P : Places) {
    Cursor C;
    bool IsInnermost = &P == &Places.front();
    writeTo(C, endOfHead(A, IsInnermost));
    if (A.Type != Form::GDB || IsInnermost)
      writeCodes(C);
    if (A.Type == Form::EUStack)
      writeEUStackFrame(P, C, End);
    else
      writeReplacement(A, P);
    C.Text = std::max(C.Text, A.Replaced.End);
    writeRest(C);
    bool IsLast = &P == &Places.back();
    // The last line of a log may lack its newline.
    OS << (!IsLast && End.empty() ? "\n" : End);
    Shift += !IsLast;
  }
}

/// Writes a frame for each function at the address within the line: after a
/// line end as the line writes it, or a space.
void LogFilter::writeFramesInLine(const LogAddress &A, Cursor &C) {
  // After the spaces or the tab before the frame.
  StringRef Before = Line.take_front(A.Whole.Begin);
  StringRef Indent = Before.substr(Before.rtrim(' ').size());
  for (const FrameView &P : Places) {
    bool IsInnermost = &P == &Places.front();
    if (!IsInnermost) {
      ++Shift;
      OS << (Parsed.WrittenLineEnd.empty() ? " " : Parsed.WrittenLineEnd)
         << (Parsed.WrittenLineEnd.empty() ? "" : Indent) << '#'
         << NextFrame - 1 + Shift
         << Line.slice(A.Whole.Begin, endOfHead(A, false))
                .drop_front()
                .ltrim("0123456789");
    } else {
      writeTo(C, A.Replaced.Begin);
      writeCodes(C);
    }
    writeReplacement(A, P);
    if (!IsInnermost) {
      OS << Line.slice(A.Replaced.End, A.Whole.End);
      continue;
    }
    C.Text = std::max(C.Text, A.Replaced.End);
    writeText(C, A.Whole.End);
  }
}

void LogFilter::writeSummary(const LogAddress &A) {
  const FrameView &P = Places.front();
  if (P.File.empty())
    OS << Line.slice(A.Replaced.Begin, A.Replaced.End).rtrim(' ');
  else
    writePosition(P);
  if (P.Function.empty())
    return;
  OS << " in ";
  writeFunction(P, reportedName(P.Function));
}

/// Writes the functions in parentheses.
void LogFilter::writeMention(const LogAddress &A) {
  const FrameView &First = Places.front();
  if (First.File.empty() &&
      (First.Function == A.Function || A.Type == Form::Kernel))
    return;
  OS << " (";
  for (const FrameView &P : Places) {
    if (&P != &First)
      OS << ", inlined by ";
    writeFunction(P, P.Function);
    if (P.File.empty())
      continue;
    OS << (P.Function.empty() ? "" : " at ");
    writePosition(P);
  }
  OS << ')';
}

void LogFilter::write(StringRef Bytes, StringRef End) {
  Colored.set(Bytes);
  Line = Colored.text();
  Parsed.parse(Line);
  Numbered = 0;
  ArrayRef<LogAddress> Addresses = Parsed.Addresses;
  if (Parsed.FrameNumbers.empty())
    Shift = 0;
  IsAfterSignal &= !Addresses.empty();
  // If the line is a frame, all of it is written again for each function.
  bool IsFrame = Addresses.size() == 1 && Addresses[0].isFrame() &&
                 Parsed.FrameNumbers.size() == 1 &&
                 Parsed.WrittenLineEnd.empty();
  Cursor C;
  for (const LogAddress &A : Addresses) {
    if (!find(A))
      continue;
    if (IsFrame)
      return writeFrames(A, End);
    if (A.isFrame() && A.Type != Form::EUStack) {
      writeFramesInLine(A, C);
      continue;
    }
    writeTo(C, A.isFrame() ? A.Whole.End : A.Replaced.Begin);
    if (A.Type == Form::Summary) {
      writeCodes(C);
      writeSummary(A);
    } else {
      writeMention(A);
    }
    C.Text = std::max(C.Text, A.Replaced.End);
  }
  writeRest(C);
  OS << End;
}

//===----------------------------------------------------------------------===//
// Many lines
//===----------------------------------------------------------------------===//

namespace {
/// Finds the next mark of an address in a text. The text is searched once for
/// each of the marks.
class MarkFinder {
public:
  explicit MarkFinder(StringRef Text) : Text(Text) {}

  /// The first mark at or after \p From, which must not decrease between calls.
  size_t next(size_t From) {
    size_t First = Text.size();
    for (size_t I = 0; I != std::size(LogAddressMarks); ++I) {
      if (!Found[I] || *Found[I] < From)
        Found[I] = From + find(Text.substr(From), LogAddressMarks[I]);
      First = std::min(First, *Found[I]);
    }
    return First;
  }

private:
  /// Like StringRef::find, but several times as fast.
  static size_t find(StringRef In, StringRef Mark) {
    const void *At = ::memmem(In.data(), In.size(), Mark.data(), Mark.size());
    return At ? size_t(static_cast<const char *>(At) - In.data()) : In.size();
  }

  const StringRef Text;
  std::optional<size_t> Found[std::size(LogAddressMarks)];
};
} // namespace

void LogFilter::writeLines(StringRef Lines) {
  size_t Done = 0;
  MarkFinder Marks(Lines);
  while (Done != Lines.size()) {
    size_t Begin = Done;
    if (canSkip()) {
      size_t Address = Marks.next(Begin);
      if (Address == Lines.size())
        break;
      // If rfind() finds nothing, it returns npos, and adding one yields 0.
      Begin = std::max(Begin, Lines.rfind('\n', Address) + 1);
    }
    size_t Next = std::min(Lines.find('\n', Begin), Lines.size() - 1) + 1;
    StringRef Line = Lines.slice(Begin, Next);
    if (Line.size() <= LongestLine) {
      OS << Lines.slice(Done, Begin);
      Done = Next;
      StringRef Text = Line.rtrim("\r\n");
      write(Text, Line.drop_front(Text.size()));
    } else {
      OS << Lines.slice(Done, Next);
      Done = Next;
    }
  }
  OS << Lines.drop_front(Done);
}

} // namespace lidia
