//===- FunctionTable.h - Go's table of functions ----------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_GO_FUNCTIONTABLE_H
#define LIDIA_LIB_GO_FUNCTIONTABLE_H

#include "Image.h"
#include "llvm/Support/Error.h"
#include <string>

namespace lidia::go {

/// The layouts of the table, by the version of Go that introduced each.
enum class Layout : uint8_t { Go12, Go116, Go118, Go120 };

/// Properties of a function that the runtime's unwinder needs
/// (internal/abi/symtab.go).
enum FunctionFlag : uint8_t {
  /// The function is the outermost one of its stack.
  FF_TopFrame = 1,
  /// The function switches to another stack, so its caller is not on this one.
  FF_SPWrite = 2,
};

/// The table's entry for one function. The numbers are as stored; FunctionTable
/// resolves them.
struct Function {
  uint64_t Entry = 0;
  /// The start of the next function. Padding may precede it.
  uint64_t NextEntry = 0;
  uint32_t Name = 0;
  /// Tables of values by address: depth of the stack, file, line.
  uint32_t StackTable = 0;
  uint32_t FileTable = 0;
  uint32_t LineTable = 0;
  /// The index in the list of all files of the first file of the function's
  /// package (from Go 1.16 on).
  uint32_t Unit = 0;
  /// The number of further tables of values (PCDATA) and of data items
  /// (FUNCDATA), and the address after the fixed part.
  uint32_t ValueTables = 0;
  uint32_t DataCount = 0;
  /// FunctionFlag bits (from Go 1.17 on).
  uint8_t Flags = 0;
  uint64_t Variable = 0;
};

/// The value of a function's code before End, an offset from its entry.
struct ValueRun {
  uint64_t End = 0;
  int32_t Value = -1;
};

/// A piece of code that the linker placed separately, as in large programs for
/// machines with short jumps.
struct TextSection {
  /// The range of offsets in this piece.
  uint64_t Start = 0;
  uint64_t End = 0;
  /// The address of the piece.
  uint64_t Address = 0;
};

/// The value of \p Runs at \p Offset; -1 if there is none.
int32_t valueAt(llvm::ArrayRef<ValueRun> Runs, uint64_t Offset);

/// .gopclntab: the table from which Go's runtime prints stacks. Every Go
/// program has it, even if stripped.
///
/// The table is a header; a list of functions by address, each with the offset
/// of its record; and strings and tables of values, to which records refer by
/// offset. Layouts differ in the bases and widths of offsets, which are
/// determined once, so that resolving an offset is an addition. Nothing in the
/// table is trusted.
class FunctionTable {
public:
  /// Reads the header at \p Address. \p Memory must outlive the table.
  static llvm::Expected<FunctionTable> create(const Image &Memory,
                                              uint64_t Address);

  /// Calls \p Visit with each address at which a table appears to begin,
  /// judging by its header and its first function, until \p Visit returns true.
  static void find(const Image &Memory,
                   llvm::function_ref<bool(uint64_t Address)> Visit);

  const Image &memory() const { return *Memory; }
  uint64_t address() const { return Address; }
  Layout layout() const { return Version; }
  uint64_t size() const { return FunctionCount; }

  /// The addresses of the list of functions and, from Go 1.16 on, of the names.
  /// The runtime's module data also has them.
  uint64_t functionsAddress() const { return Functions; }
  uint64_t namesAddress() const { return Names; }

  /// From Go 1.18 on, the base of function addresses. Before Go 1.26, the
  /// header has it unless the loader sets it.
  uint64_t textStart() const { return TextStart; }
  void setTextStart(uint64_t Start) { TextStart = Start; }
  void setTextSections(std::vector<TextSection> Sections) {
    TextSections = std::move(Sections);
  }

  /// None if \p Index is a gap between pieces of code.
  llvm::Expected<std::optional<Function>> function(uint64_t Index) const;

  /// Empty if there is none.
  llvm::StringRef name(uint32_t Offset) const;
  llvm::StringRef file(const Function &F, int32_t Index) const;

  /// Reads the table of values at \p Offset into \p Runs, up to the end of the
  /// function. Without a table, \p Runs is empty. Returns false if the table is
  /// malformed.
  bool readValues(const Function &F, uint32_t Offset,
                  std::vector<ValueRun> &Runs) const;
  /// The same for the table with index \p Index after the function's record.
  bool readFurtherValues(const Function &F, uint32_t Index,
                         std::vector<ValueRun> &Runs) const;

  /// The address of the data item \p Index of the function, given the base of
  /// such data (from Go 1.18 on); zero if there is none.
  uint64_t dataAddress(const Function &F, uint32_t Index,
                       uint64_t DataStart) const;

  /// Whether more was read than a valid table refers to. A table from a
  /// compiler is read about once. After the limit, all reads return nothing.
  bool exhausted() const { return Work > WorkLimit; }

private:
  explicit FunctionTable(const Image &Memory, uint64_t Address)
      : Memory(&Memory), Address(Address) {}
  llvm::Error readHeader();
  llvm::Error readHeader12();
  llvm::Error readHeader116();
  void detectCount();
  llvm::Error error(const llvm::Twine &Message) const;
  std::optional<uint64_t> header(unsigned Index) const;
  std::optional<uint64_t> position(uint64_t Index) const;
  uint64_t codeAddress(uint64_t Position) const;
  std::optional<uint64_t> recordOffset(uint64_t Index) const;
  bool readRecord(uint64_t Record, Function &F) const;
  bool entryMatches(uint64_t Index) const;
  llvm::StringRef text(uint64_t TextAddress) const;
  bool is118() const { return Version >= Layout::Go118; }

  const Image *Memory;
  uint64_t Address;
  Layout Version = Layout::Go12;
  /// Minimum length of an instruction. Offsets in code are multiples of it.
  unsigned Quantum = 1;
  uint64_t FunctionCount = 0;
  uint64_t TextStart = 0;
  std::vector<TextSection> TextSections;
  /// Before Go 1.12, the number of data items was a whole word.
  bool CountIsByte = true;
  /// Addresses of the parts.
  uint64_t Names = 0;
  uint64_t Units = 0;
  uint64_t Files = 0;
  uint64_t Values = 0;
  uint64_t Functions = 0;
  uint64_t Records = 0;
  uint32_t FileCount = 0;
  mutable uint64_t Work = 0;
  uint64_t WorkLimit = 0;
};

} // namespace lidia::go

#endif // LIDIA_LIB_GO_FUNCTIONTABLE_H
