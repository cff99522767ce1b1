//===- FrameView.h - A frame whose texts have another owner -----*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_SYMBOLIZE_FRAMEVIEW_H
#define LIDIA_SYMBOLIZE_FRAMEVIEW_H

#include "lidia/Symbolize/SymbolizedFrame.h"
#include "llvm/ADT/StringRef.h"

namespace lidia {

/// What all outputs have of a frame, without copies of its texts: of a
/// SymbolizedFrame, or from Symbolizer::view().
struct FrameView {
  llvm::StringRef Function;
  llvm::StringRef File;
  uint32_t Line = 0;
  uint32_t Column = 0;
  /// As in SymbolizedFrame.
  bool IsUncertain = false;
  NameOrigin Origin = NameOrigin::Unknown;

  FrameView() = default;
  FrameView(llvm::StringRef TheFunction, llvm::StringRef TheFile,
            uint32_t TheLine, uint32_t TheColumn)
      : Function(TheFunction), File(TheFile), Line(TheLine), Column(TheColumn) {
  }
  FrameView(const SymbolizedFrame &F)
      : FrameView(F.Function, F.File, F.Line, F.Column) {
    IsUncertain = F.IsUncertain;
    Origin = F.Origin;
  }
};

/// What text appends to the function of \p F.
inline llvm::StringRef uncertainMark(const FrameView &F) {
  return F.IsUncertain ? "?" : "";
}

} // namespace lidia

#endif // LIDIA_SYMBOLIZE_FRAMEVIEW_H
