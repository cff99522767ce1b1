//===- Variables.h - Variables and their types in archives ------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The section VARS (docs/Format.md): the parameters and local variables of
/// functions, where they are, and their types. Types are DIEs as in DWARF, with
/// the attributes that debuggers need to show values. Each is stored once.
///
//===----------------------------------------------------------------------===//

#ifndef LIDIA_ARCHIVE_VARIABLES_H
#define LIDIA_ARCHIVE_VARIABLES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace lidia {

//===----------------------------------------------------------------------===//
// DIEs
//===----------------------------------------------------------------------===//

/// What the value of an attribute is.
enum class ValueKind : uint8_t {
  Unsigned,
  /// Two's complement.
  Signed,
  /// Always 1, and not stored.
  Flag,
  /// An index of VariableTable::string().
  String,
  /// An index of VariableTable::type().
  Type,
};
inline constexpr unsigned ValueKinds = 5;

/// An attribute (DW_AT) of a DIE.
struct DIEAttribute {
  uint16_t Attribute = 0;
  ValueKind Kind = ValueKind::Unsigned;

  bool operator==(const DIEAttribute &O) const {
    return Attribute == O.Attribute && Kind == O.Kind;
  }
};

/// Attributes of the root DIE of a type that DWARF does not have: the type that
/// is its parent, which may be a namespace, and for a type without parent the
/// DW_LANG code of its unit.
inline constexpr uint16_t ScopeAttribute = 0x3f01;
inline constexpr uint16_t LanguageAttribute = 0x3f02;

/// The kind of an attribute that DIEs have, which may be Signed instead of
/// Unsigned; none for another one, which readers must not interpret.
std::optional<ValueKind> kindOfAttribute(uint16_t Attribute);

/// The tag (DW_TAG) and the attributes that DIEs have in common.
struct DIEShape {
  uint16_t Tag = 0;
  llvm::SmallVector<DIEAttribute, 6> Attributes;

  bool operator==(const DIEShape &O) const {
    return Tag == O.Tag && Attributes == O.Attributes;
  }
};

/// A DIE of a tree.
struct DIENode {
  /// An index of VariableTable::shapes().
  uint32_t Shape = 0;
  /// Zero for the root.
  uint32_t Depth = 0;
  /// The index in DIETree::Values of its first value.
  uint32_t FirstValue = 0;
};

/// A DIE and everything below it, in the order of DWARF.
struct DIETree {
  std::vector<DIENode> Nodes;
  /// A value for each attribute of each node, including flags.
  std::vector<uint64_t> Values;

  void clear() {
    Nodes.clear();
    Values.clear();
  }
};

/// DIEs may be nested as deeply as this in a type. Compilers need six levels.
inline constexpr uint32_t MaxTypeDepth = 64;

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// A part of the time that a variable is somewhere: while the program counter
/// is in [Start, Start + Length).
struct LocationEntry {
  /// Bytes from the function's entry; wraps around if it is before that.
  uint64_t Start = 0;
  uint64_t Length = 0;
  /// An index of VariableTable::expression().
  uint32_t Expression = 0;
};

struct ScopedVariable {
  enum LocationKind : uint8_t {
    /// It is optimized out.
    None,
    /// Value is an index of VariableTable::expression(), a DWARF expression.
    Expression,
    /// A part of FunctionVariables::Entries.
    List,
    /// It always has the signed number Value.
    Constant,
    /// It always has the bytes of the expression Value.
    Bytes,
  };
  static constexpr unsigned LocationKinds = Bytes + 1;

  /// Which of the children of the DIE of the scope's function it is.
  uint32_t Definition = 0;
  LocationKind Kind = None;
  uint64_t Value = 0;
  uint32_t FirstEntry = 0;
  uint32_t EntryCount = 0;
};

/// A function, or an inlined call or a lexical block in it, with variables.
struct VariableScope {
  enum KindType : uint8_t { Function, Call, Block };
  static constexpr uint32_t None = UINT32_MAX;

  KindType Kind = Function;
  /// Index of the enclosing scope, which precedes it; None for the function.
  uint32_t Parent = None;
  /// An index of VariableTable::function(): what was called or, for a block,
  /// the function of the scope around it.
  uint32_t Callee = 0;
  /// For a call, the address of its first piece of code; for a block, that of
  /// the first range, for the function 0: bytes from the function's entry.
  uint64_t Start = 0;
  /// The addresses of a block, in FunctionVariables::Ranges. For a call whose
  /// function has several pieces of code, the first address of the call in each
  /// other piece, with length 0.
  uint32_t FirstRange = 0;
  uint32_t RangeCount = 0;
  /// Its variables, without those of scopes inside.
  uint32_t FirstVariable = 0;
  uint32_t VariableCount = 0;
};

/// Bytes from the function's entry, and a number of bytes.
struct ScopeRange {
  uint64_t Start = 0;
  uint64_t Length = 0;
};

/// The variables of one function with its own code, and of the calls inlined
/// into it.
struct FunctionVariables {
  /// The function's entry.
  uint64_t Address = 0;
  /// The expression of its DW_AT_frame_base.
  uint32_t FrameBase = 0;
  /// The function first. Each scope precedes those inside it, and is followed
  /// by them.
  std::vector<VariableScope> Scopes;
  /// In the order of scopes, like Ranges. Entries are in the order of
  /// variables.
  std::vector<ScopedVariable> Variables;
  std::vector<LocationEntry> Entries;
  std::vector<ScopeRange> Ranges;

