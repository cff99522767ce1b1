//===- Binary.h - An open binary --------------------------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_OBJECT_BINARY_H
#define LIDIA_LIB_OBJECT_BINARY_H

#include "CodeMap.h"
#include "Decompress.h"
#include "lidia/Archive/ELFIdentity.h"
#include "lidia/Error.h"
#include "lidia/Object/FileKind.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>
#include <string>
#include <vector>

namespace lidia {

/// A section header, widened to 64 bits for files of any class and byte order.
struct Section {
  /// Also ".debug_info" for the old ".zdebug_info". Long names are truncated.
  std::string Name;
  uint32_t Type = 0;
  uint64_t Flags = 0;
  uint64_t Address = 0;
  uint64_t Size = 0;
  /// Index in the section header table.
  uint32_t Index = 0;
  /// Whether this is the old form of a compressed debug section.
  bool IsZDebug = false;
  /// Size of an entry, if the section is a table.
  uint64_t EntrySize = 0;
  uint64_t Alignment = 0;
};

/// A symbol that names code.
struct FunctionSymbol {
  enum SymbolKind : uint8_t {
    /// STT_FUNC or STT_GNU_IFUNC.
    Function,
    /// Global and without a type, as in assembly without ".type".
    Label,
    /// Local and without a type, but with a size, as from the Linux kernel's
    /// SYM_CODE_START_LOCAL.
    LocalCode,
  };

  /// Points into the file.
  llvm::StringRef Name;
  /// For a local symbol, the name of its source file, from the STT_FILE symbol
  /// before it; empty if there is none.
  llvm::StringRef SourceFile;
  /// The first instruction: without Arm's Thumb bit, and with PowerPC function
  /// descriptors resolved.
  uint64_t Address = 0;
  /// Zero if the symbol has no size.
  uint64_t Size = 0;
  /// STB_LOCAL, STB_GLOBAL, STB_WEAK, ...
  uint8_t Binding = 0;
  SymbolKind Kind = Function;
};

/// A FunctionSymbol whose name has not been read.
struct CodeSymbol {
  uint64_t Address = 0;
  uint64_t Size = 0;
  /// Offset in Binary::symbolNames(), inside it.
  uint32_t Name = 0;
  uint8_t Binding = 0;
  FunctionSymbol::SymbolKind Kind = FunctionSymbol::Function;
};

/// An entry of a symbol table as stored in the file, widened to 64 bits.
struct SymbolEntry {
  /// Offset in the table of names. May be after the table's end.
  uint32_t Name = 0;
  uint64_t Value = 0;
  uint64_t Size = 0;
  /// st_info, st_other, st_shndx.
  uint8_t Info = 0;
  uint8_t Other = 0;
  uint16_t Section = 0;
};

/// The entries of a symbol table, and their names.
struct SymbolEntries {
  std::vector<SymbolEntry> Entries;
  /// Points into the file. Ends with a zero byte, unless it is empty.
  llvm::StringRef Names;
};

/// A word that the dynamic linker sets to a symbol's address.
struct RelocatedWord {
  uint64_t Address = 0;
  /// Points into the file; empty if the relocation has no symbol.
  llvm::StringRef Symbol;
  /// The function that the dynamic linker calls to get the word (*_IRELATIVE),
  /// if the relocation contains it, as those in .rela.plt do.
  std::optional<uint64_t> Resolver;
  /// Whether the relocation is in .rela.plt or .rel.plt.
  bool ForPLT = false;
};

/// The kind of code from an address up to the next mark, given by a mapping
/// symbol ("$d", "$x", ...) or, on Arm, by the address of a function symbol.
struct CodeMark {
  enum Kind : uint8_t { Code, Data, Thumb };

