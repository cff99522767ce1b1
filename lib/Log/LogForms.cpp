//===- LogForms.cpp - Formats of addresses in logs ------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LogForms.h"
#include "llvm/ADT/STLExtras.h"
#include <string>
#include <utility>

using namespace llvm;

namespace lidia {

//===----------------------------------------------------------------------===//
// Parts of a line
//===----------------------------------------------------------------------===//

std::optional<uint64_t> readHex(StringRef Line, size_t &At) {
  StringRef Rest = Line.substr(At);
  if (!Rest.consume_front("0x"))
    return std::nullopt;
  StringRef Digits = Rest.take_while(isHexDigit);
  uint64_t Value;
  if (Digits.size() > 16 || Digits.getAsInteger(16, Value))
    return std::nullopt;
  At += 2 + Digits.size();
  return Value;
}

StringRef lastWord(StringRef Text) {
  constexpr StringRef Stop = "\"'`()[]{}<>|,;:=\x7f";
  size_t Begin = Text.size();
  // A tab may be written as "\\t", too.
  while (Begin && uint8_t(Text[Begin - 1]) > ' ' &&
         !Stop.contains(Text[Begin - 1]) &&
         !Text.take_front(Begin).ends_with("\\t"))
    --Begin;
  return Text.substr(Begin);
}

SmallVector<uint8_t, 20> buildIDInLog(StringRef Digits) {
  std::string Bytes;
  // No hash is longer than 64 bytes.
  if (Digits.size() > 128 || !tryGetFromHex(Digits, Bytes))
    return {};
  return {Bytes.begin(), Bytes.end()};
}

size_t endOfGroup(StringRef Text, size_t Open) {
  size_t Depth = 0;
  for (size_t I = Open; I < Text.size(); ++I) {
    if (Text[I] == '(')
      ++Depth;
    else if (Text[I] == ')' && --Depth == 0)
      return I + 1;
  }
  return StringRef::npos;
}

size_t openOfPath(StringRef Text, char Open) {
  // What the kernel adds to the path of a deleted file.
  constexpr StringRef Deleted = " (deleted)";
  size_t End = Text.size();
  if (Open == '(' && Text.ends_with(Deleted))
    End -= Deleted.size();
  const char Mark[] = {' ', Open};
  return Text.take_front(End).rfind(StringRef(Mark, sizeof(Mark)));
}

/// The end of the path that begins \p Text: of the text, or of the string in
/// JSON that it is in.
static size_t endOfLastPath(StringRef Text) {
  return Text.take_front(Text.find('"')).rtrim().size();
}

namespace {
/// Reads a line from left to right.
class Cursor {
public:
  Cursor(StringRef Line, size_t At) : Line(Line), At(At) {}

