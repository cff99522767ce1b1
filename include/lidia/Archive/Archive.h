//===- Archive.h - A Lidia archive, opened for lookups ----------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_ARCHIVE_ARCHIVE_H
#define LIDIA_ARCHIVE_ARCHIVE_H

#include "lidia/Archive/ChecksumParts.h"
#include "lidia/Archive/ELFIdentity.h"
#include "lidia/Archive/Fields.h"
#include "lidia/Archive/Format.h"
#include "lidia/Miss.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

namespace lidia {

struct FunctionCall;
class RandomAccessReader;

/// A string of an archive, named by its offset in the strings table. Zero is
/// the empty string. Equal strings have equal offsets, so a caller can key a
/// cache by offset and fetch the text once.
using StringOffset = uint64_t;

/// One level of a lookup's answer: a function or an inlined call.
struct Frame {
  /// The function's linkage name as stored in the binary, not demangled.
  StringOffset Function = 0;
  /// The source file of Line; zero if unknown.
  StringOffset File = 0;
  /// Zero if unknown.
  uint32_t Line = 0;
  /// Zero if unknown or if the archive has no columns.
  uint32_t Column = 0;
  /// Index of the range that this frame was read from.
  uint64_t Range = 0;
};

/// One entry of the range table with its VA, widened to 64 bits.
struct RangeEntry {
  uint64_t VA = 0;
  uint64_t Length = 0;
  uint64_t Depth = 0;
  StringOffset Function = 0;
  StringOffset File = 0;
  uint64_t FirstRow = 0;
  uint64_t RowCount = 0;
  StringOffset CallFile = 0;
  uint64_t CallLine = 0;
};

/// One row of a line table: code from Offset on belongs to this line.
struct RowEntry {
  /// Bytes from the range's VA.
  uint32_t Offset = 0;
  /// Zero if unknown.
  uint32_t Line = 0;
  /// The range's file, unless the extension names another.
  StringOffset File = 0;
  /// Zero if unknown or if the archive has no columns.
  uint32_t Column = 0;
};

/// The four letters of an extension section's tag. A foreign archive can have
/// any bytes there; unprintable ones become '?'.
std::string tagName(uint32_t Tag);

/// Where a function is declared.
struct Declaration {
  StringOffset File = 0;
  /// Zero if unknown.
  uint32_t Line = 0;
};

/// The compile unit of a function in the debug information.
struct FunctionUnit {
  /// Tells units with one name apart; zero for no unit.
  uint64_t Number = 0;
  /// The path of its primary file.
  StringOffset Name = 0;
  /// A DW_LANG code; zero if unknown.
  uint16_t Language = 0;
  /// Its compilation directory; zero if unknown.
  StringOffset Directory = 0;
};

/// The binary that an archive was made from, according to the extension.
struct ArchiveInfo : ELFIdentity {
  /// format::InfoOption bits.
  uint16_t Options = 0;
  /// Points into memory that the owner of this structure keeps alive; empty if
  /// the binary has no build ID.
  llvm::ArrayRef<uint8_t> BuildID;
  /// Tells the binary from others that claim its build ID: 16 bytes (the
  /// identity of docs/Format.md, "IDEN"), or empty if it was not kept. Same
  /// lifetime as BuildID.
  llvm::ArrayRef<uint8_t> Identity;
  /// How Identity was made: only identities of one scheme can be compared.
  uint32_t IdentityScheme = format::IdentityScheme;
  /// The NameOrigin of all names, as InfoHeader has it. The writer sets it.
  uint8_t OnlyOrigin = 0;
};

/// A return address: the address after a call instruction, to which the called
/// function returns.
struct ReturnPad {
  uint64_t Address = 0;
  /// Index of the innermost range that covers the call, if any.
  std::optional<uint64_t> Range;
  /// Index, among the range's rows, of the row in force at the call, if any.
  std::optional<uint64_t> Row;
};

/// A function of an archive: all code and all inlined calls with one name.
struct ListedFunction {
  StringOffset Name = 0;
  /// The file of its first range; zero if unknown.
  StringOffset File = 0;
  /// Entry addresses, ascending. There are several if several functions have
  /// the name, and none if the function is only inlined or if the code at its
  /// entry belongs to another function.
  llvm::ArrayRef<uint64_t> Entries;
  /// The number of ranges of calls inlined from this function.
  uint64_t InlinedRanges = 0;
};

/// The extension's array sections in an open archive; empty if the archive
/// lacks the section. docs/Format.md describes the fields of each.
struct ArchiveArrays {
  FieldView Parents;
  FieldView ForeignRows;
  FieldView RowColumns;
  FieldView CallColumns;
  FieldView Directories;
  FieldView Entries;
  FieldView Declarations;
  FieldView DeclarationFiles;
  FieldView PlainNames;
  FieldView Units;
  FieldView LastDeclarations;
  FieldView UnitLanguages;
  FieldView Calls;
  FieldView SectionPlaces;
  FieldView LoadSegments;
};

class UnwindTable;
class VariableTable;

/// How Archive::open accesses a file's bytes.
enum class FileAccess : uint8_t {
  /// Maps the file: pages are read on demand, and processes share the memory.
  Map,
  /// Makes a private copy, which nobody else can modify: an unnamed clone
  /// beside the file if the file system supports sharing blocks (Btrfs, XFS),
  /// otherwise memory, at the cost of reading the whole file.
  Copy,
};

/// How Archive::open opens a file.
struct OpenOptions {
  /// The default for FrameCacheSize.
  static constexpr uint64_t DefaultFrameCacheSize = uint64_t(8) << 20;

