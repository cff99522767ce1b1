//===- Archive.cpp - Opening an archive -----------------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Opening locates all parts and checks them against the size of the file, so
/// that later code only has to check the values in the tables. Lookups are in
/// Lookup.cpp.
///
//===----------------------------------------------------------------------===//

#include "lidia/Archive/Archive.h"
#include "ArraySections.h"
#include "PackedParts.h"
#include "PagedMemory.h"
#include "PlainParts.h"
#include "Support/Checksum.h"
#include "Support/InputFile.h"
#include "Support/SymbolVersion.h"
#include "lidia/Archive/Compression.h"
#include "lidia/Archive/UnwindTable.h"
#include "lidia/Archive/Variables.h"
#include "lidia/Error.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace lidia;
using namespace lidia::format;
using namespace llvm;

Error Archive::error(const Twine &Message) const {
  return make_error<DamagedError>(name(), Message);
}

bool Archive::hasMagic(StringRef Bytes) {
  return Bytes.starts_with(StringRef(Magic, sizeof(Magic)));
}

/// An unnamed clone of the file \p FD at \p Path; -1 if the file system does
/// not support clones or the folder is not writable.
static int cloneFile(int FD, StringRef Path) {
  SmallString<256> Folder(sys::path::parent_path(Path));
  if (Folder.empty())
    Folder = ".";
  int Clone = ::open(Folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (Clone >= 0 && ::ioctl(Clone, FICLONE, FD) == 0)
    return Clone;
  if (Clone >= 0)
    ::close(Clone);
  return -1;
}

static ErrorOr<std::unique_ptr<MemoryBuffer>> readFile(int FD, StringRef Path,
                                                       FileAccess Access) {
  int Clone = Access == FileAccess::Copy ? cloneFile(FD, Path) : -1;
  // LLVM reads a file instead of mapping it only if it is volatile and the
  // buffer must end with a NUL byte (shouldUseMmap in MemoryBuffer.cpp).
  bool Read = Access == FileAccess::Copy && Clone < 0;
  ErrorOr<std::unique_ptr<MemoryBuffer>> Buffer = MemoryBuffer::getOpenFile(
      Clone < 0 ? FD : Clone, Path, /*FileSize=*/-1,
      /*RequiresNullTerminator=*/Read, /*IsVolatile=*/Read);
  if (Clone >= 0)
    ::close(Clone);
  return Buffer;
}

std::string lidia::tagName(uint32_t Tag) {
  std::string Name;
  for (unsigned Shift = 0; Shift != 32; Shift += 8) {
    char C = char(Tag >> Shift & 0xff);
    Name += isPrint(C) ? C : '?';
  }
  return Name;
}

Expected<Archive> Archive::open(StringRef Path, const OpenOptions &Options) {
  auto Failed = [&](std::error_code EC) {
    return make_error<SystemError>(EC, Path);
  };
  if (isDevice(Path))
    return make_error<UnsupportedError>(Path, "not a regular file");
  Expected<sys::fs::file_t> FD = Options.RegularOnly
                                     ? openRegularFile(Path)
                                     : sys::fs::openNativeFileForRead(Path);
  if (!FD && Options.RegularOnly)
    return FD.takeError();
  if (!FD)
    return Failed(errorToErrorCode(FD.takeError()));
  ErrorOr<std::unique_ptr<MemoryBuffer>> Buffer =
      readFile(*FD, Path, Options.Access);
  sys::fs::closeFile(*FD);
  if (!Buffer)
    return Failed(Buffer.getError());
  return create(std::move(*Buffer), Options);
}

Archive::Archive() = default;
Archive::Archive(Archive &&) = default;
Archive &Archive::operator=(Archive &&) = default;
Archive::~Archive() = default;

Error Archive::openBytes(const ChecksumParts &Verified) {
  Error E = openTables();
  if (!E)
    E = openExtension();
  if (!E && !Verified.empty())
    E = verifyChecksums(Verified);
  // Damaged parts read as zeros, which can cause misleading errors.
  if (Error Damage = damage()) {
    consumeError(std::move(E));
    return Damage;
  }
  return E;
}

namespace {
/// A file that is mapped or in memory.
class BufferReader : public RandomAccessReader {
public:
  explicit BufferReader(std::unique_ptr<MemoryBuffer> Buffer)
      : Buffer(std::move(Buffer)) {}

  StringRef name() const override { return Buffer->getBufferIdentifier(); }
  uint64_t size() const override { return Buffer->getBufferSize(); }
  Expected<StringRef> read(uint64_t Offset, size_t Size,
                           SmallVectorImpl<char> &) const override {
    return Buffer->getBuffer().substr(Offset, Size);
  }

private:
  std::unique_ptr<MemoryBuffer> Buffer;
};
} // namespace

Expected<Archive> Archive::create(std::unique_ptr<MemoryBuffer> Buffer,
                                  const OpenOptions &Options) {
  if (isZstd(Buffer->getBuffer()))
    return create(std::make_shared<BufferReader>(std::move(Buffer)), Options);
  Archive A;
  A.Buffer = std::move(Buffer);
  if (Error E = A.openBytes(Options.Verify))
    return E;
  return A;
}

Expected<Archive> Archive::createWithNames(std::unique_ptr<MemoryBuffer> Tables,
                                           StringRef Names,
                                           std::shared_ptr<const void> Owner) {
  Expected<Archive> A = create(std::move(Tables));
  if (!A)
    return A;
  A->StringTable = Names;
  A->Strings = StringForm::SymbolNames;
  A->NamesOwner = std::move(Owner);
  return A;
}

//===----------------------------------------------------------------------===//
// Archives that are read in parts
//===----------------------------------------------------------------------===//

static Expected<std::unique_ptr<MemoryBuffer>>
unpackToMemory(const RandomAccessReader &File) {
  SmallString<0> Bytes;
  raw_svector_ostream OS(Bytes);
  if (Error E = unpackArchive(File, OS))
    return E;
  return std::make_unique<SmallVectorMemoryBuffer>(
      std::move(Bytes), File.name(), /*RequiresNullTerminator=*/false);
}

/// Null if \p File has to be unpacked as a whole.
static Expected<std::unique_ptr<PartReader>>
openParts(std::shared_ptr<const RandomAccessReader> File) {
  SmallVector<char, 0> Storage;
  Expected<StringRef> Start =
      File->read(0, std::min<uint64_t>(File->size(), sizeof(Magic)), Storage);
  if (!Start)
    return Start.takeError();
  return isZstd(*Start) ? openPackedParts(std::move(File))
                        : openPlainParts(std::move(File));
}

Expected<Archive>
Archive::create(std::shared_ptr<const RandomAccessReader> File,
                const OpenOptions &Options) {
  Expected<std::unique_ptr<PartReader>> Parts = openParts(File);
  if (!Parts)
    return Parts.takeError();
  Archive A;
  if (*Parts) {
    if (Error E = PagedMemory::create(std::move(*Parts), Options.FrameCacheSize)
                      .moveInto(A.Memory))
      return addPrefix(File->name(), std::move(E));
    A.Buffer = MemoryBuffer::getMemBuffer(A.Memory->bytes(), File->name(),
                                          /*RequiresNullTerminator=*/false);
  } else if (Error E = unpackToMemory(*File).moveInto(A.Buffer)) {
    return E;
  }
  if (Error E = A.openBytes(Options.Verify))
    return E;
  return A;
}

bool Archive::isFar() const { return Memory && Memory->isFar(); }

StringRef Archive::keep(StringRef Part) const {
  if (Memory)
    Memory->keep(Part);
  return Part;
}

StringRef Archive::read(StringRef Part, SmallVectorImpl<char> &Copy) const {
  if (!Memory)
    return Part;
  PagedRead Read(Memory.get());
  Memory->load(Part.data(), Part.size());
  Copy.assign(Part.begin(), Part.end());
  return {Copy.data(), Copy.size()};
}

Error Archive::unpackAll() const {
  if (!Memory)
    return Error::success();
  if (Error E = Memory->keepAll())
    return E;
  // Check the parts that openSections() skipped, whose headers are now in
  // memory.
  if (Error E = checkStatements().takeError())
    return E;
  for (const ArraySection &Layout : ArraySections)
    if (Error E = readArray(Layout).takeError())
      return E;
  return Error::success();
}

Error Archive::damage() const {
  return Memory ? Memory->damage() : Error::success();
}

uint64_t Archive::partsUnpacked() const {
  return Memory ? Memory->partsRead() : 0;
}

uint64_t lidia::readPagedField(const PagedMemory &Memory, const char *Data,
                               unsigned Width, uint64_t I) {
  if (Memory.isAllKept())
    return readField(Data, Width, I);
  PagedRead Read(&Memory);
  Memory.load(Data + I * Width, Width);
  return readField(Data, Width, I);
}

const Header &Archive::header() const {
  return *reinterpret_cast<const Header *>(Buffer->getBufferStart());
}

//===----------------------------------------------------------------------===//
// Version 1
//===----------------------------------------------------------------------===//

/// Fetches what opening reads in addition to \p H, which has not been checked.
static void prefetchDirectory(const PagedMemory &Memory, const Header &H) {
  // The sections that each lookup reads are next to the directory: see the
  // order of sections in ArchiveWriter.cpp.
  constexpr uint64_t DirectorySize = 160 * 1024;
  StringRef File = Memory.bytes();
  auto At = [&](uint64_t Offset, uint64_t Size) {
    return File.drop_front(std::min<uint64_t>(Offset, File.size()))
        .take_front(Size);
  };
  Memory.prefetch({At(endOfTables(H), DirectorySize), At(H.Strings.Offset, 4)});
}

Error Archive::openTables() {
  StringRef File = Buffer->getBuffer();
  if (!hasMagic(keep(File.take_front(sizeof(Header)))))
    return make_error<NotAnArchiveError>(name(), "not a Lidia archive");
  if (File.size() < sizeof(Header))
    return error(formatv("the header ({0} bytes) reaches past the end of the "
                         "file ({1} bytes): truncated?",
                         sizeof(Header), File.size()));
  const Header &H = header();
  if (H.Version != Version)
    return make_error<UnsupportedError>(name(), "version " + Twine(H.Version) +
                                                    " is not supported");
  if (isFar())
    prefetchDirectory(*Memory, H);
  if (Error E = openTable("VA table", H.VAs, 1, VAs))
    return E;
  if (Error E = openTable("range table", H.Ranges, RF_FieldCount, Ranges))
    return E;
  if (H.VAs.Count != H.Ranges.Count)
    return error(formatv("the VA table has {0} entries but the range table {1}",
                         uint64_t(H.VAs.Count), uint64_t(H.Ranges.Count)));
  if (Error E = openStrings())
    return E;
  if (Error E = openTable("line table", H.Lines, 2, Lines))
    return E;
  RangeCount = H.VAs.Count;
  RowCount = H.Lines.Count;
  return Error::success();
}

Error Archive::openTable(StringRef What, const TableHeader &H,
                         unsigned FieldsPerEntry, FieldView &Table) {
  uint64_t FileSize = Buffer->getBufferSize();
  uint64_t Narrow = &H == &header().Lines ? 2 : 4;
  if (H.FieldSize != Narrow && H.FieldSize != 2 * Narrow)
    return error(formatv("{0}: fields of {1} bytes; {2} or {3} are possible",
                         What, uint64_t(H.FieldSize), Narrow, 2 * Narrow));
  uint64_t EntrySize = H.FieldSize * FieldsPerEntry;
  if (H.Offset > FileSize || H.Count > (FileSize - H.Offset) / EntrySize)
    return error(formatv("{0} ({1} entries at {2:x}) reaches past the end of "
                         "the file ({3} bytes): truncated?",
                         What, uint64_t(H.Count), uint64_t(H.Offset),
                         FileSize));
  Table = {Buffer->getBufferStart() + H.Offset, H.Count * FieldsPerEntry,
           unsigned(H.FieldSize), Memory.get()};
  return Error::success();
}

Error Archive::openStrings() {
  const StringsHeader &H = header().Strings;
  uint64_t FileSize = Buffer->getBufferSize();
  if (H.Offset > FileSize || H.Size > FileSize - H.Offset)
    return error(formatv("strings table ({0} bytes at {1:x}) reaches past the "
                         "end of the file ({2} bytes): truncated?",
                         uint64_t(H.Size), uint64_t(H.Offset), FileSize));
  StringTable = Buffer->getBuffer().substr(H.Offset, H.Size);
  if (!StringTable.empty() &&
      (keep(StringTable.take_front(4)).size() < 4 ||
       support::endian::read32le(StringTable.data()) != 0))
    Strings = StringForm::NulTerminated;
  return Error::success();
}

/// The text of \p Rest up to its first NUL byte. Not inlined, because string()
/// would then save registers for the call in this function.
LLVM_ATTRIBUTE_NOINLINE static StringRef textUpToNul(StringRef Rest) {
  size_t End = Rest.find('\0');
  return End == StringRef::npos ? StringRef() : Rest.take_front(End);
}

static StringRef stringIn(StringRef Table, StringForm Form,
                          StringOffset Offset) {
  if (Offset >= Table.size())
    return {};
  const char *Begin = Table.data() + Offset;
  uint64_t Left = Table.size() - Offset;
  if (Form == StringForm::NulTerminated)
    return textUpToNul({Begin, Left});
  if (Form == StringForm::SymbolNames)
    return unversioned(textUpToNul({Begin, Left}));
  if (Left < 4)
    return {};
  uint32_t Length = support::endian::read32le(Begin);
  return Length <= Left - 4 ? StringRef(Begin + 4, Length) : StringRef();
}

StringRef Archive::string(StringOffset Offset) const {
  if (LLVM_UNLIKELY(Memory != nullptr))
    return keepString(Offset);
  return stringIn(StringTable, Strings, Offset);
}

StringRef Archive::keepString(StringOffset Offset) const {
  StringRef Rest =
      StringTable.drop_front(std::min<uint64_t>(Offset, StringTable.size()));
  if (Strings == StringForm::NulTerminated)
    Memory->keepText(Rest);
  else
    Memory->keep(Rest.take_front(4));
  return keep(stringIn(StringTable, Strings, Offset));
}

void Archive::releasePages() const {
  // MemoryBuffer::dontNeedIfMmap does nothing with glibc, whose posix_madvise
  // considers this advice too dangerous. It is safe for a file mapping that
  // nobody writes to.
  if (Buffer->getBufferKind() != MemoryBuffer::MemoryBuffer_MMap)
    return;
  uintptr_t Page = sys::Process::getPageSizeEstimate();
  uintptr_t Start = alignTo(uintptr_t(Buffer->getBufferStart()), Page);
  uintptr_t End = alignDown(uintptr_t(Buffer->getBufferEnd()), Page);
  if (Start < End)
    ::madvise(reinterpret_cast<void *>(Start), End - Start, MADV_DONTNEED);
}

void Archive::visitStrings(
    function_ref<void(StringOffset, StringRef)> Visit) const {
  bool Prefixed = Strings == StringForm::Prefixed;
  for (uint64_t Offset = 0; Offset < StringTable.size();) {
    StringRef Text = string(Offset);
    // An empty string means that the length is zero or damaged.
    uint64_t Start = Offset + (Prefixed ? 4 : 0);
    if (Text.data() != StringTable.data() + Start)
      return;
    Visit(Offset, Text);
    Offset = Start + Text.size() + !Prefixed;
  }
}

RangeEntry Archive::range(uint64_t Index) const {
  assert(Index < RangeCount && "range outside the table");
  PagedRead Read(Memory.get());
  uint64_t First = Index * RF_FieldCount;
  RangeEntry E;
  E.VA = VAs[Index];
  E.Length = Ranges[First + RF_Length];
  E.Depth = Ranges[First + RF_Depth];
  E.Function = Ranges[First + RF_Function];
  E.File = Ranges[First + RF_File];
  E.FirstRow = Ranges[First + RF_FirstRow];
  E.RowCount = Ranges[First + RF_RowCount];
  E.CallFile = Ranges[First + RF_CallFile];
  E.CallLine = Ranges[First + RF_CallLine];
  return E;
}

//===----------------------------------------------------------------------===//
// The extension
//===----------------------------------------------------------------------===//

/// Whether the strings table ends with the marker of an extension. Archives
/// from before the marker was introduced do not have it.
bool Archive::saysItHasExtension() const {
  StringRef Marker = extensionMarker(Strings);
  keep(StringTable.take_back(Marker.size() + 1));
  if (!StringTable.ends_with(Marker))
    return false;
  // Without the NUL byte of the string before it, the marker's empty string
  // would be the end of that string.
  return Strings == StringForm::Prefixed ||
         StringTable.drop_back(Marker.size()).ends_with(StringRef("\0", 1));
}

Error Archive::openExtension() {
  StringRef File = Buffer->getBuffer();
  uint64_t Start = alignTo(endOfTables(header()), 8);
  StringRef Rest = File.drop_front(std::min<uint64_t>(Start, File.size()));
  keep(Rest.take_front(sizeof(ExtensionHeader)));
  if (!Rest.starts_with(StringRef(ExtensionMagic, sizeof(ExtensionMagic)))) {
    if (!saysItHasExtension())
      return Error::success();
    return error(formatv("the extension that its strings announce is not at "
                         "{0:x} in the file ({1} bytes): truncated?",
                         Start, File.size()));
  }

  if (Rest.size() < sizeof(ExtensionHeader))
    return error(formatv("the extension's header at {0:x} reaches past the end "
                         "of the file ({1} bytes): truncated?",
                         Start, File.size()));
  auto &H = *reinterpret_cast<const ExtensionHeader *>(Rest.data());
  if (H.Version != ExtensionVersion)
    return make_error<UnsupportedError>(
        name(),
        "version " + Twine(H.Version) + " of the extension is not supported");
  if (H.Size > Rest.size())
    return error(formatv("the extension ({0} bytes at {1:x}) reaches past the "
                         "end of the file ({2} bytes): truncated?",
                         uint64_t(H.Size), Start, File.size()));
  if (H.Size < sizeof(ExtensionHeader) ||
      H.SectionCount >
          (H.Size - sizeof(ExtensionHeader)) / sizeof(ExtensionSection))
    return error(formatv("the extension's directory ({0} sections) reaches "
                         "past its end ({1} bytes)",
                         uint32_t(H.SectionCount), uint64_t(H.Size)));
  Extension = Rest.take_front(H.Size);
  keep(Extension.take_front(sizeof(ExtensionHeader) +
                            H.SectionCount * sizeof(ExtensionSection)));
  return openSections();
}

/// Whether opening or lookups read the start of the section with \p Tag.
static bool isForLookups(uint32_t Tag) {
  return is_contained(
      {ET_VAIndex, ET_ForeignRows, ET_ReturnPads, ET_Info, ET_Identity}, Tag);
}

/// Fetches the starts of the sections that openSections() reads, and all of
/// those that each lookup reads, unless they are large.
void Archive::prefetchSections() const {
  constexpr uint64_t Head = 64, Max = 256 * 1024;
  SmallVector<StringRef, 16> Areas;
  for (const ExtensionSection &S : extensionSections())
    if (isForLookups(S.Tag)) {
      bool IsIndex = S.Tag == ET_VAIndex || S.Tag == ET_ForeignRows;
      Areas.push_back(Extension.substr(
          S.Offset,
          std::min<uint64_t>(S.Size, IsIndex && S.Size <= Max ? Max : Head)));
    }
  Memory->prefetch(Areas);
}

Error Archive::openSections() {
  for (const ExtensionSection &S : extensionSections())
    if (S.Offset > Extension.size() || S.Size > Extension.size() - S.Offset)
      return error(formatv("section {0} ({1} bytes at {2:x}) reaches past the "
                           "end of the extension ({3} bytes)",
                           tagName(S.Tag), uint64_t(S.Size), uint64_t(S.Offset),
                           Extension.size()));
  if (isFar())
    prefetchSections();
  if (Error E = openInfo())
    return E;
  if (Error E = openIdentity())
    return E;
  if (Error E = openVAIndex())
    return E;
  if (Error E = openReturnPads())
    return E;
  if (Error E = Memory ? Error::success() : checkStatements().takeError())
    return E;
  return openArrays();
}

Error Archive::openInfo() {
  std::optional<StringRef> Section = extensionSection(ET_Info);
  if (!Section)
    return Error::success();
  auto &H = *reinterpret_cast<const InfoHeader *>(Section->data());
  if (Section->size() < sizeof(InfoHeader) ||
      Section->size() - sizeof(InfoHeader) < H.BuildIDSize)
    return error(formatv("section INFO ({0} bytes) is too small for its "
                         "contents",
                         Section->size()));
  Info.emplace();
  static_cast<ELFIdentity &>(*Info) = H.elfIdentity();
  Info->Options = H.Options;
  Info->OnlyOrigin = H.OnlyOrigin;
  Info->BuildID =
      arrayRefFromStringRef(Section->substr(sizeof(InfoHeader), H.BuildIDSize));
  return Error::success();
}

Error Archive::openIdentity() {
  std::optional<StringRef> Section = extensionSection(ET_Identity);
  if (!Section)
    return Error::success();
  auto &H = *reinterpret_cast<const IdentityHeader *>(Section->data());
  if (Section->size() < sizeof(IdentityHeader))
    return error("section IDEN is malformed");
  if (H.Scheme < FirstIdentityScheme || H.Scheme > IdentityScheme)
    return Error::success();
  StringRef Identity = Section->drop_front(sizeof(IdentityHeader));
  if (Identity.size() != IdentitySize)
    return error("section IDEN is malformed");
  if (Info) {
    Info->Identity = arrayRefFromStringRef(Identity);
    Info->IdentityScheme = H.Scheme;
  }
  return Error::success();
}

Error Archive::openVAIndex() {
  std::optional<StringRef> Section = findExtensionSection(ET_VAIndex);
  if (!Section)
    return Error::success();
  keep(Section->take_front(sizeof(VAIndexHeader)));
  auto &H = *reinterpret_cast<const VAIndexHeader *>(Section->data());
  if (Section->size() < sizeof(VAIndexHeader) ||
      (Section->size() - sizeof(VAIndexHeader)) % 4 != 0 || H.Shift > 63)
    return error("section VAIX is malformed");
  PageBase = H.Base;
  PageShift = H.Shift;
  Pages = {Section->data() + sizeof(VAIndexHeader),
           (Section->size() - sizeof(VAIndexHeader)) / 4, 4, Memory.get()};
  return Error::success();
}

/// StatementReader checks each block when it unpacks it.
Expected<uint64_t> Archive::checkStatements() const {
  std::optional<StringRef> Section = findStatements();
  if (!Section)
    return 0;
  keep(Section->take_front(sizeof(StatementsHeader)));
  auto &H = *reinterpret_cast<const StatementsHeader *>(Section->data());
  if (Section->size() < sizeof(H) ||
      (Section->size() - sizeof(H)) / sizeof(StatementBlock) <= H.BlockCount)
    return error(formatv("section {0} ({1} bytes) is too small for its "
                         "directory",
                         tagName(statementsTag()), Section->size()));
  return H.BlockCount;
}

uint32_t Archive::statementsTag() const {
  return findExtensionSection(ET_StatementColumns) ? ET_StatementColumns
                                                   : ET_Statements;
}

std::optional<StringRef> Archive::findStatements() const {
  return findExtensionSection(statementsTag());
}

uint64_t Archive::statementBlocks() const {
  Expected<uint64_t> Count = checkStatements();
  if (Count)
    return *Count;
  Memory->noteDamage(Count.takeError());
  return 0;
}

Error Archive::openReturnPads() {
  std::optional<StringRef> Section = findExtensionSection(ET_ReturnPads);
  if (!Section)
    return Error::success();
  keep(Section->take_front(sizeof(ReturnPadsHeader)));
  auto &H = *reinterpret_cast<const ReturnPadsHeader *>(Section->data());
  auto IsSize = [](unsigned Size) { return isPowerOf2_32(Size) && Size <= 8; };
  if (Section->size() < sizeof(ReturnPadsHeader) || H.Shift > 63 ||
      !IsSize(H.OffsetSize) || !IsSize(H.RangeSize) ||
      (H.RowSize != 0 && !IsSize(H.RowSize)))
    return error("section RPAD is malformed");
  StringRef Rest = Section->drop_front(sizeof(ReturnPadsHeader));
  ReturnPadTable T;
  T.Base = H.Base;
  T.Count = H.PadCount;
  T.PageCount = H.PageCount;
  T.Shift = H.Shift;
  T.OffsetSize = H.OffsetSize;
  T.RangeSize = H.RangeSize;
  T.RowSize = H.RowSize;
  uint64_t PlacesForPages = Rest.size() / sizeof(ReturnPadPage);
  uint64_t PagesSize = (T.PageCount + 1) * sizeof(ReturnPadPage);
  if (T.PageCount >= PlacesForPages ||
      T.Count > (Rest.size() - PagesSize) / T.entrySize() ||
      T.Count * T.entrySize() != Rest.size() - PagesSize)
    return error(formatv("section RPAD ({0} bytes) does not fit {1} "
                         "pads in {2} pages",
                         Section->size(), T.Count, T.PageCount));
  T.Pages = reinterpret_cast<const ReturnPadPage *>(Rest.data());
  T.Entries = Rest.data() + PagesSize;
  T.Memory = Memory.get();
  Pads = T;
  return Error::success();
}

Expected<FieldView> Archive::readArray(const ArraySection &Layout) const {
  std::optional<StringRef> Section = findExtensionSection(Layout.Tag);
  if (!Section)
    return FieldView();
  if (Section->size() < sizeof(ArrayHeader))
    return error(formatv("section {0} ({1} bytes) is too small for its header",
                         tagName(Layout.Tag), Section->size()));
  uint64_t Size = Section->size() - sizeof(ArrayHeader);
  bool IsOfRows = Layout.Count == EntryCount::OnePerRow;
  uint64_t Wanted = IsOfRows ? RowCount : RangeCount;
  StringRef Header = Section->take_front(sizeof(ArrayHeader));
  uint64_t FieldSize;
  if (Memory && Layout.Count != EntryCount::Any && Wanted != 0 &&
      !Memory->isKept(Header))
    // The header may be in a frame that is not needed otherwise.
    FieldSize = Size / Wanted;
  else
    FieldSize =
        reinterpret_cast<const ArrayHeader *>(keep(Header).data())->FieldSize;
  if (!isPowerOf2_64(FieldSize) || FieldSize < Layout.MinWidth ||
      FieldSize > Layout.MaxWidth)
    return error(formatv("section {0}: fields of {1} bytes",
                         tagName(Layout.Tag), FieldSize));
  uint64_t EntrySize = FieldSize * Layout.FieldsPerEntry;
  if (Size % EntrySize != 0)
    return error(formatv("section {0} ({1} bytes) does not end with an entry",
                         tagName(Layout.Tag), Section->size()));
  if (Layout.Count != EntryCount::Any && Size / EntrySize != Wanted)
    return error(formatv("section {0} has {1} entries for {2} {3}",
                         tagName(Layout.Tag), Size / EntrySize, Wanted,
                         IsOfRows ? "rows" : "ranges"));
  return FieldView{Section->data() + sizeof(ArrayHeader), Size / FieldSize,
                   unsigned(FieldSize), Memory.get()};
}

/// Opens the arrays. In a compressed archive, opens only those whose headers
/// need not be read, because each header would be in another frame.
Error Archive::openArrays() {
  for (const ArraySection &Layout : ArraySections)
    if (!Memory || Layout.Count != EntryCount::Any)
      if (Error E = readArray(Layout).moveInto(this->*Layout.Member))
        return E;
  return Error::success();
}

/// The array \p Member, which openArrays() has left out.
FieldView Archive::openLate(FieldView ArchiveArrays::*Member) const {
  Expected<FieldView> Array = readArray(*find_if(
      ArraySections, [&](auto &Layout) { return Layout.Member == Member; }));
  if (Array)
    return *Array;
  Memory->noteDamage(Array.takeError());
  return FieldView();
}

std::optional<FieldView> Archive::array(uint32_t Tag) const {
  const ArraySection *Layout = arraySection(Tag);
  FieldView Array = Layout ? view(Layout->Member) : FieldView();
  return Array.Data ? std::optional(Array) : std::nullopt;
}

ArrayRef<ExtensionSection> Archive::extensionSections() const {
  if (Extension.empty())
    return {};
  auto &H = *reinterpret_cast<const ExtensionHeader *>(Extension.data());
  return ArrayRef(reinterpret_cast<const ExtensionSection *>(
                      Extension.data() + sizeof(ExtensionHeader)),
                  H.SectionCount);
}

std::optional<StringRef> Archive::extensionSection(uint32_t Tag) const {
  std::optional<StringRef> Section = findExtensionSection(Tag);
  if (Section)
    keep(*Section);
  return Section;
}

Expected<UnwindTable> Archive::unwindTable() const {
  std::optional<StringRef> Section = extensionSection(ET_Unwind);
  if (!Section)
    return UnwindTable();
  if (Error E = damage())
    return E;
  return UnwindTable::open(*Section, name());
}

Expected<std::optional<VariableTable>> Archive::variables() const {
  std::optional<StringRef> Section = extensionSection(ET_Variables);
  if (!Section)
    return std::nullopt;
  if (Error E = damage())
    return E;
  Expected<VariableTable> Table = VariableTable::open(*Section, name());
  if (!Table)
    return Table.takeError();
  return std::optional<VariableTable>(std::move(*Table));
}

std::optional<StringRef> Archive::findExtensionSection(uint32_t Tag) const {
  for (const ExtensionSection &S : extensionSections())
    if (S.Tag == Tag)
      return Extension.substr(S.Offset, S.Size);
  return std::nullopt;
}

std::optional<uint64_t> Archive::parent(uint64_t Index) const {
  if (Index >= Parents.Count)
    return std::nullopt;
  uint64_t Distance = Parents[Index];
  if (Distance == 0 || Distance > Index)
    return std::nullopt;
  return Index - Distance;
}

/// The second field of the entry of \p Pairs whose first field is \p Key.
static std::optional<uint64_t> findInPairs(const FieldView &Pairs,
                                           uint64_t Key) {
  PagedRead Read(Pairs.Memory);
  uint64_t Count = Pairs.Count / 2;
  uint64_t I =
      lowerBound(Count, [&](uint64_t Entry) { return Pairs[Entry * 2] < Key; });
  if (I == Count || Pairs[I * 2] != Key)
    return std::nullopt;
  return Pairs[I * 2 + 1];
}

uint64_t Archive::directoryLength(StringOffset File) const {
  return findInPairs(view(&ArchiveArrays::Directories), File).value_or(0);
}

/// The third field of the entry of \p Entries that begins with \p A and \p B.
static std::optional<uint64_t> findInTriples(const FieldView &Entries,
                                             uint64_t A, uint64_t B) {
  PagedRead Read(Entries.Memory);
  uint64_t Count = Entries.Count / 3;
  uint64_t I = lowerBound(Count, [&](uint64_t Entry) {
    return std::pair(Entries[Entry * 3], Entries[Entry * 3 + 1]) <
           std::pair(A, B);
  });
  if (I == Count || Entries[I * 3] != A || Entries[I * 3 + 1] != B)
    return std::nullopt;
  return Entries[I * 3 + 2];
}

Declaration Archive::declaration(StringOffset Function,
                                 StringOffset File) const {
  std::optional<uint64_t> Line =
      findInTriples(view(&ArchiveArrays::Declarations), Function, File);
  if (!Line)
    return {};
  return {findInTriples(view(&ArchiveArrays::DeclarationFiles), Function, File)
              .value_or(File),
          uint32_t(*Line)};
}

Declaration Archive::lastDeclaration(StringOffset Function,
                                     StringOffset File) const {
  PagedRead Read(Memory.get());
  const FieldView D = view(&ArchiveArrays::LastDeclarations);
  uint64_t Count = D.Count / 3;
  uint64_t I = lowerBound(
      Count, [&](uint64_t Entry) { return D[Entry * 3] < Function; });
  if (I == Count || D[I * 3] != Function)
    return declaration(Function, File);
  return {D[I * 3 + 1], uint32_t(D[I * 3 + 2])};
}

StringOffset Archive::plainName(StringOffset Function) const {
  return findInPairs(view(&ArchiveArrays::PlainNames), Function)
      .value_or(Function);
}

void Archive::addLanguage(FunctionUnit &Unit) const {
  PagedRead Read(Memory.get());
  const FieldView Languages = view(&ArchiveArrays::UnitLanguages);
  uint64_t Next = lowerBound(Languages.Count / 3, [&](uint64_t Entry) {
    return Languages[Entry * 3] <= Unit.Number;
  });
  if (Next == 0 || Unit.Number == 0)
    return;
  Unit.Language = uint16_t(Languages[Next * 3 - 2]);
  Unit.Directory = Languages[Next * 3 - 1];
}

FunctionUnit Archive::unit(uint64_t Root) const {
  PagedRead Read(Memory.get());
  const FieldView Units = view(&ArchiveArrays::Units);
  uint64_t Next = lowerBound(Units.Count / 3, [&](uint64_t Entry) {
    return Units[Entry * 3] <= Root;
  });
  // There are no more units than entries. Callers use numbers as keys of maps,
  // in which the largest integers are reserved.
  if (Next == 0 || Units[Next * 3 - 1] > Units.Count / 3)
    return {};
  FunctionUnit Unit;
  Unit.Number = Units[Next * 3 - 1];
  Unit.Name = Units[Next * 3 - 2];
  addLanguage(Unit);
  return Unit;
}

std::optional<uint64_t> Archive::entry(uint64_t Index) const {
  std::optional<uint64_t> Entry =
      findInPairs(view(&ArchiveArrays::Entries), Index);
  if (!Entry)
    return Index;
  if (*Entry == Index || *Entry >= RangeCount)
    return std::nullopt;
  return Entry;
}

//===----------------------------------------------------------------------===//
// Checksums
//===----------------------------------------------------------------------===//

bool Archive::hasChecksums() const {
  const Header &H = header();
  if (H.VAs.CRC || H.Ranges.CRC || H.Strings.CRC || H.Lines.CRC)
    return true;
  return !Extension.empty() &&
         reinterpret_cast<const ExtensionHeader *>(Extension.data())->CRC != 0;
}

/// The checksum of a part of the archive. Releases memory while reading,
/// because the part may be much larger than the memory that a program should
/// use to look up a few addresses.
uint32_t Archive::checksumOf(StringRef Part) const {
  constexpr size_t Step = 8 << 20;
  uint32_t CRC = 0;
  do {
    StringRef Now = Part.take_front(Step);
    PagedRead Read(Memory.get());
    if (Memory)
      Memory->load(Now.data(), Now.size());
    CRC = crc32c(Now, CRC);
    if (Part.size() > Step)
      releasePages();
    Part = Part.drop_front(std::min(Part.size(), Step));
  } while (!Part.empty());
  return CRC;
}

Error Archive::checkChecksum(const Twine &What, uint32_t Actual,
                             uint32_t Stored) const {
  if (Actual == Stored)
    return Error::success();
  return error(
      What + formatv(": checksum is {0:x8}, should be {1:x8}", Actual, Stored));
}

/// The checksum in the extension's header also covers the archive's header.
Error Archive::verifyDirectory() const {
  ArrayRef<ExtensionSection> Sections = extensionSections();
  uint32_t CRC = crc32c(Buffer->getBuffer().take_front(sizeof(Header)));
  CRC = crc32c(StringRef(reinterpret_cast<const char *>(Sections.data()),
                         Sections.size() * sizeof(ExtensionSection)),
               CRC);
  return checkChecksum(
      "header and extension directory", CRC,
      reinterpret_cast<const ExtensionHeader *>(Extension.data())->CRC);
}

Error Archive::verifySection(const ExtensionSection &S) const {
  return checkChecksum("section " + tagName(S.Tag),
                       checksumOf(Extension.substr(S.Offset, S.Size)), S.CRC);
}

/// Verifies the checksums of the extension's sections in \p Parts.
Error Archive::verifySections(const ChecksumParts &Parts) const {
  std::string There;
  Error Result = verifyDirectory();
  for (const ExtensionSection &S : extensionSections()) {
    There += (There.empty() ? "" : ", ") + tagName(S.Tag);
    if (Parts.Extension || is_contained(Parts.Sections, uint32_t(S.Tag)))
      Result = joinErrors(std::move(Result), verifySection(S));
  }
  for (uint32_t Tag : Parts.Sections)
    if (!findExtensionSection(Tag))
      Result =
          joinErrors(std::move(Result),
                     make_error<ArgumentError>(
                         name(), "no section " + tagName(Tag) +
                                     " in the extension, which has " + There));
  return Result;
}

Error Archive::verifyChecksums(const ChecksumParts &Parts) const {
  if (!hasChecksums())
    return make_error<ArgumentError>(name(), "the archive has no checksums");
  Error Result = Error::success();
  auto CheckTable = [&](bool Wanted, StringRef What, StringRef Bytes,
                        uint32_t Stored) {
    if (Wanted)
      Result = joinErrors(std::move(Result),
                          checkChecksum(What, checksumOf(Bytes), Stored));
  };
  auto BytesOf = [](const FieldView &T) {
    return StringRef(T.Data, T.Count * T.Width);
  };
  const Header &H = header();
  CheckTable(Parts.VAs, "VA table", BytesOf(VAs), H.VAs.CRC);
  CheckTable(Parts.Ranges, "range table", BytesOf(Ranges), H.Ranges.CRC);
  CheckTable(Parts.Strings, "strings table", StringTable, H.Strings.CRC);
  CheckTable(Parts.Lines, "line table", BytesOf(Lines), H.Lines.CRC);
  if (!Parts.Extension && Parts.Sections.empty())
    return Result;
  if (!Extension.empty())
    return joinErrors(std::move(Result), verifySections(Parts));
  if (Parts.isAll() && Parts.Sections.empty())
    return Result;
  return joinErrors(
      std::move(Result),
      make_error<ArgumentError>(name(), "the archive has no extension"));
}

Error Archive::verifySmallParts() const {
  if (Extension.empty() || !hasChecksums())
    return Error::success();
  if (Error E = verifyDirectory())
    return E;
  for (const ExtensionSection &S : extensionSections())
    if (S.Tag == ET_Info || S.Tag == ET_Identity)
      if (Error E = verifySection(S))
        return E;
  return Error::success();
}
