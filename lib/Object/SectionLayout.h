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

/// An address after all code of a relocatable object, for symbols that have no
/// place in its address space: those of other objects and of data. Debug
/// information that refers to it describes no code. It is far from both ends of
/// the address space, so that adding a size does not lead back to the code.
uint64_t addressOfNothing(bool Is64Bit);

/// Sets the address of each executable section of a relocatable object, in
/// which all are zero: by the rules for SECT in docs/Format.md, which depend on
/// the order, sizes and alignments of these sections only, so that a debug file
/// has the same addresses. A section that is empty or does not fit below
/// addressOfNothing() loses its flag SHF_EXECINSTR, because its addresses are
/// those of others. Returns how many do not fit.
uint64_t placeSections(llvm::MutableArrayRef<Section> Sections, bool Is64Bit);

/// Whether \p S, of a relocatable object, has a place.
bool hasPlace(const Section &S);

/// The sections of \p File, a relocatable object, that have a place, by
/// address.
std::vector<const Section *> placedSections(const Binary &File);

/// Whether the relocatable objects \p A and \p B have the same places.
bool haveSamePlaces(const Binary &A, const Binary &B);

} // namespace lidia

#endif // LIDIA_LIB_OBJECT_SECTIONLAYOUT_H
