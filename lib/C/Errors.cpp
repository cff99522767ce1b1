//===- Errors.cpp - Errors of the C interface -----------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Objects.h"
#include "lidia/ErrorKind.h"
#include "llvm/Support/ErrorHandling.h"

using namespace lidia;
using namespace llvm;

static lidia_status statusOf(const LidiaError &E) {
  switch (kindOf(E)) {
  case ErrorKind::NotAnArchive:
    return LIDIA_NOT_AN_ARCHIVE;
  case ErrorKind::NotABinary:
    return LIDIA_NOT_A_BINARY;
  case ErrorKind::Damaged:
    return LIDIA_DAMAGED;
  case ErrorKind::Unsupported:
    return LIDIA_UNSUPPORTED;
  case ErrorKind::MissingInformation:
    return LIDIA_MISSING_INFORMATION;
  case ErrorKind::Limit:
    return LIDIA_LIMIT;
  case ErrorKind::Argument:
    return LIDIA_ARGUMENT;
  case ErrorKind::System:
    return LIDIA_SYSTEM;
  }
  llvm_unreachable("no other kind");
}

lidia_status lidia::fail(lidia_error **Error, llvm::Error E) {
  std::unique_ptr<LidiaError> Ours = toLidiaError(std::move(E));
  lidia_status Status = statusOf(*Ours);
  if (Error) {
    *Error = new lidia_error{Status, 0, Ours->message(), Ours->file().str()};
    if (Status == LIDIA_SYSTEM)
      (*Error)->Errno = Ours->convertToErrorCode().value();
  }
  return Status;
}

lidia_status lidia::failArgument(lidia_error **Error, const Twine &Message) {
  if (Error)
    *Error = new lidia_error{LIDIA_ARGUMENT, 0, Message.str(), ""};
  return LIDIA_ARGUMENT;
}

uint32_t lidia_api_version(void) { return LIDIA_API_VERSION; }

const char *lidia_version(void) { return LIDIA_VERSION_STRING; }

lidia_status lidia_error_status(const lidia_error *error) {
  return error ? error->Status : LIDIA_OK;
}

int lidia_error_errno(const lidia_error *error) {
  return error ? error->Errno : 0;
}

const char *lidia_error_message(const lidia_error *error) {
  return error ? error->Message.c_str() : "";
}

const char *lidia_error_file(const lidia_error *error) {
  return error ? error->File.c_str() : "";
}

void lidia_error_free(lidia_error *error) { delete error; }
