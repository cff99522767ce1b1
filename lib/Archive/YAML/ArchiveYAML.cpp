//===- ArchiveYAML.cpp - Archives from a readable description -------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A description is turned into bytes in this order: ArchiveWriter lays out the
/// contents; raw fields and sections are replaced; checksums are updated;
/// headers are overridden; bytes are patched, flipped and cut off. So checksums
/// detect the later kinds of damage but not the earlier ones.
///
//===----------------------------------------------------------------------===//

#include "ArchiveYAML.h"
#include "Archive/ArraySections.h"
#include "Support/Checksum.h"
#include "lidia/Archive/ArchiveWriter.h"
#include "lidia/Archive/UnwindTable.h"
#include "lidia/Error.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/YAMLTraits.h"
#include "llvm/Support/raw_ostream.h"
#include <optional>

using namespace lidia;
using namespace lidia::format;
using namespace llvm;

const char lidia::ArchiveYAMLHelp[] = R"(
KEYS OF A DESCRIPTION

Contents of the archive. Numbers are decimal or 0x...; all keys have defaults.

  Checksums: true                       # default: false
  Extension: false                      # default: true
  Columns: true                         # default: false
  Strings: NulTerminated                # default: Prefixed
  Info: {Machine: 62, Type: 3, Class: 2, Data: 1, OSABI: 0, ABIVersion: 0,
         Flags: 0, Options: 6, BuildID: 00112233,
         Identity: 000102030405060708090a0b0c0d0e0f, IdentityScheme: 1}
  Ranges:                               # sorted and nested
    - {Start: 0x1000, Length: 0x20, Function: main, File: /src/a.c,
       Rows: [{Offset: 0, Line: 3, Column: 1}, {Offset: 8, Line: 7, File: b.h}]}
    - {Start: 0x1008, Length: 4, Depth: 1, Function: f, File: b.h,
       CallFile: /src/a.c, CallLine: 4, CallColumn: 9}
    - {Start: 0x2000, Length: 8, Function: main, Entry: 0x1000,
       DeclFile: a.h, DeclLine: 2, Unit: 1, UnitName: /src/a.c,
       Language: 29, Directory: /src,               # of the unit
       Statements: [{Offset: 0, Line: 3, Column: 1, File: b.h, Flags: 1}]}
  Directories: [{File: /src/a.c, Length: 5}]
  PlainNames: [{Function: __GI_f, Name: f}]
  LastDeclarations: [{Function: main, File: a.h, Line: 1}]
  ReturnPads: [0x1009, 0x1020]          # addresses, ascending
  Calls: [{Address: 0x1004, Callee: f, Flags: 1}]     # ascending
  Copies: [{Unit: 2, UnitName: /src/b.c, Start: 0x1000}]  # by unit, start
  Aliases: [{Address: 0x1000, Name: g}]
  Sources: [{File: a.c, Text: "int f();\n"}]
  SectionPlaces: [{Name: .text, Address: 0x1000, Size: 0x2000}]  # ascending
  LoadSegments: [{Address: 0x2000, Offset: 0x1000, Size: 0x20}]  # ascending
  Unwind: [{Begin: 0x1000, End: 0x1004, CFARegister: 7, CFAOffset: 8,
            Saved: [{Register: 16, Offset: -8}], SignalFrame: false,
            AtCallsOnly: false}]
                                        # ascending; Offset: from the CFA
  UnwindReturnAddress: 16               # the register; default: 16

  A row without File belongs to its range's file; "File: ''" means no file. A
  function without DeclFile is declared in its range's file.

Intentional damage, applied in this order. Checksums are updated after the first
three.

  Bytes: 2e646961...                    # a whole file in hex, for all of above
  RawRanges: [{Index: 1, VA: 0, Length: 0, Depth: 0, Function: 0, File: 0,
               FirstRow: 0, RowCount: 0, CallFile: 0, CallLine: 0}]
  Sections:                             # replaced by tag, or added at the end
    - {Tag: PRNT, Content: 01000000 00000000 00ff}
    - {Tag: ENTR, FieldSize: 4, Fields: [2, 0]}               # an array section
    - {Tag: VAIX, Remove: true}
    - {Tag: INFO, Offset: 0, Size: 0xffffffffffffffff, CRC: 0}  # raw, afterwards
  Header: {Magic: .xyz, Version: 2,
           VAs: {FieldSize: 3, Count: 0, Offset: 0, CRC: 0, Reserved: 1},
           Ranges: {...}, Strings: {Size: 0, ...}, Lines: {...}}
  ExtensionHeader: {Version: 2, SectionCount: 9, Size: 0, CRC: 0, Reserved: 1}
  Append: 00ff                          # hex
  Patch: [{Offset: 0x80, Bytes: 00ff}]
  Flip: [{Offset: 0x80, Mask: 0x01}]    # Mask: bits of one byte
  Truncate: 100                         # bytes to keep
)";

