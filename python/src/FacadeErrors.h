//===- FacadeErrors.h - Errors as Python exceptions -------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_PYTHON_SRC_FACADEERRORS_H
#define LIDIA_PYTHON_SRC_FACADEERRORS_H

#include "Facade.h"
#include "lidia/ErrorKind.h"

namespace lidia::python {

inline const char *exceptionOf(ErrorKind Kind) {
  switch (Kind) {
  case ErrorKind::NotAnArchive:
    return "NotAnArchive";
  case ErrorKind::NotABinary:
    return "NotABinary";
  case ErrorKind::Damaged:
    return "Damaged";
  case ErrorKind::Unsupported:
    return "Unsupported";
  case ErrorKind::MissingInformation:
    return "MissingDebugInfo";
  case ErrorKind::Limit:
    return "LimitExceeded";
  case ErrorKind::Argument:
    return "ValueError";
  case ErrorKind::System:
    return "OSError";
  }
  llvm_unreachable("no other kind");
}

inline Failure failure(llvm::Error E) {
  std::unique_ptr<LidiaError> Ours = toLidiaError(std::move(E));
  ErrorKind Kind = kindOf(*Ours);
  Failure F{exceptionOf(Kind), Ours->message(), Ours->file().str()};
  if (Kind != ErrorKind::System)
    return F;
  F.Number = Ours->convertToErrorCode().value();
  // An OSError prints its file name itself.
  llvm::StringRef Text = F.Message;
  if (Text.consume_front(F.File) && Text.consume_front(": "))
    F.Message = Text.str();
  return F;
}

/// The same for an error in the type or the shape of the column \p Name.
inline Failure columnFailure(const char *Name, llvm::Error E) {
  Failure F = failure(std::move(E));
  if (F.Class == llvm::StringRef("Unsupported"))
    return Failure{"TypeError", F.Message, ""};
  return Failure{F.Class, std::string(Name) + ": " + F.Message, ""};
}

} // namespace lidia::python

#endif // LIDIA_PYTHON_SRC_FACADEERRORS_H
