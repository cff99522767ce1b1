//===- ELFHeaders.h - The program headers of an ELF file --------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_MODULES_ELFHEADERS_H
#define LIDIA_LIB_MODULES_ELFHEADERS_H

#include "lidia/Archive/Archive.h"
#include "lidia/Archive/ELFIdentity.h"
#include "lidia/Modules/ByteReader.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <optional>
#include <vector>

namespace lidia {

/// A program header, widened to 64 bits.
struct ELFSegment {
  /// p_type, p_flags, p_offset, p_vaddr, p_filesz, p_memsz, p_align.
  uint32_t Type = 0;
  uint32_t Flags = 0;
  uint64_t Offset = 0;
  uint64_t Address = 0;
  uint64_t FileSize = 0;
  uint64_t MemorySize = 0;
  uint64_t Align = 0;
};

/// The ELF header and the program headers, which determine the address in the
/// file of a loaded byte. In contrast to lib/Object's Binary, which maps a file
/// and reads its sections and symbols, this can also read memory and cores.
struct ELFHeaders {
  ELFIdentity Identity;
  std::vector<ELFSegment> Segments;
  /// Whether Segments has only segments with code, like an archive.
  bool OnlyCode = false;
  /// Whether the file is a debug file: code that its section headers describe
  /// is not in it, whatever the program headers of eu-strip say.
  bool LacksCode = false;

  bool is64() const;
  llvm::endianness order() const;

  /// The address in the file of the byte at \p FileOffset, seen through a
  /// mapping that is executable or not (\p Executable); none if no segment
  /// contains the byte.
  ///
  /// Pages contain more than segments: a file's last page of code is often also
  /// its first page of data, mapped twice. So a segment that holds the byte
  /// itself wins, then one with the mapping's permission, then the first.
  std::optional<uint64_t> addressAt(uint64_t FileOffset, bool Executable) const;
};

/// Reads the headers from \p Bytes, for any class and byte order. \p Name is
/// for errors. At most 2^20 headers are read.
llvm::Expected<ELFHeaders> readELFHeaders(const ByteReader &Bytes,
                                          const llvm::Twine &Name);

/// The headers of the binary that \p A was made from, as far as addressAt()
/// needs them; null if the archive does not have them.
std::unique_ptr<ELFHeaders> headersOf(const Archive &A);

/// The build ID of the ELF file in \p Bytes (lib/Object/ELFBuildID.h); empty if
/// it has none. The memory of a process usually lacks the section headers, so
/// that only a build ID in a PT_NOTE is found there.
std::vector<uint8_t> readBuildID(const ByteReader &Bytes);

} // namespace lidia

#endif // LIDIA_LIB_MODULES_ELFHEADERS_H
