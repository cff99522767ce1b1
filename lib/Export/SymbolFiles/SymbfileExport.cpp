//===- SymbfileExport.cpp - From an archive to a symbfile -----------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// As symblib does, ranges and return pads are written to a file each, whose
/// readers expect only the one or the other.
///
//===----------------------------------------------------------------------===//

#include "Object/SymbfileFormat.h"
#include "SymbfilePieces.h"
#include "lidia/Archive/ExportLimits.h"
#include "lidia/Archive/FunctionLines.h"
#include "lidia/Error.h"
#include "lidia/Export/SymbolFiles.h"
#include "lidia/Symbolize/Names.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include <optional>
#include <protozero/pbf_writer.hpp>

using namespace llvm;
using namespace lidia::symbfile;

namespace lidia {

namespace {

class SymbfileWriter {
public:
  SymbfileWriter(const Archive &A, raw_ostream &OS) : A(A), Limits(A), OS(OS) {}

  Error writeRanges();
  Error writeReturnPads();

  uint64_t functionsLeftOut() const { return FunctionsLeftOut; }

private:
  Error begin();
  Error finish();
  bool isTextOverLimit() const { return TextBytes > Limits.text(); }
  void addFunction(uint64_t Root);
  void addRange(const SymbfilePiece &P);
  void addPad(const ReturnPad &Pad);
  uint32_t string(StringRef Text);
  uint32_t name(StringOffset Name);
  uint32_t path(StringOffset Path);
  void addAddress(protozero::pbf_writer &To, uint64_t Address, uint32_t Delta,
                  uint32_t Absolute);
  void addRecord(MessageType Type, StringRef Message);
  void addMessage(std::string &To, MessageType Type, StringRef Message);
  void flush();