namespace {

struct RowYAML {
  uint64_t Offset = 0;
  uint32_t Line = 0;
  uint32_t Column = 0;
  std::optional<std::string> File;
  /// Of a statement.
  uint8_t Flags = 0;
};

struct RangeYAML {
  uint64_t Start = 0;
  uint64_t Length = 0;
  uint32_t Depth = 0;
  std::string Function, File, CallFile;
  uint32_t CallLine = 0;
  uint32_t CallColumn = 0;
  std::optional<uint64_t> Entry;
  std::optional<std::string> DeclFile;
  uint32_t DeclLine = 0;
  uint64_t Unit = 0;
  std::string UnitName;
  uint16_t Language = 0;
  std::string Directory;
  std::vector<RowYAML> Rows, Statements;
};

struct DirectoryYAML {
  std::string File;
  uint64_t Length = 0;
};

struct PlainNameYAML {
  std::string Function, Name;
};

struct CallYAML {
  uint64_t Address = 0;
  std::string Callee;
  uint8_t Flags = 0;
};

struct AliasYAML {
  uint64_t Address = 0;
  std::string Name;
};

struct SourceYAML {
  std::string File;
  std::string Text;
};

struct CopyYAML {
  uint64_t Unit = 0;
  std::string UnitName;
  uint64_t Start = 0;
};

struct SectionPlaceYAML {
  std::string Name;
  uint64_t Address = 0, Size = 0;
};

struct LoadSegmentYAML {
  uint64_t Address = 0, Offset = 0, Size = 0;
};

struct InfoYAML {
  ArchiveInfo Info;
  std::string BuildID, Identity;
};

struct LastDeclarationYAML {
  std::string Function, File;
  uint32_t Line = 0;
};

/// The on-disk fields of one range. The VA comes last.
struct RawRangeYAML {
  uint64_t Index = 0;
  std::optional<uint64_t> VA, Fields[RF_FieldCount];
};

struct SectionYAML {
  std::string Tag;
  std::optional<std::string> Content;
  /// For an array section, instead of Content.
  std::optional<uint32_t> FieldSize;
  std::optional<std::vector<uint64_t>> Fields;
  bool Remove = false;
  std::optional<uint64_t> Offset, Size;
  std::optional<uint32_t> CRC;
};

struct TableYAML {
  std::optional<uint64_t> FieldSize, Count, Size, Offset;
  std::optional<uint32_t> CRC, Reserved;
};

struct HeaderYAML {
  std::optional<std::string> Magic;
  std::optional<uint32_t> Version;
  TableYAML VAs, Ranges, Strings, Lines;
};

struct ExtensionHeaderYAML {
  std::optional<uint32_t> Version, SectionCount, CRC, Reserved;
  std::optional<uint64_t> Size;
};

struct PatchYAML {
  uint64_t Offset = 0;
  std::string Bytes;
};

struct FlipYAML {
  uint64_t Offset = 0;
  uint32_t Mask = 0;
};

struct SavedYAML {
  uint32_t Register = 0;
  int64_t Offset = 0;
};

struct UnwindRowYAML {
  uint64_t Begin = 0;
  uint64_t End = 0;
  uint32_t CFARegister = 0;
  int64_t CFAOffset = 0;
  std::vector<SavedYAML> Saved;
  bool IsSignalFrame = false;
  bool HoldAtCallsOnly = false;
};

struct Description {
  ArchiveWriterOptions Options;
  InfoYAML Info;
  std::vector<RangeYAML> Ranges;
  std::vector<DirectoryYAML> Directories;
  std::vector<PlainNameYAML> PlainNames;
  std::vector<LastDeclarationYAML> LastDeclarations;
  std::optional<std::vector<uint64_t>> ReturnPads;
  std::vector<CallYAML> Calls;
  std::vector<CopyYAML> Copies;
  std::vector<AliasYAML> Aliases;
  std::vector<SourceYAML> Sources;
  std::vector<SectionPlaceYAML> SectionPlaces;
  std::vector<LoadSegmentYAML> LoadSegments;
  std::vector<UnwindRowYAML> Unwind;
  uint32_t UnwindReturnAddress = 16;
  std::optional<std::string> Bytes;
  std::vector<RawRangeYAML> RawRanges;
  std::vector<SectionYAML> Sections;
  HeaderYAML Header;
  ExtensionHeaderYAML ExtensionHeader;
  std::string Append;
  std::vector<PatchYAML> Patches;
  std::vector<FlipYAML> Flips;
  std::optional<uint64_t> Truncate;
};

} // namespace

static uint32_t tagOf(StringRef Letters) {
  return support::endian::read32le(Letters.data());
}

//===----------------------------------------------------------------------===//
// Reading the description
//===----------------------------------------------------------------------===//

