//===- Mappings.h - The mappings of an address space ------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_PROCESS_MAPPINGS_H
#define LIDIA_PROCESS_MAPPINGS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"
#include <optional>
#include <string>
#include <vector>

namespace lidia {

/// Receives messages about parts of the input that are left out. Each names the
/// file and the part.
using WarningFunction = llvm::function_ref<void(const llvm::Twine &)>;

/// The source of a mapping's bytes. Two files that had the same path at
/// different times are two of these.
struct MappedFile {
  enum class Kind : uint8_t {
    /// A file, even one that was deleted or never had a name (memfd).
    File,
    /// ELF images that the kernel provides: [vdso].
    Image,
    /// Memory without a file: [heap], [stack], [anon:name] or no name.
    Anonymous,
  };

  Kind What = Kind::Anonymous;
  /// Whether the path was followed by " (deleted)", which is not part of Path.
  bool Deleted = false;
  /// The path or the name with its brackets, as the kernel writes it; untrusted
  /// text.
  std::string Path;
  /// The device and inode; all zero if they are not known.
  uint32_t DeviceMajor = 0;
  uint32_t DeviceMinor = 0;
  uint64_t Inode = 0;
  /// Empty if it is not known.
  std::vector<uint8_t> BuildID;
};

/// One run of addresses with the same source.
struct Mapping {
  /// The addresses from Begin up to and without End; never empty.
  uint64_t Begin = 0;
  uint64_t End = 0;
  /// The offset in the file of the byte at Begin.
  uint64_t Offset = 0;
  /// Index in MappingList::files().
  uint32_t File = 0;
  bool Readable = false;
  bool Writable = false;
  bool Executable = false;
  bool Shared = false;
  /// Whether this is a whole module as a loader lays it out in memory, so that
  /// Offset counts from the beginning of that, and not from that of the file.
  bool IsImage = false;
};

/// The mappings of an address space, in order of address and without overlaps.
///
/// Memory is proportional to what was added.
class MappingList {
public:
  /// Reads the text of /proc/PID/maps. Lines as perf buildid-list prints them,
  /// a build ID in hexadecimal digits and a path, anywhere in the text, add
  /// build IDs to the files with that path. Empty lines and those that begin
  /// with '#' are ignored. \p Name is for messages.
  ///
  /// Malformed lines are left out with a warning; fails if no line is left.
  static llvm::Expected<MappingList>
  parse(llvm::StringRef Text, llvm::StringRef Name, WarningFunction Warn);

  /// Adds a mapping of \p Source. Call finish() after the last.
  void add(Mapping M, const MappedFile &Source);

  /// Puts the mappings in order. Of two that overlap, the one that begins first
  /// keeps its addresses (of those that begin together, the one added first);
  /// the other keeps the rest. Returns the number of mappings that lost
  /// addresses. Overlaps occur in what was read while the process was mapping.
  size_t finish();

  /// The parts of \p Others, which are in order and do not overlap, that no
  /// mapping covers.
  std::vector<Mapping> uncovered(llvm::ArrayRef<Mapping> Others) const;

  /// The mapping that covers \p Address; null if there is none.
  const Mapping *find(uint64_t Address) const;

  /// The indices in mappings() of those with the source \p File, ascending.
  llvm::ArrayRef<uint32_t> mappingsOf(uint32_t File) const {
    return MappingsOf[File];
  }

  llvm::ArrayRef<Mapping> mappings() const { return Mappings; }
  llvm::ArrayRef<MappedFile> files() const { return Files; }
  const MappedFile &file(const Mapping &M) const { return Files[M.File]; }
  MappedFile &file(uint32_t Index) { return Files[Index]; }

  /// The kernel's build ID, from a line for "[kernel.kallsyms]"; empty if there
  /// was none.
  llvm::ArrayRef<uint8_t> kernelBuildID() const { return KernelBuildID; }

  /// Prints what parse() reads: the mappings in the form of /proc/PID/maps, and
  /// the build IDs that are known. Unprintable characters are escaped.
  void print(llvm::raw_ostream &OS) const;

private:
  friend class MapsParser;

  std::vector<Mapping> Mappings;
  std::vector<MappedFile> Files;
  std::vector<std::vector<uint32_t>> MappingsOf;
  /// Indices in Files by path, device and inode.
  llvm::StringMap<uint32_t> FileIndices;
  std::vector<uint8_t> KernelBuildID;
};

} // namespace lidia

#endif // LIDIA_PROCESS_MAPPINGS_H
