//===- Transformer.h - Changes names and paths of an archive ----*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_EXTRACT_TRANSFORMER_H
#define LIDIA_EXTRACT_TRANSFORMER_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <string>

namespace lidia {

/// The names of a function.
struct FunctionNames {
  /// The name that an archive stores: the linkage name, if there is one.
  std::string Name;
  /// The name in the source, without scopes, if Name is a linkage name that
  /// does not contain it (`wordfree` for `__GI_wordfree`); otherwise empty.
  std::string SourceName;
};

/// The position in the source of code, or of a call that was inlined.
struct SourcePosition {
  std::string File;
  /// Zero if unknown.
  uint32_t Line = 0;
  /// Zero if unknown.
  uint32_t Column = 0;
};

/// Changes functions, files and calls before they are written to an archive
/// (ConvertOptions::Transform), for example names that were obfuscated, or
/// positions in generated code. A conversion calls it from one thread, after
/// overlaps are resolved and in order of address, so that the calls do not
/// depend on the number of threads. Conversions that share a transformer may
/// call it at the same time.
///
/// Equal texts must always be changed to equal texts, because an archive
/// distinguishes functions by name and files by path. Functions or files that
/// become equal are merged.
///
/// Changed texts have the same limits as texts that are read: they end at a NUL
/// byte, and once they exceed the limit for names of a file of the binary's
/// size, the remaining texts are left unchanged, with a warning.
///
/// All functions are defined here, so that programs with RTTI, the default of
/// compilers, can derive from it: the libraries have none.
class Transformer {
public:
  virtual ~Transformer() = default;

  /// Bytes that identify this transformation. Caches use them to decide whether
  /// an archive was made with the same transformation.
  virtual std::string fingerprint() const = 0;

  /// Changes the names of a function, inlined or not, of a callee, or of a
  /// symbol. Called once for each name. \p File is the unchanged path of the
  /// file with the code that the function was first seen with, or empty if that
  /// is not known. A SourceName that no longer belongs to the Name should be
  /// cleared.
  virtual void transformFunction(FunctionNames &Function,
                                 llvm::StringRef File) const {
    (void)Function;
    (void)File;
  }

  /// Changes the path of a file: of code, of calls, of declarations or of a
  /// compile unit; or that of a compilation directory. Called once for each
  /// path. If the part after the compilation directory is unchanged, the part
  /// before it becomes the directory.
  virtual void transformFile(std::string &Path) const { (void)Path; }

  /// Whether transformPosition() should be called.
  virtual bool transformsPositions() const { return false; }

  /// Changes a position, whose file has already been changed. Called for each
  /// row of code with an empty \p Callee, and for each inlined call with the
  /// unchanged name of its function. Declarations keep their lines.
  virtual void transformPosition(SourcePosition &Position,
                                 llvm::StringRef Callee) const {
    (void)Position;
    (void)Callee;
  }
};

} // namespace lidia

#endif // LIDIA_EXTRACT_TRANSFORMER_H
