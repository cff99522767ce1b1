//===- LocationReader.h - Where variables are -------------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_EXTRACT_LOCATIONREADER_H
#define LIDIA_LIB_EXTRACT_LOCATIONREADER_H

#include "TypePool.h"

namespace lidia {

/// The register that \p Location names, below MaxCallRegister; none if it is
/// something else.
std::optional<uint32_t> registerOf(llvm::StringRef Location);

/// Reads the locations of variables in the form of the section VARS
/// (docs/Format.md): expressions contain addresses and indices of types instead
/// of references to other sections and DIEs.
class LocationReader {
public:
  /// With \p IsMovable, code and data have no addresses yet.
  LocationReader(VariableTableBuilder &Builder, TypePool &Types, bool IsMovable)
      : Builder(Builder), Types(Types), IsMovable(IsMovable) {}

  /// Selects the kind of the units to read: split ones or others.
  void setSplit(bool Split) { IsSplit = Split; }

  /// Reads the location or the constant of a variable of \p U whose function is
  /// entered at \p Entry. Appends the entries of a list to \p Entries.
  ScopedVariable read(const dwarf::Unit &U, const ReadDIE &D, uint64_t Entry,
                      dwarf::WorkBudget &Budget,
                      std::vector<LocationEntry> &Entries);

  /// The index of the expression \p Bytes; none if debuggers could not evaluate
  /// it without other DIEs.
  std::optional<uint32_t> expression(const dwarf::Unit &U,
                                     llvm::StringRef Bytes);

  /// The same, but the expression itself. Adds to \p Registers those whose
  /// values at the entry of the function the expression refers to, below
  /// MaxCallRegister.
  std::optional<std::string>
  rewritten(const dwarf::Unit &U, llvm::StringRef Bytes, uint64_t &Registers);

  /// The registers whose values at the entry of the function the expressions
  /// refer to that were read since the last call.
  uint64_t takeEntryRegisters() { return std::exchange(EntryRegisters, 0); }

private:
  bool rewrite(const dwarf::Unit &U, llvm::StringRef Bytes, std::string &Out,
               uint64_t &Registers, unsigned Depth);
  bool rewriteTyped(const dwarf::Unit &U, uint8_t Code, dwarf::Cursor &C,
                    std::string &Out);
  bool appendAddress(const dwarf::Unit &U, std::optional<uint64_t> Address,
                     std::string &Out) const;
  std::optional<uint64_t> listOffset(const dwarf::Unit &U,
                                     const dwarf::FormValue &V) const;
  void readList(const dwarf::Unit &U, uint64_t Offset,
                dwarf::WorkBudget &Budget);
  void readEncodedList(const dwarf::Unit &U, uint64_t Offset,
                       dwarf::WorkBudget &Budget);
  void addEntry(const dwarf::Unit &U, uint64_t Start, uint64_t End,
                llvm::StringRef Expression);

  VariableTableBuilder &Builder;
  TypePool &Types;
  const bool IsMovable;
  bool IsSplit = false;
  uint64_t EntryRegisters = 0;
  // Of the list that is being read.
  uint64_t Entry = 0;
  std::vector<LocationEntry> *Out = nullptr;
};

} // namespace lidia

#endif // LIDIA_LIB_EXTRACT_LOCATIONREADER_H
