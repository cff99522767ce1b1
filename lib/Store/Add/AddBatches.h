//===- AddBatches.h - The second pass of addToStore() -----------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_STORE_ADDBATCHES_H
#define LIDIA_LIB_STORE_ADDBATCHES_H

#include "AddScan.h"

namespace lidia {

/// Makes the archives of \p Inputs, the result of scanSources() for \p Sources,
/// and adds them to the store. Files that are not on the disk are read from
/// their packages again.
void addArchives(llvm::ArrayRef<std::unique_ptr<ScannedInput>> Inputs,
                 llvm::ArrayRef<AddSource> Sources, StoreLayout Layout,
                 const AddOptions &Options, unsigned Threads,
                 WorkFolder &Folder, AddState &State);

} // namespace lidia

#endif // LIDIA_LIB_STORE_ADDBATCHES_H
