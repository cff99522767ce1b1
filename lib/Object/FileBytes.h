//===- FileBytes.h - Parts of a file, within its bounds ---------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_OBJECT_FILEBYTES_H
#define LIDIA_LIB_OBJECT_FILEBYTES_H

#include "llvm/ADT/StringRef.h"
#include <algorithm>
#include <cstring>
#include <optional>

namespace lidia {

/// The \p Size bytes of \p Bytes at \p Offset; none if they are not all there.
inline std::optional<llvm::StringRef> bytesAt(llvm::StringRef Bytes,
                                              uint64_t Offset, uint64_t Size) {
  if (Offset > Bytes.size() || Bytes.size() - Offset < Size)
    return std::nullopt;
  return Bytes.substr(Offset, Size);
}

/// A copy of the structure of \p Bytes at \p Offset; none if it is not all
/// there.
template <class T>
std::optional<T> structAt(llvm::StringRef Bytes, uint64_t Offset) {
  std::optional<llvm::StringRef> Part = bytesAt(Bytes, Offset, sizeof(T));
  if (!Part)
    return std::nullopt;
  T Result;
  std::memcpy(&Result, Part->data(), sizeof(T));
  return Result;
}

/// Finds the ends of names. A million names can be parts of one long string, so
/// the total number of bytes read for names is limited by the size of the file.
class NameReader {
public:
  explicit NameReader(uint64_t FileSize) : Left(16 * FileSize) {}

  /// The name at \p Offset of \p Bytes, without the terminating zero byte;
  /// empty if it is not terminated, or if too much was read before.
  llvm::StringRef at(llvm::StringRef Bytes, uint64_t Offset) {
    if (Offset >= Bytes.size())
      return {};
    llvm::StringRef Rest = Bytes.drop_front(Offset).take_front(Left);
    size_t Size = Rest.find('\0');
    Left -= std::min(Size, Rest.size());
    return Size == llvm::StringRef::npos ? llvm::StringRef()
                                         : Rest.take_front(Size);
  }

private:
  uint64_t Left;
};

/// The name in the field \p Field of \p Size bytes, which is padded with zero
/// bytes.
inline llvm::StringRef nameInField(const char *Field, size_t Size) {
  return llvm::StringRef(Field, Size).split('\0').first;
}

} // namespace lidia

#endif // LIDIA_LIB_OBJECT_FILEBYTES_H
