//===- Against.cpp - Compares an archive with a binary --------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Against.h"
#include "HelperFile.h"
#include "HelperProgram.h"
#include "Object/BinaryIdentity.h"
#include "ReturnPads.h"
#include "lidia/Archive/BinaryLayout.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>

using namespace llvm;

namespace lidia {

static Error differ(const Archive &A, StringRef Binary, const Twine &How) {
  return createFileError(A.name(), createStringError(inconvertibleErrorCode(),
                                                     "not the archive of '" +
                                                         Binary + "': " + How));
}

//===----------------------------------------------------------------------===//
// The ELF header
//===----------------------------------------------------------------------===//

/// The result points into \p File and \p Identity.
static ArchiveInfo infoOf(const Binary &File, ArrayRef<uint8_t> Identity) {
  ArchiveInfo Info;
  static_cast<ELFIdentity &>(Info) = File.identity();
  Info.BuildID = File.buildID();
  Info.Identity = Identity;
  return Info;
}

static std::string buildIDText(ArrayRef<uint8_t> ID) {
  return ID.empty() ? "none" : toHex(ID, /*LowerCase=*/true);
}

/// The first difference between \p Ours and \p Theirs; empty if there is none.
static std::string describeDifference(const ArchiveInfo &Ours,
                                      const ArchiveInfo &Theirs) {
  if (Ours.BuildID != Theirs.BuildID)
    return "build ID " + buildIDText(Ours.BuildID) + ", but the binary has " +
           buildIDText(Theirs.BuildID);
  auto Field = [](const char *Name, unsigned A, unsigned B) {
    return A == B ? std::string()
                  : (Twine(Name) + " " + Twine(A) + ", but the binary has " +
                     Twine(B))
                        .str();
  };
  // Older archives, which do not record the format, claim ELF.
  const std::string Differences[] = {
      Ours.Format == BinaryFormat::ELF
          ? std::string()
          : Field("format", unsigned(Ours.Format), unsigned(Theirs.Format)),
      Field("machine", Ours.Machine, Theirs.Machine),
      Field("class", Ours.Class, Theirs.Class),
      Field("byte order", Ours.Data, Theirs.Data),
      Field("file type", Ours.Type, Theirs.Type),
      Field("OS ABI", Ours.OSABI, Theirs.OSABI),
      Field("ABI version", Ours.ABIVersion, Theirs.ABIVersion),
      Field("flags", Ours.Flags, Theirs.Flags)};
  for (const std::string &D : Differences)
    if (!D.empty())
      return D;
  // Older archives may have no identity, and debug files have none.
  if (!Ours.Identity.empty() && !Theirs.Identity.empty() &&
      Ours.Identity != Theirs.Identity)
    return "identity " + toHex(Ours.Identity, /*LowerCase=*/true) +
           ", but the binary has " + toHex(Theirs.Identity, true) +
           ": other code under the same build ID";
  return std::string();
}

static Error compareHeaders(const Archive &A, StringRef Path,
                            StringRef Architecture) {
  Expected<std::unique_ptr<Binary>> File = Binary::open(Path, Architecture);
  if (!File)
    return File.takeError();
  const ArchiveInfo *Info = A.info();
  if (!Info)
    return Error::success();
  std::optional<BinaryIdentity> Identity =
      identifyBinary(**File, Info->IdentityScheme);
  ArrayRef<uint8_t> Theirs;
  if (Identity)
    Theirs = *Identity;
  if (std::string How = describeDifference(*Info, infoOf(**File, Theirs));
      !How.empty())
    return differ(A, Path, How);
  return Error::success();
}

//===----------------------------------------------------------------------===//
// The contents
//===----------------------------------------------------------------------===//

/// Sets the options that \p A was made with, as recorded in its extension or
/// inferred from its contents.
static void recallOptions(const Archive &A, ConvertOptions &Options) {
  Options.Archive.Checksums = A.hasChecksums();
  Options.Archive.Strings = A.stringForm();
  Options.Archive.Extension = A.info() != nullptr;
  if (const ArchiveInfo *Info = A.info()) {
    Options.IdentityScheme = Info->IdentityScheme;
    Options.Files = Info->Options & format::IO_Files;
    Options.Lines = Info->Options & format::IO_Lines;
    Options.Archive.Columns = Info->Options & format::IO_Columns;
    Options.Archive.Statements = A.findStatements() ||
                                 A.extensionSection(format::ET_Aliases) ||
                                 A.extensionSection(format::ET_Declarations);
    Options.UnwindRows = Info->Options & format::IO_Unwind;
    Options.Variables = Info->Options & format::IO_Variables;
    if (Info->Options & format::IO_ReturnPads)
      Options.FindReturnPads = findReturnPadsApart;
    return;
  }
  Options.Lines = A.rowCount() != 0;
  Options.Files = Options.UnwindRows = false;
  for (uint64_t I = 0, E = A.rangeCount(); I != E && !Options.Files; ++I)
    Options.Files = A.range(I).File != 0;
}

static std::string describe(const Archive &A, const RangeEntry &R) {
  return ("0x" + Twine::utohexstr(R.VA) + "..0x" +
          Twine::utohexstr(R.VA + R.Length) + " depth " + Twine(R.Depth) +
          " '" + A.string(R.Function) + "' in '" + A.string(R.File) +
          "' called from '" + A.string(R.CallFile) + "':" + Twine(R.CallLine) +
          " with " + Twine(R.RowCount) + " rows")
      .str();
}

static bool sameRange(const Archive &A, const RangeEntry &RA, const Archive &B,
                      const RangeEntry &RB) {
  return RA.VA == RB.VA && RA.Length == RB.Length && RA.Depth == RB.Depth &&
         RA.RowCount == RB.RowCount && RA.CallLine == RB.CallLine &&
         A.string(RA.Function) == B.string(RB.Function) &&
         A.string(RA.File) == B.string(RB.File) &&
         A.string(RA.CallFile) == B.string(RB.CallFile);
}

/// The index of the first row that differs between two ranges that are
/// otherwise equal.
static std::optional<uint64_t> firstOtherRow(const Archive &A,
                                             const RangeEntry &RA,
                                             const Archive &B,
                                             const RangeEntry &RB) {
  for (uint64_t I = 0; I != RA.RowCount; ++I) {
    RowEntry X = A.row(RA, I), Y = B.row(RB, I);
    if (X.Offset != Y.Offset || X.Line != Y.Line || X.Column != Y.Column ||
        A.string(X.File) != B.string(Y.File))
      return I;
  }
  return std::nullopt;
}

/// The first difference between the contents of \p Ours and \p Made; empty if
/// there is none.
static std::string describeDifference(const Archive &Ours,
                                      const Archive &Made) {
  uint64_t Count = std::min(Ours.rangeCount(), Made.rangeCount());
  for (uint64_t I = 0; I != Count; ++I) {
    RangeEntry RA = Ours.range(I), RB = Made.range(I);
    std::string At = "range " + std::to_string(I) + " is " + describe(Ours, RA);
    if (!sameRange(Ours, RA, Made, RB))
      return At + ", but the binary gives " + describe(Made, RB);
    if (std::optional<uint64_t> Row = firstOtherRow(Ours, RA, Made, RB))
      return At + ", but row " + std::to_string(*Row) + " differs";
  }
  if (Ours.rangeCount() != Made.rangeCount())
    return std::to_string(Ours.rangeCount()) +
           " ranges, but the binary gives " + std::to_string(Made.rangeCount());
  return std::string();
}

//===----------------------------------------------------------------------===//
// Go's tables in place of DWARF
//===----------------------------------------------------------------------===//

/// A stripped program of Go still has the runtime's tables, which say nearly
/// the same as its DWARF. They have no lines for symbols, and for generated
/// functions they have a line from the first instruction on, and no directory.
static constexpr StringLiteral Generated = "<autogenerated>";

static bool sameGoPath(StringRef Ours, StringRef Made) {
  return Ours == Made ||
         (Made == Generated && (Ours.empty() || Ours == "./<autogenerated>"));
}

static bool sameGoRange(const Archive &A, const RangeEntry &RA,
                        const Archive &B, const RangeEntry &RB) {
  return RA.VA == RB.VA && RA.Length == RB.Length && RA.Depth == RB.Depth &&
         RA.CallLine == RB.CallLine &&
         A.string(RA.Function) == B.string(RB.Function) &&
         sameGoPath(A.string(RA.File), B.string(RB.File)) &&
         sameGoPath(A.string(RA.CallFile), B.string(RB.CallFile));
}

/// Whether the rows agree wherever \p A, made from DWARF, has a line.
static bool sameGoLines(const Archive &A, const RangeEntry &RA,
                        const Archive &B, const RangeEntry &RB) {
  uint64_t I = 0, J = 0;
  while (I != RA.RowCount || J != RB.RowCount) {
    uint64_t NextA = I == RA.RowCount ? UINT64_MAX : A.row(RA, I).Offset;
    uint64_t NextB = J == RB.RowCount ? UINT64_MAX : B.row(RB, J).Offset;
    I += NextA <= NextB;
    J += NextB <= NextA;
    RowEntry X = I ? A.row(RA, I - 1) : RowEntry();
    RowEntry Y = J ? B.row(RB, J - 1) : RowEntry();
    if (X.Line &&
        (X.Line != Y.Line || !sameGoPath(A.string(X.File), B.string(Y.File))))
      return false;
  }
  return true;
}

/// The first difference between the contents of \p Ours and \p Made, which was
/// made from Go's tables alone; empty if there is none. Only symbols name other
/// code.
static std::string describeGoDifference(const Archive &Ours,
                                        const Archive &Made) {
  uint64_t J = 0;
  for (uint64_t I = 0, E = Ours.rangeCount(); I != E; ++I) {
    RangeEntry RA = Ours.range(I);
    if (J == Made.rangeCount() || RA.VA + RA.Length <= Made.range(J).VA)
      continue;
    RangeEntry RB = Made.range(J++);
    if (!sameGoRange(Ours, RA, Made, RB) || !sameGoLines(Ours, RA, Made, RB))
      return "range " + std::to_string(I) + " is " + describe(Ours, RA) +
             ", but Go's tables give " + describe(Made, RB);
  }
  return J == Made.rangeCount() ? "" : "Go's tables give further ranges";
}

static bool hasSource(const ConvertStatistics &S, SourceKind Kind) {
  return any_of(S.Sources, [&](const ConvertStatistics::Source &Source) {
    return Source.BytesNamed && Source.Name == sourceNames()[size_t(Kind)].Name;
  });
}

//===----------------------------------------------------------------------===//
// The layout
//===----------------------------------------------------------------------===//

static std::string describeByteDifference(StringRef Ours, StringRef Made) {
  if (Ours == Made)
    return std::string();
  size_t At =
      size_t(std::mismatch(Ours.begin(),
                           Ours.begin() + std::min(Ours.size(), Made.size()),
                           Made.begin())
                 .first -
             Ours.begin());
  return ("same ranges and rows, but the files differ from offset 0x" +
          Twine::utohexstr(At) + " on (" + Twine(Ours.size()) + " bytes, now " +
          Twine(Made.size()) + ")")
      .str();
}

/// Whether the layouts are those of one binary before and after GNU strip,
/// which cuts off the ends of segments outside of sections, and changes the
/// order and types of sections.
static bool sameButForStrip(const BinaryLayout &A, const BinaryLayout &B) {
  auto SameSegment = [](const LayoutSegment &X, const LayoutSegment &Y) {
    return X.Flags == Y.Flags && X.Address == Y.Address;
  };
  if (!std::equal(A.Segments.begin(), A.Segments.end(), B.Segments.begin(),
                  B.Segments.end(), SameSegment))
    return false;
  using Places = std::vector<std::pair<uint64_t, uint64_t>>;
  auto PlacesOf = [](const BinaryLayout &L) {
    Places Result;
    for (const LayoutSection &S : L.Sections)
      if (!StringRef(S.Name).starts_with(".debug"))
        Result.push_back({S.Address, S.Size});
    llvm::sort(Result);
    return Result;
  };
  return PlacesOf(A) == PlacesOf(B);
}

/// Whether archives with the same ranges and rows differ only in the layout,
/// and only as strip changes it.
static bool differByStripAlone(const Archive &Ours, const Archive &Made) {
  ArrayRef<format::ExtensionSection> Sections = Ours.extensionSections();
  if (Ours.stringTable() != Made.stringTable() ||
      Sections.size() != Made.extensionSections().size())
    return false;
  for (const format::ExtensionSection &S : Sections)
    if (S.Tag != format::ET_Layout &&
        Ours.extensionSection(S.Tag) != Made.extensionSection(S.Tag))
      return false;
  Expected<BinaryLayout> A = BinaryLayout::read(Ours);
  Expected<BinaryLayout> B = BinaryLayout::read(Made);
  bool AreRead = bool(A) && bool(B);
  if (!AreRead) {
    consumeError(A.takeError());
    consumeError(B.takeError());
    return false;
  }
  return sameButForStrip(*A, *B);
}

/// Whether \p Ours is the archive of a program of Go with DWARF, whose identity
/// is known to be that of the binary, and \p S is of the same without DWARF.
static bool isOfStrippedGo(const Archive &Ours, const ConvertStatistics &S) {
  return Ours.info() && !Ours.info()->Identity.empty() &&
         hasSource(S, SourceKind::Go) && !hasSource(S, SourceKind::DWARF);
}

Error compareWithBinary(const Archive &A, StringRef Binary,
                        ConvertOptions Options, ConvertObserver &Observer) {
  if (Error E = compareHeaders(A, Binary, Options.Architecture))
    return E;
  recallOptions(A, Options);

  HelperFile Output("lidia");
  if (Error E = Output.error())
    return E;
  Expected<ConvertStatistics> S =
      convert(Binary, Output.path(), Options, Observer);
  if (!S)
    return S.takeError();
  Expected<Archive> Made = Archive::open(Output.path());
  if (!Made)
    return Made.takeError();

  std::string How = describeDifference(A, *Made);
  if (!How.empty() && isOfStrippedGo(A, *S)) {
    How = describeGoDifference(A, *Made);
    return How.empty() ? Error::success() : differ(A, Binary, How);
  }
  // Other writers may write the same contents in another layout.
  if (How.empty() && A.info() && !differByStripAlone(A, *Made))
    How = describeByteDifference(A.buffer().getBuffer(),
                                 Made->buffer().getBuffer());
  return How.empty() ? Error::success() : differ(A, Binary, How);
}

} // namespace lidia
