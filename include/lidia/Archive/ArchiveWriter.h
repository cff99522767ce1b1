//===- ArchiveWriter.h - Lays out a Lidia archive ---------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_ARCHIVE_ARCHIVEWRITER_H
#define LIDIA_ARCHIVE_ARCHIVEWRITER_H

#include "lidia/Archive/Archive.h"
#include "lidia/Archive/Calls.h"
#include "lidia/Archive/Compression.h"
#include "lidia/Archive/NameOrigins.h"
#include "lidia/Archive/Statements.h"
#include "lidia/Support/OutputFile.h"
#include <memory>
#include <vector>

namespace lidia {

struct ArchiveWriterOptions {
  /// Write checksums of all tables; otherwise they are zero.
  bool Checksums = false;
  /// Write the extension block; without it the archive is plain version 1.
  bool Extension = true;
  /// Keep columns (in the extension).
  bool Columns = false;
  /// Keep what only debuggers need (in the extension): statements,
  /// declarations, plain names, compile units, copies and calls.
  bool Statements = true;
  format::StringForm Strings = format::StringForm::Prefixed;
};

/// A row passed to the writer.
struct ArchiveRow {
  /// Bytes from the range's start; ascending within a range, below its length.
  uint64_t Offset = 0;
  /// Zero means that the line is unknown from here on.
  uint32_t Line = 0;
  uint32_t Column = 0;
  /// From ArchiveWriter::addString. Zero with line 0: unknown position.
  StringOffset File = 0;
};

/// A range passed to the writer.
struct ArchiveRange {
  uint64_t Start = 0;
  uint64_t Length = 0;
  uint32_t Depth = 0;
  /// Strings are offsets from ArchiveWriter::addString.
  StringOffset Function = 0;
  StringOffset File = 0;
  StringOffset CallFile = 0;
  uint32_t CallLine = 0;
  uint32_t CallColumn = 0;
  /// Where Function is declared; zero if unknown.
  StringOffset DeclFile = 0;
  uint32_t DeclLine = 0;
  /// The address at which the function of a range of depth 0 is entered; by
  /// default Start. The entry range is the range of depth 0 that begins there,
  /// if it has the same function, whose name is known, and is entered at its
  /// own start; it may be added before or after this one.
  std::optional<uint64_t> Entry;
  /// For a range of depth 0 with a name.
  NameOrigin Origin = NameOrigin::Unknown;
  NameReach Reach;
  /// For a range of depth 0.
  FunctionUnit Unit;
  llvm::ArrayRef<ArchiveRow> Rows;
  /// For a range of depth 0: statements and calls as StatementReader::read()
  /// returns them.
  llvm::ArrayRef<Statement> Statements;
  llvm::ArrayRef<CallNote> Calls;
};

/// The size in bytes of each part of a written archive, in file order, and the
/// numbers of its entries.
struct ArchiveSizes {
  uint64_t Header = 0;
  uint64_t VAs = 0;
  uint64_t Ranges = 0;
  uint64_t Strings = 0;
  uint64_t Lines = 0;
  /// Tag and bytes of each extension section, in file order.
  llvm::SmallVector<std::pair<uint32_t, uint64_t>, 8> Extension;
  /// The whole file.
  uint64_t Total = 0;
  uint64_t RangeCount = 0;
  /// Rows stored, after equal runs were shared.
  uint64_t RowCount = 0;
  /// Rows passed to the writer.
  uint64_t RowsGiven = 0;
  uint64_t StringCount = 0;
  /// Functions whose statements are left out because they are too long.
  uint64_t StatementsLeftOut = 0;
};

/// Lays out an archive from ranges added in order.
///
/// Ranges are kept in their on-disk form (36 bytes each, more only if a value
/// needs it), so memory use is about the size of the archive. Field sizes are
/// as small as the data allow and are known only at the end.
///
/// Equal runs of rows are stored once, whichever ranges they belong to.
///
/// \code
///   ArchiveWriter W(Options);
///   ArchiveRange R;
///   R.Start = 0x1000;
///   R.Length = 16;
///   R.Function = W.addString("main");
///   if (llvm::Error E = W.addRange(R))
///     return E;
///   if (llvm::Expected<ArchiveSizes> S = W.writeFile("a.out.lidia"); !S)
///     return S.takeError();
/// \endcode
class ArchiveWriter {
public:
  explicit ArchiveWriter(const ArchiveWriterOptions &Options);
  ~ArchiveWriter();
  ArchiveWriter(ArchiveWriter &&);
  ArchiveWriter &operator=(ArchiveWriter &&);

  /// Sets the contents of the INFO and IDEN sections. \p Info is copied. The
  /// options IO_Checksums and IO_Columns are taken from ArchiveWriterOptions,
  /// and setReturnPads() sets IO_ReturnPads.
  void setInfo(const ArchiveInfo &Info);

