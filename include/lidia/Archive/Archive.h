//===- Archive.h - A Lidia archive, opened for lookups ----------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_ARCHIVE_ARCHIVE_H
#define LIDIA_ARCHIVE_ARCHIVE_H

#include "lidia/Archive/ELFIdentity.h"
#include "lidia/Archive/Fields.h"
#include "lidia/Archive/Format.h"
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

namespace lidia {

/// A string of an archive, named by its offset in the strings table. Zero is
/// the empty string. Equal strings have equal offsets, so a caller can key a
/// cache with it and ask for the text once.
using StringOffset = uint64_t;

/// One function or one inlined call on the way to an address.
struct Frame {
  /// The function's linkage name as the binary has it, not demangled.
  StringOffset Function = 0;
  /// The source file of Line; zero when it is not known.
  StringOffset File = 0;
  /// Zero when it is not known.
  uint32_t Line = 0;
  /// Zero when it is not known or the archive has no columns.
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

/// One row of a line table: from Offset on, code belongs to this line.
struct RowEntry {
  /// Bytes from the range's VA.
  uint32_t Offset = 0;
  /// Zero when it is not known.
  uint32_t Line = 0;
  /// The range's file, unless the extension names another.
  StringOffset File = 0;
  /// Zero when it is not known or the archive has no columns.
  uint32_t Column = 0;
};

/// The four letters of an extension section's tag. An archive from elsewhere
/// can have anything there: what cannot be printed becomes '?'.
std::string tagName(uint32_t Tag);

/// The binary that an archive was made from, by the extension.
struct ArchiveInfo : ELFIdentity {
  /// format::InfoOption bits.
  uint32_t Options = 0;
  /// Points into whatever the owner of this structure keeps alive; empty when
  /// the binary has none.
  llvm::ArrayRef<uint8_t> BuildID;
  /// Tells the binary from others that claim its build ID: 16 bytes
  /// (identifyBinary in lidia/Object/BinaryIdentity.h), or none when it was not
  /// kept. Kept alive like BuildID.
  llvm::ArrayRef<uint8_t> Identity;
};

/// An address behind a call instruction: where the function that is called
/// returns to.
struct ReturnPad {
  uint64_t Address = 0;
  /// Index of the innermost range that covers the call, if any does.
  std::optional<uint64_t> Range;
  /// Index among the range's rows of the one in force at the call, if any is.
  std::optional<uint64_t> Row;
};

/// The extension's array sections as an open archive has them, empty where the
/// archive lacks one. docs/Format.md says what the fields of each are.
struct ArchiveArrays {
  FieldView Parents;
  FieldView ForeignRows;
  FieldView RowColumns;
  FieldView CallColumns;
  FieldView Directories;
  FieldView Entries;
  FieldView Declarations;
};

/// How Archive::open gets at a file's bytes.
enum class FileAccess : uint8_t {
  /// Maps the file: nothing is read before it is needed, and processes share
  /// the
  /// memory.
  Map,
  /// Takes a copy of its own, which nobody else can change: a clone of the file
  /// without a name, beside it, where the file system shares the blocks of two
  /// files (Btrfs, XFS), otherwise memory, which costs reading the whole file.
  Copy,
};

/// A Lidia archive, opened for lookups.
///
/// Optimised for a mapped file: opening reads the 128-byte header and the
/// extension's directory and nothing else; a lookup touches one page of the VA
/// index, a few lines of the VA table, and one range entry for each frame it
/// answers. Nothing is allocated after opening and every method is const, so
/// one archive serves any number of threads.
///
/// An archive from anywhere is safe to look up in: each offset and count is
/// checked against the file before it is used, and a damaged entry yields no
/// frame or an empty string. verify() (lidia/Archive/Verify.h) finds out
/// whether the contents make sense.
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
  /// Opens the file at \p Path, or reads it where it is a pipe. The error names
  /// the file and what is wrong.
  ///
  /// A file that is mapped, which is the default, must not become shorter while
  /// the archive is open: reading what is gone raises SIGBUS. That is the
  /// program's to rule out or to handle; this library installs no signal
  /// handler. Archives that llvm-lidia and the cache write are renamed into
  /// place and never changed, so an older one stays whole while it is mapped.
  /// For files that others may write to in place there is FileAccess::Copy.
  static llvm::Expected<Archive> open(llvm::StringRef Path,
                                      FileAccess Access = FileAccess::Map);

  /// Uses \p Buffer, which the archive owns from here on. Errors name the
  /// buffer's identifier.
  static llvm::Expected<Archive>
  create(std::unique_ptr<llvm::MemoryBuffer> Buffer);

  Archive(Archive &&) = default;
  Archive &operator=(Archive &&) = default;

  /// Whether \p Bytes, the start of a file, look like an archive.
  static bool hasMagic(llvm::StringRef Bytes);

  /// Answers \p Address with the chain of functions that cover it, innermost
  /// first, in \p Frames (whose former contents are dropped). Leaves it empty
  /// when nothing covers the address.
  ///
  /// Costs O(log n) for the search and one step for each enclosing range; an
  /// archive without the PRNT section (one that another tool wrote) is walked
  /// backwards instead, which is linear in the ranges of the function.
  void lookup(uint64_t Address, llvm::SmallVectorImpl<Frame> &Frames) const;

  /// Looks up many addresses: calls \p Visit(index, frames) for each, in the
  /// order of \p Addresses. Ascending addresses share the work of searching;
  /// others are answered as lookup() does.
  void lookupBatch(
      llvm::ArrayRef<uint64_t> Addresses,
      llvm::function_ref<void(size_t, llvm::ArrayRef<Frame>)> Visit) const;