LLVM_YAML_IS_SEQUENCE_VECTOR(RowYAML)
LLVM_YAML_IS_SEQUENCE_VECTOR(RangeYAML)
LLVM_YAML_IS_SEQUENCE_VECTOR(DirectoryYAML)
LLVM_YAML_IS_SEQUENCE_VECTOR(PlainNameYAML)
LLVM_YAML_IS_SEQUENCE_VECTOR(LastDeclarationYAML)
LLVM_YAML_IS_SEQUENCE_VECTOR(CallYAML)
LLVM_YAML_IS_SEQUENCE_VECTOR(CopyYAML)
LLVM_YAML_IS_SEQUENCE_VECTOR(AliasYAML)
LLVM_YAML_IS_SEQUENCE_VECTOR(SourceYAML)
LLVM_YAML_IS_SEQUENCE_VECTOR(SectionPlaceYAML)
LLVM_YAML_IS_SEQUENCE_VECTOR(LoadSegmentYAML)
LLVM_YAML_IS_SEQUENCE_VECTOR(SavedYAML)
LLVM_YAML_IS_SEQUENCE_VECTOR(UnwindRowYAML)
LLVM_YAML_IS_SEQUENCE_VECTOR(RawRangeYAML)
LLVM_YAML_IS_SEQUENCE_VECTOR(SectionYAML)
LLVM_YAML_IS_SEQUENCE_VECTOR(PatchYAML)
LLVM_YAML_IS_SEQUENCE_VECTOR(FlipYAML)

