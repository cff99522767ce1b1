//===- ObjectID.h - The IDs of functions and blocks -------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLDB_PLUGIN_NATIVE_OBJECTID_H
#define LLDB_PLUGIN_NATIVE_OBJECTID_H

#include "lldb/lldb-types.h"
#include <cstdint>

namespace lidia {

/// The ID of a function or a block that was made from an archive.
///
/// LLDB passes IDs of the plugin's objects to a symbol file, and IDs of the
/// objects of the program's DWARF, as both refer to each other. LLDB's DWARF
/// reader stores the offset of an entry in the lower 40 bits of an ID and
/// leaves the next 22 bits zero, unless bit 62 says that they number a file
/// (DIERef.h). Our IDs have bit 61 set. They also have bit 39 set, so that the
/// reader, if it ever gets such an ID, takes it for an offset beyond the end of
/// .debug_info.
class ObjectID {
public:
  enum Kind : uint8_t {
    /// A function or an inlined call: the index of its first range. For a call
    /// that does not begin with a range, a number higher than the indices of
    /// all ranges (SymbolFileLidia::RootsOfOthers).
    Range,
    /// The block around an inlined call: the index of the call's first range.
    Surroundings,
    /// The block at one address: its number in SymbolFileLidia::Places.
    Place,
    /// A lexical block of DWARF: its number in SymbolFileLidia::LexicalBlocks.
    Lexical,
  };

  ObjectID(Kind K, uint64_t Index)
      : Value(OursMask | uint64_t(K) << KindShift | Index) {}
  explicit ObjectID(lldb::user_id_t Value) : Value(Value) {}

  static bool isOurs(lldb::user_id_t ID) {
    return (ID & (FileMask | OursMask)) == OursMask;
  }

  Kind kind() const { return Kind(Value >> KindShift & 3); }
  uint64_t index() const { return Value & (BeyondMask - 1); }
  operator lldb::user_id_t() const { return Value; }

private:
  static constexpr uint64_t BeyondMask = uint64_t(1) << 39;
  static constexpr unsigned KindShift = 40;
  static constexpr uint64_t FileMask = uint64_t(3) << 62;
  static constexpr uint64_t OursMask = uint64_t(1) << 61 | BeyondMask;

  uint64_t Value;
};

} // namespace lidia

#endif // LLDB_PLUGIN_NATIVE_OBJECTID_H
