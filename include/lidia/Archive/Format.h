//===- Format.h - The on-disk layout of a Lidia archive ---------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The bytes of an archive, as docs/Format.md specifies them. Everything is
/// little-endian and nothing needs alignment, so these structures can be laid
/// over a mapped file at any address.
///
/// An archive is
///
///     Header | VA table | range table | strings | line tables | extension
///
/// The first five are Lidia version 1, which other tools read and write. The
/// extension block is this project's own: it begins at the next multiple of
/// eight after the last version-1 table, which readers of version 1 ignore.
///
//===----------------------------------------------------------------------===//

#ifndef LIDIA_ARCHIVE_FORMAT_H
#define LIDIA_ARCHIVE_FORMAT_H

#include "lidia/Archive/ELFIdentity.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Endian.h"
#include <algorithm>
#include <cstdint>

namespace lidia {
namespace format {

using llvm::support::ulittle16_t;
using llvm::support::ulittle32_t;
using llvm::support::ulittle64_t;

/// The first four bytes of every archive: ".dia".
inline constexpr char Magic[4] = {'.', 'd', 'i', 'a'};

/// The only version so far.
inline constexpr uint32_t Version = 1;

/// Describes the VA table, the range table or the line tables.
struct TableHeader {
  /// Bytes of one field: 4 or 8 for VAs and ranges, 2 or 4 for line tables.
  ulittle64_t FieldSize;
  /// Number of entries, each of one (VA), eight (range) or two (row) fields.
  ulittle64_t Count;
  /// Offset of the first entry from the start of the file.
  ulittle64_t Offset;
  /// CRC-32C of the table's bytes; zero if the archive has no checksums.
  ulittle32_t CRC;
  ulittle32_t Reserved;
};

/// Describes the strings table.
struct StringsHeader {
  /// Bytes in the table.
  ulittle64_t Size;
  ulittle64_t Offset;
  ulittle32_t CRC;
  ulittle32_t Reserved;
};

/// The file's first 128 bytes.
struct Header {
  char Magic[4];
  ulittle32_t Version;
  TableHeader VAs;
  TableHeader Ranges;
  StringsHeader Strings;
  TableHeader Lines;
};
static_assert(sizeof(Header) == 128, "version 1 fixes the header's size");

/// The fields of one entry of the range table, in their order on disk.
enum RangeField : unsigned {
  RF_Length,
  RF_Depth,
  RF_Function,
  RF_File,
  RF_FirstRow,
  RF_RowCount,
  RF_CallFile,
  RF_CallLine,
  RF_FieldCount
};

/// The offset at which the last table of version 1 ends; the extension begins
/// at the next multiple of 8. Arbitrary if \p H is invalid: sums may wrap
/// around.
inline uint64_t endOfTables(const Header &H) {
  auto End = [](const TableHeader &T, unsigned FieldsPerEntry) {
    return T.Offset + T.Count * T.FieldSize * FieldsPerEntry;
  };
  return std::max({uint64_t(sizeof(Header)), End(H.VAs, 1),
                   End(H.Ranges, RF_FieldCount),
                   H.Strings.Offset + H.Strings.Size, End(H.Lines, 2)});
}

/// Stored in place of a string that is too long to store.
inline constexpr char OverflowString[] = "[overflow]";

/// The maximum depth of inlined calls. No compiler comes near it; the limit
/// bounds the cost of crafted files.
inline constexpr uint64_t MaxDepth = 4095;

/// How strings are delimited: by a length before them (files in the field) or a
/// NUL byte after them (Lidia's README). A reader tells them apart by the first
/// four bytes of the table, which are zero (the length of the empty string) in
/// the first form and never in the second.
enum class StringForm : uint8_t {
  Prefixed,
  NulTerminated,
  /// The names of an ELF file's symbols, with versions that readers leave out.
  /// In no file (Archive::createWithNames).
  SymbolNames,
};

//===----------------------------------------------------------------------===//
// The extension block
//===----------------------------------------------------------------------===//

inline constexpr char ExtensionMagic[8] = {'L', 'I', 'D', 'I',
                                           'A', 'E', 'X', 'T'};
inline constexpr uint32_t ExtensionVersion = 1;

/// The last string of an archive with an extension, as the bytes at the end of
/// the strings table, in either form; no range refers to it. With it, an
/// archive that ends after the tables of version 1 is known to be truncated.
/// No other writer's table ends like this: names contain no NUL byte, and a
/// table contains the empty string only once.
inline constexpr char PrefixedExtensionMarker[13] = {
    9, 0, 0, 0, '\0', 'L', 'I', 'D', 'I', 'A', 'E', 'X', 'T'};
inline constexpr char NulExtensionMarker[10] = {'\0', 'L', 'I', 'D', 'I',
                                                'A',  'E', 'X', 'T', '\0'};

/// The marker's bytes for a table of the form \p Form.
constexpr llvm::StringRef extensionMarker(StringForm Form) {
  return Form == StringForm::Prefixed
             ? llvm::StringRef(PrefixedExtensionMarker,
                               sizeof(PrefixedExtensionMarker))
             : llvm::StringRef(NulExtensionMarker, sizeof(NulExtensionMarker));
}

/// The first bytes of the extension block, followed by SectionCount
/// ExtensionSection entries and then by the sections' contents.
struct ExtensionHeader {
  char Magic[8];
  ulittle32_t Version;
  ulittle32_t SectionCount;
  /// Bytes in the whole block, this header included.
  ulittle64_t Size;
  /// CRC-32C of the version-1 header followed by the section entries; zero if
  /// the archive has no checksums.
  ulittle32_t CRC;
  ulittle32_t Reserved;
};
static_assert(sizeof(ExtensionHeader) == 32, "docs/Format.md says 32");

struct ExtensionSection {
  ulittle32_t Tag;
  /// CRC-32C of the section's bytes; zero if the archive has no checksums.
  ulittle32_t CRC;
  /// From the start of the extension block.
  ulittle64_t Offset;
  ulittle64_t Size;
};
static_assert(sizeof(ExtensionSection) == 24, "docs/Format.md says 24");

/// A section's tag: four letters, the first in the lowest byte.
constexpr uint32_t tag(const char (&T)[5]) {
  return uint32_t(uint8_t(T[0])) | uint32_t(uint8_t(T[1])) << 8 |
         uint32_t(uint8_t(T[2])) << 16 | uint32_t(uint8_t(T[3])) << 24;
}

enum ExtensionTag : uint32_t {
  /// InfoHeader and the build ID: which binary this is, and how the archive was
  /// made.
  ET_Info = tag("INFO"),
  /// For each range the distance, in entries, back to its enclosing range; zero
  /// for a range of depth 0. Starts with an ArrayHeader; fields of 1, 2, 4 or 8
  /// bytes.
  ET_Parents = tag("PRNT"),
  /// VAIndexHeader and its entries: where in the VA table a page of addresses
  /// begins.
  ET_VAIndex = tag("VAIX"),
  /// Rows whose file differs from that of their range: ArrayHeader (field size
  /// 4 or 8) and entries of three fields (row index, file, line) in order of
  /// row index. The row itself has line 0 in the line tables. A file of 0 means
  /// that no line is known from here on.
  ET_ForeignRows = tag("RFIL"),
  /// One column for each row: ArrayHeader and fields of 1, 2 or 4 bytes.
  ET_RowColumns = tag("RCOL"),
  /// One column for each range's call site: ArrayHeader and fields of 1, 2 or
  /// 4 bytes.
  ET_CallColumns = tag("CCOL"),
  /// The length of the compilation directory in a file's path: ArrayHeader (4
  /// or 8) and entries of two fields (file, length of the directory with its
  /// separator) in order of file.
  ET_Directories = tag("FDIR"),
  /// Ranges of depth 0 that do not begin at their function's entry: ArrayHeader
  /// (4 or 8) and entries of two fields (index of the range, index of the range
  /// that begins at the entry) in order of the first. Equal fields mean that no
  /// range begins at the entry.
  ET_Entries = tag("ENTR"),
  /// The return addresses after call instructions, each with the innermost
  /// frame of its call: ReturnPadsHeader, pages and entries.
  ET_ReturnPads = tag("RPAD"),
  /// IdentityHeader and a hash: which binary this is, regardless of its build
  /// ID.
  ET_Identity = tag("IDEN"),
  /// The lines where functions are declared: ArrayHeader (4 or 8) and entries
  /// of three fields (function, file, line) in order of function, then file.
  /// The file is that of the function's ranges.
  ET_Declarations = tag("DECL"),
  /// Files of declarations: ArrayHeader (4 or 8) and entries of three fields
  /// (function, file, file of the declaration), in the order of DECL. Functions
  /// without an entry are declared in the file of their ranges.
  ET_DeclarationFiles = tag("DFIL"),
  /// Names in the source of functions whose linkage name does not contain them:
  /// ArrayHeader (4 or 8) and entries of two fields (function, name) in order
  /// of function.
  ET_PlainNames = tag("NAME"),
  /// Tail calls, calls of functions that contain one, and calls by a pointer:
  /// ArrayHeader (4 or 8) and entries of two fields (place, callee) in order of
  /// place. The place is the call's address, counted from the VA of the first
  /// range, shifted left by CallFlagBits, and CallFlag bits; the callee is a
  /// string: its name or, with CF_Target, the expression of its address; zero
  /// for a tail call of an unknown function.
  ET_Calls = tag("CALL"),
  /// Compile units of functions: ArrayHeader (4 or 8) and entries of three
  /// fields (range, name, number) in order of range. An entry holds for all
  /// ranges up to the next. Number 0 means no unit.
  ET_Units = tag("UNIT"),
  /// For each compile unit that had copies of functions of other units, these
  /// functions: ULEB128 numbers.
  ET_Copies = tag("COPY"),
  /// The last declarations of functions, as LLDB finds them, that differ from
  /// DECL and DFIL: ArrayHeader (4 or 8) and entries of three fields (function,
  /// file, line) in order of function.
  ET_LastDeclarations = tag("LAST"),
  /// The source languages and compilation directories of compile units:
  /// ArrayHeader (4 or 8) and entries of three fields (number, DW_LANG code,
  /// directory) in order of number. An entry holds for all units up to the
  /// next.
  ET_UnitLanguages = tag("LANG"),
  /// Names of functions that are in symbol tables but not in the range table:
  /// ULEB128 numbers and text.
  ET_Aliases = tag("ALIA"),
  /// Where the names of functions are from, and how far names without a size
  /// reach: ULEB128 numbers (NameOrigins.h).
  ET_NameOrigins = tag("ORGN"),
  /// The functions that only unwind information has: ULEB128 numbers
  /// (UnnamedFunctions.h).
  ET_UnnamedFunctions = tag("FUNC"),
  /// The text of source files: SourcesHeader, a directory and compressed
  /// blocks.
  ET_Sources = tag("SRCE"),
  /// The executable sections of a relocatable object: ArrayHeader (4 or 8) and
  /// entries of three fields (name, address, size) in order of address, not
  /// overlapping. The address is the one in the archive; in the object, all
  /// sections have address 0.
  ET_SectionPlaces = tag("SECT"),
  /// The executable segments of an ELF file: ArrayHeader (4 or 8) and entries
  /// of three fields (address, offset in the file, size) in order of address,
  /// not overlapping.
  ET_LoadSegments = tag("LOAD"),
  /// The segments and sections of an ELF file that are loaded: ULEB128 numbers
  /// and names (BinaryLayout.h).
  ET_Layout = tag("LAYT"),
  /// The rows that only debuggers need, by function: StatementsHeader, a
  /// directory and blocks of compressed columns.
  ET_StatementColumns = tag("STMC"),
  /// The same in older archives, with compressed records.
  ET_Statements = tag("STMT"),
  /// The addresses of these rows that are in another block of
  /// the source than earlier rows of their line: ULEB128 differences.
  ET_OtherBlocks = tag("BLCK"),
  /// Unwind information: UnwindHeader, an index, rules and rows.
  ET_Unwind = tag("UNWD"),
  /// Variables and their types: counts, sizes and compressed columns
  /// (lidia/Archive/Variables.h).
  ET_Variables = tag("VARS"),
};

/// The header of each section that is an array of equally sized fields.
struct ArrayHeader {
  /// Bytes of one field.
  ulittle32_t FieldSize;
  ulittle32_t Reserved;
};

/// Bits of an entry's place in the CALL section.
enum CallFlag : uint8_t {
  /// The callee returns to the caller's caller.
  CF_Tail = 1,
  /// The address is that of the last byte of the call instruction, because
  /// debuggers use the address after the instruction. Without this flag, it is
  /// that of the first byte.
  CF_AtReturn = 2,
  /// In DWARF, the call is described in a block or an inlined call of the
  /// function, or the function does not claim to describe all of its calls.
  CF_Nested = 4,
  /// A call by a pointer: the second field is not the callee but its address,
  /// an expression in hexadecimal digits.
  CF_Target = 8,
};
inline constexpr unsigned CallFlagBits = 4;

/// The options of `llvm-lidia`, in InfoHeader::Options.
enum InfoOption : uint32_t {
  IO_Checksums = 1u << 0,
  IO_Files = 1u << 1,
  IO_Lines = 1u << 2,
  IO_Columns = 1u << 3,
  IO_ReturnPads = 1u << 4,
  IO_Unwind = 1u << 5,
  IO_Variables = 1u << 6,
  /// Parts of the input are left out, because they were damaged or because of
  /// a limit.
  IO_Damaged = 1u << 7,
  IO_Limited = 1u << 8,
  /// Debug information was not read, on request. No archive in a file.
  IO_NamesOnly = 1u << 9,
};

/// The INFO section, followed by BuildIDSize bytes. The ELF fields are those of
/// the binary's ELF header (e_machine, e_type, EI_CLASS, EI_DATA, EI_OSABI,
/// EI_ABIVERSION, e_flags). Readers older than the field Format take it for the
/// highest byte of the options, and ignore options that they do not know.
struct InfoHeader {
  ulittle16_t Machine;
  ulittle16_t Type;
  uint8_t Class;
  uint8_t Data;
  uint8_t OSABI;
  uint8_t ABIVersion;
  ulittle32_t Flags;
  /// InfoOption bits.
  ulittle16_t Options;
  /// The NameOrigin of all names; zero if they differ (ET_NameOrigins) or it is
  /// not known.
  uint8_t OnlyOrigin;
  /// BinaryFormat.
  uint8_t Format;
  ulittle32_t BuildIDSize;

