//===- Explain.h - Why an address has its answer ----------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_SYMBOLIZE_EXPLAIN_H
#define LIDIA_SYMBOLIZE_EXPLAIN_H

#include "lidia/Archive/NameOrigins.h"
#include "lidia/Archive/UnnamedFunctions.h"
#include "lidia/Miss.h"
#include "lidia/Symbolize/SymbolizedFrame.h"
#include "lidia/Symbolize/Symbolizer.h"
#include <optional>
#include <string>
#include <vector>

namespace lidia {

/// All that an archive says of one address. Texts are safe to print.
struct Explanation {
  /// The archive's own address.
  uint64_t Address = 0;
  /// In hexadecimal digits; empty if the archive has none.
  std::string BuildID;

  /// The frames that version 1 of the format has for the address, innermost
  /// first: also those of a name that is refuted.
  std::vector<SymbolizedFrame> Frames;
  NameOrigin Origin = NameOrigin::Unknown;
  NameTrust Trust = NameTrust::Certain;
  /// The code of the outermost frame's range, and where in it its name is shown
  /// to hold and may hold; all are addresses.
  std::optional<FunctionExtent> Code;
  uint64_t ShownEnd = 0;
  uint64_t PossibleEnd = 0;
  /// The function that only unwind information has.
  std::optional<FunctionExtent> Unnamed;
  /// The other names of the code at the function's start.
  std::vector<std::string> Aliases;

  /// A row of the line table.
  struct Row {
    uint64_t Address = 0;
    std::string File;
    uint32_t Line = 0;
    uint32_t Column = 0;
    /// Whether it is the one in force at the address.
    bool IsInForce = false;
  };
  /// The row in force with those around it.
  std::vector<Row> Rows;
  /// The compile unit and its language; empty if they are not known.
  std::string Unit;
  std::string Language;

  /// The named functions before and after the address.
  struct Neighbour {
    uint64_t Begin = 0;
    uint64_t End = 0;
    std::string Name;
  };
  std::optional<Neighbour> Before;
  std::optional<Neighbour> After;

  /// The unwind row, with its rules as printUnwindRules() prints them.
  FunctionExtent UnwindRow;
  std::string UnwindRules;

  /// Archive::leftOut().
  MissCode LeftOut = MissCode::None;

  /// Why there is no name or no line.
  MissCode miss() const;
};

/// Explains the answers of \p A for its own \p Addresses, in their order. Takes
/// time in proportion to the aliases and the unnamed functions of \p A, for all
/// addresses together.
std::vector<Explanation> explain(const Archive &A,
                                 llvm::ArrayRef<uint64_t> Addresses);

} // namespace lidia

#endif // LIDIA_SYMBOLIZE_EXPLAIN_H
