//===- LineReader.cpp - Lines of standard input as they arrive ------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LineReader.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/raw_ostream.h"
#include <poll.h>
#include <unistd.h>
#include <vector>

using namespace llvm;

namespace lidia {

bool LineReader::fill() {
  Buffer.erase(0, Begin);
  Begin = 0;
  size_t Size = Buffer.size();
  Buffer.resize(Size + ReadSize);
  BeforeWait();
  ssize_t Count =
      sys::RetryAfterSignal(-1, ::read, FD, Buffer.data() + Size, ReadSize);
  Buffer.resize(Size + size_t(Count > 0 ? Count : 0));
  return Count > 0;
}

std::optional<StringRef> LineReader::next() {
  // The number of bytes after Begin known to contain no newline.
  size_t Searched = 0;
  while (true) {
    StringRef Rest = StringRef(Buffer).drop_front(Begin);
    size_t End = Rest.find('\n', Searched);
    size_t Skip = 1;
    if (End == StringRef::npos && Rest.size() >= MaxLine)
      End = MaxLine, Skip = 0;
    Searched = Rest.size();
    if (End == StringRef::npos) {
      if (fill())
        continue;
      // The last line may lack its newline.
      Rest = StringRef(Buffer).drop_front(Begin);
      if (Rest.empty())
        return std::nullopt;
      End = Rest.size();
      Skip = 0;
    }
    Begin += End + Skip;
    return Rest.take_front(End);
  }
}

std::optional<StringRef> LineReader::nextText() {
  std::optional<StringRef> Line = next();
  if (!Line)
    return std::nullopt;
  StringRef Text = Line->take_until([](char C) { return C == '\0'; });
  if (!Text.contains('\r'))
    return Text;
  Cleaned = Text.str();
  llvm::erase(Cleaned, '\r');
  return Cleaned;
}

/// Whether standard input can be read without waiting.
static bool hasInput() {
  struct pollfd Input = {STDIN_FILENO, POLLIN, 0};
  return ::poll(&Input, 1, 0) == 1;
}

void readLineGroups(size_t MaxLines,
                    function_ref<void(ArrayRef<std::string>)> Answer) {
  std::vector<std::string> Group;
  auto BeforeWait = [&] {
    if (!Group.empty() && Group.size() < MaxLines && hasInput())
      return;
    Answer(Group);
    Group.clear();
    outs().flush();
  };
  LineReader Reader(STDIN_FILENO, BeforeWait);
  while (std::optional<StringRef> Line = Reader.nextText())
    Group.push_back(Line->str());
  Answer(Group);
}

} // namespace lidia
