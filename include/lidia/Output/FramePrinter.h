//===- FramePrinter.h - Frames as text --------------------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_OUTPUT_FRAMEPRINTER_H
#define LIDIA_OUTPUT_FRAMEPRINTER_H

#include "lidia/Symbolize/Symbolizer.h"

namespace lidia {

/// What stands for names and paths that are not known.
inline llvm::StringRef orUnknown(llvm::StringRef Text) {
  return Text.empty() ? "??" : Text;
}

/// How FramePrinter prints.
struct FramePrinterOptions {
  /// addr2line's style: no column, no empty line after an answer.
  bool GNU = false;
  bool Functions = true;
  bool Address = false;
  bool Pretty = false;
  bool Verbose = false;
  /// The number of lines of source around that of each frame.
  uint32_t SourceLines = 0;
};

/// Prints frames as LLVM's LLVMPrinter and GNUPrinter
/// (llvm/DebugInfo/Symbolize/DIPrinter.h) do, byte for byte. In the forms that
/// scripts request in large numbers, names and paths go from the archive to the
/// output without a copy.
class FramePrinter {
public:
  FramePrinter(llvm::raw_ostream &TheOS, const FramePrinterOptions &TheOptions)
      : OS(TheOS), Options(TheOptions) {}

  /// Whether the options need more of a frame than Frame has.
  bool needsTexts() const { return Options.Verbose || Options.SourceLines; }

  /// Prints \p Frames, of an archive, with \p Address if the options ask for
  /// addresses. Not if needsTexts(). Returns false if frames were left out
  /// because their text exceeds Symbolizer::maxText(), as with symbolize().
  bool print(Symbolizer &S, uint64_t Address, llvm::ArrayRef<Frame> Frames);

  /// Prints \p Frames, or an unknown frame if it is empty. If \p AreCalls, the
  /// second and following ones are those of which the first is inlined.
  void print(std::optional<uint64_t> Address,
             llvm::ArrayRef<SymbolizedFrame> Frames, bool AreCalls);

  // The parts of an answer that is not of frames.
  void printAddress(std::optional<uint64_t> Address);
  void printEnd();

private:
  void printFunction(llvm::StringRef Name, bool Inlined);
  void printPosition(const FrameView &F, uint32_t Discriminator);
  void printVerbose(const SymbolizedFrame &F);
  void printNumber(uint32_t Number);

  llvm::raw_ostream &OS;
  const FramePrinterOptions Options;
};

/// Prints SymbolizedFrame::SourceLines with numbers, as LLVM does. \p Count is
/// the number of lines that were asked for.
void printSourceLines(llvm::raw_ostream &OS, const SymbolizedFrame &F,
                      uint32_t Count);

} // namespace lidia

#endif // LIDIA_OUTPUT_FRAMEPRINTER_H
