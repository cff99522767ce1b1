//===- WindowsTable.h - Windows' function tables ----------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// .pdata of PE files and the data to which it refers ("x64 exception handling"
/// and "ARM64 exception handling" in Microsoft's documentation).
///
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_UNWINDINFO_WINDOWSTABLE_H
#define LIDIA_LIB_UNWINDINFO_WINDOWSTABLE_H

#include "UnwindInfo.h"
#include <vector>

namespace lidia {
namespace unwindinfo {

/// The section .pdata, and the data to which it refers.
struct WindowsSection {
  llvm::StringRef Table;
  uint64_t ImageBase = 0;
  LoadedImage Image;
  /// The maximum number of rows, and a quarter of the maximum number of unwind
  /// steps: any number of functions may share the same codes.
  uint64_t MaxRows = 0;
};

/// The base class of the tables of both machines.
class WindowsTable {
public:
  explicit WindowsTable(WindowsSection Section)
      : Section(std::move(Section)), WorkLeft(this->Section.MaxRows * 4) {}

  struct Function {
    uint64_t Begin;
    uint64_t End;
    /// The rest of the entry.
    uint32_t Content;
  };

  uint64_t broken() const { return Broken; }

protected:
  /// The loaded bytes at \p Offset from the image base.
  llvm::StringRef image(uint32_t Offset) const {
    return Section.Image(Section.ImageBase + Offset);
  }
  /// Charges a row that takes \p Steps steps. Returns false if the limit is
  /// reached.
  bool charge(uint64_t Steps) {
    if (WorkLeft < Steps + 4)
      return false;
    WorkLeft -= Steps + 4;
    return true;
  }

  WindowsSection Section;
  uint64_t Broken = 0;

private:
  uint64_t WorkLeft;
};

/// The functions of an x86-64 program, and their rows. Code outside of
/// functions has no frame.
class X64UnwindTable : public WindowsTable {
public:
  using WindowsTable::WindowsTable;

  /// In the order of the section.
  std::vector<Function> functions();

  /// Whether \p F continues another function: its unwind information is
  /// chained to that of the function's beginning.
  bool isContinued(const Function &F) const;

  /// Returns false if the unwind information of \p F is malformed, has an
  /// unknown version, or cannot be expressed by rules.
  bool visitRows(const Function &F, VisitRow Visit);

  /// The rules of code outside of functions.
  static UnwindRules withoutFrame();

private:
  bool visitBody(const Function &F, uint64_t Begin, const UnwindRules &Rules,
                 VisitRow Visit);
};

/// The functions of an ARM64 program, and their rows. Code outside of functions
/// has no frame.
class Arm64UnwindTable : public WindowsTable {
public:
  using WindowsTable::WindowsTable;

  /// In the order of the section.
  std::vector<Function> functions();

  /// Whether \p F continues another function: it is a fragment without a
  /// prologue.
  bool isContinued(const Function &F) const { return (F.Content & 3) == 2; }

  /// Returns false if the unwind information of \p F is malformed, has an
  /// unknown version, or cannot be expressed by rules.
  bool visitRows(const Function &F, VisitRow Visit);

  /// The rules of code outside of functions.
  static UnwindRules withoutFrame();
};

} // namespace unwindinfo
} // namespace lidia

#endif // LIDIA_LIB_UNWINDINFO_WINDOWSTABLE_H
