//===- CDataInterface.h - Arrow's C data interface --------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The structures with which programs pass Arrow arrays without copying. Their
/// members and the order of these are an ABI, described in "The Arrow C data
/// interface" and "The Arrow C stream interface" of Apache Arrow's
/// specification. The guards are the ones that it requires, so that the header
/// of another library may be included, too.
///
//===----------------------------------------------------------------------===//

#ifndef LIDIA_ARROW_CDATAINTERFACE_H
#define LIDIA_ARROW_CDATAINTERFACE_H

#include <cstdint>

extern "C" {

#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE

#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE 2
#define ARROW_FLAG_MAP_KEYS_SORTED 4

/// A type.
struct ArrowSchema {
  const char *format;
  const char *name;
  const char *metadata;
  int64_t flags;
  int64_t n_children;
  struct ArrowSchema **children;
  struct ArrowSchema *dictionary;
  /// Null in a structure that was released or moved.
  void (*release)(struct ArrowSchema *);
  void *private_data;
};

/// An array, whose type is described by an ArrowSchema elsewhere.
struct ArrowArray {
  int64_t length;
  int64_t null_count;
  int64_t offset;
  int64_t n_buffers;
  int64_t n_children;
  const void **buffers;
  struct ArrowArray **children;
  struct ArrowArray *dictionary;
  void (*release)(struct ArrowArray *);
  void *private_data;
};

#endif // ARROW_C_DATA_INTERFACE

#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE

/// A sequence of arrays of one type. The functions return 0 or a value of
/// errno. An array whose release is null marks the end.
struct ArrowArrayStream {
  int (*get_schema)(struct ArrowArrayStream *, struct ArrowSchema *out);
  int (*get_next)(struct ArrowArrayStream *, struct ArrowArray *out);
  const char *(*get_last_error)(struct ArrowArrayStream *);
  void (*release)(struct ArrowArrayStream *);
  void *private_data;
};

#endif // ARROW_C_STREAM_INTERFACE

} // extern "C"

#endif // LIDIA_ARROW_CDATAINTERFACE_H
