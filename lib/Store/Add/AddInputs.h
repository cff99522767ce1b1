//===- AddInputs.h - The files to add to a store ----------------*- C++ -*-===//
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

/// A file that the inputs name or contain.
struct AddSource {
  std::string Path;
  /// Named by the user, not found in a folder.
  bool IsNamed = false;
};

/// What a binary contains.
enum class InputKind : uint8_t {
  /// It has code.
  Program,
  /// A debug file: it has addresses of code, but no code.
  Debug,
  /// A supplementary file: debug information without code.
  Supplementary,
};

/// A binary among the inputs.
struct AddInput {
  /// For messages: the path, or the paths of the package and in the package.
  std::string Name;
  /// The path on the disk. Empty if it is only in its package.
  std::string Path;
  uint64_t Size = 0;
  llvm::SmallVector<uint8_t, 20> BuildID;
  /// Of an ELF file with code, as profilers see it; otherwise empty.
  llvm::SmallVector<uint8_t, 16> FileHash;
  InputKind Kind = InputKind::Program;
  bool HasDWARF = false;
  /// Whether its archive may have lines.
  bool MayHaveLines = false;
  bool IsNamed = false;
  /// The path in its package, if it is from one.
  std::string PathInPackage;
  /// The index of the source, and of the member if the source is a package.
  size_t Source = 0;
  uint64_t Member = 0;
};

/// The files that \p Inputs name, in order. A folder stands for the regular
/// files in it, sorted. Calls \p Fail for files that do not exist.
std::vector<AddSource> findSources(llvm::ArrayRef<std::string> Inputs,
                                   llvm::function_ref<void(llvm::Error)> Fail);

/// Describes the file \p Path, called \p Name in messages. None if it has
/// neither code nor debug information, or no build ID. Except in Pyroscope's
/// layout, a program whose htlhash covers the build ID of Go has the hash in
/// place of one: profiles of OpenTelemetry name it by the hash.
llvm::Expected<std::optional<AddInput>> describeInput(const std::string &Path,
                                                      llvm::StringRef Name,
                                                      StoreLayout Layout);

/// The inputs of one build ID.
struct AddGroup {
  /// The file that is converted.
  const AddInput *Main = nullptr;
  /// Its debug file, or null.
  const AddInput *Debug = nullptr;
  /// Of all programs with this build ID, such as the stripped one that runs.
  llvm::SmallVector<llvm::SmallVector<uint8_t, 16>, 1> FileHashes;
};

/// Pairs \p Inputs, in their order. Supplementary files are not in any group.
std::vector<AddGroup> groupInputs(llvm::ArrayRef<const AddInput *> Inputs);

} // namespace lidia

#endif // LIDIA_LIB_STORE_ADDINPUTS_H
