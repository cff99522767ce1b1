//===- SymbolizedFrame.h - A function at an address -------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Needs only the standard library, because code with exceptions uses it, too,
/// and must not share LLVM's classes.
///
//===----------------------------------------------------------------------===//

#ifndef LIDIA_SYMBOLIZE_SYMBOLIZEDFRAME_H
#define LIDIA_SYMBOLIZE_SYMBOLIZEDFRAME_H

#include "lidia/Archive/NameOrigin.h"
#include "lidia/Miss.h"
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace lidia {

/// A frame of an archive (Frame) with its texts, in the forms that
/// SymbolizerOptions select. Texts are empty and numbers 0 if they are not
/// known.
struct SymbolizedFrame {
  std::string Function;
  std::string File;
  uint32_t Line = 0;
  uint32_t Column = 0;
  /// Only llvm-symbolizer knows it; archives do not have it.
  uint32_t Discriminator = 0;
  /// Where the function is declared.
  uint32_t StartLine = 0;
  std::string StartFile;
  /// The piece of code of the function, or of the inlined call, that has the
  /// address: where it begins, its size in bytes if that is known, and how far
  /// the address is after its beginning.
  std::optional<uint64_t> StartAddress;
  uint64_t FunctionSize = 0;
  uint64_t FunctionOffset = 0;
  /// Whether the next frame's function has this one inlined.
  bool IsInlined = false;
  /// Whether nothing shows that the function of that name reaches the address
  /// (NameTrust::Uncertain). Only with SymbolizerOptions::Doubt.
  bool IsUncertain = false;
  /// Where Function is from.
  NameOrigin Origin = NameOrigin::Unknown;
  /// How many other names the code at the function's start has. Only with
  /// SymbolizerOptions::Aliases.
  uint32_t Aliases = 0;

  /// What leads to the source code. Null unless SymbolizerOptions::Sources is
  /// set.
  struct SourceOrigin {
    /// The path in the archive, not changed by --paths.
    std::string File;
    /// The text of the file, if the archive has it. Frames share it.
    std::shared_ptr<const std::string> Text;
  };
  std::shared_ptr<const SourceOrigin> From;
  /// The lines around the frame's, each with a newline, from firstSourceLine()
  /// on.
  std::string SourceLines;
};

/// The number of the first of \p Count lines of source around \p Line, as
/// LLVM's printers choose it.
inline uint64_t firstSourceLine(uint32_t Line, uint32_t Count) {
  return Line > Count / 2 ? Line - Count / 2 : 1;
}

/// A function as a symbol.
struct SymbolizedSymbol {
  /// Empty if it is not known.
  std::string Name;
  uint64_t Start = 0;
  uint64_t Size = 0;
};

/// Why an answer has no name or no line. \p LeftOut is why the archive lacks
/// parts, if it does.
inline MissCode missOfAnswer(bool HasName, bool HasLine, MissCode LeftOut) {
  if (HasName && HasLine)
    return MissCode::None;
  if (LeftOut != MissCode::None)
    return LeftOut;
  return HasName ? MissCode::NoLines : MissCode::NoSymbols;
}

/// The same of \p Frames, a list of the frames of one address.
template <typename FramesT>
MissCode missOfFrames(const FramesT &Frames,
                      MissCode LeftOut = MissCode::None) {
  return missOfAnswer(!Frames.empty() && !Frames.back().Function.empty(),
                      !Frames.empty() && Frames.front().Line, LeftOut);
}

} // namespace lidia

#endif // LIDIA_SYMBOLIZE_SYMBOLIZEDFRAME_H
