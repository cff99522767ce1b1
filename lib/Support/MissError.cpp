//===- MissError.cpp - Errors that say why a module is missing ------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/MissError.h"

using namespace llvm;

namespace lidia {

static MissCode codeOf(const ErrorInfoBase &E) {
  if (E.isA<MissError>())
    return static_cast<const MissError &>(E).code();
  if (E.isA<OtherBuildError>())
    return MissCode::OtherBuild;
  if (E.isA<MissingInformationError>())
    return MissCode::NoSymbols;
  if (E.isA<DamagedError>())
    return MissCode::Damaged;
  if (E.isA<LimitError>())
    return MissCode::Limit;
  if (E.isA<UnsupportedError>() || E.isA<NotABinaryError>() ||
      E.isA<NotAnArchiveError>())
    return MissCode::Unsupported;
  if (E.isA<OutageError>())
    return MissCode::NoAnswer;
  std::error_code Code = E.convertToErrorCode();
  if (Code == std::errc::no_such_file_or_directory ||
      Code == std::errc::not_a_directory)
    return MissCode::NoFile;
  if (Code == std::errc::permission_denied ||
      Code == std::errc::operation_not_permitted)
    return MissCode::NoPermission;
  return MissCode::Other;
}

Miss missOf(const ErrorInfoBase &E) { return {codeOf(E), E.message()}; }

Miss missOf(Error E) {
  Miss Result;
  handleAllErrors(std::move(E), [&](const ErrorInfoBase &Info) {
    if (!Result.Text.empty())
      Result.Text += '\n';
    Result.Text += Info.message();
    if (Result.empty())
      Result.Code = codeOf(Info);
  });
  return Result;
}

} // namespace lidia
