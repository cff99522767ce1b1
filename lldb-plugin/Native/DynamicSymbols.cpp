//===- DynamicSymbols.cpp - The functions a module exports ----------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DynamicSymbols.h"
#include "lldb/Core/Module.h"
#include "lldb/Core/Section.h"
#include "lldb/Utility/ConstString.h"
#include "lldb/Utility/DataExtractor.h"
#include "llvm/BinaryFormat/ELF.h"

using namespace lldb;
using namespace lldb_private;
using llvm::StringRef;

namespace lidia {

static bool read(const SectionSP &Section, DataExtractor &Data) {
  return Section && Section->GetSectionData(Data) > 0;
}

bool visitDynamicSymbols(lldb_private::Module &Module,
                         llvm::function_ref<bool(StringRef, uint64_t)> Visit) {
  SectionList *Sections = Module.GetSectionList();
  DataExtractor Table, Names;
  if (!Sections ||
      !read(Sections->FindSectionByType(eSectionTypeELFDynamicSymbols,
                                        /*check_children=*/true),
            Table) ||
      !read(Sections->FindSectionByName(ConstString(".dynstr")), Names))
    return false;
  bool Is64 = Table.GetAddressByteSize() == 8;
  // st_name, st_info, st_other and st_shndx; in a 32-bit file, the last three
  // follow st_value and st_size.
  const offset_t EntrySize = Is64 ? 24 : 16;
  const offset_t ValueAt = Is64 ? 8 : 4;
  const offset_t SectionAt = Is64 ? 6 : 14;
  offset_t Count = Table.GetByteSize() / EntrySize;
  // Linkers may store a name as the tail of another one, which saves a little.
  uint64_t MaxText = 4 * Names.GetByteSize();
  for (offset_t I = 0; I < Count; ++I) {
    offset_t At = I * EntrySize;
    offset_t Name = Table.GetU32(&At);
    At = I * EntrySize + SectionAt;
    if (Table.GetU16(&At) == llvm::ELF::SHN_UNDEF)
      continue;
    At = I * EntrySize + ValueAt;
    uint64_t Value = Table.GetAddress(&At);
    const char *Text = Names.PeekCStr(Name);
    if (!Text)
      continue;
    StringRef Known(Text);
    if (Known.size() > MaxText)
      return false;
    MaxText -= Known.size();
    if (!Visit(Known, Value))
      break;
  }
  return true;
}

} // namespace lidia
