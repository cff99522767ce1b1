//===- SourceText.cpp - Lines of source around a position -----------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SourceText.h"
#include "Options.h"
#include "lidia/Symbolize/PrintableText.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include <climits>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace llvm;

namespace lidia {

/// The contents of the regular file at \p Path, or null. Sets \p TooMuch if the
/// file was not read because it has more than \p Max bytes.
static std::unique_ptr<MemoryBuffer> openSource(StringRef Path, uint64_t Max,
                                                bool &TooMuch) {
  // Without O_NONBLOCK, opening a pipe waits for a writer.
  int FD =
      ::open(Path.str().c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (FD < 0)
    return nullptr;
  std::unique_ptr<MemoryBuffer> Buffer;
  struct stat Status;
  if (!::fstat(FD, &Status) && S_ISREG(Status.st_mode) &&
      uint64_t(Status.st_size) <= SourceText::MaxFile &&
      !(TooMuch = uint64_t(Status.st_size) > Max)) {
    // Volatile, so that it is read, not mapped, because people edit sources.
    ErrorOr<std::unique_ptr<MemoryBuffer>> Read = MemoryBuffer::getOpenFile(
        FD, Path, uint64_t(Status.st_size), /*RequiresNullTerminator=*/false,
        /*IsVolatile=*/true);
    if (Read)
      Buffer = std::move(*Read);
  }
  ::close(FD);
  return Buffer;
}

void SourceText::addLine(std::string &Text, StringRef Line) const {
  Line.consume_back("\r");
  bool Long = Line.size() > MaxLine;
  Line = Line.take_front(MaxLine);
  if (Form == TextForm::UTF8) {
    Text += json::fixUTF8(Line);
  } else {
    raw_string_ostream OS(Text);
    printSourceLine(OS, Line);
  }
  Text += Long ? "...\n" : "\n";
}

StringRef SourceText::File::line(uint64_t Number) const {
  StringRef Text = Buffer->getBuffer();
  size_t End = Number < Starts.size() ? Starts[Number] : Text.size();
  StringRef Line = Text.slice(Starts[Number - 1], End);
  Line.consume_back("\n");
  return Line;
}

std::optional<StringRef> SourceText::lineOf(StringRef Recorded,
                                            uint32_t Number) {
  if (Recorded.empty())
    return std::nullopt;
  const File &F = open(Recorded, Recorded, /*BuildID=*/{});
  if (!F.Buffer || Number == 0 || Number > F.Starts.size())
    return std::nullopt;
  return F.line(Number).take_front(MaxLine);
}

void SourceText::read(File &F, StringRef From) {
  F.Buffer = openSource(From, MaxRead - BytesRead, F.LeftOut);
  if (!F.Buffer)
    return;
  BytesRead += F.Buffer->getBufferSize();
  findLines(F);
}

void SourceText::reportOnce(const Twine &Message) {
  if (Reported.insert(Message.str()).second)
    reportWarning(Message);
}

/// Reads \p F from the first source bundle that has the file \p Recorded.
/// Returns false if there is none.
bool SourceText::readBundled(File &F, StringRef Recorded,
                             ArrayRef<uint8_t> BuildID) {
  for (const SourceBundle &Bundle : Path.bundles()) {
    const ZipFile::Entry *E = Bundle.find(Recorded);
    if (!E || E->Size > MaxFile)
      continue;
    if (std::string Why = Bundle.whyNotOf(BuildID); !Why.empty()) {
      reportOnce(Bundle.path() + ": not used: " + Why);
      continue;
    }
    F.LeftOut = E->Size > MaxRead - BytesRead;
    if (F.LeftOut)
      return true;
    Expected<std::unique_ptr<MemoryBuffer>> Text = Bundle.read(*E);
    if (!Text) {
      reportOnce(toString(Text.takeError()));
      continue;
    }
    F.Buffer = std::move(*Text);
    BytesRead += F.Buffer->getBufferSize();
    findLines(F);
    return true;
  }
  return false;
}

/// Requests \p F from debuginfod servers, which name sources by absolute paths.
void SourceText::readFromServers(File &F, StringRef Recorded,
                                 ArrayRef<uint8_t> BuildID) {
  if (BuildID.empty() || !Recorded.starts_with("/") ||
      Recorded.size() >= PATH_MAX || Recorded.contains('\0'))
    return;
  SmallString<256> Full(Recorded);
  sys::path::remove_dots(Full, /*remove_dot_dot=*/true);
  DownloadedFile Found = Client->source(
      BuildID, Full, [&](const Twine &Message) { reportOnce(Message); });
  if (!Found.Path.empty())
    read(F, Found.Path);
}

const SourceText::File &SourceText::open(StringRef Shown, StringRef Recorded,
                                         ArrayRef<uint8_t> BuildID) {
  bool Search = (!Path.isEmpty() || IsConfined) && !Recorded.empty();
  auto [It, New] = Files.try_emplace(Search ? Recorded : Shown);
  File &F = It->second;
  if (!New)
    return F;
  if (Search && readBundled(F, Recorded, BuildID))
    return F;
  if (Search)
    Path.search(Recorded, IsConfined, [&](const std::string &Candidate) {
      read(F, Candidate);
      return F.Buffer || F.LeftOut;
    });
  else if (!IsConfined)
    read(F, Shown);
  if (Client && !F.Buffer && !F.LeftOut)
    readFromServers(F, Recorded, BuildID);
  return F;
}

const SourceText::File &SourceText::openEmbedded(StringRef Text) {
  auto [It, New] = Embedded.try_emplace(Text.data());
  File &F = It->second;
  if (New) {
    F.Buffer = MemoryBuffer::getMemBuffer(Text, /*BufferName=*/"",
                                          /*RequiresNullTerminator=*/false);
    findLines(F);
  }
  return F;
}

void SourceText::findLines(File &F) {
  StringRef Text = F.Buffer->getBuffer();
  for (size_t At = 0; At < Text.size();) {
    F.Starts.push_back(uint32_t(At));
    size_t End = Text.find('\n', At);
    At = End == StringRef::npos ? Text.size() : End + 1;
  }
}

std::string SourceText::linesOf(const File &F, uint32_t Line) {
  uint64_t First = firstSourceLine(Line, Lines);
  uint64_t Last = std::min<uint64_t>(First + Lines - 1, F.Starts.size());
  std::string Text;
  bool TooMuch = F.LeftOut;
  for (uint64_t I = First; I <= Last && !TooMuch; ++I) {
    addLine(Text, F.line(I));
    TooMuch = Text.size() > MaxText - BytesGiven;
  }
  if (TooMuch) {
    ++LeftOut;
    return std::string();
  }
  BytesGiven += Text.size();
  return Text;
}

void SourceText::clear() {
  Files.clear();
  Embedded.clear();
  BytesRead = BytesGiven = LeftOut = 0;
}

const SourceText::File &SourceText::fileOf(const SymbolizedFrame &F,
                                           ArrayRef<uint8_t> BuildID) {
  if (F.From && F.From->Text)
    return openEmbedded(*F.From->Text);
  return open(F.File, F.From ? StringRef(F.From->File) : StringRef(), BuildID);
}

void SourceText::addTo(MutableArrayRef<SymbolizedFrame> Frames,
                       ArrayRef<uint8_t> BuildID) {
  if (Lines == 0)
    return;
  for (SymbolizedFrame &F : Frames)
    if (!F.File.empty())
      F.SourceLines = linesOf(fileOf(F, BuildID), F.Line);
}

} // namespace lidia
