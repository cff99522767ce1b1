//===- ExportCheck.h - Exported DWARF, read by LLVM -------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_UTILS_FUZZ_EXPORTCHECK_H
#define LIDIA_UTILS_FUZZ_EXPORTCHECK_H

#include "FuzzInput.h"
#include "llvm/DebugInfo/DWARF/DWARFContext.h"
#include "llvm/DebugInfo/DWARF/DWARFDie.h"
#include "llvm/Object/ELFObjectFile.h"

namespace lidia {

/// Checks what the DIE of a function, a variable or a type refers to.
inline void checkDIE(const llvm::DWARFDie &D) {
  using namespace llvm;
  for (dwarf::Attribute A : {dwarf::DW_AT_location, dwarf::DW_AT_frame_base})
    if (D.find(A))
      // The error is one of reading a list.
      if (Expected<DWARFLocationExpressionsVector> Locations =
              D.getLocations(A);
          !Locations)
        report_fatal_error(Locations.takeError());
  if (D.find(dwarf::DW_AT_ranges))
    if (Expected<DWARFAddressRangesVector> Ranges = D.getAddressRanges();
        !Ranges)
      report_fatal_error(Ranges.takeError());
  // Zero stands for a namespace without types.
  if (std::optional<DWARFFormValue> Type = D.find(dwarf::DW_AT_type);
      Type && Type->getRawUValue() != 0)
    check(D.getAttributeValueAsReferencedDie(dwarf::DW_AT_type).isValid(),
          "a DIE has a type that is no DIE");
}

/// Reads units, lines and, at \p Addresses, inlined calls as llvm-symbolizer
/// does, and all DIEs, and ends the process at an error.
inline void readWithLLVM(llvm::StringRef ELF,
                         llvm::ArrayRef<uint64_t> Addresses) {
  using namespace llvm;
  Expected<std::unique_ptr<object::ObjectFile>> File =
      object::ObjectFile::createObjectFile(MemoryBufferRef(ELF, "exported"));
  if (!File) {
    // LLVM does not support all machines that an archive may have.
    consumeError(File.takeError());
    return;
  }
  auto Complain = [](Error E) { report_fatal_error(std::move(E)); };
  std::unique_ptr<DWARFContext> Context = DWARFContext::create(
      **File, DWARFContext::ProcessDebugRelocations::Process, nullptr, "",
      Complain, Complain);
  for (const auto &Unit : Context->compile_units()) {
    if (Expected<const DWARFDebugLine::LineTable *> Table =
            Context->getLineTableForUnit(Unit.get(), Complain);
        !Table)
      Complain(Table.takeError());
    if (Error E = Unit->tryExtractDIEsIfNeeded(/*CUDieOnly=*/false))
      Complain(std::move(E));
    for (const DWARFDebugInfoEntry &Entry : Unit->dies())
      checkDIE({Unit.get(), &Entry});
  }
  for (uint64_t Address : Addresses.take_front(32))
    Context->getInliningInfoForAddress({Address, 0});
}

} // namespace lidia

#endif // LIDIA_UTILS_FUZZ_EXPORTCHECK_H