  OpenOptions(FileAccess TheAccess = FileAccess::Map) : Access(TheAccess) {}

  FileAccess Access;
  /// Whether a pipe is refused, for names that others may choose: opening one
  /// waits for a writer.
  bool RegularOnly = false;
  /// How many unpacked bytes of a compressed archive stay in memory. Strings
  /// that were returned to the caller stay in addition.
  uint64_t FrameCacheSize = DefaultFrameCacheSize;
  /// Opening reads all of these parts and fails if a checksum of one of them is
  /// wrong or missing, as Archive::verifyChecksums() does.
  ChecksumParts Verify;
};

/// A Lidia archive, opened for lookups.
///
/// Optimised for a mapped file: opening reads the 128-byte header and the
/// extension's directory only; a lookup touches one page of the VA index, a few
/// lines of the VA table, and one range entry for each frame. Nothing is
/// allocated after opening and every method is const, so any number of threads
/// can share an archive.
///
/// An archive that is compressed by zstd (lidia/Archive/Compression.h) is used
/// in the same way. If its format is zstd's seekable one, a part is unpacked
/// when it is first read, and stays in a cache that all threads share. A
/// damaged part reads as zeros, and damage() reports it. Otherwise opening
/// unpacks the whole archive into memory.
///
/// Lookups in an untrusted archive are safe: each offset and count is checked
/// against the file before it is used, and a damaged entry yields no frame or
/// an empty string. verify() (lidia/Archive/Verify.h) checks whether the
/// contents are consistent.
///
/// \code
///   llvm::Expected<Archive> A = Archive::open("a.out.lidia");
///   if (!A)
///     return A.takeError();
///   llvm::SmallVector<Frame, 8> Frames;
///   A->lookup(0x1234, Frames);
///   for (const Frame &F : Frames)
///     llvm::outs() << A->string(F.Function) << '\n';
/// \endcode
class Archive : private ArchiveArrays {
public:
  /// Opens the file at \p Path, or reads it if it is a pipe. The error names
  /// the file and the defect.
  ///
  /// A file that is mapped, which is the default, must not be truncated while
  /// the archive is open: reading the missing part raises SIGBUS. The program
  /// must prevent or handle that; this library installs no signal handler.
  /// Archives that llvm-lidia and the cache write are renamed into place and
  /// never modified, so a replaced one stays intact while it is mapped. Use
  /// FileAccess::Copy for files that others may write to in place.
  static llvm::Expected<Archive> open(llvm::StringRef Path,
                                      const OpenOptions &Options = {});

  /// Opens the archive in \p Buffer and takes ownership of it. Errors name the
  /// buffer's identifier.
  static llvm::Expected<Archive>
  create(std::unique_ptr<llvm::MemoryBuffer> Buffer,
         const OpenOptions &Options = {});

  /// Opens the archive in \p File, which may be compressed. Parts are read when
  /// they are needed, and some stay in memory (OpenOptions::FrameCacheSize). If
  /// the file is on another machine, opening it and each prefetch() or lookup()
  /// take few round trips: docs/Format.md has the figures.
  static llvm::Expected<Archive>
  create(std::shared_ptr<const RandomAccessReader> File,
         const OpenOptions &Options = {});

