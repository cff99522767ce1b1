//===- ErrorKind.h - The class of an error by number ------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_ERRORKIND_H
#define LIDIA_ERRORKIND_H

#include "lidia/Error.h"

namespace lidia {

/// The classes of Error.h, for interfaces to other languages.
enum class ErrorKind : uint8_t {
  NotAnArchive,
  NotABinary,
  Damaged,
  Unsupported,
  MissingInformation,
  Limit,
  Argument,
  System,
};

/// The class of \p E.
inline ErrorKind kindOf(const LidiaError &E) {
  const llvm::ErrorInfoBase &Base = E;
  if (Base.isA<NotAnArchiveError>())
    return ErrorKind::NotAnArchive;
  if (Base.isA<NotABinaryError>())
    return ErrorKind::NotABinary;
  if (Base.isA<UnsupportedError>())
    return ErrorKind::Unsupported;
  if (Base.isA<MissingInformationError>())
    return ErrorKind::MissingInformation;
  if (Base.isA<LimitError>())
    return ErrorKind::Limit;
  if (Base.isA<ArgumentError>())
    return ErrorKind::Argument;
  if (Base.isA<SystemError>())
    return ErrorKind::System;
  return ErrorKind::Damaged;
}

} // namespace lidia

#endif // LIDIA_ERRORKIND_H
