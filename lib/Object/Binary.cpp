//===- Binary.cpp - An open binary ----------------------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Binary.h"
#include "COFFBinary.h"
#include "Cabinet.h"
#include "DebugMap.h"
#include "Decompress.h"
#include "ELFBinary.h"
#include "MachOBinary.h"
#include "ObjectArchive.h"
#include "Support/InputFile.h"
#include "Support/NilBuildID.h"
#include "SymbolFile.h"
#include "WasmBinary.h"
#include "ZipFile.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace lidia {

Binary::Binary(std::unique_ptr<MemoryBuffer> Buffer, StringRef Path)
    : Buffer(std::move(Buffer)), Path(Path) {}
Binary::~Binary() = default;

void Binary::setSections(std::vector<Section> Read) {
  Sections = std::move(Read);
  Unpacked.clear();
  Unpacked.resize(Sections.size());
}

void Binary::setCodeOfSections() {
  std::vector<CodeMap::Area> Areas;
  for (const Section &S : Sections)
    if ((S.Flags & ELF::SHF_EXECINSTR) && (S.Flags & ELF::SHF_ALLOC))
      Areas.push_back(
          {S.Address, S.Address + std::min(S.Size, UINT64_MAX - S.Address)});
  Code = CodeMap(std::move(Areas));
}

Expected<SymbolEntries> Binary::symbolEntries(SymbolTable) const {
  return SymbolEntries();
}

Expected<std::vector<CodeMark>> Binary::codeMarks(SymbolTable) const {
  return std::vector<CodeMark>();
}

Error Binary::forEachRelocatedWord(function_ref<void(const RelocatedWord &)>) {
  return Error::success();
}

std::vector<RelativePointer> Binary::relativePointers() const { return {}; }

std::vector<uint64_t> Binary::functionStarts() const { return {}; }

std::vector<DebugMapObject> Binary::debugMap() const { return {}; }

bool Binary::isLittleEndian() const {
  return Identity.Data == ELF::ELFDATA2LSB;
}

uint64_t Binary::imageBase() const {
  for (const Segment &S : segments())
    if (S.Type == ELF::PT_LOAD)
      return S.Address;
  return 0;
}

const Section *Binary::findSection(StringRef Name) const {
  const Section *InGroup = nullptr;
  for (const Section &S : Sections) {
    if (S.Name != Name)
      continue;
    if (!(S.Flags & ELF::SHF_GROUP))
      return &S;
    if (!InGroup)
      InGroup = &S;
  }
  return InGroup;
}

Expected<StringRef> Binary::contents(const Section &S) {
  if (S.Type == ELF::SHT_NOBITS)
    return StringRef();
  size_t Slot = &S - Sections.data();
  if (Unpacked[Slot])
    return Unpacked[Slot]->contents();
  Expected<StringRef> Raw = rawContents(S);
  if (!Raw)
    return sectionError(S, Raw.takeError());
  if (!isCompressed(S) && (!isRelocated(S) || Raw->empty()))
    return *Raw;
  Expected<StringRef> Contents =
      isCompressed(S) ? unpack(S, *Raw) : copy(S, *Raw);
  if (!Contents)
    return sectionError(S, Contents.takeError());
  if (isRelocated(S))
    relocate(S, Unpacked[Slot]->writable());
  return Contents;
}

/// Copies \p Raw, to be modified, and releases it. Mapping the file again
/// copy-on-write would take as much memory, since few pages have no
/// relocations, and would cost a page fault for each page.
Expected<StringRef> Binary::copy(const Section &S, StringRef Raw) {
  std::unique_ptr<TemporaryMapping> Copy;
  if (Error E = TemporaryMapping::createFor(Raw.size()).moveInto(Copy))
    return E;
  for (StringRef Left = Raw; !Left.empty();) {
    MutableArrayRef<uint8_t> Room = Copy->room();
    StringRef Part = Left.take_front(Room.size());
    std::memcpy(Room.data(), Part.data(), Part.size());
    if (Error E = Copy->append(Part.size()))
      return E;
    Left = Left.drop_front(Part.size());
  }
  if (Error E = Copy->map())
    return E;
  release(Raw);
  std::unique_ptr<TemporaryMapping> &Slot = Unpacked[&S - Sections.data()];
  Slot = std::move(Copy);
  return Slot->contents();
}

bool Binary::isCompressed(const Section &S) const {
  return S.IsZDebug || (S.Flags & ELF::SHF_COMPRESSED);
}

Error Binary::sectionError(const Section &S, Error E) const {
  return addPrefix(Path, addWhere(S.Name, std::move(E)));
}

Expected<Binary::PackedBytes> Binary::packedBytes(const Section &,
                                                  StringRef Raw) const {
  // "ZLIB" and the size, big-endian (the GNU tools' form from before the
  // gABI's).
  constexpr size_t HeaderSize = 12;
  if (Raw.size() < HeaderSize || !Raw.starts_with("ZLIB"))
    return make_error<DamagedError>("", "has no ZLIB header");
  PackedBytes Result;
  Result.Size = support::endian::read64be(Raw.data() + 4);
  Result.Bytes = Raw.drop_front(HeaderSize);
  return Result;
}

