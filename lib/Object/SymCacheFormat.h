//===- SymCacheFormat.h - The layout of SymCache files -------- -*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

///
/// \file
/// Versions 7 to 9, as the crate symbolic-symcache defines them
/// (symbolic-symcache/src/raw in getsentry/symbolic). A file is a Header
/// followed by these parts, each aligned to 8 bytes: Files, Functions,
/// SourceLocations, the start addresses of ranges (u32, ascending), and
/// strings. The last SourceLocations are those of the ranges, in their order;
/// the others are call sites. A range ends where the next one begins. Strings
/// are referenced by their offset, and preceded by their length: 4 bytes in
/// version 7, a ULEB128 from version 8 on. Integers are in the byte order of
/// the machine that wrote the file. In version 9, a File has three more
/// strings, about a source server.
///
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_OBJECT_SYMCACHEFORMAT_H
#define LIDIA_LIB_OBJECT_SYMCACHEFORMAT_H

#include "llvm/Support/Endian.h"
#include <cstdint>

namespace lidia::symcache {

using U32 = llvm::support::ulittle32_t;

inline constexpr char Magic[] = {'S', 'Y', 'M', 'C'};
inline constexpr uint64_t Alignment = 8;
inline constexpr uint32_t FirstVersion = 7, LastVersion = 9;

/// No string, file, function or source location.
inline constexpr uint32_t None = UINT32_MAX;

struct Header {
  char Magic[4];
  U32 Version;
  /// A UUID, its fields in big-endian order.
  uint8_t DebugID[16];
  /// The age of a PE file's PDB file.
  U32 Age;
  uint8_t Padding[12];
  /// symbolic_common::Arch.
  U32 Arch;
  U32 FileCount;
  U32 FunctionCount;
  U32 LocationCount;
  U32 RangeCount;
  U32 StringBytes;
  uint8_t Reserved[16];
};
static_assert(sizeof(Header) == 80, "part of the format");

/// The path is the three strings joined by separators.
struct File {
  U32 CompilationDirectory;
  U32 Directory;
  U32 Name;
};
static_assert(sizeof(File) == 12, "part of the format");
/// The size of a File in version 9.
inline constexpr uint64_t LongFileSize = 24;

struct Function {
  U32 Name;
  U32 CompilationDirectory;
  /// None for inlined functions.
  U32 EntryAddress;
  /// symbolic_common::Language.
  U32 Language;
};
static_assert(sizeof(Function) == 16, "part of the format");

/// Code without a source location has None in all fields.
struct SourceLocation {
  U32 File;
  /// Zero if unknown.
  U32 Line;
  U32 Function;
  /// The location of the call that this one is inlined into.
  U32 InlinedInto;
};
static_assert(sizeof(SourceLocation) == 16, "part of the format");

} // namespace lidia::symcache

#endif // LIDIA_LIB_OBJECT_SYMCACHEFORMAT_H
