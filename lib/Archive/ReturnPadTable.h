//===- ReturnPadTable.h - The RPAD section being written --------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_ARCHIVE_RETURNPADTABLE_H
#define LIDIA_LIB_ARCHIVE_RETURNPADTABLE_H

#include "lidia/Archive/Archive.h"
#include "lidia/Archive/Fields.h"
#include <string>
#include <vector>

namespace lidia {

/// The return pads of an archive being written. The sizes of pages and fields
/// are chosen when all pads are known; until then, each field has its own
/// array.
class ReturnPadTable {
public:
  /// Pads come in ascending order.
  void add(const ReturnPad &Pad);

  bool empty() const { return Addresses.empty(); }

  /// The RPAD section.
  std::string bytes() const;

private:
  /// A page in its on-disk form.
  struct Page {
    uint64_t FirstPad = 0;
    uint64_t FirstRange = 0;
  };

  unsigned chooseShift() const;
  std::vector<Page> makePages(unsigned Shift) const;
  uint64_t page(uint64_t Pad, unsigned Shift) const {
    return (Addresses[Pad] - Addresses[0]) >> Shift;
  }
  uint64_t offset(uint64_t Pad, unsigned Shift) const;
  uint64_t rangeField(uint64_t Pad, const Page &P) const;

  FieldArray Addresses{4};
  /// One more than the index; zero for none.
  FieldArray Ranges{4};
  FieldArray Rows{1};
  bool AnyRow = false;
};

} // namespace lidia

#endif // LIDIA_LIB_ARCHIVE_RETURNPADTABLE_H
