//===- AddInputs.h - What is added to a store -------------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_STORE_ADDINPUTS_H
#define LIDIA_LIB_STORE_ADDINPUTS_H

#include "lidia/Store/AddToStore.h"
#include <map>

namespace lidia {

/// A file that the inputs name.
struct AddSource {
  std::string Path;
  /// By the user, and not found in a folder.
  bool IsNamed = false;
};

/// What a binary is good for.
enum class InputKind : uint8_t {
  /// It has code.
  Program,
  /// A debug file: it has the addresses of code.
  Debug,
  /// A supplementary file: debug information without code.
  Supplementary,
};

/// A binary among the inputs.
struct AddInput {
  /// For messages: the path, or those of the package and in it.
  std::string Name;
  /// Where it is on the disk. Empty: only in its package.
  std::string Path;
  uint64_t Size = 0;
  llvm::SmallVector<uint8_t, 20> BuildID;
  InputKind Kind = InputKind::Program;
  bool HasDWARF = false;
  bool IsNamed = false;
  /// The index of the source, and of the member if that is a package.
  size_t Source = 0;
  uint64_t Member = 0;
};

/// The files that \p Inputs name, in order: of folders those in them that are
/// regular files, sorted. Calls \p Fail for what does not exist.
std::vector<AddSource> findSources(llvm::ArrayRef<std::string> Inputs,
                                   llvm::function_ref<void(llvm::Error)> Fail);

/// What \p Path, called \p Name in messages, is. None if it is no binary, or
/// has no build ID or nothing that could be used.
llvm::Expected<std::optional<AddInput>> describeInput(const std::string &Path,
                                                      llvm::StringRef Name);

/// The inputs of one build ID.
struct AddGroup {
  /// The file that is converted.
  const AddInput *Main = nullptr;
  /// Its debug file, or null.
  const AddInput *Debug = nullptr;
};

/// Pairs \p Inputs, in their order. Supplementary files are in no group.
std::vector<AddGroup> groupInputs(llvm::ArrayRef<const AddInput *> Inputs);

} // namespace lidia

#endif // LIDIA_LIB_STORE_ADDINPUTS_H
