//===- Gzip.h - Gzip files --------------------------------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_PROFILE_GZIP_H
#define LIDIA_LIB_PROFILE_GZIP_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <memory>

struct z_stream_s;

namespace lidia {

/// Unpacks the gzip file \p Packed, which has one or more members. Fails if it
/// is damaged or truncated, or if it unpacks to more than \p Max bytes; memory
/// never exceeds twice that. Errors name the buffer's identifier.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
unpackGzip(llvm::MemoryBufferRef Packed, uint64_t Max);

/// Unpacks \p File if it is a gzip file, or returns it. The limit is 64 times
/// its size plus 16 MiB, and at most 2 GiB.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
unpackProfile(std::unique_ptr<llvm::MemoryBuffer> File);

/// Packs the text that is written to it into a gzip file on \p OS. The same
/// bytes produce the same file, because it contains no time or name. finish()
/// must be called.
class GzipStream final : public llvm::raw_ostream {
public:
  explicit GzipStream(llvm::raw_ostream &OS);
  ~GzipStream() override;

  void finish();

private:
  void write_impl(const char *Data, size_t Size) override;
  uint64_t current_pos() const override { return Position; }
  void pack(const char *Data, size_t Size, int Flush);

  llvm::raw_ostream &OS;
  std::unique_ptr<z_stream_s> Stream;
  uint64_t Position = 0;
};

} // namespace lidia

#endif // LIDIA_LIB_PROFILE_GZIP_H
