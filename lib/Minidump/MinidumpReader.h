//===- MinidumpReader.h - Parts of a minidump by offset ---------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_MINIDUMP_MINIDUMPREADER_H
#define LIDIA_LIB_MINIDUMP_MINIDUMPREADER_H

#include "lidia/Minidump/Minidump.h"
#include "llvm/BinaryFormat/Minidump.h"
#include <cstring>
#include <map>

namespace lidia {

/// Reads parts of a minidump by offset. All sizes are checked, and the total
/// amount of data is bounded by the size of the file. LLVM's MinidumpFile maps
/// the file, and supports neither contexts, nor Memory64List, nor Breakpad's
/// streams.
class MinidumpReader {
public:
  using StreamType = llvm::minidump::StreamType;

  MinidumpReader(const OpenedFile &File, llvm::StringRef Path,
                 WarningFunction Warn)
      : File(File), Path(Path), Warn(Warn), FileSize(File.size()),
        TextLeft(MinText + 4 * FileSize) {}

  /// Reads the header and the directory of streams.
  llvm::Expected<llvm::minidump::Header> readDirectory();

  uint64_t fileSize() const { return FileSize; }
  bool has(StreamType Type) const { return Streams.count(uint32_t(Type)); }
  void warn(const llvm::Twine &Message) const { Warn(Path + ": " + Message); }

  /// Reads a structure; returns false if it is truncated.
  template <typename T> bool read(uint64_t Offset, T &To) const {
    return File.readAll(Offset, {reinterpret_cast<uint8_t *>(&To), sizeof(T)});
  }

  /// The bytes at \p Where that the file contains, at most \p Max.
  std::vector<uint8_t> bytes(llvm::minidump::LocationDescriptor Where,
                             size_t Max) const;

  /// The bytes of a stream; empty if there is no such stream.
  std::vector<uint8_t> stream(StreamType Type) const;

  /// The stream as text, up to the first NUL.
  std::string textStream(StreamType Type) const;

  /// The first structure of a stream; none if the stream is too small.
  template <typename T> std::optional<T> first(StreamType Type) const {
    std::vector<uint8_t> Bytes = stream(Type);
    if (Bytes.size() < sizeof(T))
      return std::nullopt;
    T Value;
    std::memcpy(&Value, Bytes.data(), sizeof(T));
    return Value;
  }

  /// The entries of a stream that begins with their number. \p What, a plural
  /// noun, is for warnings.
  template <typename T>
  std::vector<T> list(StreamType Type, llvm::StringRef What) const {
    std::vector<uint8_t> Bytes = stream(Type);
    uint64_t Begin = sizeof(llvm::support::ulittle32_t);
    if (Bytes.size() < Begin)
      return {};
    uint64_t Count = llvm::support::endian::read32le(Bytes.data());
    // Some writers align the entries to eight bytes.
    if (Bytes.size() == Begin + 4 + Count * sizeof(T))
      Begin += 4;
    return entries<T>(llvm::ArrayRef(Bytes).drop_front(Begin), Count, sizeof(T),
                      What);
  }

  /// The first sizeof(T) bytes of each of the \p Count entries of \p Size bytes
  /// in \p Bytes, as far as they exist.
  template <typename T>
  std::vector<T> entries(llvm::ArrayRef<uint8_t> Bytes, uint64_t Count,
                         uint64_t Size, llvm::StringRef What) const {
    if (Size < sizeof(T)) {
      warn("the list of " + What + " has entries of an unknown size");
      return {};
    }
    uint64_t There = std::min<uint64_t>(Count, Bytes.size() / Size);
    if (There != Count)
      warn("the list of " + What + " is cut off: " + llvm::Twine(There) +
           " of " + llvm::Twine(Count) + " are read");
    std::vector<T> Result(There);
    for (uint64_t I = 0; I != There; ++I)
      std::memcpy(&Result[I], Bytes.data() + I * Size, sizeof(T));
    return Result;
  }

  /// A MINIDUMP_STRING (its size in bytes, and UTF-16), converted to UTF-8.
  /// Empty if it cannot be read.
  std::string text(uint64_t Offset);

  /// The same for Crashpad's MinidumpUTF8String.
  std::string textUTF8(uint64_t Offset);

private:
  static constexpr uint64_t MinText = 1 << 16;

  std::vector<uint8_t> countedBytes(uint64_t Offset);

  const OpenedFile &File;
  const llvm::StringRef Path;
  const WarningFunction Warn;
  const uint64_t FileSize;
  /// How many bytes of text may still be read. Texts may overlap, so the file's
  /// size is no limit.
  uint64_t TextLeft;
  std::map<uint32_t, llvm::minidump::LocationDescriptor> Streams;
};

/// Converts little-endian UTF-16 to UTF-8, up to the first NUL, and replaces
/// invalid characters.
std::string textOfUTF16(llvm::ArrayRef<uint8_t> Bytes);

/// The parts of Minidump::read(), one for each subject.
void readSystem(MinidumpReader &R, Minidump &To);
void readModules(MinidumpReader &R, Minidump &To);
void readThreads(MinidumpReader &R, Minidump &To);
void readException(MinidumpReader &R, Minidump &To);
void readMemory(MinidumpReader &R, Minidump &To);
void readCrashpadInfo(MinidumpReader &R, Minidump &To);

/// The registers in a CPU's context structure; none if it is too small or of
/// another CPU.
std::optional<RegisterSet> readContext(llvm::ArrayRef<uint8_t> Bytes,
                                       MinidumpCPU CPU);

/// MinidumpException::Reason, from the other fields.
std::string crashReason(const MinidumpException &E,
                        const MinidumpSystem &System);

} // namespace lidia

#endif // LIDIA_LIB_MINIDUMP_MINIDUMPREADER_H
