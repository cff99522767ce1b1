//===- Facade.h - The libraries without LLVM's headers ----------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What the Python module uses of the libraries. The bindings need exceptions
/// and type information, which LLVM is built without; code of both kinds must
/// not share LLVM's classes. So this header has only the standard library's
/// types, Facade*.cpp are built as the libraries are, and nothing throws.
///
/// No function may be called with the interpreter's lock held, because it may
/// wait for a thread that wants it.
///
//===----------------------------------------------------------------------===//

#ifndef LIDIA_PYTHON_SRC_FACADE_H
#define LIDIA_PYTHON_SRC_FACADE_H

#include "lidia/Arrow/CDataInterface.h"
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

/// The exception that an error becomes, by its name in lidia/_errors.py;
/// "TypeError", "ValueError" and "OSError" are Python's own.
struct Failure {
  const char *Class;
  std::string Message;
  /// Empty if there is none.
  std::string File;
  /// Of an OSError.
  int Number = 0;
};

template <typename T> using Result = std::variant<T, Failure>;
struct Nothing {};

/// Asked now and then, by the thread that called, whether to go on. If not, the
/// call fails.
using Interest = std::function<bool()>;

//===----------------------------------------------------------------------===//
// Archives
//===----------------------------------------------------------------------===//

/// A function of an answer. Texts are UTF-8; empty strings and 0 for what is
/// not known.
struct FrameText {
  std::string Function;
  std::string File;
  uint32_t Line = 0;
  uint32_t Column = 0;
  bool IsInlined = false;
};

struct FunctionText {
  std::string Name;
  std::string File;
  std::vector<uint64_t> Entries;
  uint64_t InlinedRanges = 0;
};

struct ArchiveText {
  /// The path, the URL, or what the caller named it.
  std::string Name;
  /// In hexadecimal digits.
  std::string BuildID;
  uint64_t Size = 0;
  uint64_t Ranges = 0;
  bool HasLines = false;
  bool HasColumns = false;
};

/// Columns that other programs made, and the columns of the answer.
using FrameTablePointer = std::shared_ptr<const arrow::FrameTable>;

/// Arrays of one type, which are released with the object.
class ArrowColumn {
public:
  ArrowColumn() = default;
  ~ArrowColumn();
  ArrowColumn(const ArrowColumn &) = delete;
  ArrowColumn &operator=(const ArrowColumn &) = delete;

  /// Takes what \p Type and \p Array have, which are then released ones.
  void take(ArrowSchema &Type, ArrowArray &Array);
  /// Takes all arrays of \p Stream, and releases it.
  Result<Nothing> takeAll(ArrowArrayStream &Stream);

  const ArrowSchema &type() const { return Type; }
  const std::vector<ArrowArray> &chunks() const { return Chunks; }
  /// Whether they came as a stream, which may be any number.
  bool isChunked() const { return IsChunked; }

private:
  ArrowSchema Type = {};
  std::vector<ArrowArray> Chunks;
  bool IsChunked = false;
};

/// A file that the caller's function reads: all of the bytes at an offset, to a
/// place. Returns what went wrong, or an empty string.
struct CallerFile {
  std::string Name;
  uint64_t Size = 0;
  std::function<std::string(uint64_t Offset, char *To, size_t Size)> Read;
};

/// Bytes that \p Owner keeps.
struct CallerBytes {
  std::string Name;
  const char *Data = nullptr;
  size_t Size = 0;
  std::shared_ptr<const void> Owner;
};

struct ArchiveOptions {
  bool Demangle = true;
  /// Read a private copy, for files that others may write to in place.
  bool Copy = false;
};

/// An open archive. Any number of threads can share it.
class ArchiveHandle {
public:
  using Pointer = std::shared_ptr<ArchiveHandle>;

  virtual ~ArchiveHandle() = default;

  /// \p Where is a path or a URL.
  static Result<Pointer> open(const std::string &Where,
                              const ArchiveOptions &Options);
  static Result<Pointer> open(CallerFile File, const ArchiveOptions &Options);
  static Result<Pointer> open(CallerBytes Bytes, const ArchiveOptions &Options);

  virtual ArchiveText describe() const = 0;
  /// The frames of each of \p Addresses, innermost first.
  virtual Result<std::vector<std::vector<FrameText>>>
  lookup(const std::vector<uint64_t> &Addresses, bool AreReturns) = 0;
  virtual Result<FrameTablePointer> symbolize(const ArrowColumn &Addresses,
                                              bool AreReturns,
                                              const Interest &GoOn) = 0;
  virtual Result<std::vector<FunctionText>> functions() = 0;
  virtual Result<std::vector<std::string>> files() = 0;
  /// Checks all of the archive, checksums included.
  virtual Result<Nothing> verify() = 0;
};

//===----------------------------------------------------------------------===//
// Many archives
//===----------------------------------------------------------------------===//

/// The build IDs of rows: one for all, in hexadecimal digits, or a column.
using BuildIDs = std::variant<std::string, const ArrowColumn *>;

/// Where the archive of a build ID is.
using ArchivePlace = std::variant<std::string, ArchiveHandle::Pointer>;

struct StoreOptions {
  ArchiveOptions Archive;
  /// Archives that are kept open between calls, at most so many, and at most
  /// so many bytes of what was read of them.
  size_t MaxArchives = 1024;
  uint64_t MaxMemory = uint64_t(1) << 30;
};

