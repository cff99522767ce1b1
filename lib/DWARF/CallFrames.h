//===- CallFrames.h - Reads call frame information --------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_DWARF_CALLFRAMES_H
#define LIDIA_LIB_DWARF_CALLFRAMES_H

#include "Cursor.h"
#include "lidia/Archive/UnwindTable.h"
#include "llvm/ADT/DenseMap.h"
#include <vector>

namespace lidia {
namespace dwarf {

/// A section of call frame information.
struct CallFrameSection {
  llvm::StringRef Bytes;
  /// The address at which the section is loaded; not used for .debug_frame.
  uint64_t Address = 0;
  /// Whether it is .eh_frame (Linux Standard Base, "Exception Frames") and not
  /// .debug_frame (DWARF 5, section 6.4).
  bool IsEH = true;
  bool IsLittleEndian = true;
  /// Bytes of an address: 4 or 8.
  uint8_t AddressSize = 8;
  /// An e_machine of ELF: the meaning of some instructions depends on the
  /// machine.
  uint16_t Machine = 0;
  /// The bases of DW_EH_PE_textrel and DW_EH_PE_datarel; zero if not known.
  uint64_t TextBase = 0;
  uint64_t DataBase = 0;
};

/// The functions of a section (FDEs) and the rules that result from their
/// instructions.
///
/// Memory is proportional to the number of functions. Not thread-safe.
class CallFrames {
public:
  explicit CallFrames(const CallFrameSection &Section);
  ~CallFrames();

  /// The rules of a run of code.
  struct Function {
    uint64_t Begin;
    uint64_t End;
    /// The offsets in the section of the function's CIE and instructions.
    uint64_t CIE;
    uint64_t Instructions;
    uint64_t InstructionsEnd;
  };

  /// Reads the heads of all entries, in the order of the section. Entries that
  /// are malformed or depend on unknown values are left out and counted.
  std::vector<Function> functions();

  /// Receives the rows of a function in order of address. Returns false to end
  /// the visit.
  using VisitRow = llvm::function_ref<bool(uint64_t Begin, uint64_t End,
                                           const UnwindRules &Rules)>;

  /// Calls \p Visit for each row of \p F. Returns false if an instruction is
  /// malformed, after visiting the rows before it. Expressions point into the
  /// section.
  bool visitRows(const Function &F, VisitRow Visit);

  uint64_t broken() const { return Broken; }

private:
  struct CIE;
  class Program;

  Cursor cursor(uint64_t Offset) const {
    return Cursor(Section.Bytes, Section.IsLittleEndian, Offset);
  }
  const CIE *findCIE(uint64_t Offset);
  CIE readCIE(uint64_t Offset);
  bool readAugmentation(Cursor &C, llvm::StringRef Augmentation, CIE &Into);
  std::optional<uint64_t> readPointer(Cursor &C, uint8_t Encoding,
                                      uint8_t AddressSize) const;
  bool readFunction(Cursor &C, uint64_t CIEOffset, uint64_t End, Function &F);

  CallFrameSection Section;
  uint64_t Broken = 0;
  /// By offset.
  llvm::DenseMap<uint64_t, std::unique_ptr<CIE>> CIEs;
};

} // namespace dwarf
} // namespace lidia

#endif // LIDIA_LIB_DWARF_CALLFRAMES_H
