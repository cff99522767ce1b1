//===- NamedRanges.h - Names of code outside ELF files ----------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_PROCESS_NAMEDRANGES_H
#define LIDIA_PROCESS_NAMEDRANGES_H

#include "lidia/Modules/ByteReader.h"
#include "lidia/Process/Mappings.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>

namespace lidia {

/// A run of code that has a name in a text file.
struct NamedRange {
  uint64_t Begin = 0;
  uint64_t End = 0;
  /// Points into the text; untrusted.
  llvm::StringRef Name;
  /// The kernel module, without brackets; empty for the kernel itself and
  /// outside the kernel.
  llvm::StringRef Module;
};

/// The map of code that a just-in-time compiler writes for perf, usually
/// /tmp/perf-PID.map: lines of a start and a size in hexadecimal digits and a
/// name (tools/perf/Documentation/jit-interface.txt in Linux). Code is replaced
/// over time, so where lines overlap, the later one wins. At most 4 million
/// ranges are kept.
class PerfMap {
public:
  /// Reads \p File, which another process may be writing to, up to the first
  /// NUL byte or 256 MiB. \p Name is for messages.
  static std::unique_ptr<PerfMap>
  ofFile(const ByteReader &File, llvm::StringRef Name, WarningFunction Warn);

  /// Takes ownership of \p Text, whose identifier is used in messages.
  /// Malformed lines are left out with a warning.
  PerfMap(std::unique_ptr<llvm::MemoryBuffer> Text, WarningFunction Warn);

  /// Null if no line covers \p Address.
  const NamedRange *find(uint64_t Address) const;
  size_t size() const { return Ranges.size(); }

private:
  std::unique_ptr<llvm::MemoryBuffer> Text;
  /// In order of address, without overlaps.
  std::vector<NamedRange> Ranges;
};

/// The kernel's symbols at run time: /proc/kallsyms and /proc/modules, or saved
/// copies. Loaded modules are included, each symbol with its module.
class KernelSymbols {
public:
  /// Takes ownership of \p Kallsyms and \p Modules, which may be null. Their
  /// identifiers are used in messages. Malformed lines are left out with a
  /// warning. Fails if no line has an address: the kernel shows zeros to
  /// processes without a privilege, which the error names.
  static llvm::Expected<KernelSymbols>
  parse(std::unique_ptr<llvm::MemoryBuffer> Kallsyms,
        std::unique_ptr<llvm::MemoryBuffer> Modules, WarningFunction Warn);

  /// Reads the symbols of the running kernel.
  static llvm::Expected<KernelSymbols> ofThisSystem(WarningFunction Warn);

  /// The symbol at or before \p Address; its range ends at the next symbol of
  /// any type. If several symbols have one address, returns the first in the
  /// file, like the kernel's own messages. Before the first symbol of a module,
  /// returns a range without a name. Null if the address is not in code.
  const NamedRange *find(uint64_t Address) const;

  /// The runtime address of the symbol _text, where the kernel's image begins,
  /// or else of _stext; zero if it is not known. Its difference from the
  /// address in vmlinux is the offset of KASLR.
  uint64_t imageBegin() const { return ImageBegin; }
  /// "_text" or "_stext".
  llvm::StringRef imageBeginSymbol() const { return ImageBeginSymbol; }
  /// Whether \p Address is in the kernel's image, not in a module.
  bool inImage(uint64_t Address) const {
    return ImageBegin != 0 && Address >= ImageBegin && Address < ImageEnd;
  }

private:
  bool readSymbol(llvm::StringRef Line);
  bool readModule(llvm::StringRef Line);
  void finish();

  std::unique_ptr<llvm::MemoryBuffer> Text;
  std::unique_ptr<llvm::MemoryBuffer> ModulesText;
  /// In order of address. The ends are set by finish(). A range without code is
  /// empty.
  std::vector<NamedRange> Ranges;
  /// In order of address, without names.
  std::vector<NamedRange> Modules;
  uint64_t ImageBegin = 0;
  llvm::StringRef ImageBeginSymbol;
  uint64_t ImageEnd = 0;
  bool OnlyZeros = true;
};

} // namespace lidia

#endif // LIDIA_PROCESS_NAMEDRANGES_H
