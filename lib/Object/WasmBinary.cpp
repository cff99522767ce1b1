//===- WasmBinary.cpp - An open WebAssembly module ------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// LLVM's constants are used, but not its WasmObjectFile: that rejects a whole
/// module because of an unknown or broken section, and the format grows with
/// every proposal. This reader reads only the locations and names of functions.
///
//===----------------------------------------------------------------------===//

#include "WasmBinary.h"
#include "FileBytes.h"
#include "Support/LEB128.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/BinaryFormat/Wasm.h"
#include "llvm/Support/Endian.h"
#include <map>

using namespace llvm;

namespace lidia {

namespace {

/// Reads numbers and names in sequence. After the end, or after an invalid
/// item, it returns only zeros and empty names.
class Cursor {
public:
  explicit Cursor(StringRef Bytes) : Bytes(Bytes) {}

  bool isSound() const { return IsSound; }
  bool atEnd() const { return !IsSound || At == Bytes.size(); }
  uint64_t place() const { return At; }

  uint64_t number() {
    StringRef Rest = Bytes.drop_front(At);
    std::optional<uint64_t> Value = takeULEB(Rest);
    IsSound &= Value.has_value();
    At = IsSound ? Bytes.size() - Rest.size() : At;
    return IsSound ? *Value : 0;
  }
  uint8_t byte() { return take(1).empty() ? 0 : Bytes[At - 1]; }
  StringRef take(uint64_t Size) {
    std::optional<StringRef> Part = bytesAt(Bytes, At, Size);
    IsSound &= Part.has_value();
    At += IsSound ? Size : 0;
    return IsSound ? *Part : StringRef();
  }
  StringRef name() { return take(number()); }

private:
  StringRef Bytes;
  uint64_t At = 0;
  bool IsSound = true;
};

class WasmBinary final : public Binary {
public:
  WasmBinary(std::unique_ptr<MemoryBuffer> Buffer, StringRef Path)
      : Binary(std::move(Buffer), Path) {}

  Error load();

  Error forEachFunctionSymbol(
      SymbolTable Table,
      function_ref<void(const FunctionSymbol &)> Visit) override;
  bool hasSymbolTable(SymbolTable Table) const override;
  StringRef externalDebugFile() const override { return ExternalDebugFile; }
  std::string whereDebugInformationIs() const override;
  std::vector<LoadedBytes> loadedBytes() const override;
  std::vector<Segment> segments() const override;

protected:
  Expected<StringRef> rawContents(const lidia::Section &S) override {
    return Contents[S.Index];
  }

private:
  /// Names of functions, by the numbers of the functions.
  using Names = std::map<uint32_t, StringRef>;

  StringRef bytes() const { return Buffer->getBuffer(); }
  Error readSection(uint8_t Kind, StringRef Bytes,
                    std::vector<lidia::Section> &Sections);
  void addSection(StringRef Name, StringRef Bytes, uint64_t Flags,
                  std::vector<lidia::Section> &Sections);
  void readImports(Cursor C);
  void readExports(Cursor C);
  void readNames(Cursor C);
  void readFunctions();