  uint64_t Address = 0;
  Kind Type = Code;
};

enum class SymbolTable : uint8_t { Symtab, Dynsym };

/// A part of the file and its address when the program is loaded.
struct LoadedBytes {
  uint64_t Address = 0;
  llvm::StringRef Bytes;
};

/// A program header of type PT_LOAD or PT_NOTE.
struct Segment {
  /// p_type, p_flags, p_vaddr, p_memsz.
  uint32_t Type = 0;
  uint32_t Flags = 0;
  uint64_t Address = 0;
  uint64_t MemorySize = 0;
  /// Its bytes in the file, without the file's header and the program headers.
  llvm::StringRef Bytes;
  /// File offset and size in an ELF file, headers included.
  uint64_t Offset = 0;
  uint64_t FileSize = 0;
  uint64_t Alignment = 0;
};

/// A pointer that the loader sets, as in position-independent programs.
struct RelativePointer {
  uint64_t Address = 0;
  uint64_t Value = 0;
};

class SymbolFile;
struct DebugMapObject;

/// The file that \p Path means: the file in a dSYM bundle or, if it has
/// several, the one with the bundle's name; otherwise \p Path.
llvm::Expected<std::string> binaryFile(llvm::StringRef Path);

/// An executable, a library or a debug file, mapped.
///
/// Sections, symbols and segments are in ELF's terms (SHT_NOBITS, STB_LOCAL,
/// PT_LOAD, ...), which all callers know. Each derived class reads one format.
/// Other tools' symbol files (SymbolFile.h) stand for the binaries that they
/// were made from.
///
/// Nothing in the file is trusted: a part that cannot be read causes an error
/// or, if the rest is useful without it, is left out.
class Binary {
public:
  /// Opens the file at \p Path. From a universal file, takes the file with the
  /// build ID \p BuildID, and fails if there is none. The build ID of any other
  /// file is not compared.
  static llvm::Expected<std::unique_ptr<Binary>>
  openWithBuildID(llvm::StringRef Path, llvm::ArrayRef<uint8_t> BuildID);

  /// Opens the file at \p Path, or the file in the dSYM bundle there.
  /// \p Architecture ("arm64") selects one of the files in a universal file; it
  /// may be empty if there is only one. Errors name the file.
  static llvm::Expected<std::unique_ptr<Binary>>
  open(llvm::StringRef Path, llvm::StringRef Architecture = {});
  /// Takes ownership of \p Buffer. \p Path is for messages.
  static llvm::Expected<std::unique_ptr<Binary>>
  create(std::unique_ptr<llvm::MemoryBuffer> Buffer, llvm::StringRef Path,
         llvm::StringRef Architecture = {});
  virtual ~Binary();

  llvm::StringRef path() const { return Path; }
  /// Size of the file in bytes.
  uint64_t size() const { return Buffer->getBufferSize(); }
  llvm::MemoryBufferRef buffer() const { return Buffer->getMemBufferRef(); }
  const ELFIdentity &identity() const { return Identity; }
  bool isLittleEndian() const;
  /// The name of a Mach-O file's architecture; empty for other formats.
  llvm::StringRef architecture() const { return Architecture; }
  /// This file, if it is a symbol file of another tool; otherwise null.
  virtual const SymbolFile *asSymbolFile() const { return nullptr; }
  /// The preferred load address of the binary: that of its first segment, or 0
  /// if it has none.
  uint64_t imageBase() const;
  /// The path of the PDB file that the linker wrote into a PE file; empty if
  /// there is none.
  virtual llvm::StringRef pdbPath() const { return {}; }
  /// The URL or path of the file with the DWARF of a WebAssembly module; empty
  /// if the module names none.
  virtual llvm::StringRef externalDebugFile() const { return {}; }
  /// The object files with the DWARF of a Mach-O program, in the order in which
  /// they were linked; empty if the program has no debug map.
  virtual std::vector<DebugMapObject> debugMap() const;
  /// Says where the debug information that this file lacks is, and what to do
  /// about it, as the end of a sentence; empty if the file does not say.
  virtual std::string whereDebugInformationIs() const;
  /// Empty if the file has none.
  llvm::ArrayRef<uint8_t> buildID() const { return BuildID; }
  /// What is broken of the file's headers, so that parts of it cannot be found;
  /// empty if nothing is.
  llvm::StringRef damage() const { return Damage; }
  const CodeMap &code() const { return Code; }

  llvm::ArrayRef<Section> sections() const { return Sections; }
  /// The first section named \p Name; null if there is none. In relocatable
  /// objects, sections outside of groups come first, because compilers put each
  /// type unit into its own .debug_info, in a group.
  const Section *findSection(llvm::StringRef Name) const;

  /// The bytes of \p S, decompressed and relocated if necessary; empty for a
  /// section without bytes in the file. A section is decompressed only once,
  /// and its contents are kept. Different threads may request different
  /// sections.
  llvm::Expected<llvm::StringRef> contents(const Section &S);

  bool isCompressed(const Section &S) const;
  /// Whether contents() applies relocations to \p S, which is a section of a
  /// relocatable object that is not loaded.
  virtual bool isRelocated(const Section &) const { return false; }
  /// Begins to decompress \p S, which is compressed. The result owns the
  /// decompressed bytes. They are kept in memory, if there is enough, whatever
  /// their size.
  llvm::Expected<std::unique_ptr<Unpacker>> startUnpacking(const Section &S);
  /// Adds the names of the file and the section \p S to the error \p E.
  llvm::Error sectionError(const Section &S, llvm::Error E) const;
  /// Describes the relocations of \p S that could not be applied when its
  /// contents were requested; empty if there are none.
  virtual std::string relocationReport(const Section &) const { return {}; }
  /// Frees the decompressed contents of \p S, if any. contents() will
  /// decompress them again.
  void forgetContents(const Section &S);

