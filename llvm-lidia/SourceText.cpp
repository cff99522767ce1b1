//===- SourceText.cpp - Lines of source files around a place --------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SourceText.h"
#include "lidia/Symbolize/PrintableText.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace llvm;

namespace lidia {

/// The contents of the regular file at \p Path, or null.
static std::unique_ptr<MemoryBuffer> openSource(StringRef Path) {
  // Without O_NONBLOCK opening a pipe waits for who writes to it.
  int FD =
      ::open(Path.str().c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (FD < 0)
    return nullptr;
  std::unique_ptr<MemoryBuffer> Buffer;
  struct stat Status;
  if (!::fstat(FD, &Status) && S_ISREG(Status.st_mode) &&
      uint64_t(Status.st_size) <= SourceText::MaxFile) {
    // Volatile: read, not mapped, for people edit sources.
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
    // Of all control characters source text may have tabs.
    for (bool First = true; First || !Line.empty(); First = false) {
      auto [Part, Rest] = Line.split('\t');
      Text += escapeText(Part);
      if (Part.size() != Line.size())
        Text += '\t';
      Line = Rest;
    }
  }
  Text += Long ? "...\n" : "\n";
}

std::string SourceText::read(StringRef Path, uint64_t Line) const {
  std::unique_ptr<MemoryBuffer> Buffer = openSource(Path);
  if (!Buffer)
    return std::string();
  // As LLVM's SourceCode counts them (DIPrinter.cpp).
  uint64_t First = Line > uint64_t(Lines / 2) ? Line - Lines / 2 : 1;
  First = std::max<uint64_t>(First, 1);
  uint64_t Last = First + Lines - 1;
  std::string Text;
  StringRef Rest = Buffer->getBuffer();
  for (uint64_t I = 1; I <= Last && !Rest.empty(); ++I) {
    auto [Current, Behind] = Rest.split('\n');
    if (I < First)
      Text += '\n';
    else
      addLine(Text, Current);
    Rest = Behind;
  }
  return Text;
}

void SourceText::addTo(DILineInfo &Info) {
  if (Lines <= 0)
    return;
  // Empty text keeps LLVM from opening the file.
  Texts.push_back(Info.FileName == DILineInfo::BadString
                      ? std::string()
                      : read(Info.FileName, Info.Line));
  Info.Source = Texts.back();
}

} // namespace lidia
