//===- PackedBody.h - An answer that is unpacked as it is sent --*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_SERVER_PACKEDBODY_H
#define LIDIA_LIB_SERVER_PACKEDBODY_H

#include "llvm/ADT/StringRef.h"
#include <memory>
#include <string>
#include <sys/types.h>
#include <zstd.h>

namespace lidia {

/// A large text that waits for a slow client. It is kept compressed, and
/// unpacked in pieces as it is sent. Not thread-safe.
class PackedBody {
public:
  /// Null if there is no memory.
  static std::unique_ptr<PackedBody> pack(llvm::StringRef Text);

  /// That of the text.
  uint64_t size() const { return Size; }
  /// The bytes that this object needs.
  uint64_t memory() const;

  /// Copies the next bytes of the text to \p To, at most \p Max. Returns their
  /// number, or -1 after an error.
  ssize_t read(char *To, size_t Max);

private:
  struct Free {
    void operator()(ZSTD_DCtx *Context) const { ::ZSTD_freeDCtx(Context); }
  };

  std::string Packed;
  uint64_t Size = 0;
  size_t Position = 0;
  std::unique_ptr<ZSTD_DCtx, Free> Context;
};

} // namespace lidia

#endif // LIDIA_LIB_SERVER_PACKEDBODY_H