  void clear() {
    Scopes.clear();
    Variables.clear();
    Entries.clear();
    Ranges.clear();
  }
};

/// What a call passes in a register, as far as it can be computed in the
/// calling function's frame after the call: what DW_OP_entry_value of the
/// register is in the called function (DWARF 5, sections 2.5.1.7 and 3.4.2).
struct CallValue {
  /// DWARF's number, below MaxCallRegister.
  uint32_t Register = 0;
  /// An index of VariableTable::expression().
  uint32_t Expression = 0;
};

/// A call that passes such values.
struct ValuedCall {
  uint64_t ReturnAddress = 0;
  /// What stands for the return address of a tail call by the jump at \p
  /// Address if the compiler gives none.
  static uint64_t afterJump(uint64_t Address) { return Address + 1; }
  /// The called function, an index below VariableTable::size(); none for a call
  /// by a pointer.
  std::optional<uint32_t> Callee;
  uint32_t FirstValue = 0;
  uint32_t ValueCount = 0;
};

/// Values are kept for registers with smaller numbers.
inline constexpr uint32_t MaxCallRegister = 64;

/// Scopes may be nested as deeply as this.
inline constexpr uint32_t MaxScopeDepth = 2000;

//===----------------------------------------------------------------------===//
// The section
//===----------------------------------------------------------------------===//

/// Builds the section. Indices are those of VariableTable; everything that a
/// call refers to must have been added, except the types that a type refers to.
class VariableTableBuilder {
public:
  VariableTableBuilder();
  ~VariableTableBuilder();

  uint32_t shape(const DIEShape &Shape);
  const DIEShape &shapeAt(uint32_t Index) const;
  uint32_t string(llvm::StringRef Text);
  uint32_t expression(llvm::StringRef Bytes);

  /// Adds the next type.
  void addType(const DIETree &Tree);
  /// Adds the next function: the tree of a DIE DW_TAG_subprogram, with its name
  /// and return type, and below it a DIE for each of its variables.
  void addFunction(const DIETree &Tree);
  /// Functions may be in any order of addresses.
  void add(const FunctionVariables &Function);
  /// Adds a call, in ascending order of return addresses. \p Callee is the
  /// address of a function that is added, too; none for a call by a pointer.
  void addCall(uint64_t ReturnAddress, std::optional<uint64_t> Callee,
               llvm::ArrayRef<CallValue> Values);

  bool empty() const;
  /// The section; empty if it would be larger than readers allow.
  std::string bytes();

private:
  class Impl;
  std::unique_ptr<Impl> P;
};

/// Reads the section. Its contents are unpacked and checked when it is opened:
/// all indices are valid, attributes have their kinds, and references from type
/// to type by DW_AT_type and ScopeAttribute of the root DIEs come to an end.
class VariableTable {
public:
  /// \p Name is that of the archive, for errors.
  static llvm::Expected<VariableTable> open(llvm::StringRef Section,
                                            llvm::StringRef Name);
  VariableTable(VariableTable &&);
  ~VariableTable();

  llvm::ArrayRef<DIEShape> shapes() const;
  uint32_t typeCount() const;
  uint32_t stringCount() const;
  uint32_t expressionCount() const;
  /// Strings and trees are valid as long as the table.
  llvm::StringRef string(uint32_t Index) const;
  llvm::StringRef expression(uint32_t Index) const;
  /// The nodes of a type or a function. Their values are in values().
  llvm::ArrayRef<DIENode> type(uint32_t Index) const;
  llvm::ArrayRef<DIENode> function(uint32_t Index) const;
  uint32_t calleeCount() const;
  llvm::ArrayRef<uint64_t> values(const DIENode &Node) const;
  /// The value of an attribute; none if the node does not have it.
  std::optional<uint64_t> find(const DIENode &Node, uint16_t Attribute) const;

  /// The number of functions with variables, in order of address.
  uint32_t size() const;
  uint64_t address(uint32_t Index) const;
  /// Index of the function with this entry.
  std::optional<uint32_t> find(uint64_t Address) const;
  /// Whether it is no function, but has the global variables of a unit: those
  /// of its only block, which begins at a function of the unit, or its own if
  /// the unit has no functions.
  bool isUnit(uint32_t Index) const;
  /// Sets \p Out to a function.
  void read(uint32_t Index, FunctionVariables &Out) const;

  /// The calls with a return address in [\p Start, \p End], ascending.
  llvm::ArrayRef<ValuedCall> calls(uint64_t Start, uint64_t End) const;
  llvm::ArrayRef<CallValue> values(const ValuedCall &Call) const;

private:
  class Impl;
  explicit VariableTable(std::unique_ptr<Impl> P);

  std::unique_ptr<Impl> P;
};

/// Upper bound of the unpacked size of the section for each of its bytes.
inline constexpr uint64_t VariablesRatio = 64;

} // namespace lidia

#endif // LIDIA_ARCHIVE_VARIABLES_H
