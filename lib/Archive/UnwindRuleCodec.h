//===- UnwindRuleCodec.h - Unwind rules as bytes ----------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_ARCHIVE_UNWINDRULECODEC_H
#define LIDIA_LIB_ARCHIVE_UNWINDRULECODEC_H

#include "lidia/Archive/UnwindTable.h"

namespace lidia {

/// Stores \p Rules as bytes in \p Out, whose old contents are lost. Rules are
/// equal if their bytes are. \p ReturnAddress is that of most rules.
void encodeRules(const UnwindRules &Rules, uint32_t ReturnAddress,
                 std::string &Out);

/// The rules that are stored as \p Bytes, into which expressions point; none if
/// the bytes make no sense.
std::optional<UnwindRules> decodeRules(llvm::StringRef Bytes,
                                       uint32_t ReturnAddress);

} // namespace lidia

#endif // LIDIA_LIB_ARCHIVE_UNWINDRULECODEC_H
