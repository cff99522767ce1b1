//===- LogFilter.cpp - Rewrites the frames in a log -----------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Log/LogFilter.h"
#include "ADT/MessageText.h"
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
  // The offsets of eu-stack are relative to the first segment.
  if (!A.Offset || (A.What == Form::Mention && A.Runtime && M.isFixed()))
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
  uint64_t Left = S.mostText();
  ArrayRef<Frame> Frames = S.frames(Address);
  if (!Options.Inlines && Options.Innermost)
    Frames = Frames.take_front();
  else if (!Options.Inlines && !Frames.empty())
    Frames = ArrayRef<Frame>(S.outerFrame(Address), 1);
  for (const Frame &F : Frames) {
    Place P = {S.function(F), S.file(F), F.Line, F.Column};
    if (P.Function.size() + P.File.size() > Left)
      break;
    Left -= P.Function.size() + P.File.size();
    Places.push_back(P);
  }
}

/// Looks up \p A in the binary that it names.
void LogFilter::lookInModule(const LogAddress &A) {
  bool IsMention = A.What == Form::Mention;
  LogModule *M =
      Modules.get(A.Module, A.BuildID,
                  /*MayBeMissing=*/IsMention && !A.Module.starts_with("/"));
  std::optional<uint64_t> Address = M ? addressIn(*M, A) : std::nullopt;
  if (!Address)
    return;
  bool IsReturnAddress =
      A.IsReturnAddress || (IsMention && Options.ReturnAddresses);
  look(*M, *Address - IsReturnAddress);
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
  Answer = Options.Space->answer(*A.Runtime, A.IsReturnAddress);
  if (!Answer->Reason.empty())
    Modules.warn(Answer->Module + ": " +
                 withoutPath(Answer->Reason, Answer->Module));
  uint32_t Count = Answer->Frames.getNumberOfFrames();
  auto Text = [](const std::string &Known) {
    return Known == DILineInfo::BadString ? StringRef() : StringRef(Known);
  };
  for (uint32_t I = 0; I != Count && (Options.Inlines || I == 0); ++I) {
    const DILineInfo &F = Answer->Frames.getFrame(I);
    Places.push_back(
        {Text(F.FunctionName), Text(F.FileName), F.Line, F.Column});
  }
  // Like Symbolizer::outerFrame().
  if (!Options.Inlines && !Options.Innermost && Count)
    Places.front().Function =
        Text(Answer->Frames.getFrame(Count - 1).FunctionName);
}