  /// Answers \p ReturnAddress, as it stands on a stack, with the frames of the
  /// call before it, the same as lookup(ReturnAddress - 1), by one probe of the
  /// table of return pads instead of a search. False, and no frames, when no
  /// call is known to end there or the archive has no such table: a caller may
  /// then look up ReturnAddress - 1. A known pad of code without function gives
  /// true and no frames.
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

  /// The text at \p Offset, without terminator. Empty when the offset is
  /// outside the strings table or its length reaches past it. Points into the
  /// archive's buffer.
  llvm::StringRef string(StringOffset Offset) const;

  /// Calls \p Visit with each string of the strings table, in the order in
  /// which they lie there, until one of damaged length.
  void visitStrings(
      llvm::function_ref<void(StringOffset, llvm::StringRef)> Visit) const;

  /// How many leading bytes of the path \p File are its compilation directory
  /// with the separator; zero when the path is absolute by itself or the
  /// archive does not say.
  uint64_t directoryLength(StringOffset File) const;

  /// The line where \p Function is declared, of its ranges with \p File; zero
  /// when that is not known.
  uint32_t declarationLine(StringOffset Function, StringOffset File) const;

  uint64_t rangeCount() const { return RangeCount; }
  uint64_t rowCount() const { return RowCount; }

  /// The range at \p Index, which must be below rangeCount().
  RangeEntry range(uint64_t Index) const;

  /// How many rows of \p Range there can be: as many as it says, unless the
  /// archive is damaged and they lie outside of the line tables or are more
  /// than its bytes.
  uint64_t plausibleRows(const RangeEntry &Range) const {
    uint64_t First = std::min(Range.FirstRow, RowCount);
    return std::min({Range.RowCount, RowCount - First, Range.Length});
  }

  /// The function of the range at \p Index, as range() says it, for who goes
  /// through all ranges and wants few.
  StringOffset function(uint64_t Index) const {
    return Ranges[Index * format::RF_FieldCount + format::RF_Function];
  }

  /// Gives the memory that holds pages of a mapped archive back to the system,
  /// which reads them again when they are asked for. For who has gone through
  /// all of a large archive and goes on to ask little.
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

  /// Index of the range at whose start the function of the range of depth 0 at
  /// \p Index is entered. That is \p Index itself unless the archive says
  /// otherwise, as of cold code that was moved away; none when no range begins
  /// there.
  std::optional<uint64_t> entry(uint64_t Index) const;

  /// Null for an archive without the extension's INFO section.
  const ArchiveInfo *info() const { return Info ? &*Info : nullptr; }

  format::StringForm stringForm() const { return Strings; }

  /// Whether the archive was written with checksums.
  bool hasChecksums() const;

  /// Checks the four tables and the extension against their checksums. An
  /// archive without checksums is an error that says so.
  llvm::Error verifyChecksums() const;

  /// Checks those parts against their checksums of which there are a few
  /// hundred bytes: the header, the extension's directory, INFO and IDEN.
  /// Success for an archive without checksums.
  llvm::Error verifySmallParts() const;

  const format::Header &header() const;
  /// The whole extension block; empty without extension.
  llvm::StringRef extension() const { return Extension; }
  /// The extension's directory; empty without extension.
  llvm::ArrayRef<format::ExtensionSection> extensionSections() const;
  /// The bytes of an extension section; none when the archive lacks it.
  std::optional<llvm::StringRef> extensionSection(uint32_t Tag) const;

  /// The fields of the array section with \p Tag; none when the archive lacks
  /// it, or when it is no array of equally wide fields.
  std::optional<FieldView> array(uint32_t Tag) const;

  /// The file's name, for messages.
  llvm::StringRef name() const { return Buffer->getBufferIdentifier(); }
  llvm::MemoryBufferRef buffer() const { return Buffer->getMemBufferRef(); }

private:
  /// The RPAD section, taken apart.
  struct ReturnPadTable {
    uint64_t Base = 0;
    /// Pads and pages.
    uint64_t Count = 0;
    uint64_t PageCount = 0;
    const format::ReturnPadPage *Pages = nullptr;
    const char *Entries = nullptr;
    uint8_t Shift = 0;
    uint8_t OffsetSize = 1;
    uint8_t RangeSize = 1;
    uint8_t RowSize = 0;

    unsigned entrySize() const { return OffsetSize + RangeSize + RowSize; }
    /// The pads of page \p K, as indices, whatever the table says.
    std::pair<uint64_t, uint64_t> page(uint64_t K) const;
    /// Entry \p I of page \p K.
    ReturnPad pad(uint64_t K, uint64_t I) const;
    /// The pad at \p Address.
    std::optional<ReturnPad> find(uint64_t Address) const;
  };

  /// The hot path, in Lookup.cpp.
  template <typename VAType, typename FieldType> friend class ArchiveLookup;

  Archive() = default;

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
  llvm::Error checkStatements() const;
  llvm::Error openArray(const struct ArraySection &Layout);
  llvm::Error error(const llvm::Twine &Message) const;
  uint32_t checksumOf(llvm::StringRef Part) const;
  llvm::Error checkChecksum(const llvm::Twine &What, uint32_t Actual,
                            uint32_t Stored) const;
  llvm::Error verifyDirectory() const;
  llvm::Error verifySection(const format::ExtensionSection &S) const;
  RowEntry rowAt(uint64_t Row, StringOffset RangeFile) const;

  std::unique_ptr<llvm::MemoryBuffer> Buffer;
  uint64_t RangeCount = 0;
  uint64_t RowCount = 0;
  format::StringForm Strings = format::StringForm::Prefixed;
  std::optional<ArchiveInfo> Info;

  // The members below were found and checked against the file once, at opening.
  // They point into Buffer.
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