Expected<StringRef> Binary::unpack(const Section &S, StringRef Raw) {
  Expected<PackedBytes> Packed = packedBytes(S, Raw);
  if (!Packed)
    return Packed.takeError();
  Expected<std::unique_ptr<TemporaryMapping>> Mapping =
      decompress(Packed->Bytes, Packed->How, Packed->Size);
  if (!Mapping)
    return Mapping.takeError();
  release(Raw);
  std::unique_ptr<TemporaryMapping> &Slot = Unpacked[&S - Sections.data()];
  Slot = std::move(*Mapping);
  return Slot->contents();
}

Expected<std::unique_ptr<Unpacker>> Binary::startUnpacking(const Section &S) {
  Expected<StringRef> Raw = rawContents(S);
  if (!Raw)
    return sectionError(S, Raw.takeError());
  Expected<PackedBytes> Packed = packedBytes(S, *Raw);
  if (!Packed)
    return sectionError(S, Packed.takeError());
  Expected<std::unique_ptr<Unpacker>> U = Unpacker::create(
      Packed->Bytes, Packed->How, Packed->Size, /*AnySize=*/true);
  if (!U)
    return sectionError(S, U.takeError());
  return U;
}

void Binary::forgetContents(const Section &S) {
  Unpacked[&S - Sections.data()].reset();
}

void Binary::release(StringRef Part) const {
  // A small file is read, not mapped; its pages could not be restored. Nor
  // could those of a section that was decompressed to memory.
  if (Part.begin() >= Buffer->getBufferStart() &&
      Part.end() <= Buffer->getBufferEnd()) {
    if (Buffer->getBufferKind() == MemoryBuffer::MemoryBuffer_MMap)
      releasePages(Part);
    return;
  }
  for (const std::unique_ptr<TemporaryMapping> &U : Unpacked)
    if (U && !U->inMemory() && Part.begin() >= U->contents().begin() &&
        Part.end() <= U->contents().end())
      return releasePages(Part);
}

std::vector<LoadedBytes> Binary::codeBytes() {
  std::vector<LoadedBytes> Parts;
  for (const Section &S : Sections) {
    if (!(S.Flags & ELF::SHF_EXECINSTR) || !(S.Flags & ELF::SHF_ALLOC))
      continue;
    if (Expected<StringRef> Bytes = contents(S))
      Parts.push_back({S.Address, *Bytes});
    else
      consumeError(Bytes.takeError());
  }
  // Some tools strip section headers.
  if (Parts.empty())
    Parts = loadedBytes();
  llvm::sort(Parts, [](const LoadedBytes &A, const LoadedBytes &B) {
    return A.Address != B.Address ? A.Address < B.Address
                                  : A.Bytes.size() > B.Bytes.size();
  });
  std::vector<LoadedBytes> Result;
  uint64_t End = 0, Budget = 2 * size();
  for (LoadedBytes P : Parts) {
    P.Bytes = P.Bytes.take_front(UINT64_MAX - P.Address);
    uint64_t Known = P.Address < End ? End - P.Address : 0;
    P.Bytes = P.Bytes.drop_front(std::min<uint64_t>(Known, P.Bytes.size()));
    P.Address += Known;
    // A segment can contain more than code, but begins and ends with code.
    uint64_t PartEnd = P.Address + P.Bytes.size();
    if (P.Bytes.empty() || !Code.clip(P.Address, PartEnd))
      continue;
    P.Bytes =
        P.Bytes.take_front(std::min<uint64_t>(PartEnd - P.Address, Budget));
    if (P.Bytes.empty())
      break;
    Budget -= P.Bytes.size();
    End = P.Address + P.Bytes.size();
    Result.push_back(P);
  }
  return Result;
}

Expected<std::string> binaryFile(StringRef Path) {
  std::vector<std::string> Files = filesOfBundle(Path);
  if (Files.empty())
    return Path.str();
  StringRef Program = sys::path::stem(Path);
  auto Named = find_if(Files, [&](StringRef File) {
    return sys::path::filename(File) == Program;
  });
  if (Named != Files.end())
    return *Named;
  if (Files.size() == 1)
    return Files.front();
  return make_error<ArgumentError>(
      Path, "a bundle of several files; name one, as " + Files.front());
}

Expected<std::unique_ptr<Binary>> Binary::open(StringRef Path,
                                               StringRef Architecture) {
  if (isDevice(Path))
    return make_error<ArgumentError>(Path, "not a regular file");
  if (isInsideFile(Path)) {
    Expected<std::unique_ptr<MemoryBuffer>> Member = readInsideFile(Path);
    if (!Member)
      return Member.takeError();
    return create(std::move(*Member), Path, Architecture);
  }
  Expected<std::string> File = binaryFile(Path);
  if (!File)
    return File.takeError();
  ErrorOr<std::unique_ptr<MemoryBuffer>> Buffer =
      MemoryBuffer::getFile(*File, /*IsText=*/false,
                            /*RequiresNullTerminator=*/false);
  if (!Buffer)
    return make_error<SystemError>(Buffer.getError(), *File);
  return create(std::move(*Buffer), *File, Architecture);
}

