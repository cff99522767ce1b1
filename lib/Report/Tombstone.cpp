//===- Tombstone.cpp - Android's crash reports ----------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Report/Tombstone.h"
#include "Support/ProtoFields.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <cinttypes>
#include <map>

using namespace llvm;

namespace lidia {

//===----------------------------------------------------------------------===//
// Fields
//===----------------------------------------------------------------------===//

namespace {
/// Tags of tombstone.proto that are used.
namespace tag {
namespace tombstone {
enum : uint32_t {
  Architecture = 1,
  Fingerprint,
  Revision,
  Timestamp,
  PID,
  TID,
  UID,
  CommandLine = 9,
  Signal,
  AbortMessage = 14,
  Causes,
  Threads,
  Mappings,
  Uptime = 20
};
} // namespace tombstone
namespace signal {
enum : uint32_t {
  Number = 1,
  Name,
  Code,
  CodeName,
  HasSender,
  SenderUID,
  SenderPID,
  HasFaultAddress,
  FaultAddress
};
} // namespace signal
namespace cause {
enum : uint32_t { Text = 1, MemoryError };
} // namespace cause
namespace memory_error {
enum : uint32_t { Heap = 3 };
} // namespace memory_error
namespace heap {
enum : uint32_t { AllocatedBy = 3, Allocation, FreedBy, Deallocation };
} // namespace heap
namespace entry {
enum : uint32_t { Key = 1, Value };
} // namespace entry
namespace thread {
enum : uint32_t { ID = 1, Name, Registers, Frames, Notes = 7 };
} // namespace thread
namespace reg {
enum : uint32_t { Name = 1, Value };
} // namespace reg
namespace frame {
enum : uint32_t {
  RelativePC = 1,
  Function = 4,
  FunctionOffset,
  File,
  MapOffset,
  BuildID
};
} // namespace frame
namespace mapping {
enum : uint32_t {
  Begin = 1,
  End,
  Offset,
  Read,
  Write,
  Execute,
  Name,
  BuildID,
  LoadBias
};
} // namespace mapping
} // namespace tag

/// A message. Each access parses its fields again.
class Message {
public:
  explicit Message(StringRef Bytes) : Bytes(Bytes) {}

  /// As in protobuf, the last value is used.
  uint64_t number(uint32_t Tag) const {
    uint64_t Result = 0;
    forEachField(Bytes, [&](const ProtoField &F) {
      if (F.Tag == Tag && F.HasNumber)
        Result = F.Number;
    });
    return Result;
  }
  StringRef bytes(uint32_t Tag) const {
    StringRef Result;
    each(Tag, [&](StringRef Found) { Result = Found; });
    return Result;
  }
  Message message(uint32_t Tag) const { return Message(bytes(Tag)); }
  void each(uint32_t Tag, function_ref<void(StringRef)> Visit) const {
    forEachField(Bytes, [&](const ProtoField &F) {
      if (F.isMessage(Tag))
        Visit(F.Bytes);
    });
  }
  bool isEmpty() const { return Bytes.empty(); }

private:
  StringRef Bytes;
};
} // namespace

//===----------------------------------------------------------------------===//
// Recognition
//===----------------------------------------------------------------------===//

/// The encoded tags of two fields.
static constexpr char ArchitectureTag = 1 << 3, FingerprintTag = (2 << 3) | 2;

bool mayBeTombstone(StringRef FirstBytes) {
  // A field with the value zero, such as that of 32-bit Arm, is omitted.
  if (FirstBytes.size() > 2 && FirstBytes[0] == ArchitectureTag)
    return FirstBytes[2] == FingerprintTag;
  return FirstBytes.starts_with(StringRef(&FingerprintTag, 1));
}

bool isTombstone(StringRef Bytes) {
  if (!mayBeTombstone(Bytes))
    return false;
  bool HasTime = false, HasProcess = false, HasWrongType = false;
  forEachField(Bytes, [&](const ProtoField &F) {
    HasTime |= F.isMessage(tag::tombstone::Timestamp);
    HasProcess |= F.Tag == tag::tombstone::PID && F.HasNumber;
    HasWrongType |= F.Tag == tag::tombstone::Threads && !F.HasBytes;
  });
  return HasTime && HasProcess && !HasWrongType;
}

//===----------------------------------------------------------------------===//
// The text
//===----------------------------------------------------------------------===//

namespace {
/// Writes a tombstone line by line like Android's tombstone_proto_to_text.cpp.
class TombstoneWriter {
public:
  TombstoneWriter(StringRef Bytes, raw_ostream &OS);