namespace llvm {
namespace yaml {

template <> struct ScalarEnumerationTraits<StringForm> {
  static void enumeration(IO &Io, StringForm &Form) {
    Io.enumCase(Form, "Prefixed", StringForm::Prefixed);
    Io.enumCase(Form, "NulTerminated", StringForm::NulTerminated);
  }
};

template <> struct MappingTraits<RowYAML> {
  static void mapping(IO &Io, RowYAML &R) {
    Io.mapOptional("Offset", R.Offset);
    Io.mapOptional("Line", R.Line);
    Io.mapOptional("Column", R.Column);
    Io.mapOptional("File", R.File);
    Io.mapOptional("Flags", R.Flags);
  }
};

template <> struct MappingTraits<RangeYAML> {
  static void mapping(IO &Io, RangeYAML &R) {
    Io.mapOptional("Start", R.Start);
    Io.mapOptional("Length", R.Length);
    Io.mapOptional("Depth", R.Depth);
    Io.mapOptional("Function", R.Function);
    Io.mapOptional("File", R.File);
    Io.mapOptional("CallFile", R.CallFile);
    Io.mapOptional("CallLine", R.CallLine);
    Io.mapOptional("CallColumn", R.CallColumn);
    Io.mapOptional("Entry", R.Entry);
    Io.mapOptional("DeclFile", R.DeclFile);
    Io.mapOptional("DeclLine", R.DeclLine);
    Io.mapOptional("Unit", R.Unit);
    Io.mapOptional("UnitName", R.UnitName);
    Io.mapOptional("Language", R.Language);
    Io.mapOptional("Directory", R.Directory);
    Io.mapOptional("Rows", R.Rows);
    Io.mapOptional("Statements", R.Statements);
  }
};

template <> struct MappingTraits<DirectoryYAML> {
  static void mapping(IO &Io, DirectoryYAML &D) {
    Io.mapRequired("File", D.File);
    Io.mapRequired("Length", D.Length);
  }
};

template <> struct MappingTraits<PlainNameYAML> {
  static void mapping(IO &Io, PlainNameYAML &N) {
    Io.mapRequired("Function", N.Function);
    Io.mapRequired("Name", N.Name);
  }
};

template <> struct MappingTraits<CallYAML> {
  static void mapping(IO &Io, CallYAML &C) {
    Io.mapRequired("Address", C.Address);
    Io.mapRequired("Callee", C.Callee);
    Io.mapOptional("Flags", C.Flags);
  }
};

template <> struct MappingTraits<AliasYAML> {
  static void mapping(IO &Io, AliasYAML &A) {
    Io.mapRequired("Address", A.Address);
    Io.mapRequired("Name", A.Name);
  }
};

template <> struct MappingTraits<SourceYAML> {
  static void mapping(IO &Io, SourceYAML &S) {
    Io.mapRequired("File", S.File);
    Io.mapRequired("Text", S.Text);
  }
};

template <> struct MappingTraits<CopyYAML> {
  static void mapping(IO &Io, CopyYAML &C) {
    Io.mapRequired("Unit", C.Unit);
    Io.mapRequired("UnitName", C.UnitName);
    Io.mapRequired("Start", C.Start);
  }
};

template <> struct MappingTraits<SectionPlaceYAML> {
  static void mapping(IO &Io, SectionPlaceYAML &S) {
    Io.mapRequired("Name", S.Name);
    Io.mapRequired("Address", S.Address);
    Io.mapRequired("Size", S.Size);
  }
};

template <> struct MappingTraits<LoadSegmentYAML> {
  static void mapping(IO &Io, LoadSegmentYAML &S) {
    Io.mapRequired("Address", S.Address);
    Io.mapRequired("Offset", S.Offset);
    Io.mapRequired("Size", S.Size);
  }
};

template <> struct MappingTraits<LastDeclarationYAML> {
  static void mapping(IO &Io, LastDeclarationYAML &D) {
    Io.mapRequired("Function", D.Function);
    Io.mapRequired("File", D.File);
    Io.mapRequired("Line", D.Line);
  }
};

template <> struct ScalarEnumerationTraits<BinaryFormat> {
  static void enumeration(IO &Io, BinaryFormat &F) {
    Io.enumCase(F, "ELF", BinaryFormat::ELF);
    Io.enumCase(F, "PE", BinaryFormat::PE);
    Io.enumCase(F, "MachO", BinaryFormat::MachO);
    Io.enumFallback<Hex8>(F);
  }
};

template <> struct MappingTraits<InfoYAML> {
  static void mapping(IO &Io, InfoYAML &I) {
    Io.mapOptional("Format", I.Info.Format);
    Io.mapOptional("Machine", I.Info.Machine);
    Io.mapOptional("Type", I.Info.Type);
    Io.mapOptional("Class", I.Info.Class);
    Io.mapOptional("Data", I.Info.Data);
    Io.mapOptional("OSABI", I.Info.OSABI);
    Io.mapOptional("ABIVersion", I.Info.ABIVersion);
    Io.mapOptional("Flags", I.Info.Flags);
    Io.mapOptional("Options", I.Info.Options);
    Io.mapOptional("OnlyOrigin", I.Info.OnlyOrigin);
    Io.mapOptional("BuildID", I.BuildID);
    Io.mapOptional("Identity", I.Identity);
    Io.mapOptional("IdentityScheme", I.Info.IdentityScheme,
                   format::IdentityScheme);
  }
};

template <> struct MappingTraits<RawRangeYAML> {
  static void mapping(IO &Io, RawRangeYAML &R) {
    Io.mapRequired("Index", R.Index);
    Io.mapOptional("VA", R.VA);
    Io.mapOptional("Length", R.Fields[RF_Length]);
    Io.mapOptional("Depth", R.Fields[RF_Depth]);
    Io.mapOptional("Function", R.Fields[RF_Function]);
    Io.mapOptional("File", R.Fields[RF_File]);
    Io.mapOptional("FirstRow", R.Fields[RF_FirstRow]);
    Io.mapOptional("RowCount", R.Fields[RF_RowCount]);
    Io.mapOptional("CallFile", R.Fields[RF_CallFile]);
    Io.mapOptional("CallLine", R.Fields[RF_CallLine]);
  }
};

template <> struct MappingTraits<SectionYAML> {
  static void mapping(IO &Io, SectionYAML &S) {
    Io.mapRequired("Tag", S.Tag);
    Io.mapOptional("Content", S.Content);
    Io.mapOptional("FieldSize", S.FieldSize);
    Io.mapOptional("Fields", S.Fields);
    Io.mapOptional("Remove", S.Remove);
    Io.mapOptional("Offset", S.Offset);
    Io.mapOptional("Size", S.Size);
    Io.mapOptional("CRC", S.CRC);
  }
  static std::string validate(IO &, SectionYAML &S) {
    if (S.Tag.size() != 4)
      return "a tag has four letters";
    if (S.Fields && (S.Content || !arraySection(tagOf(S.Tag))))
      return "Fields is for an array section without Content";
    if (S.FieldSize && !S.Fields)
      return "FieldSize needs Fields";
    return "";
  }
};

template <> struct MappingTraits<TableYAML> {
  static void mapping(IO &Io, TableYAML &T) {
    Io.mapOptional("FieldSize", T.FieldSize);
    Io.mapOptional("Count", T.Count);
    Io.mapOptional("Size", T.Size);
    Io.mapOptional("Offset", T.Offset);
    Io.mapOptional("CRC", T.CRC);
    Io.mapOptional("Reserved", T.Reserved);
  }
};

template <> struct MappingTraits<HeaderYAML> {
  static void mapping(IO &Io, HeaderYAML &H) {
    Io.mapOptional("Magic", H.Magic);
    Io.mapOptional("Version", H.Version);
    Io.mapOptional("VAs", H.VAs);
    Io.mapOptional("Ranges", H.Ranges);
    Io.mapOptional("Strings", H.Strings);
    Io.mapOptional("Lines", H.Lines);
  }
  static std::string validate(IO &, HeaderYAML &H) {
    return !H.Magic || H.Magic->size() == 4 ? "" : "a magic has four letters";
  }
};

template <> struct MappingTraits<ExtensionHeaderYAML> {
  static void mapping(IO &Io, ExtensionHeaderYAML &H) {
    Io.mapOptional("Version", H.Version);
    Io.mapOptional("SectionCount", H.SectionCount);
    Io.mapOptional("Size", H.Size);
    Io.mapOptional("CRC", H.CRC);
    Io.mapOptional("Reserved", H.Reserved);
  }
};

template <> struct MappingTraits<PatchYAML> {
  static void mapping(IO &Io, PatchYAML &P) {
    Io.mapRequired("Offset", P.Offset);
    Io.mapRequired("Bytes", P.Bytes);
  }
};

template <> struct MappingTraits<FlipYAML> {
  static void mapping(IO &Io, FlipYAML &F) {
    Io.mapRequired("Offset", F.Offset);
    Io.mapRequired("Mask", F.Mask);
  }
};

template <> struct MappingTraits<SavedYAML> {
  static void mapping(IO &Io, SavedYAML &S) {
    Io.mapRequired("Register", S.Register);
    Io.mapRequired("Offset", S.Offset);
  }
};

template <> struct MappingTraits<UnwindRowYAML> {
  static void mapping(IO &Io, UnwindRowYAML &R) {
    Io.mapRequired("Begin", R.Begin);
    Io.mapRequired("End", R.End);
    Io.mapOptional("CFARegister", R.CFARegister);
    Io.mapOptional("CFAOffset", R.CFAOffset);
    Io.mapOptional("Saved", R.Saved);
    Io.mapOptional("SignalFrame", R.IsSignalFrame);
    Io.mapOptional("AtCallsOnly", R.HoldAtCallsOnly);
  }
};

template <> struct MappingTraits<Description> {
  static void mapping(IO &Io, Description &D) {
    Io.mapOptional("Checksums", D.Options.Checksums);
    Io.mapOptional("Extension", D.Options.Extension);
    Io.mapOptional("Columns", D.Options.Columns);
    Io.mapOptional("Strings", D.Options.Strings);
    Io.mapOptional("Info", D.Info);
    Io.mapOptional("Ranges", D.Ranges);
    Io.mapOptional("Directories", D.Directories);
    Io.mapOptional("PlainNames", D.PlainNames);
    Io.mapOptional("LastDeclarations", D.LastDeclarations);
    Io.mapOptional("ReturnPads", D.ReturnPads);
    Io.mapOptional("Calls", D.Calls);
    Io.mapOptional("Copies", D.Copies);
    Io.mapOptional("Aliases", D.Aliases);
    Io.mapOptional("Sources", D.Sources);
    Io.mapOptional("SectionPlaces", D.SectionPlaces);
    Io.mapOptional("LoadSegments", D.LoadSegments);
    Io.mapOptional("Unwind", D.Unwind);
    Io.mapOptional("UnwindReturnAddress", D.UnwindReturnAddress);
    Io.mapOptional("Bytes", D.Bytes);
    Io.mapOptional("RawRanges", D.RawRanges);
    Io.mapOptional("Sections", D.Sections);
    Io.mapOptional("Header", D.Header);
    Io.mapOptional("ExtensionHeader", D.ExtensionHeader);
    Io.mapOptional("Append", D.Append);
    Io.mapOptional("Patch", D.Patches);
    Io.mapOptional("Flip", D.Flips);
    Io.mapOptional("Truncate", D.Truncate);
  }
};

} // namespace yaml
} // namespace llvm

