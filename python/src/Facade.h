//===- Facade.h - The libraries without LLVM's headers ----------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The interface between the Python module and the libraries. The bindings need
/// exceptions and type information, and LLVM is built without them; code of
/// both kinds must not share LLVM's classes. So this header uses only the
/// standard library's types, Facade*.cpp are built like the libraries, and
/// nothing throws.
///
/// Do not call any function with the interpreter's lock held, because it may
/// wait for a thread that needs the lock.
///
//===----------------------------------------------------------------------===//

#ifndef LIDIA_PYTHON_SRC_FACADE_H
#define LIDIA_PYTHON_SRC_FACADE_H

#include "lidia/Arrow/CDataInterface.h"
#include "lidia/Process/ProcessAnswer.h"
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace lidia::arrow {
struct FrameTable;
} // namespace lidia::arrow

namespace lidia::python {

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

/// The exception for an error, by its name in lidia/_errors.py; "TypeError",
/// "ValueError" and "OSError" are Python's own.
struct Failure {
  const char *Class;
  std::string Message;
  /// Empty if there is no file.
  std::string File;
  /// The errno value of an OSError.
  int Number = 0;
};

template <typename T> using Result = std::variant<T, Failure>;
struct Nothing {};

/// The calling thread calls this from time to time. If it returns false, the
/// call fails.
using Interest = std::function<bool()>;

//===----------------------------------------------------------------------===//
// Archives
//===----------------------------------------------------------------------===//

/// The frames of an address. Texts are UTF-8.
using FrameList = std::vector<SymbolizedFrame>;

struct FunctionText {
  std::string Name;
  std::string File;
  std::vector<uint64_t> Entries;
  uint64_t InlinedRanges = 0;
};

struct ArchiveText {
  /// The path, the URL, or the name that the caller gave.
  std::string Name;
  /// As hexadecimal digits.
  std::string BuildID;
  uint64_t Size = 0;
  uint64_t Ranges = 0;
  bool HasLines = false;
  bool HasColumns = false;
};

/// The answer for an Arrow column: the frames and reasons of its rows.
using FrameTablePointer = std::shared_ptr<const arrow::FrameTable>;

/// Arrays of one type, which this object releases.
class ArrowColumn {
public:
  ArrowColumn() = default;
  ~ArrowColumn();
  ArrowColumn(const ArrowColumn &) = delete;
  ArrowColumn &operator=(const ArrowColumn &) = delete;

  /// Moves the contents of \p Type and \p Array into this object, and marks
  /// them as released.
  void take(ArrowSchema &Type, ArrowArray &Array);
  /// Takes all arrays from \p Stream, and releases it.
  Result<Nothing> takeAll(ArrowArrayStream &Stream);

  const ArrowSchema &type() const { return Type; }
  const std::vector<ArrowArray> &chunks() const { return Chunks; }
  /// Whether the arrays come from a stream, which may have any number.
  bool isChunked() const { return IsChunked; }

private:
  ArrowSchema Type = {};
  std::vector<ArrowArray> Chunks;
  bool IsChunked = false;
};

/// A file that the caller's function reads. The function reads all bytes at an
/// offset into a buffer. It returns an error message or an empty string.
struct CallerFile {
  std::string Name;
  uint64_t Size = 0;
  std::function<std::string(uint64_t Offset, char *To, size_t Size)> Read;
};

/// Bytes that \p Owner keeps alive.
struct CallerBytes {
  std::string Name;
  const char *Data = nullptr;
  size_t Size = 0;
  std::shared_ptr<const void> Owner;
};

struct ArchiveOptions {
  bool Demangle = true;
  /// Whether to read a private copy, for files that others may modify in place.
  bool Copy = false;
};

/// An open archive. Threads may share it.
class ArchiveHandle {
public:
  using Pointer = std::shared_ptr<ArchiveHandle>;

  virtual ~ArchiveHandle() = default;

  /// \p Where is a path or a URL.
  static Result<Pointer> open(const std::string &Where,
                              const ArchiveOptions &Options);
  static Result<Pointer> open(CallerFile File, const ArchiveOptions &Options);
  static Result<Pointer> open(CallerBytes Bytes, const ArchiveOptions &Options);
  /// The names of the binary \p Path, without lines (openNames).
  static Result<Pointer> openNames(const std::string &Path,
                                   const ArchiveOptions &Options,
                                   std::vector<std::string> &Warnings);

