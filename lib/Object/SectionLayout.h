//===- SectionLayout.h - Addresses for relocatable objects ------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_OBJECT_SECTIONLAYOUT_H
#define LIDIA_LIB_OBJECT_SECTIONLAYOUT_H

#include "Binary.h"

namespace lidia {

/// An address after all code of a relocatable object, for symbols without an
/// address in its address space: those of other objects and of data. Debug
/// information that refers to it describes no code. It is far from both ends of
/// the address space, so that adding a size does not lead back to the code.
uint64_t addressOfNothing(bool Is64Bit);

/// Sets the address of each executable section of a relocatable object, in
/// which all addresses are zero, by the rules for SECT in docs/Format.md. The
/// rules depend only on the order, sizes and alignments of these sections, so
/// that a debug file gets the same addresses. A section that is empty or does
/// not fit below addressOfNothing() loses its flag SHF_EXECINSTR, because other
/// sections have its addresses. Returns the number of sections that do not fit.
uint64_t placeSections(llvm::MutableArrayRef<Section> Sections, bool Is64Bit);

/// Whether \p S, a section of a relocatable object, has an address.
bool hasPlace(const Section &S);

/// The sections of \p File, a relocatable object, that have an address and are
/// not empty, in order of address.
std::vector<const Section *> placedSections(const Binary &File);

/// Whether the sections of the relocatable objects \p A and \p B have the same
/// addresses.
bool haveSamePlaces(const Binary &A, const Binary &B);

} // namespace lidia

#endif // LIDIA_LIB_OBJECT_SECTIONLAYOUT_H
