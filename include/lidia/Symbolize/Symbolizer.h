//===- Symbolizer.h - From an address to what is printed --------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_SYMBOLIZE_SYMBOLIZER_H
#define LIDIA_SYMBOLIZE_SYMBOLIZER_H

#include "lidia/Archive/Archive.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/DebugInfo/DIContext.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/StringSaver.h"
#include <vector>

namespace lidia {

/// How strings that come from a binary are given.
enum class TextForm : uint8_t {
  /// As escapeText() has them (lidia/Symbolize/PrintableText.h): for a terminal
  /// and for who reads lines.
  Printable,
  /// With what is not UTF-8 replaced: JSON, in which JSONEscaper escapes the
  /// rest, cannot hold it.
  UTF8,
  /// Byte for byte.
  Raw,
};

/// How names, paths and addresses are to be presented.
struct SymbolizerOptions {
  using PathKind = llvm::DILineInfoSpecifier::FileLineInfoKind;

  /// LinkageName gives the whole name, ShortName the function's own (see
  /// shortName()), None nothing.
  llvm::DINameKind Functions = llvm::DINameKind::LinkageName;
  PathKind Paths = PathKind::AbsoluteFilePath;
  /// Whether a whole name is demangled; a short one always is.
  bool Demangle = true;
  /// How names and paths are given that have bytes in them which are no text.
  TextForm Text = TextForm::Printable;
  /// Was added to the archive's addresses to get the ones asked for.
  uint64_t AdjustVMA = 0;
  /// The addresses asked for stand on a stack: what is meant is the call before
  /// each.
  bool ReturnAddresses = false;
};

/// Turns runtime addresses into frames with an archive, and frames into text.
///
/// Each name is demangled once and each path shortened once, however often they
/// are asked for: strings of an archive are unique, so their offsets are the
/// caches' keys. Not for use by several threads at once; have one for each and
/// let them share the archive.
///
/// There are two ways to use it. frames(), function() and file() allocate
/// nothing once the caches are warm. The others fill the structures of LLVM's
/// symbolizer, for its printers and for programs written to its interface.
class Symbolizer {
public:
  /// \p A must outlive the symbolizer.
  Symbolizer(const Archive &A, const SymbolizerOptions &Options);

  /// The chain of functions at the runtime address \p Address, innermost first.
  /// Valid until the next call.
  llvm::ArrayRef<Frame> frames(uint64_t Address);

  /// The single frame that stands for the whole chain when inlined calls are
  /// not wanted: the place in the innermost function, and the name of the
  /// function that has the code (for short names: of the innermost, as
  /// llvm-symbolizer has it). Null when nothing covers the address.
  const Frame *outerFrame(uint64_t Address);

  /// The name of a frame's function, as the options want it. Empty when not
  /// known.
  llvm::StringRef function(const Frame &F);
  /// The path of a frame's file, as the options want it. Empty when not known.
  llvm::StringRef file(const Frame &F);

  // Answers whose names and paths are more than mostText() bytes, which only an
  // archive can have that was made to, end before the frame that would be too
  // much; wasCut() tells of the last one.

  /// The whole chain; one frame of which nothing is known when there is none.
  llvm::DIInliningInfo inlinedCode(uint64_t Address);
  /// The first frame of the chain.
  llvm::DILineInfo innermostCode(uint64_t Address);
  /// The frame that outerFrame() answers.
  llvm::DILineInfo code(uint64_t Address);

  /// The function that has the code at \p Address, as a symbol: name, start and
  /// size. An archive knows nothing of data.
  llvm::DIGlobal symbol(uint64_t Address);

  /// The places \p Offset bytes into each piece of code named \p Name that has
  /// a source file.
  std::vector<llvm::DILineInfo> find(llvm::StringRef Name, uint64_t Offset);

  /// How many bytes of names and paths one answer may have.
  uint64_t mostText() const;
  /// Whether inlinedCode() or find() last left something out.
  bool wasCut() const { return Cut; }

private:
  std::string readableName(llvm::StringRef Raw) const;
  llvm::StringRef shortenedPath(StringOffset File) const;
  bool isClean(llvm::StringRef Text) const;
  std::string clean(llvm::StringRef Text) const;
  llvm::DILineInfo lineInfo(const Frame &F);
  void indexNames();

  const Archive &A;
  const SymbolizerOptions Options;
  llvm::SmallVector<Frame, 16> Frames;
  llvm::BumpPtrAllocator Allocator;
  llvm::UniqueStringSaver Saver{Allocator};
  llvm::DenseMap<StringOffset, llvm::StringRef> Functions;
  llvm::DenseMap<StringOffset, llvm::StringRef> Files;
  /// Starts of the ranges of depth 0 by name; filled by the first find().
  llvm::DenseMap<llvm::StringRef, llvm::SmallVector<uint64_t, 1>> StartsByName;
  bool NamesIndexed = false;
  bool Cut = false;
};

} // namespace lidia

#endif // LIDIA_SYMBOLIZE_SYMBOLIZER_H