  virtual ArchiveText describe() const = 0;
  /// The frames of each of \p Addresses, innermost first.
  virtual Result<std::vector<FrameList>>
  lookup(const std::vector<uint64_t> &Addresses, bool AreReturns) = 0;
  virtual Result<FrameTablePointer> symbolize(const ArrowColumn &Addresses,
                                              bool AreReturns,
                                              const Interest &GoOn) = 0;
  /// All functions or, if \p Name is not null, those of this name
  /// (findFunctions).
  virtual Result<std::vector<FunctionText>>
  functions(const std::string *Name) = 0;
  /// The address of the code at an offset in the binary's file.
  virtual std::optional<uint64_t> addressOf(uint64_t FileOffset) const = 0;
  virtual Result<std::vector<std::string>> files() = 0;
  /// Checks the whole archive, including checksums.
  virtual Result<Nothing> verify() = 0;
};

//===----------------------------------------------------------------------===//
// Many archives
//===----------------------------------------------------------------------===//

/// The build IDs of rows: one for all rows, as hexadecimal digits, or a column.
using BuildIDs = std::variant<std::string, const ArrowColumn *>;

/// The archive of a build ID, or its path or URL.
using ArchivePlace = std::variant<std::string, ArchiveHandle::Pointer>;

struct StoreOptions {
  ArchiveOptions Archive;
  /// The maximum number of archives that are kept open between calls, and the
  /// maximum number of bytes that they keep in memory.
  size_t MaxArchives = 1024;
  uint64_t MaxMemory = uint64_t(1) << 30;
  /// Whether symbolize() fails if the archives cannot be reached. Otherwise
  /// rows have no frames.
  bool FailOnOutage = true;
};

/// The current figures and their limits.
struct SymbolizerStatistics {
  size_t Archives = 0;
  size_t MaxArchives = 0;
  /// The maximum number of bytes that open archives may have in memory.
  uint64_t Memory = 0;
  uint64_t MaxMemory = 0;
  /// Counts of the store's operations since the symbolizer was made: names and
  /// numbers, seconds, and the missing build IDs with the number of requests
  /// for each. Empty without a store.
  std::vector<std::pair<const char *, uint64_t>> Counts;
  double OpenSeconds = 0;
  std::vector<std::pair<std::string, uint64_t>> Missing;
};

/// The archives of build IDs. Each archive is opened when it is first
/// requested. Threads may share the object.
class SymbolizerHandle {
public:
  using Pointer = std::shared_ptr<SymbolizerHandle>;

  virtual ~SymbolizerHandle() = default;

  static Result<Pointer> openStore(const std::string &Where,
                                   const StoreOptions &Options);
  /// Build IDs are hexadecimal digits.
  static Result<Pointer>
  openPlaces(std::vector<std::pair<std::string, ArchivePlace>> Places,
             const StoreOptions &Options);

  virtual Result<FrameTablePointer> symbolize(const BuildIDs &IDs,
                                              const ArrowColumn &Addresses,
                                              bool AreReturns,
                                              const Interest &GoOn) = 0;
  virtual SymbolizerStatistics statistics() = 0;
  /// The figures of the store in Prometheus's format; empty without a store.
  virtual std::string metrics() = 0;
  /// Records in the store the archives that were found there since the last
  /// call.
  virtual Result<Nothing> recordUse() = 0;
  virtual Result<std::vector<FrameList>>
  lookup(const std::string &BuildID, const std::vector<uint64_t> &Addresses,
         bool AreReturns) = 0;
};

/// The columns of answers. The caller must release them.
enum class AnswerColumn { Frames, Reasons, Misses };
size_t chunkCount(const FrameTablePointer &Table);
size_t rowCount(const FrameTablePointer &Table);
/// The names of codes and the numbers of rows that have them.
std::vector<std::pair<const char *, uint64_t>>
missCounts(const FrameTablePointer &Table);
void exportType(AnswerColumn C, ArrowSchema &To);
void exportArray(const FrameTablePointer &Table, AnswerColumn C, size_t Chunk,
                 ArrowArray &To);
void exportStream(const FrameTablePointer &Table, AnswerColumn C,
                  ArrowArrayStream &To);

//===----------------------------------------------------------------------===//
// Processes
//===----------------------------------------------------------------------===//

struct ProcessOptions {
  /// A live process, or else the saved list of mappings Maps, whose files are
  /// opened below the folder Root, or not at all if Root is empty.
  std::optional<uint64_t> PID;
  std::string Maps;
  std::string Root;
  std::string Store;
  std::string CacheFolder;
  bool Demangle = true;
  /// Whether answers fail that need the store while it does not answer.
  bool NeedsStore = true;
  /// ModuleArchivesOptions::NamesOnly and LinesLater.
  bool NamesOnly = false;
  bool LinesLater = false;
  /// Whether to answer addresses of the kernel that is running, and its image
  /// with lines, or empty.
  bool Kernel = false;
  std::string VMLinux;
};

/// The answer for a runtime address; for a stack frame, with its trust.
struct StackFrame {
  uint64_t Address = 0;
  bool IsReturn = false;
  bool IsSignal = false;
  bool IsTailCall = false;
  uint64_t SP = 0;
  /// As in llvm-lidia stack --trust.
  std::string Trust;
  std::shared_ptr<const ProcessAnswer> Answer;
};

struct StackText {
  std::vector<StackFrame> Frames;
  /// As in llvm-lidia stack --format=llvm-json.
  std::string End;
  std::optional<uint64_t> EndAddress;
};

/// A register's name or DWARF number.
using RegisterKey = std::variant<std::string, unsigned>;

struct UnwindRequest {
  std::vector<std::pair<RegisterKey, uint64_t>> Registers;
  /// Reads Size bytes at an address into a buffer, and returns the number of
  /// bytes that it has read. If empty, reads the process's memory.
  std::function<size_t(uint64_t Address, char *To, size_t Size)> Read;
  /// As in platform.machine(); if empty, the process's machine, or else this
  /// one.
  std::string Machine;
  size_t MaxFrames = 1024;
  bool Scan = false;
  uint64_t CodeMask = 0;
};

/// A runtime address in terms that hold on other machines (NormalizedAddress).
struct LocationText {
  /// Empty if nothing is mapped.
  std::string Path;
  std::optional<std::string> BuildID;
  std::optional<uint64_t> FileOffset;
  std::optional<uint64_t> Address;
};

/// The build ID of the file at \p Path; none if it has none.
Result<std::optional<std::string>> buildIDOfFile(const std::string &Path);

/// The mappings of a process, and the archives of its modules. Threads may
/// share the object.
class ProcessHandle {
public:
  using Pointer = std::shared_ptr<ProcessHandle>;

