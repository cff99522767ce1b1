//===- ModuleIdentity.h - What is known of a module -------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_MODULES_MODULEIDENTITY_H
#define LIDIA_MODULES_MODULEIDENTITY_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace lidia {

/// A module as an input describes it: a log, a profile, a core. Untrusted.
struct ModuleIdentity {
  /// A path or a base name, which may be followed by " (deleted)"; or empty. Of
  /// a path of Windows, only the base name is used, in any case of its letters.
  llvm::StringRef Path;
  /// Empty if it is not known.
  llvm::ArrayRef<uint8_t> BuildID;
  /// The "htlhash" of OpenTelemetry's profiles; empty if it is not known. Used
  /// only if there is no build ID, because stripping a program changes the
  /// hash.
  llvm::ArrayRef<uint8_t> FileHash = {};
  /// Whether this is the program itself. If the user named only one file, it is
  /// used for the program whatever its name.
  bool IsProgram = false;
  /// Whether Path is the name of a kernel module. Its file is NAME.ko,
  /// NAME.ko.xz, NAME.ko.zst or NAME.ko.debug, named by the user or anywhere in
  /// the folders. A '-' in a file's name corresponds to '_' in the module's
  /// name.
  bool IsKernelModule = false;
  /// Whether it is a PE or Mach-O file (or its PDB file, see DebugFile) and not
  /// an ELF file.
  bool IsForeign = false;
  /// Whether it is a PE file, with a path of Windows. In folders, the file may
  /// be anywhere, also packed (x.ex_, x.dl_).
  bool IsWindows = false;
  /// codeIDOfPE() of a PE file, which it must have if BuildID is not known;
  /// empty if it is not known.
  llvm::StringRef CodeID = {};
  /// The path of the PDB file of a PE file. If there is no file of the module,
  /// its PDB file with the build ID BuildID is used, from anywhere in the
  /// folders by its base name, also packed (x.pd_), or by the build ID.
  llvm::StringRef DebugFile = {};
};

} // namespace lidia

#endif // LIDIA_MODULES_MODULEIDENTITY_H
