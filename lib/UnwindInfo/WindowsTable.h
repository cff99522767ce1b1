//===- WindowsTable.h - Windows' function tables ----------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// .pdata of PE files and what it refers to ("x64 exception handling" and
/// "ARM64 exception handling" in Microsoft's documentation).
///
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_UNWINDINFO_WINDOWSTABLE_H
#define LIDIA_LIB_UNWINDINFO_WINDOWSTABLE_H

#include "UnwindInfo.h"
#include <vector>

namespace lidia {
namespace unwindinfo {

/// The section .pdata, and what it refers to.
struct WindowsSection {
  llvm::StringRef Table;
  uint64_t ImageBase = 0;
  LoadedImage Image;
  /// How many rows may be given, and a quarter of the instructions that may be
  /// run for them: any number of functions may share theirs.
  uint64_t MostRows = 0;
};

/// What the tables of both machines have in common.
class WindowsTable {
public:
  explicit WindowsTable(WindowsSection Section)
      : Section(std::move(Section)), WorkLeft(this->Section.MostRows * 4) {}

  struct Function {
    uint64_t Begin;
    uint64_t End;
    /// What the entry says besides.
    uint32_t Content;
  };

  uint64_t broken() const { return Broken; }

protected:
  /// The loaded bytes from \p Offset to the image's base on.
  llvm::StringRef image(uint32_t Offset) const {
    return Section.Image(Section.ImageBase + Offset);
  }
  /// Charges a row that takes \p Steps to make. False if that is too much.
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

/// The functions of a program for x86-64, and their rows. Code in no function
/// has no frame.
class X64UnwindTable : public WindowsTable {
public:
  using WindowsTable::WindowsTable;

  /// In the order of the section.
  std::vector<Function> functions();

  /// False if the unwind information of \p F is malformed, of an unknown
  /// version, or says what rules cannot.
  bool visitRows(const Function &F, VisitRow Visit);

  /// The rules of code in no function.
  static UnwindRules withoutFrame();

private:
  bool visitBody(const Function &F, uint64_t Begin, const UnwindRules &Rules,
                 VisitRow Visit);
};

/// The functions of a program for ARM64, and their rows. Code in no function
/// has no frame.
class Arm64UnwindTable : public WindowsTable {
public:
  using WindowsTable::WindowsTable;

  /// In the order of the section.
  std::vector<Function> functions();

  /// False if the unwind information of \p F is malformed, of an unknown
  /// version, or says what rules cannot.
  bool visitRows(const Function &F, VisitRow Visit);

  /// The rules of code in no function.
  static UnwindRules withoutFrame();
};

} // namespace unwindinfo
} // namespace lidia

#endif // LIDIA_LIB_UNWINDINFO_WINDOWSTABLE_H
