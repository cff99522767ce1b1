//===- SegmentTables.h - Sections found by program headers ------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_OBJECT_SEGMENTTABLES_H
#define LIDIA_LIB_OBJECT_SEGMENTTABLES_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Object/ELF.h"
#include <vector>

namespace lidia {

/// A section header that stands for a table to which program headers lead.
template <class ELFT> struct SegmentTable {
  llvm::StringRef Name;
  typename ELFT::Shdr Header;
};

/// The tables that the loader and the unwinder of exceptions find without
/// section headers: .dynsym and .dynstr by PT_DYNAMIC, .eh_frame_hdr and
/// .eh_frame by PT_GNU_EH_FRAME, .ARM.exidx by PT_ARM_EXIDX. The first entry
/// is the null section; empty if there are no tables.
///
/// All bytes of the sections are in the file, .dynstr ends with a NUL, and
/// .dynsym links to it.
template <class ELFT>
std::vector<SegmentTable<ELFT>>
findSegmentTables(const llvm::object::ELFFile<ELFT> &File);

} // namespace lidia

#endif // LIDIA_LIB_OBJECT_SEGMENTTABLES_H
