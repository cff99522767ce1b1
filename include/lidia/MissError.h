//===- MissError.h - Errors that say why a module is missing ----*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_MISSERROR_H
#define LIDIA_MISSERROR_H

#include "lidia/Error.h"
#include "lidia/Miss.h"

namespace lidia {

/// A module is missing for the reason code().
class MissError : public ErrorOfClass<MissError> {
public:
  static inline char ID = 0;

  explicit MissError(Miss M)
      : ErrorOfClass(std::make_error_code(std::errc::no_such_file_or_directory),
                     "", M.Text),
        Code(M.Code) {}
  std::unique_ptr<LidiaError> clone() const override {
    return std::make_unique<MissError>(*this);
  }
  MissCode code() const { return Code; }

private:
  MissCode Code;
};

/// A file is of another build than the module that it was found for.
class OtherBuildError : public llvm::ErrorInfo<OtherBuildError, ArgumentError> {
public:
  static inline char ID = 0;
  using ErrorInfo::ErrorInfo;

  std::unique_ptr<LidiaError> clone() const override {
    return std::make_unique<OtherBuildError>(*this);
  }
};

/// \p E as a reason: its text, and the code of its class.
Miss missOf(const llvm::ErrorInfoBase &E);
Miss missOf(llvm::Error E);

} // namespace lidia

#endif // LIDIA_MISSERROR_H