  /// Opens the archive in \p Tables, which has no strings: its ranges refer to
  /// \p Names, the string table of an ELF file's symbol table, which ends with
  /// a zero byte. \p Owner keeps the names. Such an archive is for lookups, and
  /// cannot be written to a file.
  static llvm::Expected<Archive>
  createWithNames(std::unique_ptr<llvm::MemoryBuffer> Tables,
                  llvm::StringRef Names, std::shared_ptr<const void> Owner);

  Archive(Archive &&);
  Archive &operator=(Archive &&);
  ~Archive();

  /// Whether the archive is compressed and unpacked while it is read.
  bool isPaged() const { return Memory != nullptr; }

  /// Whether the archive is on another machine: see prefetch().
  bool isFar() const;

  /// The number of addresses to pass to one prefetch().
  static constexpr size_t FarGroup = 64;

  /// If the archive is on another machine, fetches everything that lookup()
  /// reads for \p Addresses, with the names and files of the frames, in three
  /// round trips in all (five for unusual archives). With \p AreReturns,
  /// fetches what lookupReturn() reads. Pass at most FarGroup addresses: the
  /// data of more does not fit into the reader's memory.
  void prefetch(llvm::ArrayRef<uint64_t> Addresses,
                bool AreReturns = false) const;

  /// Unpacks all of a compressed archive until it is closed. For callers that
  /// read the whole archive or follow pointers into it: without this call, only
  /// header() and strings are sure to be unpacked. The error says that the file
  /// is damaged. Does nothing if isPaged() is false.
  llvm::Error unpackAll() const;

  /// Returns an error if a damaged part of a compressed archive was read: a
  /// frame of zstd, or a section that opening does not read. Answers may lack
  /// what that part held.
  llvm::Error damage() const;

  /// How many times a part of a compressed archive has been unpacked so far.
  uint64_t partsUnpacked() const;

  /// Whether \p Bytes, the start of a file, look like an archive.
  static bool hasMagic(llvm::StringRef Bytes);

  /// Looks up \p Address: stores the chain of functions that cover it in
  /// \p Frames (replacing its contents), innermost first. \p Frames is empty if
  /// nothing covers the address.
  ///
  /// Costs O(log n) for the search and one step for each enclosing range; in an
  /// archive without the PRNT section (written by another tool) the lookup
  /// walks backwards instead, which is linear in the ranges of the function.
  void lookup(uint64_t Address, llvm::SmallVectorImpl<Frame> &Frames) const;

  /// Announces that \p Count addresses will be looked up, by calls of any size,
  /// which makes many of them cheaper in a compressed archive.
  void expectLookups(uint64_t Count) const;

  /// Looks up many addresses: calls \p Visit(index, frames) for each, in the
  /// order of \p Addresses. Cheaper than a lookup() for each, because several
  /// wait for memory together; ascending addresses share the work of searching
  /// as well.
  void lookupBatch(
      llvm::ArrayRef<uint64_t> Addresses,
      llvm::function_ref<void(size_t, llvm::ArrayRef<Frame>)> Visit) const;

  /// Like lookupBatch(), but calls \p Visit in an unspecified order: many
  /// addresses are visited in roughly ascending order, so that they share cache
  /// lines.
  void lookupUnordered(
      llvm::ArrayRef<uint64_t> Addresses,
      llvm::function_ref<void(size_t, llvm::ArrayRef<Frame>)> Visit) const;

  /// Looks up \p ReturnAddress, an address from a stack: stores the frames of
  /// the call before it. These are the frames of lookup(ReturnAddress - 1),
  /// found by one probe of the table of return pads instead of a search.
  /// Returns false and no frames if no call is known to end there or the
  /// archive has no such table; the caller may then look up ReturnAddress - 1.
  /// Returns true and no frames for a known pad outside all functions.
  bool lookupReturn(uint64_t ReturnAddress,
                    llvm::SmallVectorImpl<Frame> &Frames) const;

  /// The number of return pads; zero without the RPAD section.
  uint64_t returnPadCount() const { return Pads.Count; }

  /// The return pad at \p ReturnAddress, if there is one.
  std::optional<ReturnPad> findReturnPad(uint64_t ReturnAddress) const {
    return Pads.find(ReturnAddress);
  }

  /// Calls \p Visit with each return pad, in the order of the table.
  void
  forEachReturnPad(llvm::function_ref<void(const ReturnPad &)> Visit) const;

  /// The text at \p Offset, without terminator. Empty if the offset is outside
  /// the strings table or the string reaches past its end. Points into the
  /// archive's buffer.
  llvm::StringRef string(StringOffset Offset) const;

