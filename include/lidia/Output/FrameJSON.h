//===- FrameJSON.h - The members of a frame in JSON -------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The one place that knows the members of docs/json-schema.json's "frame", but
/// for "source", which needs the number of lines that were asked for. \p Write
/// is called with a name and a llvm::StringRef or a number; only known values
/// are written.
///
//===----------------------------------------------------------------------===//

#ifndef LIDIA_OUTPUT_FRAMEJSON_H
#define LIDIA_OUTPUT_FRAMEJSON_H

#include "lidia/Archive/NameOrigins.h"
#include "lidia/Symbolize/FrameView.h"
#include "lidia/Symbolize/PrintableText.h"
#include "lidia/Symbolize/SourceURLs.h"
#include "llvm/ADT/StringExtras.h"

namespace lidia {

/// The members that each frame has.
template <typename WriterT>
void writeFrameMembers(const FrameView &F, WriterT &&Write) {
  if (!F.Function.empty())
    Write("function", F.Function);
  if (!F.File.empty())
    Write("file", F.File);
  if (F.Line)
    Write("line", F.Line);
  if (F.Column)
    Write("column", F.Column);
  if (F.IsUncertain)
    Write("uncertain", true);
  if (F.Origin != NameOrigin::Unknown)
    Write("origin", toString(F.Origin));
}

/// Those, and the members of which the reader is told only in some answers.
/// \p Links may be null.
template <typename WriterT>
void writeFrameMembers(const SymbolizedFrame &F, const SourceURLs *Links,
                       WriterT &&Write) {
  writeFrameMembers(FrameView(F), Write);
  if (F.IsInlined)
    Write("inlined", true);
  if (F.Aliases)
    Write("aliases", F.Aliases);
  if (F.Discriminator)
    Write("discriminator", F.Discriminator);
  if (!F.StartFile.empty())
    Write("start_file", llvm::StringRef(F.StartFile));
  if (F.StartLine)
    Write("start_line", F.StartLine);
  if (F.StartAddress)
    Write("start_address", llvm::StringRef(hex(*F.StartAddress)));
  if (Links)
    if (std::string URL = Links->urlOf(F); !URL.empty())
      Write("source_url", llvm::StringRef(URL));
}

} // namespace lidia

#endif // LIDIA_OUTPUT_FRAMEJSON_H
