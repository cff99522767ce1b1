//===- SymbolFileSource.cpp - Ranges from other tools' symbol files -------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Conversion.h"
#include "SymbolFiles/SymbolFileReader.h"

using namespace llvm;

namespace lidia {

/// The symbol file is given in place of the binary or of its debug file. In the
/// latter case, its addresses are converted to those of the binary.
Error readSymbolFileSource(Conversion &C) {
  const SymbolFile *File = C.Files.withDebugInfo().asSymbolFile();
  if (!File)
    return Error::success();
  uint64_t Bias = File->isRelative() ? C.Files.Main->imageBase() : 0;
  bool IsMain = File == C.Files.Main->asSymbolFile();
  bool WantPads = IsMain && C.Options.FindReturnPads;
  return C.addExtractor(
      *createReader(*File, WantPads ? &C.ReturnPads : nullptr), File->path(),
      Bias);
}

} // namespace lidia