Expected<std::unique_ptr<Binary>>
Binary::openWithBuildID(StringRef Path, ArrayRef<uint8_t> BuildID) {
  Expected<std::string> File = binaryFile(Path);
  if (!File)
    return File.takeError();
  std::vector<std::string> Architectures;
  constexpr uint64_t HeaderSize = 1024;
  if (sys::fs::is_regular_file(*File))
    if (auto Header = MemoryBuffer::getFileSlice(*File, HeaderSize, 0))
      Architectures = architecturesOf((*Header)->getBuffer());
  if (Architectures.size() < 2)
    return open(Path);
  for (const std::string &Architecture : Architectures) {
    Expected<std::unique_ptr<Binary>> Part = open(*File, Architecture);
    if (Part && (*Part)->buildID() == BuildID)
      return Part;
    consumeError(Part.takeError());
  }
  return make_error<ArgumentError>(
      Path, "a universal file of " + join(Architectures, ", ") +
                ", none of which has the build ID " +
                toHex(BuildID, /*LowerCase=*/true));
}

/// Returns an error that says how to name one of the libraries in a zip file.
static Error zipWithoutName(StringRef Path, StringRef Bytes) {
  Expected<ZipFile> Zip = ZipFile::open(Bytes, Path);
  if (!Zip)
    return Zip.takeError();
  std::vector<ZipFile::Entry> Libraries = Zip->libraries();
  if (Libraries.empty())
    return make_error<NotABinaryError>(Path, "a zip file without libraries");
  return make_error<ArgumentError>(Path,
                                   "a zip file of " + Twine(Libraries.size()) +
                                       " libraries; name one, as " + Path +
                                       "!" + Libraries.front().Name);
}

std::string Binary::whereDebugInformationIs() const {
  if (findSection(".debug_info"))
    return {};
  if (any_of(sections(), [](const Section &S) {
        return StringRef(S.Name).starts_with(".gnu.lto_");
      }))
    return "it has no code yet, only GCC's intermediate language (-flto): link "
           "it, or compile it with -ffat-lto-objects";
  if (findSection(".stab"))
    return "its debug information is stabs, which are not read: compile it "
           "with -gdwarf";
  return {};
}

/// Explains why a file of another format is not read.
static Error unknownFormat(StringRef Path, StringRef Bytes) {
  if (StringRef What = linkerInput(Bytes); !What.empty())
    return make_error<NotABinaryError>(Path, What);
  // The file may be a compressed kernel module that is damaged.
  if (Error E = checkPackedStart(Bytes))
    return addPrefix(Path, std::move(E));
  if (fileKind(Bytes) == FileKind::Zip)
    return zipWithoutName(Path, Bytes);
  return make_error<NotABinaryError>(Path, "not an ELF, PE or Mach-O file");
}

static Expected<std::unique_ptr<Binary>>
createAny(std::unique_ptr<MemoryBuffer> Buffer, StringRef Path,
          StringRef Architecture) {
  StringRef Bytes = Buffer->getBuffer();
  if (isPackedELF(Bytes)) {
    Expected<std::unique_ptr<MemoryBuffer>> Unpacked = unpackFile(Bytes);
    if (!Unpacked)
      return addPrefix(Path, Unpacked.takeError());
    return createAny(std::move(*Unpacked), Path, Architecture);
  }
  FileKind Kind = fileKind(Bytes);
  if (Kind == FileKind::Cabinet) {
    Expected<std::unique_ptr<MemoryBuffer>> Unpacked =
        unpackCabinet(Bytes, Path);
    if (!Unpacked)
      return Unpacked.takeError();
    if (fileKind((*Unpacked)->getBuffer()) == FileKind::Cabinet)
      return make_error<NotABinaryError>(Path, "holds another cabinet file");
    return createAny(std::move(*Unpacked), Path, Architecture);
  }
  if (Kind == FileKind::MachO)
    return openMachO(std::move(Buffer), Path, Architecture);
  if (isSymbolFile(Kind))
    return openSymbolFile(std::move(Buffer), Path, Kind);
  if (!Architecture.empty())
    return make_error<ArgumentError>(Path, "--arch= is for Mach-O files");
  if (Kind == FileKind::ELF && Bytes.size() >= ELF::EI_NIDENT)
    return openELF(std::move(Buffer), Path);
  if (Kind == FileKind::PE || Kind == FileKind::COFFObject)
    return openCOFF(std::move(Buffer), Path);
  if (Kind == FileKind::WebAssembly)
    return openWasm(std::move(Buffer), Path);
  return unknownFormat(Path, Bytes);
}

Expected<std::unique_ptr<Binary>>
Binary::create(std::unique_ptr<MemoryBuffer> Buffer, StringRef Path,
               StringRef Architecture) {
  Expected<std::unique_ptr<Binary>> File =
      createAny(std::move(Buffer), Path, Architecture);
  if (File && isNilBuildID((*File)->BuildID))
    (*File)->BuildID.clear();
  return File;
}

} // namespace lidia
