//===- SourceText.h - Lines of source around a position ---------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLVM_LIDIA_SOURCETEXT_H
#define LLVM_LIDIA_SOURCETEXT_H

#include "SourcePath.h"
#include "lidia/Store/Debuginfod.h"
#include "lidia/Symbolize/Symbolizer.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>
#include <string>
#include <vector>

namespace lidia {

/// Reads the lines that lookup --print-source-context-lines prints.
///
/// LLVM's printers would open any path in an archive: /dev/zero, which is
/// endless, or a pipe without a writer. If the archive contains the source
/// code, that is used instead of a file. This class reads only regular files of
/// at most MaxFile bytes, and truncates lines after MaxLine bytes. Other files
/// give no lines.
///
/// The frames of one answer share the files that were read, so each file is
/// read once. A frame that would exceed the answer's MaxRead or MaxText gets no
/// lines.
class SourceText {
public:
  static constexpr uint64_t MaxFile = 64 << 20;
  static constexpr size_t MaxLine = 4096;
  /// The maximum number of bytes of files read for one answer.
  static constexpr uint64_t MaxRead = 2 * MaxFile;
  /// The maximum number of bytes of text in one answer.
  static constexpr uint64_t MaxText = MaxFile;

  /// Prints \p Lines lines around each position. Reads nothing if it is zero.
  /// Looks for files by \p Path, which must outlive this object.
  SourceText(uint32_t Lines, TextForm Form, const SourcePath &Path)
      : Lines(Lines), Form(Form), Path(Path) {}

  /// From now on, opens no file but those below the folders of the rules: a
  /// path in an archive may be that of any file of the user, and the text is to
  /// be passed on. Asks \p Servers, which may be null, for files that are
  /// nowhere else.
  void confine(std::shared_ptr<DebuginfodClient> Servers) {
    IsConfined = true;
    Client = std::move(Servers);
  }

  /// Adds the lines that LLVM's printers choose to \p Frames, of one module. If
  /// the path in the archive is not known, or if there are no rules to look for
  /// it, the file at the path in the frame is read, as LLVM's printers do.
  /// \p BuildID is that of the module, or empty; source bundles of another
  /// build are not used.
  void addTo(llvm::MutableArrayRef<SymbolizedFrame> Frames,
             llvm::ArrayRef<uint8_t> BuildID);

  /// The line \p Number, from 1, of the file at \p Recorded, which \p Path may
  /// have elsewhere; none if it cannot be read. A long line is truncated.
  std::optional<llvm::StringRef> lineOf(llvm::StringRef Recorded,
                                        uint32_t Number);

  /// The number of positions without lines because of the answer's limits.
  uint64_t leftOut() const { return LeftOut; }

  /// Releases all files, because people may edit them between two answers.
  void clear();

private:
  /// A file; empty if it cannot be read.
  struct File {
    std::unique_ptr<llvm::MemoryBuffer> Buffer;
    /// The offset of each line.
    std::vector<uint32_t> Starts;
    /// Whether the file was left out because of the limits.
    bool LeftOut = false;
    llvm::StringRef line(uint64_t Number) const;
  };

  static void findLines(File &F);
  void read(File &F, llvm::StringRef From);
  void readFromServers(File &F, llvm::StringRef Recorded,
                       llvm::ArrayRef<uint8_t> BuildID);
  void reportOnce(const llvm::Twine &Message);
  bool readBundled(File &F, llvm::StringRef Recorded,
                   llvm::ArrayRef<uint8_t> BuildID);
  const File &open(llvm::StringRef Shown, llvm::StringRef Recorded,
                   llvm::ArrayRef<uint8_t> BuildID);
  const File &openEmbedded(llvm::StringRef Text);
  const File &fileOf(const SymbolizedFrame &F, llvm::ArrayRef<uint8_t> BuildID);
  std::string linesOf(const File &F, uint32_t Line);
  void addLine(std::string &Text, llvm::StringRef Line) const;

  const uint32_t Lines;
  const TextForm Form;
  const SourcePath &Path;
  bool IsConfined = false;
  std::shared_ptr<DebuginfodClient> Client;
  /// By the paths in the archive, if they are known.
  llvm::StringMap<File> Files;
  /// Files in the archive, by the start of their text.
  llvm::DenseMap<const char *, File> Embedded;
  uint64_t BytesRead = 0;
  uint64_t BytesGiven = 0;
  uint64_t LeftOut = 0;
  /// The warnings about source bundles so far.
  llvm::StringSet<> Reported;
};

} // namespace lidia

#endif // LLVM_LIDIA_SOURCETEXT_H