  /// Tells the kernel that \p Part of a section's contents will not be read
  /// again soon.
  void release(llvm::StringRef Part) const;

  /// Calls \p Visit with each defined, named function symbol, in table order:
  /// STT_FUNC, STT_GNU_IFUNC, and global ones without a type.
  virtual llvm::Error forEachFunctionSymbol(
      SymbolTable Table,
      llvm::function_ref<void(const FunctionSymbol &)> Visit) = 0;

  virtual bool hasSymbolTable(SymbolTable Table) const = 0;

  /// The names of the symbols of a table, which forEachCodeSymbol() does not
  /// read: text in the file that ends with a zero byte. None if the file has no
  /// such table, several, or none whose names are all there.
  virtual std::optional<llvm::StringRef> symbolNames(SymbolTable) const {
    return std::nullopt;
  }

  /// Like forEachFunctionSymbol(), of a table with symbolNames(). Reads no
  /// name, so some may be empty.
  virtual llvm::Error
  forEachCodeSymbol(SymbolTable, llvm::function_ref<void(const CodeSymbol &)>) {
    return llvm::Error::success();
  }

  /// The entries of the first symbol table of that kind, without the null
  /// entry; empty if there is none.
  virtual llvm::Expected<SymbolEntries> symbolEntries(SymbolTable Table) const;

  /// The marks of a symbol table, in table order. None for machines whose ABI
  /// has no mapping symbols.
  virtual llvm::Expected<std::vector<CodeMark>>
  codeMarks(SymbolTable Table) const;

  /// Calls \p Visit with the word that each dynamic relocation sets, in table
  /// order.
  virtual llvm::Error
  forEachRelocatedWord(llvm::function_ref<void(const RelocatedWord &)> Visit);

  /// The code in the file, in order of address and without overlaps, restricted
  /// to code(); empty for a debug file, which has only the addresses of code.
  /// At most twice the size of the file.
  std::vector<LoadedBytes> codeBytes();

  /// The loaded segments, without the parts that are not in the file.
  virtual std::vector<LoadedBytes> loadedBytes() const = 0;

  /// The program headers of the types that Segment describes, in order; empty
  /// if they cannot be read.
  virtual std::vector<Segment> segments() const = 0;

  /// The pointers whose values are stored only in dynamic relocations:
  /// R_*_RELATIVE with an addend.
  virtual std::vector<RelativePointer> relativePointers() const;

  /// The addresses at which functions begin, ascending, as a Mach-O file lists
  /// them all (LC_FUNCTION_STARTS); empty if there is no list.
  virtual std::vector<uint64_t> functionStarts() const;

protected:
  Binary(std::unique_ptr<llvm::MemoryBuffer> Buffer, llvm::StringRef Path);

  /// The bytes as stored in the file.
  virtual llvm::Expected<llvm::StringRef> rawContents(const Section &S) = 0;
  struct PackedBytes {
    llvm::StringRef Bytes;
    Compression How = Compression::Zlib;
    uint64_t Size = 0;
  };
  /// Reads the header of the compressed section \p S. The base class reads the
  /// old form.
  virtual llvm::Expected<PackedBytes> packedBytes(const Section &S,
                                                  llvm::StringRef Raw) const;
  llvm::Expected<llvm::StringRef> unpack(const Section &S, llvm::StringRef Raw);
  /// Relocates \p Bytes, the contents of \p S, for which isRelocated() is true.
  virtual void relocate(const Section &, llvm::MutableArrayRef<uint8_t>) {}
  /// To be called once, before any section's contents are requested.
  void setSections(std::vector<Section> Read);
  /// Sets code() to the addresses of the loaded executable sections.
  void setCodeOfSections();
  template <typename ErrorClass = DamagedError>
  llvm::Error error(const llvm::Twine &Message) const {
    return llvm::make_error<ErrorClass>(Path, Message);
  }

  std::unique_ptr<llvm::MemoryBuffer> Buffer;
  std::string Path;
  ELFIdentity Identity;
  std::string Architecture;
  std::vector<uint8_t> BuildID;
  std::string Damage;
  std::vector<Section> Sections;
  CodeMap Code;

private:
  llvm::Expected<llvm::StringRef> copy(const Section &S, llvm::StringRef Raw);

  /// For each section, its decompressed or relocated contents, if requested.
  std::vector<std::unique_ptr<TemporaryMapping>> Unpacked;
};

} // namespace lidia

#endif // LIDIA_LIB_OBJECT_BINARY_H
