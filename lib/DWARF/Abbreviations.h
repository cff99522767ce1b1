//===- Abbreviations.h - The shapes of a unit's DIEs ------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_DWARF_ABBREVIATIONS_H
#define LIDIA_LIB_DWARF_ABBREVIATIONS_H

#include "Cursor.h"
#include "Sections.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include <memory>
#include <optional>
#include <vector>

namespace lidia {
namespace dwarf {

/// The parameters that determine the sizes of forms (DWARF 5, section 7.5).
struct FormSizes {
  uint16_t Version = 0;
  /// Bytes of an address.
  uint8_t Address = 0;
  /// Bytes of an offset: 4 in 32-bit DWARF, 8 in 64-bit DWARF.
  uint8_t Offset = 0;

  /// In DWARF 2, DW_FORM_ref_addr has the size of an address.
  uint8_t refAddr() const { return Version == 2 ? Address : Offset; }
  /// All ones, which begins a new base in lists of DWARF 4, and is where
  /// linkers put code that they discard. \p Address is not zero.
  uint64_t highestAddress() const { return UINT64_MAX >> (64 - 8 * Address); }
  bool operator==(const FormSizes &O) const {
    return Version == O.Version && Address == O.Address && Offset == O.Offset;
  }
};

/// How the walk over a unit treats a DIE.
enum class DIEKind : uint8_t {
  /// Ignored; its children may still matter.
  Other,
  /// Ignored with its children: types without member functions.
  Opaque,
  /// A call site. Its children, which describe arguments, are ignored.
  CallSite,
  /// A namespace, class or module, whose name is part of its members' names.
  Scope,
  Subprogram,
  InlinedSubroutine,
  /// A block of the source. Its children may be functions.
  LexicalBlock,
};

struct AttributeSpec {
  /// FixedSize of a variable-size form.
  static constexpr uint8_t Variable = UINT8_MAX;

  llvm::dwarf::Attribute Attribute;
  llvm::dwarf::Form Form;
  /// Bytes that a value takes, or Variable.
  uint8_t FixedSize;
  /// The value of a form that takes no bytes.
  int64_t ImplicitConst;
};

struct Abbreviation {
  uint64_t Code = 0;
  llvm::dwarf::Tag Tag = llvm::dwarf::DW_TAG_null;
  DIEKind Kind = DIEKind::Other;
  bool HasChildren = false;
  /// Whether it has DW_AT_sibling.
  bool HasSibling = false;
  /// Whether it has DW_AT_declaration.
  bool IsDeclaration = false;
  /// Whether it has DW_AT_low_pc or DW_AT_ranges.
  bool HasCode = false;
  /// Whether a walk that reads neither call sites nor blocks can skip DIEs of
  /// this shape: they have no children, and are neither scopes nor functions.
  bool IsSkippable = false;
  /// An unknown form: DIEs of this shape, and everything after them, cannot be
  /// read.
  llvm::dwarf::Form UnknownForm = llvm::dwarf::Form(0);
  uint32_t FirstSpec = 0;
  uint32_t SpecCount = 0;
  uint32_t FirstStep = 0;
  uint32_t StepCount = 0;
};

/// One abbreviation table (DWARF 5, section 7.5.3), prepared for skipping DIEs
/// fast: consecutive attributes of fixed size become one step.
class AbbreviationTable {
  /// A step of skipping attributes: FixedBytes, then the attribute Then.
  struct Step {
    enum Action : uint8_t {
      Nothing,
      LEB,
      CString,
      Block1,
      Block2,
      Block4,
      BlockLEB,
      Indirect,
    };
    uint32_t FixedBytes = 0;
    Action Then = Nothing;
  };

public:
  /// Reads the table at \p Offset, charging its bytes to \p Budget. The error
  /// does not name the unit.
  static llvm::Expected<AbbreviationTable> parse(const Sections &S,
                                                 uint64_t Offset,
                                                 FormSizes Sizes,
                                                 WorkBudget &Budget);

  /// The abbreviation with \p Code; null if there is none.
  const Abbreviation *find(uint64_t Code) const {
    if (Code - FirstCode < Declarations.size() && Sequential)
      return &Declarations[Code - FirstCode];
    return Sequential ? nullptr : findInMap(Code);
  }

  llvm::ArrayRef<AttributeSpec> specs(const Abbreviation &A) const {
    return llvm::ArrayRef(Specs).slice(A.FirstSpec, A.SpecCount);
  }

  /// Moves \p C past the attributes of a DIE of shape \p A, which has no
  /// unknown form.
  void skipAttributes(Cursor &C, const Abbreviation &A) const {
    const Step *S = Steps.data() + A.FirstStep;
    for (const Step *E = S + A.StepCount; S != E; ++S) {
      C.skip(S->FixedBytes);
      if (S->Then != Step::Nothing)
        skipValue(C, S->Then);
    }
  }

  const FormSizes &sizes() const { return Sizes; }
  /// Bytes that the table takes in its section.
  uint64_t sizeInBytes() const { return Bytes; }

private:
  void skipValue(Cursor &C, Step::Action Then) const;
  void addToMap(uint64_t Code, size_t Index);
  const Abbreviation *findInMap(uint64_t Code) const;
  llvm::Error addDeclaration(Cursor &C, uint64_t Code);
  void addSteps(Abbreviation &A);

  FormSizes Sizes;
  uint64_t FirstCode = 0;
  bool Sequential = true;
  uint64_t Bytes = 0;
  std::vector<Abbreviation> Declarations;
  std::vector<AttributeSpec> Specs;
  std::vector<Step> Steps;
  llvm::DenseMap<uint64_t, uint32_t> ByCode;
};

/// Whether any DIE may refer to a DIE of another unit of the file, judging by
/// the forms in .debug_abbrev. Returns true if that section cannot be read
/// completely.
bool mayReferToOtherUnits(const Sections &S);

/// The tables that a thread used most recently.
///
/// Compilers give each unit a table of its own; dwz and linkers let many units
/// share one. A few are enough, and a bound keeps memory flat.
class AbbreviationCache {
public:
  AbbreviationCache(const Sections &S, WorkBudget &Budget)
      : S(S), Budget(Budget) {}

  /// Drops all tables except the one at \p Free, if any, which is not charged
  /// because the previous unit has it, too. So a unit's charges do not depend
  /// on which units the thread read before.
  void beginUnit(std::optional<uint64_t> Free);

  llvm::Expected<std::shared_ptr<const AbbreviationTable>> get(uint64_t Offset,
                                                               FormSizes Sizes);

private:
  struct Entry {
    uint64_t Offset;
    std::shared_ptr<const AbbreviationTable> Table;
  };
  static constexpr size_t MaxEntries = 8;

  std::shared_ptr<const AbbreviationTable> useFree(uint64_t Offset);

  const Sections &S;
  WorkBudget &Budget;
  std::optional<uint64_t> Free;
  /// Most recently used last.
  std::vector<Entry> Entries;
};

} // namespace dwarf
} // namespace lidia

#endif // LIDIA_LIB_DWARF_ABBREVIATIONS_H