  /// Calls \p Visit once for each function that has a name, in order of the
  /// address of its first range. Considers only ranges with an index in
  /// [\p First, \p End). Takes memory in proportion to the number of functions.
  void forEachFunction(llvm::function_ref<void(const ListedFunction &)> Visit,
                       uint64_t First = 0, uint64_t End = UINT64_MAX) const;

  /// Calls \p Visit once for each file of code and of call sites, in the order
  /// of the strings table, which is the order of first use. Considers only
  /// ranges with an index in [\p First, \p End).
  void forEachFile(llvm::function_ref<void(StringOffset)> Visit,
                   uint64_t First = 0, uint64_t End = UINT64_MAX) const;

  /// Calls \p Visit with each string of the strings table, in table order, up
  /// to the first one with an invalid length.
  void visitStrings(
      llvm::function_ref<void(StringOffset, llvm::StringRef)> Visit) const;

  /// The number of leading bytes of the path \p File that are its compilation
  /// directory with the separator; zero if the path was absolute in the debug
  /// information or the archive does not record it.
  uint64_t directoryLength(StringOffset File) const;

  /// Where \p Function, whose ranges are in \p File, is declared. The line is
  /// zero if that is not known.
  Declaration declaration(StringOffset Function, StringOffset File) const;

  /// Like declaration(), but returns the last of the declarations to which a
  /// function with code of its own refers. With clang, the last declaration of
  /// a C++ method is the one in its class. LLDB uses the last declaration for
  /// functions and the first for inlined calls.
  Declaration lastDeclaration(StringOffset Function, StringOffset File) const;

  /// The name that \p Function has in the source, if it is a linkage name that
  /// does not contain that name (`wordfree` for `__GI_wordfree`). Otherwise
  /// \p Function itself.
  StringOffset plainName(StringOffset Function) const;

  /// The compile unit of the function whose range of depth 0 is at \p Root,
  /// and of the calls inlined into it.
  FunctionUnit unit(uint64_t Root) const;

  /// Sets the language and the directory of \p Unit, whose number is known.
  void addLanguage(FunctionUnit &Unit) const;

  /// The tag of the section with statements: STMC, or STMT in older archives.
  uint32_t statementsTag() const;

  /// The section with statements, like findExtensionSection().
  std::optional<llvm::StringRef> findStatements() const;

  /// The number of blocks of this section.
  uint64_t statementBlocks() const;

  /// The number of calls of the CALL section.
  uint64_t callCount() const;

  /// The call at \p Index, which must be below callCount(). Calls are in
  /// ascending order of address. The archive must have at least one range.
  FunctionCall call(uint64_t Index) const;

  uint64_t rangeCount() const { return RangeCount; }
  uint64_t rowCount() const { return RowCount; }

  /// The range at \p Index, which must be below rangeCount().
  RangeEntry range(uint64_t Index) const;

  /// The number of rows of \p Range that can exist: its row count, unless the
  /// archive is damaged and the rows lie outside the line tables or outnumber
  /// the range's bytes.
  uint64_t plausibleRows(const RangeEntry &Range) const {
    uint64_t First = std::min(Range.FirstRow, RowCount);
    return std::min({Range.RowCount, RowCount - First, Range.Length});
  }

  /// The function of the range at \p Index, the same as range() gives; cheaper
  /// for callers that scan all ranges.
  StringOffset function(uint64_t Index) const {
    return Ranges[Index * format::RF_FieldCount + format::RF_Function];
  }

  /// Releases the resident pages of a mapped archive; the system reads them
  /// again on demand. For callers that have scanned a large archive and will
  /// read little of it afterwards.
  void releasePages() const;

  /// Row \p Index of \p Range, which must be below Range.RowCount. A row that
  /// lies outside the line tables is empty.
  RowEntry row(const RangeEntry &Range, uint64_t Index) const;

  /// Column of the call site of the range at \p Index; zero when not stored.
  uint32_t callColumn(uint64_t Index) const {
    return Index < CallColumns.Count ? uint32_t(CallColumns[Index]) : 0;
  }

  /// Index of the range that encloses \p Index, or none for a range of depth 0
  /// and in an archive without the PRNT section.
  std::optional<uint64_t> parent(uint64_t Index) const;

  /// Index of the range that begins at the entry of the function of the range
  /// of depth 0 at \p Index. That is \p Index itself unless the archive says
  /// otherwise, as for cold code that was moved away; none if no range begins
  /// at the entry.
  std::optional<uint64_t> entry(uint64_t Index) const;