  void write();

private:
  void writeHeader();
  void writeSignal();
  void writeCauses();
  void writeThread(Message Thread, bool IsMain);
  void writeRegisters(Message Thread);
  void writeFrames(Message Of, uint32_t Tag);
  void writeMappings();
  void address(uint64_t Value) { OS << format_hex_no_prefix(Value, Digits); }
  void text(StringRef Text, bool HasLines = false);

  const Message Crash;
  raw_ostream &OS;
  /// The number of digits of an address.
  unsigned Digits = 16;
  StringRef ABI = "<unknown>";
  /// Both are repeated for each thread.
  uint32_t PID = 0;
  StringRef Process;
};
} // namespace

TombstoneWriter::TombstoneWriter(StringRef Bytes, raw_ostream &OS)
    : Crash(Bytes), OS(OS) {
  static constexpr struct {
    StringLiteral Name;
    unsigned Digits;
  } Architectures[] = {
      {"arm", 8}, {"arm64", 16}, {"x86", 8}, {"x86_64", 16}, {"riscv64", 16}};
  uint64_t Number = Crash.number(tag::tombstone::Architecture);
  if (Number < std::size(Architectures)) {
    ABI = Architectures[Number].Name;
    Digits = Architectures[Number].Digits;
  }
  PID = uint32_t(Crash.number(tag::tombstone::PID));
  constexpr size_t MaxOfName = 128;
  Crash.each(tag::tombstone::CommandLine, [&](StringRef Word) {
    if (Process.empty())
      Process = Word.take_front(MaxOfName);
  });
}

/// Writes \p Text with dots for control characters and, unless \p HasLines, for
/// line breaks.
void TombstoneWriter::text(StringRef Text, bool HasLines) {
  for (char C : Text)
    OS << (uint8_t(C) >= ' ' || (HasLines && C == '\n') ? C : '.');
}

void TombstoneWriter::writeHeader() {
  OS << "*** *** *** *** *** *** *** *** *** *** *** *** *** *** *** ***\n"
     << "Build fingerprint: '";
  text(Crash.bytes(tag::tombstone::Fingerprint));
  OS << "'\nRevision: '";
  text(Crash.bytes(tag::tombstone::Revision));
  OS << "'\nABI: '" << ABI << "'\nTimestamp: ";
  text(Crash.bytes(tag::tombstone::Timestamp));
  OS << "\nProcess uptime: " << uint32_t(Crash.number(tag::tombstone::Uptime))
     << "s\nCmdline:";
  Crash.each(tag::tombstone::CommandLine, [&](StringRef Word) {
    OS << ' ';
    text(Word);
  });
  OS << '\n';
}

void TombstoneWriter::writeSignal() {
  using namespace tag::signal;
  Message S = Crash.message(tag::tombstone::Signal);
  if (S.isEmpty()) {
    OS << "signal information missing\n";
    return;
  }
  OS << "signal " << int32_t(S.number(Number)) << " (";
  text(S.bytes(Name));
  OS << "), code " << int32_t(S.number(Code)) << " (";
  text(S.bytes(CodeName));
  if (S.number(HasSender))
    OS << " from pid " << int32_t(S.number(SenderPID)) << ", uid "
       << int32_t(S.number(SenderUID));
  OS << "), fault addr ";
  if (S.number(HasFaultAddress)) {
    OS << "0x";
    address(S.number(FaultAddress));
  } else {
    OS << "--------";
  }
  OS << '\n';
}

void TombstoneWriter::writeRegisters(Message Thread) {
  constexpr unsigned InRow = 4;
  unsigned Count = 0;
  Thread.each(tag::thread::Registers, [&](StringRef Bytes) {
    Message R(Bytes);
    OS << (Count++ % InRow ? "  " : Count == 1 ? "    " : "\n    ");
    StringRef Name = R.bytes(tag::reg::Name);
    text(Name);
    OS.indent(Name.size() < 3 ? 4 - unsigned(Name.size()) : 1);
    address(R.number(tag::reg::Value));
  });
  if (Count)
    OS << '\n';
}

void TombstoneWriter::writeFrames(Message Of, uint32_t Tag) {
  using namespace tag::frame;
  unsigned Index = 0;
  Of.each(Tag, [&](StringRef Bytes) {
    Message F(Bytes);
    OS << "      #" << llvm::format("%02u", Index++) << " pc ";
    address(F.number(RelativePC));
    OS << "  ";
    text(F.bytes(File));
    if (uint64_t Offset = F.number(MapOffset))
      OS << " (offset " << format_hex(Offset, 0) << ')';
    if (StringRef Name = F.bytes(Function); !Name.empty()) {
      OS << " (";
      text(Name);
      OS << '+' << int64_t(F.number(FunctionOffset)) << ')';
    }
    if (StringRef ID = F.bytes(BuildID); !ID.empty()) {
      OS << " (BuildId: ";
      text(ID);
      OS << ')';
    }
    OS << '\n';
  });
}

/// Writes the causes of memory errors, with the stacks of heap objects.
void TombstoneWriter::writeCauses() {
  Crash.each(tag::tombstone::Causes, [&](StringRef Bytes) {
    Message Cause(Bytes);
    OS << "\nCause: ";
    text(Cause.bytes(tag::cause::Text));
    OS << '\n';
    Message Heap =
        Cause.message(tag::cause::MemoryError).message(tag::memory_error::Heap);
    if (!Heap.bytes(tag::heap::Deallocation).empty()) {
      OS << "\ndeallocated by thread " << Heap.number(tag::heap::FreedBy)
         << ":\n";
      writeFrames(Heap, tag::heap::Deallocation);
    }
    if (!Heap.bytes(tag::heap::Allocation).empty()) {
      OS << "\nallocated by thread " << Heap.number(tag::heap::AllocatedBy)
         << ":\n";
      writeFrames(Heap, tag::heap::Allocation);
    }
  });
}

void TombstoneWriter::writeThread(Message Thread, bool IsMain) {
  if (!IsMain)
    OS << "--- --- --- --- --- --- --- --- --- --- --- --- --- --- --- ---\n";
  OS << "pid: " << PID << ", tid: " << int32_t(Thread.number(tag::thread::ID))
     << ", name: ";
  text(Thread.bytes(tag::thread::Name));
  OS << "  >>> ";
  text(Process.empty() ? "<unknown>" : Process);
  OS << " <<<\n";
  if (IsMain) {
    OS << "uid: " << uint32_t(Crash.number(tag::tombstone::UID)) << '\n';
    writeSignal();
    if (StringRef Why = Crash.bytes(tag::tombstone::AbortMessage);
        !Why.empty()) {
      OS << "Abort message: '";
      text(Why, /*HasLines=*/true);
      OS << "'\n";
    }
  }
  writeRegisters(Thread);
  OS << "\nbacktrace:\n";
  Thread.each(tag::thread::Notes, [&](StringRef Note) {
    OS << "  NOTE: ";
    text(Note);
    OS << '\n';
  });
  writeFrames(Thread, tag::thread::Frames);
  if (IsMain)
    writeCauses();
  OS << '\n';
}

void TombstoneWriter::writeMappings() {
  using namespace tag::mapping;
  bool IsFirst = true;
  Crash.each(tag::tombstone::Mappings, [&](StringRef Bytes) {
    Message M(Bytes);
    if (std::exchange(IsFirst, false))
      OS << "memory map:\n";
    OS << "    ";
    address(M.number(Begin));
    OS << '-';
    address(M.number(End) - 1);
    OS << ' ' << (M.number(Read) ? 'r' : '-') << (M.number(Write) ? 'w' : '-')
       << (M.number(Execute) ? 'x' : '-')
       << llvm::format("  %8" PRIx64 "  %8" PRIx64, M.number(Offset),
                       M.number(End) - M.number(Begin))
       << "  ";
    text(M.bytes(Name));
    if (StringRef ID = M.bytes(BuildID); !ID.empty()) {
      OS << " (BuildId: ";
      text(ID);
      OS << ')';
    }
    if (uint64_t Bias = M.number(LoadBias))
      OS << " (load bias " << format_hex(Bias, 0) << ')';
    OS << '\n';
  });
}

void TombstoneWriter::write() {
  writeHeader();
  // As in protobuf's maps, the last value of a key is used.
  std::map<uint64_t, StringRef> Threads;
  Crash.each(tag::tombstone::Threads, [&](StringRef Bytes) {
    Message Entry(Bytes);
    StringRef Thread = Entry.bytes(tag::entry::Value);
    if (!Thread.empty())
      Threads[Entry.number(tag::entry::Key)] = Thread;
  });
  auto Main = Threads.find(Crash.number(tag::tombstone::TID));
  if (Main == Threads.end())
    writeThread(Message(""), /*IsMain=*/true);
  else
    writeThread(Message(Main->second), /*IsMain=*/true);
  writeMappings();
  for (auto I = Threads.begin(); I != Threads.end(); ++I)
    if (I != Main)
      writeThread(Message(I->second), /*IsMain=*/false);
}

std::string tombstoneText(StringRef Bytes) {
  std::string Text;
  raw_string_ostream OS(Text);
  TombstoneWriter(Bytes, OS).write();
  if (!forEachField(Bytes, [](const ProtoField &) {}))
    OS << "(the tombstone is cut off or damaged here)\n";
  return Text;
}

} // namespace lidia
