//===- ObjectArchive.h - Archives of object files ---------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_OBJECT_OBJECTARCHIVE_H
#define LIDIA_LIB_OBJECT_OBJECTARCHIVE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace lidia {

/// An archive of object files, as ar writes it ("lib.a"). Its members are
/// called "lib.a(b.o)", as linkers do.
class ObjectArchive {
public:
  struct Member {
    llvm::StringRef Bytes;
    /// Modification time in seconds since 1970; 0 if it is not known.
    uint64_t Time = 0;
  };

  /// Thin archives are refused: their members are files.
  static llvm::Expected<ObjectArchive> open(llvm::StringRef Path);

  /// The members called \p Name that can be read, in the order of the archive:
  /// several may have the same name.
  llvm::ArrayRef<Member> named(llvm::StringRef Name) const;

private:
  std::unique_ptr<llvm::MemoryBuffer> Buffer;
  llvm::StringMap<std::vector<Member>> Members;
};

/// The parts of "lib.a(b.o)".
struct MemberPath {
  llvm::StringRef Archive;
  llvm::StringRef Member;
};

/// Splits \p Path; none if it is not such a path. A member's name has no
/// parenthesis.
std::optional<MemberPath> splitMemberPath(llvm::StringRef Path);

/// Whether the file \p Path is in another file that exists, a zip file
/// ("a.apk!x.so") or an archive of object files.
bool isInsideFile(llvm::StringRef Path);

/// Reads the file \p Path, for which isInsideFile() holds.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
readInsideFile(llvm::StringRef Path);

} // namespace lidia

#endif // LIDIA_LIB_OBJECT_OBJECTARCHIVE_H
