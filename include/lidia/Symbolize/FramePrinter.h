//===- FramePrinter.h - Prints frames, fast ---------------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_SYMBOLIZE_FRAMEPRINTER_H
#define LIDIA_SYMBOLIZE_FRAMEPRINTER_H

#include "lidia/Symbolize/Symbolizer.h"

namespace lidia {

/// How FramePrinter prints.
struct FramePrinterOptions {
  /// addr2line's style: no column, no empty line after an answer.
  bool GNU = false;
  bool Functions = true;
  bool Address = false;
  bool Pretty = false;
};

/// Prints frames as LLVM's LLVMPrinter and GNUPrinter
/// (llvm/DebugInfo/Symbolize/DIPrinter.h) do, byte for byte, in the forms that
/// scripts request in large numbers. Those classes copy each name and path into
/// a DILineInfo first, which takes several times as long as the lookup; here
/// they go from the archive to the output. LLVM's classes still print verbose
/// output and source text.
class FramePrinter {
public:
  FramePrinter(llvm::raw_ostream &OS, Symbolizer &S,
               const FramePrinterOptions &Options)
      : OS(OS), S(S), Options(Options) {}

  /// Prints \p Frames, with \p Address if the options ask for addresses.
  /// Returns false if frames were left out because their text exceeds
  /// Symbolizer::mostText(), as with inlinedCode().
  bool print(uint64_t Address, llvm::ArrayRef<Frame> Frames);

private:
  void print(const Frame &F, llvm::StringRef Name, llvm::StringRef Path,
             bool Inlined);
  void printNumber(uint32_t Number);

  llvm::raw_ostream &OS;
  Symbolizer &S;
  const FramePrinterOptions Options;
};

} // namespace lidia

#endif // LIDIA_SYMBOLIZE_FRAMEPRINTER_H