  /// Null for an archive without the extension's INFO section.
  const ArchiveInfo *info() const { return Info ? &*Info : nullptr; }

  /// Why it lacks parts of what its binary has: they were damaged, or there was
  /// a limit. None if it lacks none, or does not tell.
  MissCode leftOut() const {
    if (!Info)
      return MissCode::None;
    return Info->Options & format::IO_Damaged     ? MissCode::Damaged
           : Info->Options & format::IO_Limited   ? MissCode::Limit
           : Info->Options & format::IO_NamesOnly ? MissCode::NamesOnly
                                                  : MissCode::None;
  }

  /// Whether it was made without debug information, on request.
  bool hasNamesOnly() const {
    return Info && Info->Options & format::IO_NamesOnly;
  }

  format::StringForm stringForm() const { return Strings; }

  /// Whether the archive was written with checksums.
  bool hasChecksums() const;

  /// Checks the four tables and the extension against their checksums. An
  /// archive without checksums is an error.
  llvm::Error verifyChecksums() const {
    return verifyChecksums(ChecksumParts::all());
  }

  /// Checks only \p Parts; of a compressed archive, nothing else is read. It is
  /// an error if the archive lacks the extension or a section in \p Parts,
  /// unless \p Parts are all.
  llvm::Error verifyChecksums(const ChecksumParts &Parts) const;

  /// Checks only the parts of a few hundred bytes against their checksums: the
  /// header, the extension's directory, INFO and IDEN. Success for an archive
  /// without checksums.
  llvm::Error verifySmallParts() const;

  const format::Header &header() const;
  /// The strings table, unpacked.
  llvm::StringRef stringTable() const { return keep(StringTable); }
  /// The whole extension block; empty without extension. Of a compressed
  /// archive only its header and directory may be read.
  llvm::StringRef extension() const { return Extension; }
  /// The extension's directory; empty without extension.
  llvm::ArrayRef<format::ExtensionSection> extensionSections() const;
  /// The bytes of an extension section, unpacked; none if the archive lacks it.
  std::optional<llvm::StringRef> extensionSection(uint32_t Tag) const;
  /// Where the bytes of an extension section are; in a compressed archive, they
  /// may not be unpacked yet.
  std::optional<llvm::StringRef> findExtensionSection(uint32_t Tag) const;
  /// Unpacks \p Part, which lies in the archive, until the archive is closed.
  /// Returns \p Part.
  llvm::StringRef keep(llvm::StringRef Part) const;
  /// Returns the bytes of \p Part, which lies in the archive: in place if they
  /// are in memory, otherwise a copy in \p Copy.
  llvm::StringRef read(llvm::StringRef Part,
                       llvm::SmallVectorImpl<char> &Copy) const;

  /// The table of unwind information, without rows if the
  /// archive has none. Reads the whole section. The error says that the section
  /// is damaged.
  llvm::Expected<UnwindTable> unwindTable() const;

  /// The variables (lidia/Archive/Variables.h); none if the archive has none.
  /// Reads and unpacks the whole section. The error says that the section is
  /// damaged.
  llvm::Expected<std::optional<VariableTable>> variables() const;

  /// The fields of the array section with \p Tag; none if the archive lacks it,
  /// or if it is not an array of equally wide fields.
  std::optional<FieldView> array(uint32_t Tag) const;

  /// The whole archive, if it is neither compressed nor has the names of
  /// another file.
  llvm::StringRef bytes() const { return Buffer->getBuffer(); }
  /// The file's name, for messages.
  llvm::StringRef name() const { return Buffer->getBufferIdentifier(); }
  /// Bytes in the (plain) archive.
  uint64_t size() const {
    return Buffer->getBufferSize() + (NamesOwner ? StringTable.size() : 0);
  }
  /// The bytes of the (plain) archive. If isPaged(), see unpackAll().
  llvm::MemoryBufferRef buffer() const { return Buffer->getMemBufferRef(); }

private:
  /// The RPAD section, parsed.
  struct ReturnPadTable {
    uint64_t Base = 0;
    /// Pads and pages.
    uint64_t Count = 0;
    uint64_t PageCount = 0;
    const format::ReturnPadPage *Pages = nullptr;
    const char *Entries = nullptr;
    /// As in FieldView.
    const PagedMemory *Memory = nullptr;
    uint8_t Shift = 0;
    uint8_t OffsetSize = 1;
    uint8_t RangeSize = 1;
    uint8_t RowSize = 0;

