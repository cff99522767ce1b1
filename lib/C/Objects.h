//===- Objects.h - The objects of the C interface ---------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_C_OBJECTS_H
#define LIDIA_LIB_C_OBJECTS_H

#include "lidia-c/lidia.h"
#include "lidia/Archive/Archive.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"
#include <algorithm>
#include <cstring>
#include <memory>
#include <string>

struct lidia_error {
  lidia_status Status = LIDIA_OK;
  int Errno = 0;
  std::string Message;
  std::string File;
};

struct lidia_archive {
  std::shared_ptr<const lidia::Archive> A;
};

namespace lidia {

/// Whether \p Size can be the size of any version of a structure: no member is
/// cut off, and the caller has set it.
inline bool isStructSize(size_t Size, size_t AtLeast) {
  constexpr size_t Max = 4096;
  return Size >= AtLeast && Size <= Max && Size % sizeof(size_t) == 0;
}

/// The options that lidia_process_options and lidia_lookup_options share.
inline constexpr uint32_t NameFlags =
    LIDIA_LOOKUP_DEMANGLE | LIDIA_LOOKUP_SHORT_NAMES;

/// Stores \p E in \p Error, unless that is null, and returns its status.
lidia_status fail(lidia_error **Error, llvm::Error E);

/// Stores \p Message in \p Error and returns LIDIA_ARGUMENT.
lidia_status failArgument(lidia_error **Error, const llvm::Twine &Message);

/// Clears \p Error and returns LIDIA_OK.
inline lidia_status succeed(lidia_error **Error) {
  if (Error)
    *Error = nullptr;
  return LIDIA_OK;
}

/// Copies \p Given, which may be null or have the size of another version, to
/// \p Copy; missing members are zero. Fails if the size is not set, or if
/// members that this version does not know, or flags other than \p KnownFlags,
/// are set.
template <typename T>
lidia_status readOptions(const T *Given, uint32_t KnownFlags, T &Copy,
                         lidia_error **Error) {
  LIDIA_INIT(Copy);
  if (!Given)
    return succeed(Error);
  size_t Size = Given->struct_size;
  if (!isStructSize(Size, offsetof(T, flags) + sizeof(Copy.flags)))
    return failArgument(Error, "the options have no valid struct_size");
  const char *Bytes = reinterpret_cast<const char *>(Given);
  if (std::any_of(Bytes + std::min(Size, sizeof(T)), Bytes + Size,
                  [](char C) { return C != 0; }))
    return failArgument(Error, "the options have members that this version of "
                               "the library does not support");
  std::memcpy(&Copy, Given, std::min(Size, sizeof(T)));
  if (uint32_t Unknown = Copy.flags & ~KnownFlags)
    return failArgument(Error,
                        "the flags " + llvm::Twine(Unknown) + " are not known");
  return succeed(Error);
}

/// Whether \p List has \p Count strings, and none of them is null.
inline bool isListOfStrings(const char *const *List, size_t Count) {
  return !Count ||
         (List && std::find(List, List + Count, nullptr) == List + Count);
}

/// Copies \p Value to \p Result, as far as the version of the structure that
/// the caller knows (struct_size).
template <typename T>
lidia_status writeResult(T *Result, T Value, lidia_error **Error) {
  if (!Result || !isStructSize(Result->struct_size, sizeof(size_t)))
    return failArgument(Error, "the structure for the result has no valid "
                               "struct_size");
  Value.struct_size = Result->struct_size;
  std::memcpy(Result, &Value, std::min(Value.struct_size, sizeof(T)));
  return succeed(Error);
}

} // namespace lidia

#endif // LIDIA_LIB_C_OBJECTS_H
