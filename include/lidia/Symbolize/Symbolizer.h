//===- Symbolizer.h - From addresses to printable frames --------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_SYMBOLIZE_SYMBOLIZER_H
#define LIDIA_SYMBOLIZE_SYMBOLIZER_H

#include "lidia/Archive/Archive.h"
#include "lidia/Archive/NameOrigins.h"
#include "lidia/Archive/Sources.h"
#include "lidia/Archive/UnnamedFunctions.h"
#include "lidia/Symbolize/FrameView.h"
#include "lidia/Symbolize/Names.h"
#include "lidia/Symbolize/ReadablePaths.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/DebugInfo/DIContext.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/StringSaver.h"
#include <deque>
#include <map>
#include <memory>
#include <vector>

namespace lidia {

/// How strings from a binary are returned.
enum class TextForm : uint8_t {
  /// Escaped by escapeText() (lidia/Symbolize/PrintableText.h), for terminals
  /// and line-oriented readers.
  Printable,
  /// With bytes that are not UTF-8 replaced, because JSON cannot hold them;
  /// JSONEscaper escapes the rest.
  UTF8,
  /// Byte for byte.
  Raw,
};

/// How names, paths and addresses are presented.
struct SymbolizerOptions {
  using PathKind = llvm::DILineInfoSpecifier::FileLineInfoKind;

  /// LinkageName selects the full name, ShortName the name without scopes (see
  /// shortName()), and None no name.
  llvm::DINameKind Functions = llvm::DINameKind::LinkageName;
  PathKind Paths = PathKind::AbsoluteFilePath;
  /// Shortens paths for people, before Paths applies. Null to leave them
  /// unchanged.
  std::shared_ptr<const ReadablePaths> Readable;
  /// Whether a full name is demangled; a short one always is.
  bool Demangle = true;
  /// How demangled names of Rust's older mangling are written.
  OlderRust Rust = OlderRust::AsCXX;
  /// How names and paths with unprintable bytes are returned.
  TextForm Text = TextForm::Printable;
  /// The runtime addresses are the archive's addresses plus this.
  uint64_t AdjustVMA = 0;
  /// The addresses are return addresses from a stack: look up the call before
  /// each.
  bool ReturnAddresses = false;
  /// Leave out names that unwind information refutes, and tell which ones are
  /// uncertain (lidia/Archive/NameOrigins.h). LLVM's tools do neither.
  bool Doubt = true;
  /// Count the other names of functions, in SymbolizedFrames. The first frame
  /// takes time in proportion to the archive's aliases.
  bool Aliases = false;
  /// Add to SymbolizedFrames where their source code is, and the code itself if
  /// the archive has it.
  bool Sources = false;
};

/// Which frames of an address answer.
enum class FrameChoice : uint8_t {
  /// The whole chain of inlined calls.
  All,
  /// Only the innermost frame.
  Innermost,
  /// A single frame that stands for the chain, as in llvm-symbolizer: the
  /// position in the innermost function, and the name of the outermost one (for
  /// short names: of the innermost).
  Outer,
};

/// Turns runtime addresses into frames, using an archive, and frames into text.
///
/// Each name is demangled once and each path shortened once, however often they
/// are requested: strings of an archive are unique, so their offsets are the
/// caches' keys. Not thread-safe: use one per thread, sharing the archive.
///
/// There are two ways to use it. frames(), function(), file() and view()
/// allocate nothing once the caches are warm. The others make
/// SymbolizedFrames, which own their texts.
class Symbolizer {
public:
  /// \p A must outlive the symbolizer.
  Symbolizer(const Archive &A, const SymbolizerOptions &Options);

  /// The chain of functions at the runtime address \p Address, innermost first.
  /// Valid until the next call.
  llvm::ArrayRef<Frame> frames(uint64_t Address);
  /// The same, or only those of \p Which.
  llvm::ArrayRef<Frame> frames(uint64_t Address, FrameChoice Which);

  /// Looks up \p Addresses on \p Threads threads, with their names and paths,
  /// for later calls of frames() with the same addresses in the same order.
  /// Addresses are looked up in ascending order, so that each part of a
  /// compressed archive is unpacked only once. Forgets the addresses of the
  /// previous call. Takes about 300 bytes for each address.
  void prepare(llvm::ArrayRef<uint64_t> Addresses, unsigned Threads = 1);

  /// The frames of the address at \p Index in the array that was passed to
  /// prepare(). Until the next call of another method, several threads may call
  /// this method, and may call function() and file() with the result.
  llvm::ArrayRef<Frame> prepared(size_t Index) const {
    return Prepared[Index].Frames;
  }

  /// Calls \p Visit with the index and the frames of each of \p Addresses, in
  /// order. Addresses should be ascending: each part of a compressed archive is
  /// then unpacked only once. If the archive is on another machine, everything
  /// that function() and file() will read is fetched as well. Several threads
  /// may call this at the same time, and at the same time as any other method.
  void
  visitAll(llvm::ArrayRef<uint64_t> Addresses,
           llvm::function_ref<void(size_t, llvm::ArrayRef<Frame>)> Visit) const;

