//===- LineTable.cpp - Reads .debug_line ----------------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LineTable.h"
#include "Support/StableSort.h"
#include "lidia/Error.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace llvm::dwarf;

namespace lidia {
namespace dwarf {

/// The registers of the line number state machine (DWARF 5, section 6.2.2).
struct LineTable::State {
  LineRow Row;
  uint64_t OpIndex = 0;
  /// Index of the first row of the open sequence.
  size_t FirstRow = 0;
  bool Sorted = true;
  /// The code was discarded, and the linker left all ones as its address.
  bool Discarded = false;

  void reset(size_t RowCount, uint8_t Flags) {
    Row = LineRow();
    Row.Line = 1;
    Row.File = 1;
    Row.Flags = Flags;
    OpIndex = 0;
    FirstRow = RowCount;
    Sorted = true;
    Discarded = false;
  }
};

/// The error for a table that is shared by many units, or a long name that is
/// shared by many files.
static Error readTooOften() {
  return make_error<LimitError>("",
                                "it, or the names in it, are read too often");
}

static Error broken(uint64_t Offset, Error E) {
  return addWhere(formatv("line table at {0:x}", Offset).str(), std::move(E));
}

/// Reads the header, and returns where the program begins.
Expected<Cursor> LineTable::open(const Unit &U, uint64_t Offset,
                                 WorkBudget &TheBudget) {
  Budget = &TheBudget;
  Sequences.clear();
  Rows.clear();
  Directories.clear();
  Files.clear();
  const Sections &S = U.sections();
  if (Offset >= S.Line.size())
    return broken(Offset,
                  make_error<DamagedError>("", "is outside .debug_line"));
  Cursor C(S.Line, S.LittleEndian, Offset);
  if (Error E = parseHeader(C, U))
    return broken(Offset, std::move(E));
  return C;
}

Error LineTable::parse(const Unit &U, uint64_t Offset, WorkBudget &TheBudget,
                       function_ref<void(Error)> Report) {
  Expected<Cursor> C = open(U, Offset, TheBudget);
  if (!C)
    return C.takeError();
  Budget->charge(C->left());
  if (Budget->exhausted())
    return broken(Offset, readTooOften());
  if (Error E = runProgram(*C))
    Report(broken(Offset, std::move(E)));
  Budget->charge(Rows.size() * sizeof(LineRow));
  return Error::success();
}

Error LineTable::parseFiles(const Unit &U, uint64_t Offset,
                            WorkBudget &TheBudget) {
  return open(U, Offset, TheBudget).takeError();
}

Error LineTable::parseHeader(Cursor &C, const Unit &U) {
  uint64_t Start = C.offset();
  Sizes = U.header().Sizes;
  Sizes.Offset = 4;
  uint64_t Length = C.u32();
  if (Length == DW_LENGTH_DWARF64) {
    Length = C.u64();
    Sizes.Offset = 8;
  }
  if (C.bad() || Length > C.left())
    return make_error<DamagedError>("", "reaches past the end of .debug_line");
  C.limit(C.offset() + Length);

  Version = C.u16();
  if (Version < 2 || Version > 5)
    return make_error<UnsupportedError>("", "version " + Twine(Version) +
                                                " is not known");
  Sizes.Version = Version;
  if (Version >= 5) {
    Sizes.Address = C.u8();
    C.u8(); // segment selector size
  }
  uint64_t HeaderLength = C.sized(Sizes.Offset);
  if (C.bad() || HeaderLength > C.left())
    return make_error<DamagedError>("",
                                    "header reaches past the end of the table");
  uint64_t Program = C.offset() + HeaderLength;
  Budget->charge(C.offset() - Start + HeaderLength);
  if (Budget->exhausted())
    return readTooOften();

  MinInstLength = C.u8();
  MaxOps = Version >= 4 ? C.u8() : 1;
  DefaultFlags = C.u8() ? LF_IsStmt : 0;
  LineBase = int8_t(C.u8());
  LineRange = C.u8();
  OpcodeBase = C.u8();
  OperandCounts.clear();
  for (unsigned I = 1; I < OpcodeBase; ++I)
    OperandCounts.push_back(C.u8());
  CompDir = U.compilationDirectory();
  if (Error E = Version >= 5 ? parseFilesV5(C, U) : parseFilesV2(C))
    return E;
  if (C.bad())
    return make_error<DamagedError>("", "ends within its header");
  C.seek(Program);
  return Error::success();
}

Error LineTable::parseFilesV2(Cursor &C) {
  while (true) {
    StringRef Directory = C.cstring();
    if (Directory.empty())
      break;
    Directories.push_back(Directory);
  }
  while (true) {
    FileEntry File;
    File.Name = C.cstring();
    if (File.Name.empty())
      break;
    File.Directory = C.uleb();
    C.skipLEB(); // modification time
    C.skipLEB(); // length
    Files.push_back(File);
  }
  return Error::success();
}

Error LineTable::parseFilesV5(Cursor &C, const Unit &U) {
  if (Error E = parseEntriesV5(
          C, U, [&](FileEntry E) { Directories.push_back(E.Name); }))
    return E;
  return parseEntriesV5(C, U, [&](FileEntry E) { Files.push_back(E); });
}

Error LineTable::parseEntriesV5(Cursor &C, const Unit &U,
                                function_ref<void(FileEntry)> Add) {
  struct Field {
    uint64_t Content;
    Form F;
  };
  SmallVector<Field, 8> Fields;
  uint64_t MinBytes = 0;
  for (unsigned I = C.u8(); I > 0; --I) {
    uint64_t Content = C.uleb(), F = C.uleb();
    Fields.push_back({Content, F <= UINT16_MAX ? Form(F) : Form(0)});
    MinBytes += fixedFormSize(Fields.back().F, Sizes).value_or(1);
  }
  uint64_t Count = C.uleb();
  // Entries of size zero would let a few bytes claim any number of them.
  if (C.bad() || (Count && (!MinBytes || Count > C.left() / MinBytes)))
    return make_error<DamagedError>("", "claims " + Twine(Count) +
                                            " directories or files");
  for (; Count > 0; --Count) {
    FileEntry Entry;
    for (const Field &Field : Fields) {
      FormValue V = FormValue::read(C, Field.F, 0, Sizes);
      if (!V && C.bad())
        return make_error<DamagedError>(
            "", formatv("a file has the unknown form {0:x}", unsigned(Field.F))
                    .str());
      if (Field.Content == DW_LNCT_path)
        Entry.Name = U.string(V);
      else if (Field.Content == DW_LNCT_directory_index)
        Entry.Directory = V.Number;
      else if (Field.Content == DW_LNCT_LLVM_source)
        Entry.Source = U.stringAndRest(V);
    }
    Budget->charge(Entry.Name.size());
    if (Budget->exhausted())
      return readTooOften();
    Add(Entry);
  }
  return Error::success();
}

void LineTable::advance(State &S, uint64_t Operations) const {
  if (MaxOps <= 1) {
    S.Row.Address += Operations * MinInstLength;
    return;
  }
  // Very long instruction words: DWARF 5, section 6.2.5.1.
  uint64_t Op = S.OpIndex + Operations;
  S.Row.Address += Op / MaxOps * MinInstLength;
  S.OpIndex = Op % MaxOps;
}

void LineTable::emitRow(State &S) {
  if (S.Discarded)
    return;
  if (Rows.size() > S.FirstRow)
    S.Sorted &= Rows.back().Address <= S.Row.Address;
  Rows.push_back(S.Row);
  // The other flags apply to one row only (DWARF 5, section 6.2.5.1).
  S.Row.Flags &= LF_IsStmt;
}

/// Sorts the rows from \p First on by address. Rows at one address keep their
/// order.
void LineTable::sortRows(size_t First) {
  stableSort(MutableArrayRef(Rows).drop_front(First),
             [](const LineRow &R) { return R.Address; });
}

void LineTable::endSequence(State &S) {
  if (!S.Sorted)
    sortRows(S.FirstRow);
  uint64_t Count = Rows.size() - S.FirstRow;
  if (Count && Rows[S.FirstRow].Address < S.Row.Address) {
    LineSequence Sequence;
    Sequence.Start = Rows[S.FirstRow].Address;
    Sequence.End = S.Row.Address;
    Sequence.FirstRow = S.FirstRow;
    Sequence.RowCount = Count;
    Sequences.push_back(Sequence);
  } else {
    Rows.resize(S.FirstRow);
  }
  S.reset(Rows.size(), DefaultFlags);
}

/// Returns false if the program cannot continue.
bool LineTable::runExtended(Cursor &C, State &S, Error &E) {
  uint64_t Length = C.uleb();
  if (C.bad() || Length > C.left()) {
    E = make_error<DamagedError>("", "an extended opcode reaches past the end");
    return false;
  }
  if (!Length)
    return true;
  uint64_t Next = C.offset() + Length;
  switch (C.u8()) {
  case DW_LNE_end_sequence:
    endSequence(S);
    break;
  case DW_LNE_set_address:
    // The opcode's length takes precedence over the header's address size.
    if (Length - 1 > 8 || !isPowerOf2_64(Length - 1)) {
      E = make_error<DamagedError>("", "an address has " + Twine(Length - 1) +
                                           " bytes");
      return false;
    }
    S.Row.Address = C.sized(Length - 1);
    S.OpIndex = 0;
    S.Discarded = S.Row.Address == UINT64_MAX >> (64 - 8 * (Length - 1));
    break;
  case DW_LNE_define_file: {
    FileEntry File;
    File.Name = C.cstring();
    File.Directory = C.uleb();
    Files.push_back(File);
    break;
  }
  default: // discriminators and what a vendor added
    break;
  }
  C.seek(Next);
  return true;
}

void LineTable::runStandard(Cursor &C, State &S, uint8_t Opcode) {
  switch (Opcode) {
  case DW_LNS_copy:
    emitRow(S);
    break;
  case DW_LNS_advance_pc:
    advance(S, C.uleb());
    break;
  case DW_LNS_advance_line:
    S.Row.Line += uint32_t(C.sleb());
    break;
  case DW_LNS_set_file:
    S.Row.File = C.uleb();
    break;
  case DW_LNS_set_column:
    S.Row.Column = C.uleb();
    break;
  case DW_LNS_const_add_pc:
    if (LineRange)
      advance(S, (255 - OpcodeBase) / LineRange);
    break;
  case DW_LNS_fixed_advance_pc:
    S.Row.Address += C.u16();
    S.OpIndex = 0;
    break;
  case DW_LNS_negate_stmt:
    S.Row.Flags ^= LF_IsStmt;
    break;
  case DW_LNS_set_prologue_end:
    S.Row.Flags |= LF_PrologueEnd;
    break;
  case DW_LNS_set_epilogue_begin:
    S.Row.Flags |= LF_EpilogueBegin;
    break;
  case DW_LNS_set_basic_block:
    break;
  default: // DW_LNS_set_isa and opcodes that we do not know
    for (unsigned I = OperandCounts[Opcode - 1]; I > 0; --I)
      C.skipLEB();
    break;
  }
}

Error LineTable::runProgram(Cursor &C) {
  State S;
  S.reset(0, DefaultFlags);
  Error E = Error::success();
  while (!C.atEnd()) {
    uint8_t Opcode = C.u8();
    if (Opcode >= OpcodeBase) {
      uint8_t Adjusted = Opcode - OpcodeBase;
      if (LineRange) {
        advance(S, Adjusted / LineRange);
        S.Row.Line += LineBase + Adjusted % LineRange;
      }
      emitRow(S);
    } else if (Opcode) {
      runStandard(C, S, Opcode);
    } else if (!runExtended(C, S, E)) {
      Rows.resize(S.FirstRow);
      return E;
    }
  }
  bool Unfinished = C.bad() || Rows.size() > S.FirstRow;
  Rows.resize(S.FirstRow);
  cantFail(std::move(E));
  if (Unfinished)
    return make_error<DamagedError>("", "the last sequence does not end");
  return Error::success();
}

bool isAbsolutePath(StringRef Path) {
  return sys::path::is_absolute(Path, sys::path::Style::posix) ||
         sys::path::is_absolute(Path, sys::path::Style::windows);
}

StringRef LineTable::sourceAndRest(uint64_t Index) const {
  if (Version < 5 || Index >= Files.size())
    return {};
  return Files[Index].Source;
}

bool LineTable::path(uint64_t Index, LineTablePath &Out) const {
  if (Version < 5)
    --Index; // counts from 1; 0 becomes an index that is too large
  if (Index >= Files.size())
    return false;
  const FileEntry &File = Files[Index];
  Out.Path.clear();
  Out.DirectoryLength = 0;
  if (isAbsolutePath(File.Name)) {
    Out.Path = File.Name;
    return true;
  }
  // In DWARF 5 directory 0 is the compilation directory; before, it is
  // implicit.
  StringRef Directory;
  uint64_t DirectoryIndex = Version >= 5 ? File.Directory : File.Directory - 1;
  if (DirectoryIndex < Directories.size())
    Directory = Directories[DirectoryIndex];
  bool IsCompDir = Version >= 5 && File.Directory == 0;
  if (!IsCompDir && !CompDir.empty() && !isAbsolutePath(Directory)) {
    sys::path::append(Out.Path, CompDir);
    Out.DirectoryLength = Out.Path.size();
  }
  sys::path::append(Out.Path, Directory);
  if (IsCompDir)
    Out.DirectoryLength = Out.Path.size();
  sys::path::append(Out.Path, File.Name);
  // append() put a separator between the directory and the rest.
  if (Out.DirectoryLength && Out.DirectoryLength < Out.Path.size() &&
      sys::path::is_separator(Out.Path[Out.DirectoryLength]))
    ++Out.DirectoryLength;
  return true;
}

} // namespace dwarf
} // namespace lidia