//===----------------------------------------------------------------------===//
// Making the bytes
//===----------------------------------------------------------------------===//

static Error problem(const Twine &Message) {
  return make_error<ArgumentError>("", Message);
}

/// The bytes that \p Hex spells out; white space is ignored.
static Expected<std::string> parseHex(StringRef Hex) {
  std::string Digits, Bytes;
  for (char C : Hex)
    if (!isSpace(C))
      Digits += C;
  if (Digits.size() % 2 != 0 || !tryGetFromHex(Digits, Bytes))
    return problem("'" + Hex +
                   "' does not consist of pairs of hexadecimal digits");
  return Bytes;
}

/// Sets \p Field if the description has a value for it.
template <typename Field, typename Value>
static void override(Field &F, const std::optional<Value> &V) {
  if (V)
    F = *V;
}

namespace {

/// An archive in memory, made from a description and then damaged.
class Image {
public:
  explicit Image(const Description &D) : D(D) {}

  Expected<std::string> make();

private:
  struct Section {
    uint32_t Tag;
    std::string Content;
  };

  Error writeArchive();
  Error writeRanges(ArchiveWriter &W);
  Error writeUnwindRows(ArchiveWriter &W);
  Error setRawRanges();
  Error setField(const TableHeader &Table, uint64_t Index, uint64_t Value);
  Error replaceSections();
  void writeSections(ArrayRef<Section> Sections);
  void makeChecksums();
  Error overrideHeaders();
  Error overrideSectionHeaders();
  Error spoilBytes();

  Header &header() { return *reinterpret_cast<Header *>(Bytes.data()); }
  /// Null without an extension.
  ExtensionHeader *extension();
  MutableArrayRef<ExtensionSection> directory();