  StringRef rest() const { return Line.substr(At); }
  bool atEnd() const { return At >= Line.size(); }
  bool skip(StringRef Text) { return lidia::skip(Line, At, Text); }
  void skipSpaces() { At += rest().take_while(isSpace).size(); }
  /// Reads digits without "0x".
  std::optional<uint64_t> digits() {
    StringRef Text = rest().take_while(isHexDigit);
    uint64_t Value;
    if (Text.size() > 16 || Text.getAsInteger(16, Value))
      return std::nullopt;
    At += Text.size();
    return Value;
  }
  std::optional<uint64_t> hex() { return readHex(Line, At); }
  /// Reads the text before \p Stop, and skips \p Stop.
  std::optional<StringRef> until(StringRef Stop) {
    size_t End = Line.find(Stop, At);
    if (End == StringRef::npos)
      return std::nullopt;
    StringRef Text = Line.slice(At, End);
    At = End + Stop.size();
    return Text;
  }
  /// An address whose functions are inserted at this position.
  LogAddress mention(LogSource Source) const {
    LogAddress A;
    A.Source = Source;
    A.Replaced = {At, At};
    return A;
  }
  /// Moves forward by \p Size bytes.
  void advance(size_t Size) { At += Size; }

private:
  StringRef Line;
  size_t At;
};
} // namespace

//===----------------------------------------------------------------------===//
// Forms
//===----------------------------------------------------------------------===//

/// Android's tombstones: "#01 pc 00000000000012ab  /lib/a.so (f+12) (BuildId:
/// ab)". libunwindstack prints the address in the file, and already that of the
/// call. A library in an APK has its name after the path: "a.apk!liba.so".
static std::optional<LogAddress> asTombstone(StringRef Line) {
  size_t Word = Line.find(" pc ");
  if (Word == StringRef::npos)
    return std::nullopt;
  StringRef Before = Line.take_front(Word);
  StringRef Number = Before.substr(Before.rfind('#') + 1);
  if (Number.size() == Before.size() || Number.empty() || Number.size() > 4 ||
      !all_of(Number, isDigit))
    return std::nullopt;
  Cursor C(Line, Word + 4);
  size_t Digits = C.rest().take_while(isHexDigit).size();
  std::optional<uint64_t> Offset = C.digits();
  if (!Offset || (Digits != 8 && Digits != 16) || !C.skip("  "))
    return std::nullopt;
  StringRef Text = C.rest();
  size_t PathEnd = endOfLastPath(Text);
  PathEnd = std::min(PathEnd, Text.find(" ("));
  StringRef Path = Text.take_front(PathEnd).rtrim();
  StringRef ID;
  bool HasOffset = false;
  size_t End = Path.size();
  while (Text.substr(End).starts_with(" (")) {
    size_t GroupEnd = endOfGroup(Text, End + 1);
    if (GroupEnd == StringRef::npos)
      break;
    StringRef Group = Text.slice(End + 2, GroupEnd - 1);
    // Offsets in functions are decimal, so it is another form.
    if (Group.contains("+0x"))
      break;
    HasOffset |= Group.starts_with("offset ");
    if (Group.consume_front("BuildId: "))
      ID = Group;
    End = GroupEnd;
  }
  C.advance(End);
  LogAddress A = C.mention(LogSource::Android);
  A.Offset = Offset;
  A.BuildID = buildIDInLog(ID);
  A.Module = Path.split('!').second;
  // Only the build ID tells which library is at this offset of the APK.
  bool IsEmbedded = A.Module.empty() && HasOffset;
  if (A.Module.empty() && !IsEmbedded)
    A.Module = Path;
  A.IsModule = A.Module.empty() || isModuleName(A.Module);
  if (A.Module.empty() ? A.BuildID.empty() : A.Module.starts_with("<"))
    return std::nullopt;
  return A;
}

/// Valgrind: "==1==    by 0x401136: ??? (in /bin/a)". Its addresses are those
/// of calls, not return addresses.
static std::optional<LogAddress> asValgrind(StringRef Line) {
  size_t Word = Line.find("==    ");
  if (Word == StringRef::npos)
    return std::nullopt;
  Cursor C(Line, Word + 6);
  if (!C.skip("at ") && !C.skip("by "))
    return std::nullopt;
  std::optional<uint64_t> Address = C.hex();
  if (!Address || !C.skip(": "))
    return std::nullopt;
  StringRef Text = C.rest();
  constexpr StringRef In = " (in ";
  size_t Open = Text.find(In);
  size_t End = Open == StringRef::npos ? Open : endOfGroup(Text, Open + 1);
  if (End == StringRef::npos)
    return std::nullopt;
  C.advance(End);
  LogAddress A = C.mention(LogSource::Valgrind);
  A.Runtime = Address;
  A.Module = Text.slice(Open + In.size(), End - 1);
  return A.Module.empty() ? std::nullopt : std::optional(A);
}

/// Zig without debug information: "???:?:?: 0x11e50f7 in ??? (/bin/a)". It
/// subtracts one from return addresses.
static std::optional<LogAddress> asZig(StringRef Line) {
  constexpr StringRef Word = "???:?:?: ";
  size_t Begin = Line.find(Word);
  if (Begin == StringRef::npos)
    return std::nullopt;
  Cursor C(Line, Begin + Word.size());
  std::optional<uint64_t> Address = C.hex();
  if (!Address || !C.skip(" in ??? ("))
    return std::nullopt;
  std::optional<StringRef> Module = C.until(")");
  if (!Module)
    return std::nullopt;
  LogAddress A = C.mention(LogSource::Zig);
  A.Runtime = Address;
  if (*Module != "???")
    A.Module = *Module;
  return A;
}

/// Python's faulthandler: 'Binary file "/lib/a.so", at f+0x12 [0x55d0]'.
/// Without a function, the offset is relative to the load address; without an
/// offset, the file is loaded at its link address.
static std::optional<LogAddress> asPython(StringRef Line) {
  constexpr StringRef Word = "  Binary file ";
  size_t Begin = Line.find(Word);
  if (Begin == StringRef::npos)
    return std::nullopt;
  Cursor C(Line, Begin + Word.size());
  // In JSON, a quote has a backslash.
  StringRef Quote = C.rest().starts_with("\\\"") ? "\\\"" : "\"";
  StringRef Module;
  StringRef Function;
  std::optional<uint64_t> Offset;
  if (!C.skip("'<unknown>'")) {
    if (!C.skip(Quote))
      return std::nullopt;
    Module = C.until(Quote).value_or("");
    if (C.skip(", at ")) {
      // Only complete symbols can be answered.
      std::optional<StringRef> Name = C.until("+");
      if (Name)
        Function = *Name;
      Offset = C.hex();
      if (!Name || !Offset)
        return std::nullopt;
    }
  }
  if (!C.skip(" ["))
    return std::nullopt;
  std::optional<uint64_t> Runtime = C.hex();
  if (!Runtime || !C.skip("]"))
    return std::nullopt;
  LogAddress A = C.mention(LogSource::Python);
  A.Type = LogAddress::Form::Backtrace;
  A.Module = Module;
  A.Function = Function;
  A.Offset = Offset;
  A.Runtime = Runtime;
  return A;
}

/// Xorg: "2: /usr/lib/xorg/Xorg (f+0x12) [0x55d0]". Without a symbol it is
/// "(0x55c0+0x10)", relative to the load address, or "(?+0x0)".
static std::optional<LogAddress> asXorg(StringRef Line) {
  size_t Open = Line.find(" (");
  if (Open == StringRef::npos)
    return std::nullopt;
  StringRef Path = Line.take_front(Open);
  size_t Space = Path.rfind(": ");
  if (Space == StringRef::npos || Space == 0 || !isDigit(Path[Space - 1]))
    return std::nullopt;
  Cursor C(Line, Open + 2);
  std::optional<StringRef> Name = C.until("+");
  std::optional<uint64_t> Offset = Name ? C.hex() : std::nullopt;
  if (!Offset || !C.skip(") ["))
    return std::nullopt;
  std::optional<uint64_t> Runtime = C.hex();
  if (!Runtime || !C.skip("]"))
    return std::nullopt;
  LogAddress A = C.mention(LogSource::Xorg);
  A.Type = LogAddress::Form::Backtrace;
  A.Module = Path.substr(Space + 2);
  A.Runtime = Runtime;
  size_t End = 0;
  if (*Name != "?")
    A.Offset = Offset;
  if (readHex(*Name, End) && End == Name->size())
    A.IsFromBegin = true;
  else
    A.Function = A.Offset ? *Name : "";
  return A.Module.starts_with("/") ? std::optional(A) : std::nullopt;
}

/// Firefox: "#01: f[/usr/lib/firefox/libxul.so +0x12]", relative to the load
/// address.
static std::optional<LogAddress> asFirefox(StringRef Line) {
  size_t Plus = Line.find(" +0x");
  if (Plus == StringRef::npos)
    return std::nullopt;
  Cursor C(Line, Plus + 2);
  StringRef Before = Line.take_front(Plus);
  size_t Open = Before.rfind('[');
  size_t Number = Before.take_front(Open).rfind(": ");
  std::optional<uint64_t> Offset = C.hex();
  if (!Offset || !C.skip("]") || Open == StringRef::npos ||
      Number == StringRef::npos || Number == 0 || !isDigit(Before[Number - 1]))
    return std::nullopt;
  StringRef Digits = Before.take_front(Number);
  if (!Digits.rtrim("0123456789").ends_with("#"))
    return std::nullopt;
  LogAddress A = C.mention(LogSource::Firefox);
  A.Module = Before.substr(Open + 1);
  A.IsModule = isModuleName(A.Module);
  A.Offset = Offset;
  A.IsFromBegin = true;
  return A.Module.empty() ? std::nullopt : std::optional(A);
}

/// Boost.Stacktrace: " 1# 0x00000000004012DF in ./a".
static std::optional<LogAddress> asBoost(StringRef Line) {
  size_t Word = Line.find("# 0x");
  if (Word == StringRef::npos || Word == 0 || !isDigit(Line[Word - 1]))
    return std::nullopt;
  Cursor C(Line, Word + 2);
  std::optional<uint64_t> Runtime = C.hex();
  if (!Runtime || !C.skip(" in ") || C.atEnd())
    return std::nullopt;
  StringRef Module = C.rest().take_front(endOfLastPath(C.rest()));
  C.advance(Module.size());
  LogAddress A = C.mention(LogSource::Boost);
  A.Module = Module;
  A.Runtime = Runtime;
  return A.Module.empty() ? std::nullopt : std::optional(A);
}

/// Node.js: " 1: 0xb090e0 node::Abort() [node]", or without a name " 2:
/// 0xa1c193  [/lib/a.so]".
static std::optional<LogAddress> asNode(StringRef Line) {
  size_t Word = Line.find(": 0x");
  if (Word == StringRef::npos || Word == 0 || !isDigit(Line[Word - 1]))
    return std::nullopt;
  Cursor C(Line, Word + 2);
  std::optional<uint64_t> Runtime = C.hex();
  if (!Runtime || !C.skip(" "))
    return std::nullopt;
  StringRef Text = C.rest();
  // A compiler's suffix, " [clone .cold]", has a space.
  while (std::optional<StringRef> Name = C.until(" [")) {
    StringRef Module =
        C.rest().take_while([](char C) { return C != ']' && !isSpace(C); });
    if (Module.empty() || !C.rest().substr(Module.size()).starts_with("]"))
      continue;
    C.advance(Module.size() + 1);
    LogAddress A = C.mention(LogSource::Node);
    A.Function = Text.drop_back(Text.end() - Name->end()).trim();
    A.Module = Module;
    A.Runtime = Runtime;
    return A;
  }
  return std::nullopt;
}

/// Go: "[signal SIGSEGV: segmentation violation code=0x1 addr=0x0
/// pc=0x45c2e9]".
static std::optional<LogAddress> asGoSignal(StringRef Line) {
  size_t Begin = Line.find("[signal ");
  size_t Word = Line.find(" pc=0x", Begin);
  if (Begin == StringRef::npos || Word == StringRef::npos)
    return std::nullopt;
  Cursor C(Line, Word + 4);
  std::optional<uint64_t> Runtime = C.hex();
  if (!Runtime || !C.skip("]"))
    return std::nullopt;
  LogAddress A = C.mention(LogSource::Fault);
  A.Runtime = Runtime;
  return A;
}

/// Runtimes that only know the runtime address: "#4 0x55d0 <unknown>" in
/// Chromium, "4:     0x55d0 - <unknown>" in Rust, "@     0x55d0  (unknown)" in
/// glog and Abseil, which may print the size of the frame before the word, and
/// the address of the fault as "PC: @     0x55d0". folly prints "@
/// 00000000000055d0 (unknown)".
static std::optional<LogAddress> asUnknown(StringRef Line) {
  constexpr StringRef Words[] = {"<unknown>", "(unknown)"};
  size_t Word = std::min(Line.find(Words[0]), Line.find(Words[1]));
  if (Word == StringRef::npos)
    return std::nullopt;
  StringRef Before = Line.take_front(Word).rtrim();
  Before.consume_back(" -");
  StringRef WithoutSize = Before.rtrim("0123456789");
  if (WithoutSize.size() != Before.size() && WithoutSize.ends_with("   "))
    Before = WithoutSize.rtrim();
  size_t Number = Before.rfind(' ') + 1;
  StringRef Label = Before.take_front(Number).rtrim();
  Cursor C(Before, Number);
  bool IsFolly = !C.rest().starts_with("0x");
  if (IsFolly && (C.rest().size() != 16 || !Label.ends_with("@")))
    return std::nullopt;
  std::optional<uint64_t> Runtime = IsFolly ? C.digits() : C.hex();
  bool IsLabelled = Label.ends_with("@") || Label.ends_with(":") ||
                    Label.rtrim("0123456789").ends_with("#");
  if (!Runtime || !C.atEnd() || !IsLabelled)
    return std::nullopt;
  LogAddress A;
  size_t End = Word + Words[0].size();
  A.Replaced = {End, End};
  A.Runtime = Runtime;
  A.Source = Label.ends_with("PC: @") ? LogSource::Fault
             : IsFolly                ? LogSource::Folly
                                      : LogSource::Unknown;
  return A;
}

/// The file of \p Module, the name in a WebAssembly engine: the last part of a
/// URL, or the module's own name in "wasm://wasm/a.wasm-0a1b2c3d". Empty if
/// there is only a hash.
static StringRef wasmFile(StringRef Module) {
  bool IsFromBytes = Module.consume_front("wasm://wasm/");
  Module = Module.take_until([](char C) { return C == '?' || C == '#'; });
  Module = Module.substr(Module.rfind('/') + 1);
  if (!IsFromBytes)
    return Module;
  size_t Dash = Module.rfind('-');
  StringRef Hash = Module.substr(Dash + 1);
  bool HasName = Dash != StringRef::npos && all_of(Hash, isHexDigit);
  return HasName ? Module.take_front(Dash) : Module;
}

/// V8 and SpiderMonkey: "at f (wasm://wasm/a.wasm-0a1b2c3d:wasm-function[3]
/// :0x1a2)" or "f@http://host/a.wasm:wasm-function[3]:0x1a2", on one line. The
/// offset is that of the call in the file.
static std::optional<LogAddress> asWasm(StringRef Line) {
  constexpr StringRef Word = ":wasm-function[";
  size_t At = Line.find(Word);
  if (At == StringRef::npos)
    return std::nullopt;
  Cursor C(Line, At + Word.size());
  std::optional<StringRef> Number = C.until("]:");
  std::optional<uint64_t> Offset = Number ? C.hex() : std::nullopt;
  if (!Offset || Number->empty() || !all_of(*Number, isDigit))
    return std::nullopt;
  StringRef Before = Line.take_front(At);
  LogAddress A = C.mention(LogSource::Wasm);
  A.Module = wasmFile(Before.substr(Before.find_last_of("( @") + 1));
  A.Runtime = Offset;
  A.Map.emplace().FileOffset = Offset;
  return A.Module.empty() ? std::nullopt : std::optional(A);
}

/// The kernel, about programs: "a[1]: segfault at 0 ip 55d0 sp 7ffc error 6 in
/// a[1129,55c0+1000]", where the first number in brackets, which only newer
/// kernels print, is an offset in the file; also "traps: a[1] ... ip:55d0
/// sp:7ffc error:0 in a[55c0+1000]".
static std::optional<LogAddress> asTrap(StringRef Line) {
  size_t Word = Line.find(" ip");
  if (Word == StringRef::npos)
    return std::nullopt;
  Cursor C(Line, Word + 3);
  if (!C.skip(" ") && !C.skip(":"))
    return std::nullopt;
  std::optional<uint64_t> IP = C.digits();
  if (!IP || !(C.skip(" sp ") || C.skip(" sp:")) || !C.until(" in "))
    return std::nullopt;
  std::optional<StringRef> Name = C.until("[");
  std::optional<uint64_t> First = Name ? C.digits() : std::nullopt;
  if (!First)
    return std::nullopt;
  LogMapping Map;
  Map.Begin = *First;
  if (C.skip(",")) {
    std::optional<uint64_t> Begin = C.digits();
    if (!Begin)
      return std::nullopt;
    Map.FileOffset = First;
    Map.Begin = *Begin;
  }
  std::optional<uint64_t> Size = C.skip("+") ? C.digits() : std::nullopt;
  if (!Size || !C.skip("]") || *IP < Map.Begin || *IP - Map.Begin >= *Size)
    return std::nullopt;
  Map.Size = *Size;
  LogAddress A = C.mention(LogSource::Trap);
  A.Module = *Name;
  A.IsModule = isModuleName(A.Module);
  A.Runtime = IP;
  A.Map = Map;
  return A.Module.empty() ? std::nullopt : std::optional(A);
}

/// perf script: "        55d0 f+0x12 (/bin/a)". The number is an address or an
/// offset, depending on perf's version; the function tells which. Frames of
/// callers follow. The result has no number if nothing can be looked up.
std::optional<LogAddress> parsePerfFrame(StringRef Line,
                                         LogLine::PerfState &State) {
  LogLine::PerfState Before = std::exchange(State, LogLine::PerfState::None);
  // A tab precedes the number, which takes 16 columns.
  Cursor C(Line, 0);
  bool HasTab = C.skip("\t") || C.skip("\\t");
  C.skipSpaces();
  size_t Digits = C.rest().take_while(isHexDigit).size();
  std::optional<uint64_t> Number = C.digits();
  bool IsFrame =
      HasTab && Number && C.skip(" ") && Digits >= 3 && Line.ends_with(")");
  size_t Open = IsFrame ? openOfPath(Line.drop_back(), '(') : StringRef::npos;
  if (Open == StringRef::npos)
    return std::nullopt;
  bool IsKernel = *Number >> 63;
  State = IsKernel ? LogLine::PerfState::Kernel : LogLine::PerfState::User;
  LogAddress A;
  A.Source = LogSource::Perf;
  A.Replaced = {Line.size(), Line.size()};
  A.IsReturnAddress = Before == State;
  A.Module = Line.slice(Open + 2, Line.size() - 1);
  if (IsKernel || !A.Module.starts_with("/"))
    return A;
  // With the field dsoff, the path is followed by the offset in the file, and
  // the number is a runtime address.
  auto [Path, OffsetText] = A.Module.rsplit("+0x");
  uint64_t FileOffset = 0;
  if (!OffsetText.getAsInteger(16, FileOffset)) {
    A.Module = Path;
    A.Runtime = Number;
    A.Map.emplace().FileOffset = FileOffset;
    return A;
  }
  StringRef Symbol = Line.take_front(Open);
  size_t Plus = Symbol.rfind("+0x");
  size_t End = Plus + 1;
  std::optional<uint64_t> Offset =
      Plus == StringRef::npos ? std::nullopt : readHex(Symbol, End);
  if (!Offset || End != Symbol.size())
    return A;
  StringRef Name = C.rest().take_front(Plus - (Line.size() - C.rest().size()));
  if (Name.contains(' '))
    return A;
  A.Function = Name;
  A.Offset = Offset;
  return A;
}

std::optional<LogAddress> parseOtherForm(StringRef Line) {
  for (auto *Read :
       {asTombstone, asValgrind, asZig, asPython, asXorg, asFirefox, asBoost,
        asUnknown, asNode, asGoSignal, asWasm, asTrap})
    if (std::optional<LogAddress> A = Read(Line))
      return A;
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Return addresses
//===----------------------------------------------------------------------===//

LogAddressRule ruleOf(LogSource Source) {
  static constexpr LogAddressRule Rules[] = {
#define LOG_SOURCE(ID, RULE, PRINTER) LogAddressRule::RULE,
#include "lidia/Log/LogSources.def"
  };
  return Rules[size_t(Source)];
}

bool namesSignalFrame(StringRef Text) {
  constexpr StringRef Names[] = {"__restore_rt",
                                 "__restore",
                                 "__kernel_rt_sigreturn",
                                 "__kernel_sigreturn",
                                 "__vdso_rt_sigreturn",
                                 "__vdso_sigreturn",
                                 "__kernel_sigtramp_rt64",
                                 "__kernel_sigtramp_rt32",
                                 "__kernel_sigtramp32",
                                 "__default_rt_sa_restorer",
                                 "__default_sa_restorer",
                                 "_sigtramp",
                                 "signal handler called",
                                 "called from signal handler",
                                 "--- signal"};
  if (!Text.contains("__restore") && !Text.contains("sig") &&
      !Text.contains("_sa_restorer"))
    return false;
  return any_of(Names, [&](StringRef Name) {
    size_t At = Text.find(Name);
    StringRef After =
        Text.substr(At == StringRef::npos ? At : At + Name.size());
    return At != StringRef::npos &&
           (At == 0 || !isFunctionNameChar(Text[At - 1])) &&
           (After.empty() || !isFunctionNameChar(After.front()));
  });
}

} // namespace lidia