/// What is open, and what may be.
struct SymbolizerFigures {
  size_t Archives = 0;
  size_t MaxArchives = 0;
  /// Bytes that the open ones may have in memory.
  uint64_t Memory = 0;
  uint64_t MaxMemory = 0;
  /// What the store has done since the symbolizer was made: names and numbers,
  /// seconds, and build IDs that it does not have with how often each was asked
  /// for. Empty without a store.
  std::vector<std::pair<const char *, uint64_t>> Counts;
  double OpenSeconds = 0;
  std::vector<std::pair<std::string, uint64_t>> Missing;
};

/// The archives of build IDs, each opened when it is first asked for. Any
/// number of threads can share it.
class SymbolizerHandle {
public:
  using Pointer = std::shared_ptr<SymbolizerHandle>;

  virtual ~SymbolizerHandle() = default;

  static Result<Pointer> openStore(const std::string &Where,
                                   const StoreOptions &Options);
  /// Build IDs in hexadecimal digits.
  static Result<Pointer>
  openPlaces(std::vector<std::pair<std::string, ArchivePlace>> Places,
             const StoreOptions &Options);

  virtual Result<FrameTablePointer> symbolize(const BuildIDs &IDs,
                                              const ArrowColumn &Addresses,
                                              bool AreReturns,
                                              const Interest &GoOn) = 0;
  virtual SymbolizerFigures figures() = 0;
  /// The figures of the store as Prometheus reads them; empty without a store.
  virtual std::string metrics() = 0;
  /// Notes in the store what was found there since the last call.
  virtual Result<Nothing> recordUse() = 0;
  virtual Result<std::vector<std::vector<FrameText>>>
  lookup(const std::string &BuildID, const std::vector<uint64_t> &Addresses,
         bool AreReturns) = 0;
};

/// Columns of answers; those that the caller releases.
enum class AnswerColumn { Frames, Reasons };
size_t chunkCount(const FrameTablePointer &Table);
size_t rowCount(const FrameTablePointer &Table);
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
  /// below the folder Root, or not to be opened if that is empty.
  std::optional<uint64_t> PID;
  std::string Maps;
  std::string Root;
  std::string Store;
  std::string CacheFolder;
  bool Demangle = true;
};

/// The answer to a runtime address, and of a stack's frame how it was found.
struct StackFrameText {
  uint64_t Address = 0;
  bool IsReturn = false;
  bool IsSignal = false;
  uint64_t SP = 0;
  /// As llvm-lidia stack --trust has it.
  std::string Trust;
  std::string Module;
  std::optional<uint64_t> ModuleAddress;
  /// Why the module has no archive; empty if it has one.
  std::string Reason;
  std::vector<FrameText> Frames;
};

struct StackText {
  std::vector<StackFrameText> Frames;
  /// As llvm-lidia stack --output-style=JSON has it.
  std::string End;
  std::optional<uint64_t> EndAddress;
};

/// A register by its name or by its number in DWARF.
using RegisterKey = std::variant<std::string, unsigned>;

struct UnwindRequest {
  std::vector<std::pair<RegisterKey, uint64_t>> Registers;
  /// Reads so many bytes at an address to a place, and returns how many it has.
  /// None: the process's memory.
  std::function<size_t(uint64_t Address, char *To, size_t Size)> Read;
  /// As platform.machine() has it; empty: the process's, or else this one.
  std::string Machine;
  size_t MaxFrames = 1024;
  bool Scan = false;
  uint64_t CodeMask = 0;
};

/// The mappings of a process, and the archives of its modules. Any number of
/// threads can share it.
class ProcessHandle {
public:
  using Pointer = std::shared_ptr<ProcessHandle>;

  virtual ~ProcessHandle() = default;

  static Result<Pointer> open(ProcessOptions Options);

  /// UnwindRequest::Read is called by the calling thread, which may call this
  /// object again. What is returned when \p GoOn said no is not to be used.
  virtual Result<StackText> unwind(const UnwindRequest &Request,
                                   const Interest &GoOn) = 0;
  virtual Result<StackFrameText> answer(uint64_t Address, bool IsReturn,
                                        const Interest &GoOn) = 0;
};

//===----------------------------------------------------------------------===//
// Converting
//===----------------------------------------------------------------------===//

struct ConversionOptions {
  bool Files = true;
  bool Lines = true;
  bool Columns = true;
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

/// What became of the inputs of addToStore().
struct AddedCounts {
  uint64_t Added = 0;
  uint64_t Present = 0;
  uint64_t Skipped = 0;
  /// Of those that failed, why.
  std::vector<std::string> Failures;
};

/// Adds the archives of binaries, packages and folders to the store \p Where,
/// through the folder \p WorkFolder, which nobody else can write to. Stops when
/// \p IsCancelled is set.
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
  /// As llvm-lidia profile has them: binaries of the command line,
  /// --modules-from, --sysroot, --store, --force and the folder of the cache.
  std::vector<std::string> Binaries;
  std::vector<std::string> Folders;
  std::string Root;
  std::string Store;
  std::string CacheFolder;
  bool Demangle = true;
  bool Force = false;
  /// Whether an archive beside a file counts only if it has columns.
  bool Columns = true;
  /// --input-format and --output-format; empty for their defaults.
  std::string InputFormat;
  std::string OutputFormat;
};

/// The profile in \p Profile, with names and lines; packed by gzip if it was
/// and its format is kept.
Result<std::string> symbolizeProfile(const CallerBytes &Profile,
                                     const ProfileOptions &Options,
                                     const std::atomic<bool> &IsCancelled,
                                     std::vector<std::string> &Warnings);

} // namespace lidia::python

#endif // LIDIA_PYTHON_SRC_FACADE_H