  const Description &D;
  std::string Bytes;
  uint64_t ExtensionStart = 0;
};

} // namespace

ExtensionHeader *Image::extension() {
  if (!D.Options.Extension || D.Bytes)
    return nullptr;
  return reinterpret_cast<ExtensionHeader *>(Bytes.data() + ExtensionStart);
}

MutableArrayRef<ExtensionSection> Image::directory() {
  ExtensionHeader *H = extension();
  return {reinterpret_cast<ExtensionSection *>(H + 1), H->SectionCount};
}

Expected<std::string> Image::make() {
  if (D.Bytes) {
    Expected<std::string> Given = parseHex(*D.Bytes);
    if (!Given)
      return Given.takeError();
    Bytes = std::move(*Given);
    if (Error E = spoilBytes())
      return E;
    return Bytes;
  }
  if (Error E = writeArchive())
    return E;
  if (Error E = setRawRanges())
    return E;
  if (Error E = replaceSections())
    return E;
  if (D.Options.Checksums)
    makeChecksums();
  if (Error E = overrideHeaders())
    return E;
  if (Error E = spoilBytes())
    return E;
  return Bytes;
}

Error Image::writeArchive() {
  ArchiveWriter W(D.Options);
  Expected<std::string> BuildID = parseHex(D.Info.BuildID);
  if (!BuildID)
    return BuildID.takeError();
  ArchiveInfo Info = D.Info.Info;
  Expected<std::string> Identity = parseHex(D.Info.Identity);
  if (!Identity)
    return Identity.takeError();
  if (!Identity->empty() && Identity->size() != IdentitySize)
    return problem("Identity: not of " + Twine(IdentitySize) + " bytes");
  Info.BuildID = arrayRefFromStringRef(*BuildID);
  Info.Identity = arrayRefFromStringRef(*Identity);
  W.setInfo(Info);
  if (Error E = writeRanges(W))
    return E;
  for (const DirectoryYAML &Directory : D.Directories)
    W.addDirectory(W.addString(Directory.File), Directory.Length);
  for (const PlainNameYAML &N : D.PlainNames)
    W.addPlainName(W.addString(N.Function), W.addString(N.Name));
  for (const LastDeclarationYAML &L : D.LastDeclarations)
    W.addLastDeclaration(W.addString(L.Function),
                         {W.addString(L.File), L.Line});
  if (D.ReturnPads)
    if (Error E = W.setReturnPads(*D.ReturnPads))
      return E;
  for (const CallYAML &C : D.Calls)
    if (Error E = W.addCall({C.Address, W.addString(C.Callee), C.Flags}))
      return E;
  for (const AliasYAML &A : D.Aliases)
    W.addAlias(A.Address, A.Name);
  for (const SourceYAML &S : D.Sources)
    W.addSource(W.addString(S.File), S.Text);
  for (const CopyYAML &C : D.Copies)
    if (Error E = W.addCopy({C.Unit, W.addString(C.UnitName), 0, 0}, C.Start))
      return E;
  for (const SectionPlaceYAML &S : D.SectionPlaces)
    if (Error E = W.addSectionPlace(W.addString(S.Name), S.Address, S.Size))
      return E;
  for (const LoadSegmentYAML &S : D.LoadSegments)
    if (Error E = W.addLoadSegment(S.Address, S.Offset, S.Size))
      return E;
  if (Error E = writeUnwindRows(W))
    return E;
  raw_string_ostream OS(Bytes);
  Expected<ArchiveSizes> Sizes = W.write(OS);
  if (!Sizes)
    return Sizes.takeError();
  OS.flush();
  ExtensionStart = alignTo(Sizes->Header + Sizes->VAs + Sizes->Ranges +
                               Sizes->Strings + Sizes->Lines,
                           8);
  return Error::success();
}

Error Image::writeUnwindRows(ArchiveWriter &W) {
  UnwindTableBuilder Builder(D.UnwindReturnAddress);
  for (const UnwindRowYAML &R : D.Unwind) {
    UnwindRules Rules;
    Rules.ReturnAddress = D.UnwindReturnAddress;
    Rules.IsSignalFrame = R.IsSignalFrame;
    Rules.HoldAtCallsOnly = R.HoldAtCallsOnly;
    Rules.CFA.How = RegisterRule::Kind::IsRegister;
    Rules.CFA.Register = R.CFARegister;
    Rules.CFA.Offset = R.CFAOffset;
    for (const SavedYAML &S : R.Saved) {
      RegisterRule Rule;
      Rule.How = RegisterRule::Kind::AtCFA;
      Rule.Offset = S.Offset;
      Rules.Registers.push_back({S.Register, Rule});
    }
    std::optional<uint32_t> Number = Builder.intern(Rules);
    if (Error E = Builder.addRow({R.Begin, R.End, Number.value_or(0)}))
      return E;
  }
  W.setUnwindTable(Builder.bytes().value_or(""));
  return Error::success();
}