  StringRef CodeBytes;
  /// The contents of the custom section external_debug_info.
  StringRef ExternalDebugFile;
  /// One for each of sections().
  std::vector<StringRef> Contents;
  /// The functions in CodeBytes, by number, from FirstFunction on.
  std::vector<StringRef> Functions;
  /// The number of imported functions, which come first; none if the imports
  /// cannot be read, because all numbers would be wrong.
  std::optional<uint64_t> FirstFunction = 0;
  Names Named, Exported;
};

} // namespace

void WasmBinary::addSection(StringRef Name, StringRef Bytes, uint64_t Flags,
                            std::vector<lidia::Section> &Sections) {
  lidia::Section S;
  constexpr size_t MaxName = 255;
  S.Name = Name.take_front(MaxName).str();
  S.Type = ELF::SHT_PROGBITS;
  S.Flags = Flags;
  S.Size = Bytes.size();
  S.Index = Contents.size();
  Contents.push_back(Bytes);
  Sections.push_back(std::move(S));
}

/// Skips a value type, which may refer to another type.
static void skipValueType(Cursor &C) {
  constexpr uint8_t Ref = 0x64, RefOrNull = 0x63;
  uint8_t Kind = C.byte();
  if (Kind == Ref || Kind == RefOrNull)
    C.number();
}

static void skipLimits(Cursor &C) {
  uint64_t Flags = C.number();
  C.number();
  if (Flags & wasm::WASM_LIMITS_FLAG_HAS_MAX)
    C.number();
}

/// Counts the imported functions.
void WasmBinary::readImports(Cursor C) {
  uint64_t Count = C.number(), Imported = 0;
  for (uint64_t I = 0; I != Count && C.isSound(); ++I) {
    C.name();
    C.name();
    switch (C.byte()) {
    case wasm::WASM_EXTERNAL_FUNCTION:
      ++Imported;
      C.number();
      break;
    case wasm::WASM_EXTERNAL_TABLE:
      skipValueType(C);
      skipLimits(C);
      break;
    case wasm::WASM_EXTERNAL_MEMORY:
      skipLimits(C);
      break;
    case wasm::WASM_EXTERNAL_GLOBAL:
      skipValueType(C);
      C.byte();
      break;
    case wasm::WASM_EXTERNAL_TAG:
      C.byte();
      C.number();
      break;
    default:
      FirstFunction = std::nullopt;
      return;
    }
  }
  FirstFunction = C.isSound() ? std::optional(Imported) : std::nullopt;
}

void WasmBinary::readExports(Cursor C) {
  uint64_t Count = C.number();
  for (uint64_t I = 0; I != Count && C.isSound(); ++I) {
    StringRef Name = C.name();
    uint8_t Kind = C.byte();
    uint64_t Number = C.number();
    if (C.isSound() && Kind == wasm::WASM_EXTERNAL_FUNCTION &&
        Number <= UINT32_MAX)
      Exported.try_emplace(uint32_t(Number), Name);
  }
}

/// Reads the names of functions.
void WasmBinary::readNames(Cursor C) {
  while (!C.atEnd()) {
    uint8_t Kind = C.byte();
    Cursor Part(C.name());
    if (Kind != wasm::WASM_NAMES_FUNCTION)
      continue;
    uint64_t Count = Part.number();
    for (uint64_t I = 0; I != Count && Part.isSound(); ++I) {
      uint64_t Number = Part.number();
      StringRef Name = Part.name();
      if (Part.isSound() && Number <= UINT32_MAX)
        Named.try_emplace(uint32_t(Number), Name);
    }
  }
}

/// Finds the functions in the code section: each is a size followed by its
/// bytes.
void WasmBinary::readFunctions() {
  Cursor C(CodeBytes);
  uint64_t Count = C.number();
  for (uint64_t I = 0; I != Count && C.isSound(); ++I) {
    StringRef Body = C.name();
    if (C.isSound())
      Functions.push_back(Body);
  }
}

Error WasmBinary::readSection(uint8_t Kind, StringRef Bytes,
                              std::vector<lidia::Section> &Sections) {
  Cursor C(Bytes);
  switch (Kind) {
  case wasm::WASM_SEC_IMPORT:
    readImports(C);
    break;
  case wasm::WASM_SEC_EXPORT:
    readExports(C);
    break;
  case wasm::WASM_SEC_CODE:
    if (!CodeBytes.empty())
      return error("a WebAssembly module with several code sections");
    CodeBytes = Bytes;
    addSection(".text", Bytes, ELF::SHF_ALLOC | ELF::SHF_EXECINSTR, Sections);
    break;
  case wasm::WASM_SEC_CUSTOM: {
    StringRef Name = C.name();
    StringRef Rest = Bytes.drop_front(C.place());
    if (Name == "linking")
      return error<UnsupportedError>("a WebAssembly object has no addresses "
                                     "yet; link it first");
    if (Name == "name")
      readNames(Cursor(Rest));
    constexpr size_t LongestID = 64;
    if (Name == "build_id") {
      StringRef ID = Cursor(Rest).name().take_front(LongestID);
      BuildID.assign(ID.bytes_begin(), ID.bytes_end());
    }
    if (Name == "external_debug_info")
      ExternalDebugFile = Cursor(Rest).name();
    addSection(Name, Rest, 0, Sections);
    break;
  }
  default:
    break;
  }
  return Error::success();
}

Error WasmBinary::load() {
  Identity.Class = ELF::ELFCLASS32;
  Identity.Data = ELF::ELFDATA2LSB;
  // Engines load code at any address.
  Identity.Type = ELF::ET_DYN;
  constexpr uint64_t HeaderSize = 8;
  auto Version = structAt<support::ulittle32_t>(bytes(), 4);
  if (!Version || *Version != wasm::WasmVersion)
    return error<UnsupportedError>("a WebAssembly file whose version is not 1");
  std::vector<lidia::Section> Read;
  Cursor C(bytes().drop_front(HeaderSize));
  while (!C.atEnd()) {
    uint8_t Kind = C.byte();
    StringRef Section = C.name();
    if (C.isSound())
      if (Error E = readSection(Kind, Section, Read))
        return E;
  }
  if (!C.isSound() && Read.empty())
    return error("a WebAssembly module that ends within a section");
  bool HasDebugInfo = any_of(Read, [](const lidia::Section &S) {
    return S.Name == ".debug_info" || S.Name == ".debug_line";
  });
  if (CodeBytes.empty() && HasDebugInfo) {
    // A debug file does not say how large the code is. Engines take no larger
    // modules (WebAssembly JavaScript Interface, "Limits").
    constexpr uint64_t MaxCode = uint64_t(1) << 30;
    addSection(".text", {}, ELF::SHF_ALLOC | ELF::SHF_EXECINSTR, Read);
    Read.back().Type = ELF::SHT_NOBITS;
    Read.back().Size = MaxCode;
  }
  setSections(std::move(Read));
  setCodeOfSections();
  readFunctions();
  return Error::success();
}

std::string WasmBinary::whereDebugInformationIs() const {
  if (ExternalDebugFile.empty() || findSection(".debug_info"))
    return {};
  return "its debug information is in " + ExternalDebugFile.str() +
         ", which was not found: name it with --debug-file=";
}

bool WasmBinary::hasSymbolTable(SymbolTable Table) const {
  return !(Table == SymbolTable::Symtab ? Named : Exported).empty();
}

Error WasmBinary::forEachFunctionSymbol(
    SymbolTable Table, function_ref<void(const FunctionSymbol &)> Visit) {
  if (!FirstFunction)
    return error("its imports are broken, so that its functions cannot be "
                 "counted; their names are left out");
  bool IsSymtab = Table == SymbolTable::Symtab;
  for (auto [Number, Name] : IsSymtab ? Named : Exported) {
    if (Number < *FirstFunction || Number - *FirstFunction >= Functions.size())
      continue;
    StringRef Body = Functions[Number - *FirstFunction];
    FunctionSymbol F;
    F.Name = Name.split('\0').first;
    F.Address = Body.data() - CodeBytes.data();
    F.Size = Body.size();
    F.Binding = IsSymtab ? ELF::STB_LOCAL : ELF::STB_GLOBAL;
    if (!F.Name.empty())
      Visit(F);
  }
  return Error::success();
}

std::vector<LoadedBytes> WasmBinary::loadedBytes() const {
  return {{0, CodeBytes}};
}

std::vector<Segment> WasmBinary::segments() const {
  Segment S;
  S.Type = ELF::PT_LOAD;
  S.Flags = ELF::PF_R | ELF::PF_X;
  S.MemorySize = S.FileSize = CodeBytes.size();
  S.Offset = CodeBytes.empty() ? 0 : CodeBytes.data() - bytes().data();
  S.Bytes = CodeBytes;
  return {S};
}

Expected<std::unique_ptr<Binary>> openWasm(std::unique_ptr<MemoryBuffer> Buffer,
                                           StringRef Path) {
  auto B = std::make_unique<WasmBinary>(std::move(Buffer), Path);
  if (Error E = B->load())
    return E;
  return B;
}

} // namespace lidia
