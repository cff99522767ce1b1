//===- NamedRanges.h - Names of code outside ELF files ----------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_PROCESS_NAMEDRANGES_H
#define LIDIA_PROCESS_NAMEDRANGES_H

#include "lidia/Process/ByteReader.h"
#include "lidia/Process/Mappings.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>

namespace lidia {

/// A run of code that a text file names.
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
/// over time, so where lines overlap, the later one wins. Of the ranges that
/// remain there are 4 million at most.
class PerfMap {
public:
  /// Reads \p File, which another may be writing to, up to the first NUL byte,
  /// which no text has, or up to 256 MiB. \p Name is for messages.
  static std::unique_ptr<PerfMap>
  ofFile(const ByteReader &File, llvm::StringRef Name, WarningFunction Warn);

  /// Takes over \p Text, whose identifier is for messages. Malformed lines are
  /// left out with a warning.
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
  /// Takes over \p Kallsyms and \p Modules (null: none), whose identifiers are
  /// for messages. Malformed lines are left out with a warning. Fails if no
  /// line has an address; the kernel shows zeros to those who lack a privilege,
  /// which the error names.
  static llvm::Expected<KernelSymbols>
  parse(std::unique_ptr<llvm::MemoryBuffer> Kallsyms,
        std::unique_ptr<llvm::MemoryBuffer> Modules, WarningFunction Warn);

  /// Reads those of the running kernel.
  static llvm::Expected<KernelSymbols> ofThisSystem(WarningFunction Warn);

  /// The symbol at or before \p Address, up to the next symbol of any type; of
  /// several at one address, the first in the file, as in the kernel's own
  /// messages. In a module before its first symbol, a range without a name.
  /// Null for what is no code.
  const NamedRange *find(uint64_t Address) const;

  /// The runtime address of the symbol _text, where the kernel's image begins
  /// (else of _stext); zero if it is not known. Its difference from that of
  /// vmlinux is KASLR's offset.
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
  /// In order of address; the ends are known after finish(). A range without
  /// code ends where it begins.
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
