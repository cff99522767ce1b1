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

/// What all rules of a table have in common.
struct UnwindRuleDefaults {
  /// The register that the return address belongs to, where rules do not say
  /// otherwise.
  uint32_t ReturnAddress = 0;
  /// The bytes between the places where two registers are saved one after the
  /// other.
  uint8_t Word = 8;
};

/// Stores \p Rules as bytes in \p Out, whose old contents are lost. Rules are
/// equal if their bytes are.
void encodeRules(const UnwindRules &Rules, const UnwindRuleDefaults &Defaults,
                 std::string &Out);

/// The rules that are stored as \p Bytes, into which expressions point; none if
/// the bytes make no sense.
std::optional<UnwindRules> decodeRules(llvm::StringRef Bytes,
                                       const UnwindRuleDefaults &Defaults);

} // namespace lidia

#endif // LIDIA_LIB_ARCHIVE_UNWINDRULECODEC_H