  ELFIdentity elfIdentity() const {
    return {BinaryFormat(Format), Machine, Type, Class, Data, OSABI,
            ABIVersion,           Flags};
  }
  void setELFIdentity(const ELFIdentity &I) {
    Format = uint8_t(I.Format);
    Machine = I.Machine;
    Type = I.Type;
    Class = I.Class;
    Data = I.Data;
    OSABI = I.OSABI;
    ABIVersion = I.ABIVersion;
    Flags = I.Flags;
  }
};
static_assert(sizeof(InfoHeader) == 20, "docs/Format.md says 20");

/// The STMC section, and STMT, followed by BlockCount + 1 of StatementBlock and
/// the blocks.
struct StatementsHeader {
  ulittle32_t BlockCount;
  ulittle32_t Reserved;
};
static_assert(sizeof(StatementsHeader) == 8, "docs/Format.md says 8");

/// A block ends at the Offset of the next block. The last entry has only an
/// Offset.
struct StatementBlock {
  /// The range of its first function. Ascending.
  ulittle32_t FirstRange;
  /// Bytes when unpacked. In STMT, as many bytes in the file say that it is not
  /// packed; otherwise it is a zstd frame. In STMC, each column says that.
  ulittle32_t Size;
  /// From the start of the section.
  ulittle64_t Offset;
};
static_assert(sizeof(StatementBlock) == 16, "docs/Format.md says 16");

/// The maximum ratio of a block's unpacked size to its size in the file. An
/// unpacked byte can take ten bytes of memory when it is decoded. Blocks of
/// rows from compilers have ratios of 2 to 10.
inline constexpr uint64_t StatementRatio = 16;
/// The maximum size of an unpacked block in bytes. The rows that compilers
/// write take less than 64 KiB, except for the longest functions, which take
/// 256 KiB.
inline constexpr uint64_t MaxStatementBlock = 4 << 20;
/// The maximum number of rows of a function in STMC. A row takes a byte or more
/// there, and 32 in memory.
inline constexpr uint64_t MaxStatementRows = 1 << 20;
/// The maximum number of functions in a block. Each takes three bytes or more
/// there, and 250 in memory.
inline constexpr uint64_t MaxStatementFunctions = 1 << 16;

/// The SRCE section, followed by FileCount + 1 of SourceBlock and the blocks.
struct SourcesHeader {
  ulittle32_t FileCount;
  ulittle32_t Reserved;
};
static_assert(sizeof(SourcesHeader) == 8, "docs/Format.md says 8");

/// A block is the text of one file, and ends at the Offset of the next block.
/// The last entry has only an Offset.
struct SourceBlock {
  /// The file's path, a string. Ascending.
  ulittle64_t File;
  /// From the start of the section.
  ulittle64_t Offset;
  /// Bytes when unpacked. As many bytes in the file say that it is not packed;
  /// otherwise it is a zstd frame.
  ulittle64_t Size;
};
static_assert(sizeof(SourceBlock) == 24, "docs/Format.md says 24");

/// The maximum ratio of a file's unpacked size to its size in the archive.
/// Source code has ratios of 3 to 10.
inline constexpr uint64_t SourceRatio = 64;
/// The maximum size of an unpacked file in bytes.
inline constexpr uint64_t MaxSource = 64 << 20;

/// The maximum ratio of the size of all aliases' names to the size of the
/// archive. Names are stored as differences. Real archives have ratios below 1.
inline constexpr uint64_t AliasRatio = 16;

/// The maximum number of calls without code in a function. LLDB takes time in
/// the square of their number. Compilers leave fewer than a thousand.
inline constexpr unsigned MaxCallsWithoutCode = 4096;

/// How often the ranges of a function may change from one call to another, in
/// addition to once for each range.
inline constexpr unsigned MaxCuts = 4096;

/// The scheme of identities that writers use, and the first scheme that readers
/// know. A scheme says which bytes an identity is a hash of.
inline constexpr uint32_t IdentityScheme = 3;
inline constexpr uint32_t FirstIdentityScheme = 1;

/// The IDEN section, followed by the identity: 16 bytes in the schemes above.
struct IdentityHeader {
  /// Readers ignore an identity of another scheme.
  ulittle32_t Scheme;
  ulittle32_t Reserved;
};
static_assert(sizeof(IdentityHeader) == 8, "docs/Format.md says 8");
inline constexpr uint64_t IdentitySize = 16;

/// The VAIX section: (Size - sizeof(VAIndexHeader)) / 4 entries of four bytes.
/// Entry K is the number of ranges whose VA is below Base + (K << Shift), so
/// the last range at or below an address in page K has an index in
/// [entry K - 1, entry K + 1). The last entry is the number of ranges.
struct VAIndexHeader {
  ulittle64_t Base;
  ulittle32_t Shift;
  ulittle32_t Reserved;
};
static_assert(sizeof(VAIndexHeader) == 16, "docs/Format.md says 16");

/// The RPAD section: this, PageCount + 1 entries of ReturnPadPage, and PadCount
/// entries of three fields, ascending by address. Page K has the pads from
/// Base + (K << Shift) to just before Base + (K + 1 << Shift).
///
/// An entry is
///   offset  from the beginning of its page;
///   range   zero, or one more than the index, counted from the page's
///           FirstRange, of the innermost range that covers the byte before the
///           pad, which is the call's;
///   row     zero, or one more than the index among that range's rows of the
///           row in force there.
struct ReturnPadsHeader {
  ulittle64_t Base;
  ulittle64_t PadCount;
  /// The last page has at least one pad; an empty section has no pages.
  ulittle64_t PageCount;
  /// Below 64.
  uint8_t Shift;
  /// Bytes of each field: 1, 2, 4 or 8; RowSize may be 0.
  uint8_t OffsetSize;
  uint8_t RangeSize;
  uint8_t RowSize;
  ulittle32_t Reserved;
};
static_assert(sizeof(ReturnPadsHeader) == 32, "docs/Format.md says 32");

struct ReturnPadPage {
  /// The number of pads in all previous pages.
  ulittle32_t FirstPad;
  /// The lowest index of the ranges of the page's pads; zero if no pad has one.
  ulittle32_t FirstRange;
};
static_assert(sizeof(ReturnPadPage) == 8, "docs/Format.md says 8");

/// The UNWD section: this, BlockCount entries of UnwindBlock, the rules and the
/// rows. Addresses count units of 1 << Shift bytes from Base.
struct UnwindHeader {
  /// The address of the first row.
  ulittle64_t Base;
  /// The number of rows, including those without rules. Each block has
  /// UnwindBlockRows rows, and the last one has the rest.
  ulittle32_t RowCount;
  ulittle32_t RuleCount;
  /// Bytes that the rules take.
  ulittle32_t RulesSize;
  /// The register whose rule gives the return address, unless rules name
  /// another.
  ulittle16_t ReturnAddress;
  /// At most MaxUnwindShift.
  uint8_t Shift;
  /// The distance in bytes between registers that are saved next to each other.
  uint8_t Word;
};
static_assert(sizeof(UnwindHeader) == 24, "docs/Format.md says 24");

/// No machine aligns instructions to more than 1 << MaxUnwindShift bytes.
inline constexpr unsigned MaxUnwindShift = 4;

/// Rows in a block. With 32, the index would take a sixth of the compressed
/// section.
inline constexpr unsigned UnwindBlockRows = 128;

struct UnwindBlock {
  /// The address of the block's first row, in units from Base. Ascending.
  ulittle32_t First;
  /// The offset of the block's rows from the first row of the section.
  ulittle32_t Offset;
};
static_assert(sizeof(UnwindBlock) == 8, "docs/Format.md says 8");

/// The first byte of rules.
enum UnwindFlag : uint8_t {
  UF_SignalFrame = 1,
  /// The return address is signed (AArch64).
  UF_Signed = 2,
  /// The CFA is not a register plus an offset: a byte says how it is found.
  UF_OtherCFA = 4,
  /// The register of the return address follows.
  UF_ReturnAddress = 8,
  /// The rules hold at calls only.
  UF_AtCallsOnly = 16,
  /// A fault of the caller led to the function.
  UF_FaultFrame = 32,
};

/// The maximum number of registers with rules. No machine has more that callees
/// save.
inline constexpr unsigned MaxUnwindRegisters = 256;

} // namespace format
} // namespace lidia

#endif // LIDIA_ARCHIVE_FORMAT_H