  /// The name of a frame's function, in the form that the options select. Empty
  /// if unknown.
  llvm::StringRef function(const Frame &F);
  /// The path of a frame's file, in the form that the options select. Empty if
  /// unknown.
  llvm::StringRef file(const Frame &F);
  /// Whether the name of \p F, which answers \p Address, is uncertain.
  bool isUncertain(const Frame &F, uint64_t Address) const {
    return Doubts && trust(F, Address) == NameTrust::Uncertain;
  }
  /// The function without a name that contains the runtime address \p Address,
  /// at the archive's addresses. Only with SymbolizerOptions::Doubt, for an
  /// address without frames. Several threads must not call this.
  std::optional<FunctionExtent> unnamedFunction(uint64_t Address);
  /// The source of the name of \p F.
  NameOrigin origin(const Frame &F);
  FrameView view(const Frame &F) {
    return {function(F), file(F), F.Line, F.Column};
  }
  /// The same, with what is known of the name of \p F, which answers
  /// \p Address.
  FrameView viewWithOrigin(const Frame &F, uint64_t Address);

  // Answers whose names and paths exceed maxText() bytes, which only crafted
  // archives can have, end before the frame that would exceed it; wasCut()
  // tells whether the last one did.

  /// The frames of \p Address; empty if nothing covers it.
  std::vector<SymbolizedFrame> symbolize(uint64_t Address,
                                         FrameChoice Which = FrameChoice::All);

  /// The function that covers \p Address. An archive has no information on
  /// data.
  SymbolizedSymbol symbol(uint64_t Address);

  /// The positions \p Offset bytes into each piece of code named \p Name, if it
  /// has a source file.
  std::vector<SymbolizedFrame> find(llvm::StringRef Name, uint64_t Offset);

  /// The bytes of names and paths that are kept in memory. Long-running callers
  /// can create a new symbolizer when this becomes too large.
  uint64_t textMemory() const;

  /// The maximum size of the names and paths of one answer, in bytes.
  uint64_t maxText() const;
  /// Whether the last call of symbolize() or find() left something out.
  bool wasCut() const { return Cut; }

private:
  /// The frames of an address, as a part of PreparedFrames.
  struct PreparedAddress {
    uint64_t Address = 0;
    llvm::ArrayRef<Frame> Frames;
  };

  void lookUp(uint64_t Address, llvm::SmallVectorImpl<Frame> &Frames) const;
  NameTrust trust(const Frame &F, uint64_t Address) const;
  llvm::ArrayRef<Frame> takePrepared();
  llvm::ArrayRef<Frame> chosen(FrameChoice Which);
  void lookUpAll(
      llvm::ArrayRef<uint64_t> Addresses,
      llvm::function_ref<void(size_t, llvm::ArrayRef<Frame>)> Visit) const;
  void prepareSome(llvm::ArrayRef<std::pair<uint64_t, size_t>> Some,
                   std::vector<Frame> &All);
  void keepStrings(std::vector<StringOffset> Strings, unsigned Threads) const;
  void prepareNames(llvm::ArrayRef<StringOffset> Names, unsigned Threads);
  bool isStored(llvm::StringRef Raw) const;
  std::string readableName(llvm::StringRef Raw) const;
  std::string shortenedPath(StringOffset File) const;
  bool isClean(llvm::StringRef Text) const;
  std::string clean(std::string Text) const;
  SymbolizedFrame withTexts(const Frame &F, uint64_t Address);
  void addOrigin(SymbolizedFrame &To, StringOffset File);
  void addDeclaration(SymbolizedFrame &To, uint64_t RangeIndex);
  uint32_t aliasesOf(uint64_t Root);
  void indexNames();

  const Archive &A;
  const SymbolizerOptions Options;
  /// Set by the constructor if the options doubt names, otherwise when needed.
  std::optional<NameOrigins> Origins;
  /// Set when needed.
  std::optional<UnnamedFunctions> Unnamed;
  /// By the range of depth 0, the number of aliases at its start; set when
  /// needed.
  std::optional<llvm::DenseMap<uint64_t, uint32_t>> AliasCounts;
  /// Whether the options doubt names and the archive has one to doubt.
  bool Doubts = false;
  llvm::SmallVector<Frame, 16> Frames;
  /// The results of prepare(), in the order of its addresses.
  std::vector<PreparedAddress> Prepared;
  /// The prepared addresses that frames() has not been called for yet.
  llvm::ArrayRef<PreparedAddress> LeftPrepared;
  std::vector<std::vector<Frame>> PreparedFrames;
  llvm::BumpPtrAllocator Allocator;
  llvm::StringSaver Saver{Allocator};
  /// Owns the texts that other threads made.
  std::deque<llvm::BumpPtrAllocator> ThreadAllocators;
  llvm::DenseMap<StringOffset, llvm::StringRef> Functions;
  llvm::DenseMap<StringOffset, llvm::StringRef> Files;
  /// Set when source code is first needed. Below are the texts unpacked so far,
  /// by file, and the number of bytes that may still be unpacked.
  std::optional<EmbeddedSources> Sources;
  std::map<StringOffset, std::shared_ptr<const std::string>> SourceTexts;
  uint64_t SourceBytesLeft = uint64_t(256) << 20;
  /// Addresses of functions by name; filled by the first find().
  llvm::DenseMap<llvm::StringRef, llvm::SmallVector<uint64_t, 1>> StartsByName;
  bool NamesIndexed = false;
  bool Cut = false;
};

} // namespace lidia

#endif // LIDIA_SYMBOLIZE_SYMBOLIZER_H