Error Image::writeRanges(ArchiveWriter &W) {
  for (const RangeYAML &Range : D.Ranges) {
    ArchiveRange R;
    R.Start = Range.Start;
    R.Length = Range.Length;
    R.Depth = Range.Depth;
    R.Function = W.addString(Range.Function);
    R.File = W.addString(Range.File);
    R.CallFile = W.addString(Range.CallFile);
    R.CallLine = Range.CallLine;
    R.CallColumn = Range.CallColumn;
    R.Entry = Range.Entry;
    std::vector<ArchiveRow> Rows;
    for (const RowYAML &Row : Range.Rows)
      Rows.push_back({Row.Offset, Row.Line, Row.Column,
                      Row.File ? W.addString(*Row.File) : R.File});
    R.Rows = Rows;
    R.DeclFile = Range.DeclFile ? W.addString(*Range.DeclFile) : R.File;
    R.DeclLine = Range.DeclLine;
    R.Unit = {Range.Unit, W.addString(Range.UnitName), Range.Language,
              W.addString(Range.Directory)};
    std::vector<Statement> Statements;
    for (const RowYAML &S : Range.Statements)
      Statements.push_back({R.Start + S.Offset, S.Line, S.Column,
                            S.File ? W.addString(*S.File) : R.File, S.Flags});
    R.Statements = Statements;
    if (Error E = W.addRange(R))
      return E;
  }
  return Error::success();
}

Error Image::setField(const TableHeader &Table, uint64_t Index,
                      uint64_t Value) {
  if (Table.FieldSize == 4 && Value > UINT32_MAX)
    return problem("a raw value needs 8 bytes but fields have 4");
  char *Field = Bytes.data() + Table.Offset + Index * Table.FieldSize;
  if (Table.FieldSize == 4)
    support::endian::write32le(Field, uint32_t(Value));
  else
    support::endian::write64le(Field, Value);
  return Error::success();
}

Error Image::setRawRanges() {
  for (const RawRangeYAML &R : D.RawRanges) {
    if (R.Index >= D.Ranges.size())
      return problem("RawRanges: there is no range " + Twine(R.Index));
    if (R.VA)
      if (Error E = setField(header().VAs, R.Index, *R.VA))
        return E;
    for (unsigned F = 0; F != RF_FieldCount; ++F)
      if (R.Fields[F])
        if (Error E = setField(header().Ranges, R.Index * RF_FieldCount + F,
                               *R.Fields[F]))
          return E;
  }
  return Error::success();
}

/// The bytes of a section given in full. A field that does not fit is
/// truncated.
static Expected<std::string> contentOf(const SectionYAML &S) {
  if (!S.Fields)
    return parseHex(*S.Content);
  ArrayHeader H = {};
  H.FieldSize = S.FieldSize.value_or(arraySection(tagOf(S.Tag))->MinWidth);
  std::string Bytes(reinterpret_cast<const char *>(&H), sizeof(H));
  for (uint64_t Field : *S.Fields)
    for (unsigned I = 0; I != H.FieldSize; ++I)
      Bytes += I < sizeof(Field) ? char(Field >> (8 * I)) : '\0';
  return Bytes;
}

Error Image::replaceSections() {
  if (!extension())
    return D.Sections.empty() ? Error::success()
                              : problem("Sections: there is no extension");
  std::vector<Section> Sections;
  for (const ExtensionSection &S : directory())
    Sections.push_back(
        {S.Tag, Bytes.substr(ExtensionStart + S.Offset, S.Size)});
  for (const SectionYAML &S : D.Sections) {
    if (!S.Content && !S.Fields && !S.Remove)
      continue;
    auto It = find_if(
        Sections, [&](const Section &Old) { return Old.Tag == tagOf(S.Tag); });
    if (S.Remove) {
      if (It != Sections.end())
        Sections.erase(It);
      continue;
    }
    Expected<std::string> Content = contentOf(S);
    if (!Content)
      return Content.takeError();
    if (It == Sections.end())
      Sections.push_back({tagOf(S.Tag), std::move(*Content)});
    else
      It->Content = std::move(*Content);
  }
  writeSections(Sections);
  return Error::success();
}

/// Lays the extension out again, in the same way as ArchiveWriter.
void Image::writeSections(ArrayRef<Section> Sections) {
  uint64_t DirectoryEnd = ExtensionStart + sizeof(ExtensionHeader) +
                          Sections.size() * sizeof(ExtensionSection);
  Bytes.resize(ExtensionStart + sizeof(ExtensionHeader));
  Bytes.resize(DirectoryEnd);
  extension()->SectionCount = uint32_t(Sections.size());
  for (size_t I = 0; I != Sections.size(); ++I) {
    Bytes.resize(alignTo(Bytes.size(), 8));
    ExtensionSection &S = directory()[I];
    S.Tag = Sections[I].Tag;
    S.Offset = Bytes.size() - ExtensionStart;
    S.Size = Sections[I].Content.size();
    Bytes += Sections[I].Content;
  }
  extension()->Size = Bytes.size() - ExtensionStart;
}