/// Stores the code of \p A in Places; returns false if it is unknown.
bool LogFilter::find(const LogAddress &A) {
  Places.clear();
  bool IsKernel = A.What == Form::Kernel;
  bool IsRuntime = A.What == Form::GDB || A.What == Form::EUStack;
  // Otherwise the name may be that of a function.
  bool HasModule = !IsKernel && !IsRuntime &&
                   (!A.Module.empty() || !A.BuildID.empty()) &&
                   (A.IsModule || Modules.isNamed(A.Module));
  bool HasSpace = Options.Space && A.Runtime;
  if (!IsKernel && !HasModule && !HasSpace)
    return false;
  ++Figures.Addresses;
  if (IsKernel)
    lookInKernel(A);
  if (HasModule)
    lookInModule(A);
  if (Places.empty() && HasSpace)
    lookInSpace(A);
  if (Places.empty())
    return false;
  ++(Places.front().Line ? Figures.WithLines : Figures.WithNames);
  return true;
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

void LogFilter::note(const Place &P) {
  if (Options.Files)
    Options.Files->insert(P.File);
}

void LogFilter::writePosition(const Place &P) {
  OS << P.File;
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

/// Writes the line up to \p To, and adds Shift to the frame's number.
void LogFilter::writeTo(Cursor &C, size_t To) {
  const std::optional<LogSpan> &Number = Parsed.FrameNumber;
  if (Shift && Number && C.Text <= Number->Begin && To > Number->Begin) {
    std::string Digits = utostr(NextFrame - 1 + Shift);
    writeText(C, Number->Begin);
    writeCodes(C);
    OS << Digits;
    C.Text = Number->End;
    // Keep the column if there are enough spaces.
    for (size_t I = Number->End - Number->Begin;
         I < Digits.size() && Line.substr(C.Text).starts_with("  "); ++I)
      ++C.Text;
  }
  writeText(C, To);
}

void LogFilter::writeRest(Cursor &C) {
  writeTo(C, Line.size());
  writeCodes(C);
}

/// Updates the expected number of the next frame.
void LogFilter::numberFrame() {
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

/// The name of a function in a sanitizer's report. A sanitizer's own "malloc"
/// is named __interceptor_malloc.
static StringRef reportedName(StringRef Function) {
  if (!Function.consume_front("___interceptor_"))
    Function.consume_front("__interceptor_");
  return Function;
}

/// Writes the text that replaces A.Replaced, in the format of the program that
/// wrote the log.
void LogFilter::writeFrame(const LogAddress &A, const Place &P) {
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

/// Writes a frame like gdb, which prints lines without columns.
void LogFilter::writeGDBFrame(const LogAddress &A, const Place &P) {
  OS << (P.Function.empty() ? "??" : P.Function)
     << (P.Function.ends_with(")") ? "" : " ()");
  if (!P.File.empty()) {
    OS << " at " << P.File << ':' << P.Line;
    note(P);
  } else if (!A.Module.empty()) {
    OS << " from " << A.Module;
  }
}

/// Writes a frame like eu-stack -s: the name after the address, the position on
/// the next line.
void LogFilter::writeEUStackFrame(const Place &P, Cursor &C, StringRef End) {
  if (!P.Function.empty())
    OS << ' ' << P.Function;
  writeRest(C);
  if (P.File.empty())
    return;
  OS << (End.empty() ? "\n" : End) << "    ";
  writePosition(P);
}

/// Writes a line for each function at the address.
void LogFilter::writeFrames(const LogAddress &A, StringRef End) {
  for (const Place &P : Places) {
    Cursor C;
    // gdb prints no address for the outer functions of an inlined call.
    bool HasAddress = A.What != Form::GDB || &P == &Places.front();
    if (HasAddress) {
      writeTo(C, A.Replaced.Begin);
      writeCodes(C);
    } else {
      writeTo(C, Line.find("0x", Parsed.FrameNumber->End));
    }
    if (A.What == Form::GDB) {
      OS << (HasAddress ? " in " : "");
      writeGDBFrame(A, P);
    } else if (A.What == Form::EUStack) {
      writeEUStackFrame(P, C, End);
    } else {
      writeFrame(A, P);
    }
    C.Text = std::max(C.Text, A.Replaced.End);
    writeRest(C);
    bool IsLast = &P == &Places.back();
    // The last line of a log may lack its newline.
    OS << (!IsLast && End.empty() ? "\n" : End);
    Shift += !IsLast;
  }
}

void LogFilter::writeSummary(const LogAddress &A) {
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
  if (First.File.empty() &&
      (First.Function == A.Function || A.What == Form::Kernel))
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

void LogFilter::write(StringRef Bytes, StringRef End) {
  Colored.set(Bytes);
  Line = Colored.text();
  Parsed.parse(Line);
  numberFrame();
  Cursor C;
  for (const LogAddress &A : Parsed.Addresses) {
    if (!find(A))
      continue;
    if (A.What == Form::Frame || A.What == Form::NamedFrame ||
        A.What == Form::GDB || A.What == Form::EUStack)
      return writeFrames(A, End);
    writeTo(C, A.Replaced.Begin);
    if (A.What == Form::Summary) {
      writeCodes(C);
      writeSummary(A);
    } else {
      writeMention(A);
    }
    C.Text = A.Replaced.End;
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
