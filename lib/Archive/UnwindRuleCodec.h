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
  /// The register whose rule gives the return address, unless rules name
  /// another.
  uint32_t ReturnAddress = 0;
  /// The distance in bytes between registers that are saved next to each other.
  uint8_t Word = 8;
};

/// Encodes \p Rules and replaces the contents of \p Out. Rules are equal if and
/// only if their bytes are.
void encodeRules(const UnwindRules &Rules, const UnwindRuleDefaults &Defaults,
                 std::string &Out);

/// Decodes the rules in \p Bytes; expressions point into \p Bytes. None if the
/// bytes are invalid.
std::optional<UnwindRules> decodeRules(llvm::StringRef Bytes,
                                       const UnwindRuleDefaults &Defaults);

} // namespace lidia

#endif // LIDIA_LIB_ARCHIVE_UNWINDRULECODEC_H