void Image::makeChecksums() {
  StringRef All = Bytes;
  Header &H = header();
  auto Set = [&](TableHeader &T, uint64_t FieldsPerEntry) {
    T.CRC =
        crc32c(All.substr(T.Offset, T.Count * T.FieldSize * FieldsPerEntry));
  };
  Set(H.VAs, 1);
  Set(H.Ranges, RF_FieldCount);
  Set(H.Lines, 2);
  H.Strings.CRC = crc32c(All.substr(H.Strings.Offset, H.Strings.Size));
  if (!extension())
    return;
  uint32_t CRC = crc32c(All.take_front(sizeof(Header)));
  for (ExtensionSection &S : directory()) {
    S.CRC = crc32c(All.substr(ExtensionStart + S.Offset, S.Size));
    CRC = crc32c({reinterpret_cast<char *>(&S), sizeof(S)}, CRC);
  }
  extension()->CRC = CRC;
}

static void overrideTable(TableHeader &T, const TableYAML &Y) {
  override(T.FieldSize, Y.FieldSize);
  override(T.Count, Y.Count);
  override(T.Offset, Y.Offset);
  override(T.CRC, Y.CRC);
  override(T.Reserved, Y.Reserved);
}

Error Image::overrideHeaders() {
  if (Error E = overrideSectionHeaders())
    return E;
  Header &H = header();
  if (D.Header.Magic)
    memcpy(H.Magic, D.Header.Magic->data(), sizeof(H.Magic));
  override(H.Version, D.Header.Version);
  overrideTable(H.VAs, D.Header.VAs);
  overrideTable(H.Ranges, D.Header.Ranges);
  overrideTable(H.Lines, D.Header.Lines);
  const TableYAML &Strings = D.Header.Strings;
  override(H.Strings.Size, Strings.Size);
  override(H.Strings.Offset, Strings.Offset);
  override(H.Strings.CRC, Strings.CRC);
  override(H.Strings.Reserved, Strings.Reserved);
  if (ExtensionHeader *X = extension()) {
    override(X->Version, D.ExtensionHeader.Version);
    override(X->SectionCount, D.ExtensionHeader.SectionCount);
    override(X->Size, D.ExtensionHeader.Size);
    override(X->CRC, D.ExtensionHeader.CRC);
    override(X->Reserved, D.ExtensionHeader.Reserved);
  }
  return Error::success();
}

Error Image::overrideSectionHeaders() {
  for (const SectionYAML &S : D.Sections) {
    auto Directory = directory();
    auto *It = find_if(Directory, [&](const ExtensionSection &Old) {
      return Old.Tag == tagOf(S.Tag);
    });
    if (It == Directory.end()) {
      if (S.Remove)
        continue;
      return problem("Sections: there is no " + S.Tag);
    }
    override(It->Offset, S.Offset);
    override(It->Size, S.Size);
    override(It->CRC, S.CRC);
  }
  return Error::success();
}

Error Image::spoilBytes() {
  Expected<std::string> Append = parseHex(D.Append);
  if (!Append)
    return Append.takeError();
  Bytes += *Append;
  for (const PatchYAML &P : D.Patches) {
    Expected<std::string> New = parseHex(P.Bytes);
    if (!New)
      return New.takeError();
    if (P.Offset > Bytes.size() || New->size() > Bytes.size() - P.Offset)
      return problem("Patch: outside the file");
    Bytes.replace(P.Offset, New->size(), *New);
  }
  for (const FlipYAML &F : D.Flips) {
    if (F.Offset >= Bytes.size())
      return problem("Flip: outside the file");
    Bytes[F.Offset] = char(Bytes[F.Offset] ^ F.Mask);
  }
  if (D.Truncate)
    Bytes.resize(std::min<uint64_t>(*D.Truncate, Bytes.size()));
  return Error::success();
}

static void reportDiagnostic(const SMDiagnostic &Diagnostic, void *Context) {
  std::string Text;
  raw_string_ostream OS(Text);
  Diagnostic.print(nullptr, OS, /*ShowColors=*/false);
  (*static_cast<function_ref<void(StringRef)> *>(Context))(OS.str());
}

Expected<std::string>
lidia::archiveFromYAML(MemoryBufferRef YAML,
                       function_ref<void(StringRef)> Diagnose) {
  Description D;
  yaml::Input In(YAML, nullptr, reportDiagnostic, &Diagnose);
  In >> D;
  if (In.error())
    return problem(YAML.getBufferIdentifier() + ": not a description");
  Expected<std::string> Bytes = Image(D).make();
  if (!Bytes)
    return addPrefix(YAML.getBufferIdentifier(), Bytes.takeError());
  return Bytes;
}