  virtual ~ProcessHandle() = default;

  static Result<Pointer> open(ProcessOptions Options);

  /// The calling thread calls UnwindRequest::Read, which may call this object
  /// again. Do not use the result if \p GoOn has returned false.
  virtual Result<StackText> unwind(const UnwindRequest &Request,
                                   const Interest &GoOn) = 0;
  virtual Result<StackFrame> answer(uint64_t Address, bool IsReturn,
                                    const Interest &GoOn) = 0;
  /// Opens the modules of \p Addresses, \p Threads of them at once (0: as many
  /// as the machine has processors).
  virtual Result<Nothing> prepare(const std::vector<uint64_t> &Addresses,
                                  unsigned Threads, const Interest &GoOn) = 0;
  /// Without symbols.
  virtual Result<LocationText> locate(uint64_t Address) = 0;
};

//===----------------------------------------------------------------------===//
// Converting
//===----------------------------------------------------------------------===//

struct ConversionOptions {
  bool Files = true;
  bool Lines = true;
  bool Columns = false;
  bool Checksums = true;
  bool Compress = false;
  bool FindDebugFile = true;
  std::string DebugFile;
  std::string Architecture;
  unsigned Threads = 0;
};

/// Writes the archive of \p Binary, a path, to the file \p Output. Appends to
/// \p Warnings. Fails soon after \p IsCancelled is set.
Result<Nothing> convertFile(const std::string &Binary,
                            const std::string &Output,
                            const ConversionOptions &Options,
                            const std::atomic<bool> &IsCancelled,
                            std::vector<std::string> &Warnings);
/// The same for a binary in memory.
Result<Nothing> convertBytes(const CallerBytes &Binary,
                             const std::string &Output,
                             const ConversionOptions &Options,
                             const std::atomic<bool> &IsCancelled,
                             std::vector<std::string> &Warnings);

/// The results for the inputs of addToStore().
struct AddedCounts {
  uint64_t Added = 0;
  uint64_t Present = 0;
  uint64_t Skipped = 0;
  /// The reasons for failures.
  std::vector<std::string> Failures;
};

/// Adds the archives of binaries, packages and folders to the store \p Where,
/// with temporary files in the folder \p WorkFolder, to which nobody else can
/// write. Stops when \p IsCancelled is set.
Result<AddedCounts> addToStore(const std::string &Where,
                               const std::vector<std::string> &Inputs,
                               const std::string &WorkFolder, bool Force,
                               unsigned Threads,
                               const std::atomic<bool> &IsCancelled,
                               std::vector<std::string> &Warnings);

//===----------------------------------------------------------------------===//
// Profiles
//===----------------------------------------------------------------------===//

struct ProfileOptions {
  /// As in llvm-lidia profile: binaries of the command line, --modules-from,
  /// --sysroot, --store, --force and the folder of the cache.
  std::vector<std::string> Binaries;
  std::vector<std::string> Folders;
  std::string Root;
  std::string Store;
  std::string CacheFolder;
  bool Demangle = true;
  bool Force = false;
  /// Whether to use an archive beside a file only if it has columns.
  bool Columns = true;
  /// Whether to fail if the store does not answer.
  bool NeedsStore = true;
  /// --input-format and --format; empty for their defaults.
  std::string InputFormat;
  std::string OutputFormat;
};

/// Adds names and lines to the profile \p Profile. Compresses it with gzip if
/// the input was compressed and the format does not change.
Result<std::string> symbolizeProfile(const CallerBytes &Profile,
                                     const ProfileOptions &Options,
                                     const std::atomic<bool> &IsCancelled,
                                     std::vector<std::string> &Warnings);

} // namespace lidia::python

#endif // LIDIA_PYTHON_SRC_FACADE_H
