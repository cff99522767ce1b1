//===- LibArchive.h - libarchive, loaded on demand --------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// libarchive needs ten more shared libraries, which only packages and cabinet
/// files justify. So it is loaded on demand, like libcurl (lib/Store/Curl.h).
///
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_OBJECT_LIBARCHIVE_H
#define LIDIA_LIB_OBJECT_LIBARCHIVE_H

#include "llvm/Support/Error.h"
#include <archive.h>
#include <archive_entry.h>

namespace lidia {

/// The functions of libarchive that we call, without the prefix "archive_".
#define LIDIA_ARCHIVE_FUNCTIONS(DO)                                            \
  DO(entry_filetype)                                                           \
  DO(entry_pathname)                                                           \
  DO(entry_size)                                                               \
  DO(error_string)                                                             \
  DO(filter_bytes)                                                             \
  DO(filter_code)                                                              \
  DO(filter_count)                                                             \
  DO(read_data_block)                                                          \
  DO(read_free)                                                                \
  DO(read_new)                                                                 \
  DO(read_next_header)                                                         \
  DO(read_open)                                                                \
  DO(read_open_memory)                                                         \
  DO(read_support_filter_bzip2)                                                \
  DO(read_support_filter_gzip)                                                 \
  DO(read_support_filter_lzma)                                                 \
  DO(read_support_filter_rpm)                                                  \
  DO(read_support_filter_xz)                                                   \
  DO(read_support_filter_zstd)                                                 \
  DO(read_support_format_ar)                                                   \
  DO(read_support_format_cab)                                                  \
  DO(read_support_format_cpio)                                                 \
  DO(read_support_format_raw)                                                  \
  DO(read_support_format_tar)

struct LibArchive {
#define LIDIA_MEMBER(NAME) decltype(&::archive_##NAME) NAME = nullptr;
  LIDIA_ARCHIVE_FUNCTIONS(LIDIA_MEMBER)
#undef LIDIA_MEMBER

  /// Loads the library at the first call. The error names the package that
  /// contains it.
  static llvm::Expected<const LibArchive &> get();
};

} // namespace lidia

#endif // LIDIA_LIB_OBJECT_LIBARCHIVE_H
