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

/// Receives a message for each part of the input that is left out. The message
/// names the file and the part.
using WarningFunction = llvm::function_ref<void(const llvm::Twine &)>;

/// The source of a mapping's bytes. Two files that had the same path at
/// different times are two sources.
struct MappedFile {
  enum class Kind : uint8_t {
    /// A file, which may have been deleted or may never have had a name
    /// (memfd).
    File,
    /// An ELF image that the kernel provides: [vdso].
    Image,
    /// Memory without a file: [heap], [stack], [anon:name] or no name.
    Anonymous,
  };

  Kind Type = Kind::Anonymous;
  /// Whether the path was followed by " (deleted)", which is not part of Path.
  bool Deleted = false;
  /// The path or the name with its brackets, as the kernel writes it; untrusted
  /// text.
  std::string Path;
  /// If this is a file that is stored in a zip file (Path is "a.apk!lib/x.so"),
  /// its offset and size there; otherwise 0.
  uint64_t PartOffset = 0;
  uint64_t PartSize = 0;
  /// Path, or the path of the zip file that has the file.
  llvm::StringRef wholePath() const;

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
  /// Whether this is a whole module as a loader lays it out in memory. Offset
  /// then counts from the beginning of the module in memory, not of the file.
  bool IsImage = false;
  /// Whether this is inferred to be code of File that the process moved to
  /// other memory at the same address (large pages). File and Offset are what
  /// they would be if it had not been moved.
  bool IsMoved = false;
  /// The memory's own File and Offset, if IsMoved.
  uint32_t MovedTo = 0;
  uint64_t MovedToOffset = 0;

  /// Whether this memory, whose own source is \p Source, can hold moved code.
  bool mayBeMoved(const MappedFile &Source) const;
};

/// The mappings of an address space, in order of address and without overlaps.
///
/// Memory is proportional to the mappings that were added.
class MappingList {
public:
  /// Reads the text of /proc/PID/maps. Lines in the format of perf buildid-list
  /// (a build ID in hexadecimal digits and a path), anywhere in the text, set
  /// the build ID of the files with that path. Empty lines and those that begin
  /// with '#' are ignored. \p Name is for messages.
  ///
  /// Malformed lines are left out with a warning; fails if no line is left.
  static llvm::Expected<MappingList>
  parse(llvm::StringRef Text, llvm::StringRef Name, WarningFunction Warn);

  /// Adds a mapping of \p Source. Call finish() after the last.
  void add(Mapping M, const MappedFile &Source);

  /// Sorts the mappings. If two overlap, the one that begins first keeps its
  /// addresses (if they begin together, the one added first), and the other
  /// keeps the rest. Returns the number of mappings that lost addresses.
  /// Overlaps occur in lists that were read while the process changed its
  /// mappings.
  ///
  /// Executable memory that fills the gap between two mappings of one file is
  /// code of that file (Mapping::IsMoved).
  size_t finish();

  /// The next mapping of a file other than its own before or after the mapping
  /// \p Index, which \p Step (-1 or 1) says; null if there is none nearby.
  const Mapping *neighbour(size_t Index, int Step) const;

  /// Makes the mapping \p Index a moved part of \p File, \p Offset bytes after
  /// its begin. Call indexFiles() after the last change.
  void setMoved(size_t Index, uint32_t File, uint64_t Offset);
  /// Undoes that.
  void clearMoved(size_t Index);
  /// Makes the mapping \p Index one of \p Source, which is a part of its file.
  /// Call indexFiles() after the last change.
  void setPart(size_t Index, const MappedFile &Source);
  /// Updates mappingsOf().
  void indexFiles();

  /// The parts of \p Others that no mapping covers. \p Others must be sorted
  /// and must not overlap.
  std::vector<Mapping> uncovered(llvm::ArrayRef<Mapping> Others) const;

  /// The mapping that covers \p Address; null if there is none.
  const Mapping *find(uint64_t Address) const;

  /// The indices in mappings() of the mappings with the source \p File,
  /// ascending.
  llvm::ArrayRef<uint32_t> mappingsOf(uint32_t File) const {
    return MappingsOf[File];
  }

  llvm::ArrayRef<Mapping> mappings() const { return Mappings; }
  llvm::ArrayRef<MappedFile> files() const { return Files; }
  const MappedFile &file(const Mapping &M) const { return Files[M.File]; }
  MappedFile &file(uint32_t Index) { return Files[Index]; }

  /// The kernel's build ID, from a line for "[kernel.kallsyms]"; empty if there
  /// was no such line.
  llvm::ArrayRef<uint8_t> kernelBuildID() const { return KernelBuildID; }

  /// Prints a text that parse() can read: the mappings in the form of
  /// /proc/PID/maps, and the known build IDs. Unprintable characters are
  /// escaped.
  void print(llvm::raw_ostream &OS) const;

private:
  friend class MapsParser;

  void findMoved();
  uint32_t addFile(const MappedFile &Source);

  std::vector<Mapping> Mappings;
  std::vector<MappedFile> Files;
  std::vector<std::vector<uint32_t>> MappingsOf;
  /// Indices in Files by path, device and inode.
  llvm::StringMap<uint32_t> FileIndices;
  std::vector<uint8_t> KernelBuildID;
};

} // namespace lidia

#endif // LIDIA_PROCESS_MAPPINGS_H