  const Archive &A;
  ExportLimits Limits;
  raw_ostream &OS;
  uint64_t FunctionsLeftOut = 0;
  /// The address of the record before.
  std::optional<uint64_t> Previous;
  /// The current string table, and the records that refer to it.
  std::string Table;
  StringMap<uint32_t> Strings;
  DenseMap<StringOffset, uint32_t> Names, Paths;
  std::string Records;
  /// Of all string tables.
  uint64_t TextBytes = 0;
  uint64_t PadFrames = 0;
  bool IsMessageTooLarge = false;
};

} // namespace

/// The index of \p Text in the string table.
uint32_t SymbfileWriter::string(StringRef Text) {
  auto [It, New] = Strings.try_emplace(Text, Strings.size());
  if (New) {
    protozero::pbf_writer(Table).add_string(symbfile::Strings, Text.data(),
                                            Text.size());
    TextBytes += Text.size();
  }
  return It->second;
}

uint32_t SymbfileWriter::name(StringOffset Name) {
  auto [It, New] = Names.try_emplace(Name, 0);
  if (New)
    It->second = string(readableName(A.string(Name)));
  return It->second;
}

uint32_t SymbfileWriter::path(StringOffset Path) {
  auto [It, New] = Paths.try_emplace(Path, 0);
  if (New)
    It->second = string(A.string(Path));
  return It->second;
}

void SymbfileWriter::addAddress(protozero::pbf_writer &To, uint64_t Address,
                                uint32_t Delta, uint32_t Absolute) {
  if (Previous)
    To.add_sint64(Delta, int64_t(Address - *Previous));
  else
    To.add_uint64(Absolute, Address);
  Previous = Address;
}

void SymbfileWriter::addMessage(std::string &To, MessageType Type,
                                StringRef Message) {
  IsMessageTooLarge |= Message.size() > MaxMessageBytes;
  protozero::add_varint_to_buffer(&To, Message.size());
  protozero::add_varint_to_buffer(&To, Type);
  To += Message;
}

void SymbfileWriter::flush() {
  std::string Message;
  addMessage(Message, StringTableV1, Table);
  OS << Message << Records;
  Table.clear();
  Records.clear();
  Strings.clear();
  Names.clear();
  Paths.clear();
}

/// Before the string table is too large for a message, another is begun.
void SymbfileWriter::addRecord(MessageType Type, StringRef Message) {
  addMessage(Records, Type, Message);
  if (std::max(Table.size(), Records.size()) > MaxMessageBytes / 2)
    flush();
}

/// The line table of \p P.
static std::string lineTable(const SymbfilePiece &P) {
  SmallVector<uint32_t, 16> Offsets, Lines;
  uint64_t Last = P.Start;
  for (const SymbfilePiece::Line &L : P.Lines) {
    Offsets.push_back(uint32_t(L.Address - Last));
    Lines.push_back(L.Line);
    Last = L.Address;
  }
  std::string Message;
  protozero::pbf_writer W(Message);
  W.add_packed_uint32(RowOffset, Offsets.begin(), Offsets.end());
  W.add_packed_uint32(RowLine, Lines.begin(), Lines.end());
  return Message;
}

void SymbfileWriter::addRange(const SymbfilePiece &P) {
  RangeEntry R = A.range(P.Range);
  std::string Message;
  protozero::pbf_writer W(Message);
  addAddress(W, P.Start, RangeDelta, RangeAddress);
  W.add_uint64(Length, P.End - P.Start);
  W.add_uint32(FunctionIndex, name(R.Function));
  if (P.File)
    W.add_uint32(FileIndex, path(P.File));
  if (R.Depth) {
    // Also if it is the caller's file: symblib, which always writes it, does
    // not replace it when it is missing.
    W.add_uint32(CallFileIndex, path(R.CallFile));
    W.add_uint32(CallLine, uint32_t(R.CallLine));
    W.add_uint32(Depth, uint32_t(R.Depth));
  }
  if (!P.Lines.empty())
    W.add_message(LineTable, lineTable(P));
  addRecord(RangeV1, Message);
}

/// Adds the function at \p Root. symblib takes the last 32 bits of a length.
void SymbfileWriter::addFunction(uint64_t Root) {
  if (A.range(Root).Length > UINT32_MAX) {
    ++FunctionsLeftOut;
    return;
  }
  for (const SymbfilePiece &P : symbfilePieces(A, Root))
    addRange(P);
}

/// Profilers look up a return address by the address before it.
void SymbfileWriter::addPad(const ReturnPad &Pad) {
  SmallVector<Frame, 8> Frames;
  if (!A.lookupReturn(Pad.Address, Frames) || Frames.empty())
    return;
  PadFrames += Frames.size();
  SmallVector<uint32_t, 8> Functions, Files, Lines;
  for (const Frame &F : reverse(Frames)) {
    Functions.push_back(name(F.Function));
    Files.push_back(path(F.File));
    Lines.push_back(F.Line);
  }
  std::string Message;
  protozero::pbf_writer W(Message);
  addAddress(W, Pad.Address - 1, PadDelta, PadAddress);
  W.add_packed_uint32(PadFunction, Functions.begin(), Functions.end());
  W.add_packed_uint32(PadFile, Files.begin(), Files.end());
  W.add_packed_uint32(PadLine, Lines.begin(), Lines.end());
  addRecord(ReturnPadV1, Message);
}

Error SymbfileWriter::begin() {
  if (Error E = Limits.check())
    return E;
  std::string Message;
  addMessage(Message, Header, "");
  OS << Magic << Message;
  return Error::success();
}

Error SymbfileWriter::finish() {
  if (isTextOverLimit())
    return Limits.exceeded("bytes of text");
  flush();
  if (IsMessageTooLarge)
    return make_error<LimitError>(A.name(), "has a name or a line table of "
                                            "more than 16 MiB, which a "
                                            "symbfile cannot hold");
  return Error::success();
}

Error SymbfileWriter::writeRanges() {
  if (Error E = begin())
    return E;
  for (uint64_t Root = 0; Root != A.rangeCount() && !isTextOverLimit();
       Root = functionEnd(A, Root))
    addFunction(Root);
  return finish();
}

Error SymbfileWriter::writeReturnPads() {
  bool IsWithPads = A.info() && A.info()->Options & format::IO_ReturnPads;
  if (!IsWithPads && !A.returnPadCount())
    return make_error<MissingInformationError>(
        A.name(),
        "has no return pads: make it with llvm-lidia create --return-pads");
  if (Error E = begin())
    return E;
  A.forEachReturnPad([this](const ReturnPad &Pad) {
    if (!isTextOverLimit() && PadFrames <= Limits.rows())
      addPad(Pad);
  });
  if (PadFrames > Limits.rows())
    return Limits.exceeded("frames of return pads");
  return finish();
}

Error exportSymbfile(const Archive &A, const ExportedModule &, raw_ostream &OS,
                     LossReport Report) {
  SymbfileWriter W(A, OS);
  if (Error E = W.writeRanges())
    return E;
  if (uint64_t Count = W.functionsLeftOut())
    Report(Twine(Count) + " functions are left out: a symbfile cannot hold "
                          "those of 4 GiB and more");
  return Error::success();
}

Error exportReturnPads(const Archive &A, const ExportedModule &,
                       raw_ostream &OS, LossReport) {
  return SymbfileWriter(A, OS).writeReturnPads();
}

} // namespace lidia