  /// The offset of \p Text, which is stored at its first use. A string that the
  /// form cannot hold becomes "[overflow]" (4 GiB or more) or is cut (at a NUL
  /// byte, in the README's form).
  StringOffset addString(llvm::StringRef Text);

  /// Records that the first \p Length bytes of \p File are its compilation
  /// directory and the separator. The smallest length for each file is kept.
  void addDirectory(StringOffset File, uint64_t Length);

  /// Records that \p Function, a linkage name, has the name \p Plain in the
  /// source. The first \p Plain for each function is kept.
  void addPlainName(StringOffset Function, StringOffset Plain);

  /// Records that the last declaration of \p Function is \p D, which differs
  /// from the declaration in its ranges. The first \p D for each function is
  /// kept.
  void addLastDeclaration(StringOffset Function, Declaration D);

  /// Appends \p Range. Ranges must be added in order of start, then depth; a
  /// range of depth N > 0 must lie inside the last range of depth N - 1; ranges
  /// of one depth must not overlap; no range may be empty. The error says which
  /// rule was broken.
  llvm::Error addRange(const ArchiveRange &Range);

  /// The start addresses of the ranges of depth 0 added so far, ascending.
  std::vector<uint64_t> functionStarts() const;

  /// Stores \p Pads, the return addresses after call instructions, ascending
  /// and nonzero, each with the range and row of the byte before it. Call this
  /// once, after all ranges were added. Fails if the archive is written without
  /// the extension.
  llvm::Error setReturnPads(llvm::ArrayRef<uint64_t> Pads);

  /// Adds \p Call. Add calls in order of address, after all ranges. The error
  /// says that the call is below the first range, is not above the previous
  /// call, or has unknown flags. An archive without statements has no calls
  /// either.
  llvm::Error addCall(const FunctionCall &Call);

  /// Records that \p Unit had a copy of the function whose range of depth 0
  /// begins at \p Start. Does nothing if the function belongs to \p Unit. Call
  /// this after all ranges were added, in order of the unit's number, then of
  /// address. The error says which rule was broken. An archive without
  /// statements has no copies either.
  llvm::Error addCopy(const FunctionUnit &Unit, uint64_t Start);

  /// Records that a symbol table has the additional name \p Name for the code
  /// at \p Address. Call this after all ranges were added, in any order. Omits
  /// names that a range has at the address, and names of code without a range.
  /// An archive without statements has no aliases.
  void addAlias(uint64_t Address, llvm::StringRef Name);

  /// Keeps \p Text as the source code of \p File; only the first call for each
  /// file with a text has an effect. Text larger than format::MaxSource is left
  /// out. An archive without the extension has no source code.
  void addSource(StringOffset File, llvm::StringRef Text);

  /// Records that the section \p Name of a relocatable object has the \p Size
  /// addresses from \p Address on. Call this in order of address. The error
  /// says that the section is empty, overlaps the previous one, or reaches past
  /// the end of the address space.
  llvm::Error addSectionPlace(StringOffset Name, uint64_t Address,
                              uint64_t Size);

  /// Records that the \p Size bytes of code from \p Address on are at \p Offset
  /// in the binary. Call this in order of address. Fails for the reasons for
  /// which addSectionPlace() does.
  llvm::Error addLoadSegment(uint64_t Address, uint64_t Offset, uint64_t Size);

  /// Stores \p Section, the result of BinaryLayout::bytes().
  void setLayout(std::string Section);

  /// Stores \p Section, the result of UnwindTableBuilder::bytes(). An archive
  /// without the extension has no unwind rows.
  void setUnwindTable(std::string Section);

  /// Keeps the functions that have no name (UnnamedFunctions.h). \p Section has
  /// the bytes of unnamedFunctionsSection().
  void setUnnamedFunctions(std::string Section);

  /// Stores \p Section, the result of VariableTableBuilder::bytes(). An archive
  /// without the extension has no variables.
  void setVariables(std::string Section);

  /// Writes the archive to \p OS, front to back, and returns the sizes of its
  /// parts.
  llvm::Expected<ArchiveSizes> write(llvm::raw_ostream &OS);

  /// Writes the archive to the file \p Path, which afterwards either is
  /// complete or has not changed (see writeOutputFile()). Compresses the
  /// archive if \p Compress is not null; the returned sizes are those before
  /// compression.
  llvm::Expected<ArchiveSizes>
  writeFile(llvm::StringRef Path, const OutputFileOptions &Output = {},
            const CompressionOptions *Compress = nullptr);

private:
  class Impl;
  std::unique_ptr<Impl> P;
};

} // namespace lidia

#endif // LIDIA_ARCHIVE_ARCHIVEWRITER_H
