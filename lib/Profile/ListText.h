//===- ListText.h - What lists of functions share ---------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_PROFILE_LISTTEXT_H
#define LIDIA_LIB_PROFILE_LISTTEXT_H

#include "lidia/Profile/ProfilePrinters.h"

namespace lidia {

/// The value of a line or an instruction itself, and with what it called.
struct ListedValue {
  uint64_t Self = 0;
  uint64_t Total = 0;

  /// Adds \p Value of a sample. \p IsNew says whether the sample has not been
  /// added to Total yet.
  void add(uint64_t Value, bool IsSelf, bool IsNew);
};

/// Prints the parts that the lists of source lines and of instructions have in
/// common.
class ListText {
public:
  /// Prints values of the default type of \p TheP, which must outlive this
  /// object.
  ListText(const Profile &TheP, const ProfileView &View)
      : P(TheP), RawUnits(View.RawUnits) {}

  /// \p Value for a column; "." for 0.
  std::string cell(uint64_t Value) const;
  /// "Total: 10.0 s cpu".
  void printTotal(uint64_t Sum, llvm::raw_ostream &OS) const;
  /// The two lines above those of the function \p Name in \p Place, which has
  /// \p Its of \p Sum.
  void printFunction(llvm::StringRef Name, llvm::StringRef Place,
                     const ListedValue &Its, uint64_t Sum,
                     llvm::raw_ostream &OS) const;

private:
  const Profile &P;
  const bool RawUnits;
};

} // namespace lidia

#endif // LIDIA_LIB_PROFILE_LISTTEXT_H