    void load(const void *Begin, uint64_t Size) const;
    unsigned entrySize() const { return OffsetSize + RangeSize + RowSize; }
    /// The pads of page \p K, as indices; in bounds even if the table is
    /// damaged.
    std::pair<uint64_t, uint64_t> page(uint64_t K) const;
    /// Entry \p I of page \p K.
    ReturnPad pad(uint64_t K, uint64_t I) const;
    /// The pad at \p Address.
    std::optional<ReturnPad> find(uint64_t Address) const;
  };

  /// The hot path.
  template <typename VAType, typename FieldType, bool IsPaged>
  friend class ArchiveLookup;
  friend class LookupPrefetch;

  Archive();

  llvm::Error openBytes(const ChecksumParts &Verified);
  llvm::Error openTables();
  llvm::Error openTable(llvm::StringRef What, const format::TableHeader &H,
                        unsigned FieldsPerEntry, FieldView &Table);
  llvm::Error openStrings();
  bool saysItHasExtension() const;
  llvm::Error openExtension();
  llvm::Error openSections();
  llvm::Error openInfo();
  llvm::Error openIdentity();
  llvm::Error openVAIndex();
  llvm::Error openReturnPads();
  /// Those of a compressed archive, apart from the others so that they need not
  /// save registers for them.
  llvm::StringRef keepString(StringOffset Offset) const;
  void lookupPaged(uint64_t Address,
                   llvm::SmallVectorImpl<Frame> &Frames) const;
  llvm::Expected<uint64_t> checkStatements() const;
  void prefetchSections() const;
  llvm::Expected<FieldView> readArray(const struct ArraySection &Layout) const;
  llvm::Error openArrays();
  FieldView openLate(FieldView ArchiveArrays::*Member) const;
  /// The array \p Member, of which there is no certain number of entries.
  FieldView view(FieldView ArchiveArrays::*Member) const {
    return LLVM_UNLIKELY(Memory != nullptr) ? openLate(Member) : this->*Member;
  }
  llvm::Error error(const llvm::Twine &Message) const;
  uint32_t checksumOf(llvm::StringRef Part) const;
  llvm::Error checkChecksum(const llvm::Twine &What, uint32_t Actual,
                            uint32_t Stored) const;
  llvm::Error verifyDirectory() const;
  llvm::Error verifySection(const format::ExtensionSection &S) const;
  llvm::Error verifySections(const ChecksumParts &Parts) const;
  template <bool IsPaged>
  RowEntry rowAt(uint64_t Row, StringOffset RangeFile) const;
  std::vector<uint32_t>
  ascendingOrder(llvm::ArrayRef<uint64_t> Addresses) const;
  void lookupInOrder(
      llvm::ArrayRef<uint64_t> Addresses, llvm::ArrayRef<uint32_t> Order,
      llvm::function_ref<void(size_t, llvm::ArrayRef<Frame>)> Visit) const;
  void lookupPagedInOrder(
      llvm::ArrayRef<uint64_t> Addresses, llvm::ArrayRef<uint32_t> Order,
      llvm::function_ref<void(size_t, llvm::ArrayRef<Frame>)> Visit) const;
  void lookupBatchOfPaged(
      llvm::ArrayRef<uint64_t> Addresses,
      llvm::function_ref<void(size_t, llvm::ArrayRef<Frame>)> Visit) const;

  /// The memory of Buffer if the archive is compressed, or null.
  std::unique_ptr<PagedMemory> Memory;
  std::unique_ptr<llvm::MemoryBuffer> Buffer;
  /// What keeps the memory of StringTable if that is not in Buffer, or null.
  std::shared_ptr<const void> NamesOwner;
  uint64_t RangeCount = 0;
  uint64_t RowCount = 0;
  format::StringForm Strings = format::StringForm::Prefixed;
  std::optional<ArchiveInfo> Info;

  // The members below were located and validated once, at opening. They point
  // into Buffer.
  FieldView VAs;
  FieldView Ranges;
  FieldView Lines;
  llvm::StringRef StringTable;
  /// The extension block; empty without extension.
  llvm::StringRef Extension;
  /// The entries of VAIX; empty without it.
  FieldView Pages;
  uint64_t PageBase = 0;
  unsigned PageShift = 0;
  /// Empty without RPAD.
  ReturnPadTable Pads;
};

} // namespace lidia

#endif // LIDIA_ARCHIVE_ARCHIVE_H
