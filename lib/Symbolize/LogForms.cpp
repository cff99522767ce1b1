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
  while (Begin && uint8_t(Text[Begin - 1]) > ' ' &&
         !Stop.contains(Text[Begin - 1]))
    --Begin;
  return Text.substr(Begin);
}

SmallVector<uint8_t, 20> buildIDInLog(StringRef Digits) {
  std::string Bytes;
  // No hash is longer than 64 bytes.
  if (Digits.size() % 2 || Digits.size() > 128 || !tryGetFromHex(Digits, Bytes))
    return {};
  return {Bytes.begin(), Bytes.end()};
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
  LogAddress mention() const {
    LogAddress A;
    A.Replaced = {At, At};
    return A;
  }

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
  StringRef Path = Text.take_front(Text.find(" ("));
  size_t ID = Text.rfind(" (BuildId: ");
  LogAddress A;
  A.Offset = Offset;
  if (ID != StringRef::npos)
    A.BuildID = buildIDInLog(
        Text.substr(ID + 11).take_until([](char C) { return C == ')'; }));
  A.Module = Path.rtrim().split('!').second;
  // Only the build ID tells which library is at this offset of the APK.
  bool IsEmbedded = A.Module.empty() && Text.contains(" (offset ");
  if (A.Module.empty() && !IsEmbedded)
    A.Module = Path.rtrim();
  A.IsModule = A.Module.empty() || isModuleName(A.Module);
  A.Replaced = {Line.size(), Line.size()};
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
  size_t Open = Line.rfind(" (in ");
  if (!Address || !C.skip(": ") || Open == StringRef::npos ||
      !Line.ends_with(")"))
    return std::nullopt;
  LogAddress A;
  A.Runtime = Address;
  A.Module = Line.slice(Open + 5, Line.size() - 1);
  A.Replaced = {Line.size(), Line.size()};
  return A.Module.empty() ? std::nullopt : std::optional(A);
}

/// Python's faulthandler: 'Binary file "/lib/a.so", at f+0x12 [0x55d0]'.
/// Without a function, the offset is relative to the load address; without an
/// offset, the file is loaded at its link address.
static std::optional<LogAddress> asPython(StringRef Line) {
  constexpr StringRef Begin = "  Binary file ";
  if (!Line.starts_with(Begin))
    return std::nullopt;
  Cursor C(Line, Begin.size());
  StringRef Module;
  StringRef Function;
  std::optional<uint64_t> Offset;
  if (!C.skip("'<unknown>'")) {
    if (!C.skip("\""))
      return std::nullopt;
    Module = C.until("\"").value_or("");
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
  LogAddress A = C.mention();
  A.What = LogAddress::Form::Backtrace;
  A.Module = Module;
  A.Function = Function;
  A.Offset = Offset;
  A.Runtime = Runtime;
  A.IsReturnAddress = true;
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
  LogAddress A = C.mention();
  A.What = LogAddress::Form::Backtrace;
  A.Module = Path.substr(Space + 2);
  A.Runtime = Runtime;
  A.IsReturnAddress = true;
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
  LogAddress A = C.mention();
  A.Module = Before.substr(Open + 1);
  A.IsModule = isModuleName(A.Module);
  A.Offset = Offset;
  A.IsFromBegin = true;
  A.IsReturnAddress = true;
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
  LogAddress A;
  A.Replaced = {Line.size(), Line.size()};
  A.Module = C.rest();
  A.Runtime = Runtime;
  A.IsReturnAddress = true;
  return A;
}

/// Runtimes that only know the runtime address: "#4 0x55d0 <unknown>" in
/// Chromium, "4:     0x55d0 - <unknown>" in Rust, "@     0x55d0  (unknown)" in
/// glog and Abseil, which print the address of the fault as "PC: @     0x55d0".
static std::optional<LogAddress> asUnknown(StringRef Line) {
  size_t Word = std::min(Line.find("<unknown>"), Line.find("(unknown)"));
  if (Word == StringRef::npos)
    return std::nullopt;
  StringRef Before = Line.take_front(Word).rtrim();
  Before.consume_back(" -");
  size_t Number = Before.rfind("0x");
  if (Number == StringRef::npos)
    return std::nullopt;
  Cursor C(Before, Number);
  std::optional<uint64_t> Runtime = C.hex();
  StringRef Label = Before.take_front(Number).rtrim();
  bool IsLabelled = Label.ends_with("@") || Label.ends_with(":") ||
                    Label.rtrim("0123456789").ends_with("#");
  if (!Runtime || !C.atEnd() || !IsLabelled)
    return std::nullopt;
  LogAddress A;
  A.Replaced = {Word + StringRef("<unknown>").size(),
                Word + StringRef("<unknown>").size()};
  A.Runtime = Runtime;
  A.IsReturnAddress = !Label.ends_with("PC: @");
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
  LogAddress A = C.mention();
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
  LogAddress A = C.mention();
  A.Module = *Name;
  A.IsModule = isModuleName(A.Module);
  A.Runtime = IP;
  A.Map = Map;
  return A.Module.empty() ? std::nullopt : std::optional(A);
}

/// perf script: "        55d0 f+0x12 (/bin/a)". The number is an address or an
/// offset, depending on perf's version; the function tells which. Frames of
/// callers follow. The result has no number if nothing can be looked up.
static std::optional<LogAddress> asPerfFrame(StringRef Line,
                                             LogLine::PerfState &State) {
  LogLine::PerfState Before = std::exchange(State, LogLine::PerfState::None);
  // A tab precedes the number, which takes 16 columns.
  Cursor C(Line, 0);
  C.skipSpaces();
  size_t Digits = C.rest().take_while(isHexDigit).size();
  std::optional<uint64_t> Number = C.digits();
  bool IsFrame = Line.starts_with("\t") && Number && C.skip(" ") &&
                 Digits >= 3 && Line.ends_with(")");
  size_t Open = Line.rfind(" (");
  if (!IsFrame || Open == StringRef::npos)
    return std::nullopt;
  bool IsKernel = *Number >> 63;
  State = IsKernel ? LogLine::PerfState::Kernel : LogLine::PerfState::User;
  LogAddress A;
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

std::optional<LogAddress> parseOtherForm(StringRef Line,
                                         LogLine::PerfState &State) {
  if (std::optional<LogAddress> A = asPerfFrame(Line, State))
    return A;
  for (auto *Read : {asTombstone, asValgrind, asPython, asXorg, asFirefox,
                     asBoost, asUnknown, asWasm, asTrap})
    if (std::optional<LogAddress> A = Read(Line))
      return A;
  return std::nullopt;
}

} // namespace lidia
