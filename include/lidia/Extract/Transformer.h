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
  /// As an archive has it: the linkage name, if there is one.
  std::string Name;
  /// The name in the source, without scopes, if Name is a linkage name that
  /// does not contain it (`wordfree` for `__GI_wordfree`); otherwise empty.
  std::string SourceName;
};

/// Where code, or the call that was inlined there, is in the source.
struct SourcePosition {
  std::string File;
  /// Zero if unknown.
  uint32_t Line = 0;
  /// Zero if unknown.
  uint32_t Column = 0;
};

/// Changes functions, files and calls while an archive is made of them
/// (ConvertOptions::Transform), such as names that were obfuscated, or
/// positions in generated code. It sees what the archive will have, after
/// overlaps are resolved: in order of address, which does not depend on
/// threads, and from one thread. Conversions that share a transformer may call
/// it at the same time.
///
/// The same text must always be changed to the same: the archive tells
/// functions apart by name and files by path. Those that become equal are one
/// from then on.
///
/// What is returned is bounded as what is read is: it ends at a NUL byte, and
/// if all of it takes more than the names of a file of the binary's size may,
/// the rest is left as it was, with a warning.
class Transformer {
public:
  virtual ~Transformer();

  /// Bytes that tell this transformation from others. By them, caches know
  /// whether the archive that they have is the one that is wanted.
  virtual std::string fingerprint() const = 0;

  /// Changes the names of a function, inlined or not, of one that is called, or
  /// of a symbol. Called once for each name. \p File, before its change, has
  /// the code that the function was first seen with; it is empty if that is not
  /// known. A SourceName that no longer belongs to the Name should be cleared.
  virtual void transformFunction(FunctionNames &Function,
                                 llvm::StringRef File) const;

  /// Changes the path of a file: of code, of calls, of declarations or of a
  /// compile unit; or that of a compilation directory. Called once for each
  /// path. If the path after the
  /// compilation directory stays, what is before it is the directory then.
  virtual void transformFile(std::string &Path) const;

  /// Whether transformPosition() is to be called.
  virtual bool transformsPositions() const { return false; }

  /// Changes a position, whose file is changed already: called for each row of
  /// code, with an empty \p Callee, and for each inlined call, with the name of
  /// its function before the change. Declarations keep their lines.
  virtual void transformPosition(SourcePosition &Position,
                                 llvm::StringRef Callee) const;
};

} // namespace lidia

#endif // LIDIA_EXTRACT_TRANSFORMER_H
