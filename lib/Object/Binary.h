//===- Binary.h - A binary, opened ------------------------------*- C++ -*-===//
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

/// A section header, widened to 64 bits, whatever the file's class and byte
/// order.
struct Section {
  /// ".debug_info" also for the old ".zdebug_info". Long names are truncated.
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

/// An entry of a symbol table as it is in the file, widened to 64 bits.
struct SymbolEntry {
  /// Offset in the table of names, whose end may come before it.
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
  /// if the relocation has it, as those of .rela.plt do.
  std::optional<uint64_t> Resolver;
  /// Whether the relocation is in .rela.plt or .rel.plt.
  bool ForPLT = false;
};

/// The kind of code from an address up to the next mark, given by a mapping
/// symbol ("$d", "$x", ...) or, on Arm, by the address of a function symbol.
struct CodeMark {
  enum Kind : uint8_t { Code, Data, Thumb };

  uint64_t Address = 0;
  Kind What = Code;
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
  /// Where it is in an ELF file, and its bytes there, headers included.
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

/// The file that is meant by \p Path: the one in a dSYM bundle or, of several,
/// the one that has the bundle's name; otherwise \p Path.
llvm::Expected<std::string> binaryFile(llvm::StringRef Path);

/// The name of a kind of files that Binary::open does not read, and what to use
/// instead; empty if nothing is known to read it.
std::string otherFormat(FileKind Kind);

/// An executable, a library or a debug file, mapped.
///
/// Sections, symbols and segments are in ELF's terms (SHT_NOBITS, STB_LOCAL,
/// PT_LOAD, ...), which all users know. The classes that derive from this one
/// read a format each. Other tools' symbol files (SymbolFile.h) stand for the
/// binaries that they were made from.
///
/// Nothing in the file is trusted: a part that cannot be read is an error or,
/// if the rest is useful without it, left out.
class Binary {
public:
  /// Opens the file at \p Path. Of a universal file, takes the one with the
  /// build ID \p BuildID; it is an error if no file has it. Of any other, the
  /// build ID is not compared.
  static llvm::Expected<std::unique_ptr<Binary>>
  openWithBuildID(llvm::StringRef Path, llvm::ArrayRef<uint8_t> BuildID);

  /// Opens the file at \p Path, or the one in the dSYM bundle there. Of a
  /// universal file, \p Architecture ("arm64") says which of its files is
  /// meant; empty for the only one. Errors name the file.
  static llvm::Expected<std::unique_ptr<Binary>>
  open(llvm::StringRef Path, llvm::StringRef Architecture = {});
  /// Uses \p Buffer, which the binary takes over; \p Path is for messages.
  static llvm::Expected<std::unique_ptr<Binary>>
  create(std::unique_ptr<llvm::MemoryBuffer> Buffer, llvm::StringRef Path,
         llvm::StringRef Architecture = {});
  virtual ~Binary();

  llvm::StringRef path() const { return Path; }
  /// Bytes of the file.
  uint64_t size() const { return Buffer->getBufferSize(); }
  llvm::MemoryBufferRef buffer() const { return Buffer->getMemBufferRef(); }
  const ELFIdentity &identity() const { return Identity; }
  bool isLittleEndian() const;
  /// Of a Mach-O file, the name of its architecture; empty for other formats.
  llvm::StringRef architecture() const { return Architecture; }
  /// This file, if it is a symbol file of another tool; otherwise null.
  virtual const SymbolFile *asSymbolFile() const { return nullptr; }
  /// The address at which the binary wants to be loaded: that of its first
  /// segment, or 0 if it has none.
  uint64_t imageBase() const;
  /// The path that the linker of a PE file gave to its PDB file; empty if it
  /// has none.
  virtual llvm::StringRef pdbPath() const { return {}; }
  /// Where the debug information is that this file lacks and what to do about
  /// it, as the end of a sentence; empty if the file does not say.
  virtual std::string whereDebugInformationIs() const { return {}; }
  /// Empty if the file has none.
  llvm::ArrayRef<uint8_t> buildID() const { return BuildID; }
  const CodeMap &code() const { return Code; }

  llvm::ArrayRef<Section> sections() const { return Sections; }
  /// The first section named \p Name; null if there is none. In relocatable
  /// objects, one that is in no group comes first: compilers put each type unit
  /// into a .debug_info of its own, in a group.
  const Section *findSection(llvm::StringRef Name) const;

  /// The bytes of \p S, decompressed and relocated if necessary; empty for a
  /// section without bytes in the file. A section is decompressed once and
  /// kept; different threads may request different sections.
  llvm::Expected<llvm::StringRef> contents(const Section &S);

  bool isCompressed(const Section &S) const;
  /// Whether contents() applies relocations to \p S, which is a section of a
  /// relocatable object that is not loaded.
  virtual bool isRelocated(const Section &) const { return false; }
  /// Begins to decompress \p S, which is compressed. What is decompressed
  /// belongs to the result, and goes to memory if there is any, whatever the
  /// size.
  llvm::Expected<std::unique_ptr<Unpacker>> startUnpacking(const Section &S);
  /// \p E, which occurred in \p S, with the names of the file and the section.
  llvm::Error sectionError(const Section &S, llvm::Error E) const;
  /// A description of the relocations of \p S that could not be applied when
  /// its contents were requested; empty if there are none.
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

  /// The first symbol table of that kind, without its null entry; empty if
  /// there is none.
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
  /// to code(); empty for a debug file, which only has its addresses. Never
  /// more than twice the file.
  std::vector<LoadedBytes> codeBytes();

  /// The loaded segments, without the parts that are not in the file.
  virtual std::vector<LoadedBytes> loadedBytes() const = 0;

  /// The program headers of the types that Segment describes, in order; none if
  /// they cannot be read.
  virtual std::vector<Segment> segments() const = 0;

  /// The pointers whose values are only in dynamic relocations: R_*_RELATIVE
  /// with an addend.
  virtual std::vector<RelativePointer> relativePointers() const;

protected:
  Binary(std::unique_ptr<llvm::MemoryBuffer> Buffer, llvm::StringRef Path);

  /// The bytes as stored in the file.
  virtual llvm::Expected<llvm::StringRef> rawContents(const Section &S) = 0;
  struct PackedBytes {
    llvm::StringRef Bytes;
    Compression How = Compression::Zlib;
    uint64_t Size = 0;
  };
  /// Reads the header of the compressed section \p S. This one reads the old
  /// form.
  virtual llvm::Expected<PackedBytes> packedBytes(const Section &S,
                                                  llvm::StringRef Raw) const;
  llvm::Expected<llvm::StringRef> unpack(const Section &S, llvm::StringRef Raw);
  /// Relocates \p Bytes, the contents of \p S, for which isRelocated() is true.
  virtual void relocate(const Section &, llvm::MutableArrayRef<uint8_t>) {}
  /// To be called once, before any section's contents are requested.
  void setSections(std::vector<Section> Read);
  /// Makes code() the addresses of the loaded executable sections.
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
  std::vector<Section> Sections;
  CodeMap Code;

private:
  llvm::Expected<llvm::StringRef> copy(const Section &S, llvm::StringRef Raw);

  /// For each section, its decompressed or relocated contents, if requested.
  std::vector<std::unique_ptr<TemporaryMapping>> Unpacked;
};

} // namespace lidia

#endif // LIDIA_LIB_OBJECT_BINARY_H
