//===- Relocate.h - Relocates debug sections --------------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_OBJECT_RELOCATE_H
#define LIDIA_LIB_OBJECT_RELOCATE_H

#include "Binary.h"
#include "lidia/Archive/ELFIdentity.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Object/RelocationResolver.h"
#include <map>
#include <mutex>
#include <string>

namespace lidia {

/// A relocation of a debug section.
struct Relocation {
  /// From the start of the section, in bytes.
  uint64_t Offset = 0;
  uint32_t Type = 0;
  /// The symbol's value in the address space of the object.
  uint64_t Symbol = 0;
  /// Zero if the relocation has none: the addend is then in the section.
  int64_t Addend = 0;
  /// Whether the relocation has an addend (SHT_RELA).
  bool HasAddend = true;
};

/// Applies the relocations of one debug section of a relocatable object to its
/// bytes. LLVM's resolvers know the meaning of most types. This class knows the
/// number of bytes that each sets, which LLVM leaves to the reader of a field,
/// and the types of machines for which LLVM has no resolver.
///
/// The relocations of COFF and Mach-O, whose readers know their types, only add
/// to a field.
///
/// A relocation that cannot be applied is counted. In an ELF file, a field
/// that has no contents of its own is then invalid.
class Relocator {
public:
  /// \p Bytes are the contents of the section of an object with the machine,
  /// class and byte order of \p Identity. They must outlive the relocator.
  Relocator(const ELFIdentity &Identity, llvm::MutableArrayRef<uint8_t> Bytes);

  void apply(const Relocation &R);
  /// Counts \p R, whose symbol does not exist.
  void applyWithBadSymbol(const Relocation &R);
  /// Adds \p Value to the field of \p Size bytes at \p Offset. \p Size is 1, 2,
  /// 4 or 8.
  void add(uint64_t Offset, unsigned Size, uint64_t Value);
  /// Counts a relocation whose type is not known.
  void countUnknown(uint32_t Type);
  /// Counts a relocation whose symbol does not exist.
  void countBadSymbol() { ++BadSymbols; }

  /// Describes the relocations that could not be applied; empty if there are
  /// none.
  std::string report() const;

private:
  bool applyLEB(const Relocation &R);
  void invalidate(const Relocation &R);
  uint64_t read(uint64_t Offset, unsigned Size) const;
  void write(uint64_t Offset, unsigned Size, uint64_t Value);

  const ELFIdentity &Identity;
  llvm::MutableArrayRef<uint8_t> Bytes;
  llvm::object::SupportsRelocation Supports = nullptr;
  llvm::object::RelocationResolver Resolve = nullptr;
  uint64_t Outside = 0;
  uint64_t BadSymbols = 0;
  /// The number of relocations of each unknown type, for the first few types.
  std::map<uint32_t, uint64_t> Unknown;
  uint64_t OtherUnknown = 0;
};

/// What could not be applied, for each relocated section. Thread-safe.
class RelocationReports {
public:
  /// Keeps \p Report, unless it is empty, for \p S.
  void add(const Section &S, std::string Report);
  /// Keeps the report of \p By for \p S, whose only table of relocations is
  /// \p Table: empty if it is not in the file.
  void add(const Section &S, llvm::StringRef Table, const Relocator &By);
  /// Empty if all relocations of \p S were applied.
  std::string of(const Section &S) const;

private:
  mutable std::mutex Mutex;
  /// By the index of the section.
  std::map<uint32_t, std::string> Reports;
};

} // namespace lidia

#endif // LIDIA_LIB_OBJECT_RELOCATE_H
