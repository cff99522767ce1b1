//===- AddScan.h - The first pass of addToStore() ---------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_STORE_ADDSCAN_H
#define LIDIA_LIB_STORE_ADDSCAN_H

#include "AddInputs.h"
#include "AddState.h"
#include "WorkFolder.h"
#include <memory>
#include <vector>

namespace lidia {

/// An input, and its file if it is in the work folder.
struct ScannedInput {
  AddInput Input;
  WorkFilePointer File;
};

/// Reads all \p Sources, packages as streams, and returns the inputs that the
/// store does not have yet, sorted by source and member. Binaries in packages
/// are written to \p Folder, where they stay as long as they take at most half
/// of it (three quarters for supplementary files, which several binaries need).
std::vector<std::unique_ptr<ScannedInput>>
scanSources(llvm::ArrayRef<AddSource> Sources, SymbolStore &Store,
            const AddOptions &Options, unsigned Threads, WorkFolder &Folder,
            AddState &State);

/// The name of a member for messages.
std::string nameOfMember(const AddSource &Package, const PackageMember &Member);

} // namespace lidia

#endif // LIDIA_LIB_STORE_ADDSCAN_H
