//===- SymbolPath.cpp - Parses symbol paths of Windows debuggers ----------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Support/UserCache.h"
#include "lidia/Store/SymbolServers.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace lidia;
using namespace llvm;

static bool isHTTPURL(StringRef Text) {
  return Text.starts_with_insensitive("http://") ||
         Text.starts_with_insensitive("https://");
}

/// Whether \p Text is a path with a drive, or of a network share.
static bool isWindowsPath(StringRef Text) {
  bool HasDrive = Text.size() >= 2 && isAlpha(Text[0]) && Text[1] == ':';
  return HasDrive || Text.starts_with("\\");
}

namespace {
/// Adds the parts of a symbol path to one, in order.
class Parser {
public:
  Parser(SymbolPath &Path, StringRef DefaultCache)
      : Path(Path), DefaultCache(DefaultCache), Cache(DefaultCache) {}

  void addPart(StringRef Part);

private:
  bool checkFolder(StringRef Folder);
  void addServer(ArrayRef<StringRef> Words);

  SymbolPath &Path;
  StringRef DefaultCache;
  /// The cache of servers without one of their own.
  StringRef Cache;
};
} // namespace

/// Returns whether \p Folder can exist here.
bool Parser::checkFolder(StringRef Folder) {
  if (!isWindowsPath(Folder))
    return true;
  Path.Ignored.push_back(Folder.str());
  return false;
}

void Parser::addServer(ArrayRef<StringRef> Words) {
  bool HasServer = any_of(Words, isHTTPURL);
  std::optional<StringRef> Own;
  for (StringRef Word : Words) {
    if (isHTTPURL(Word)) {
      StringRef Used = Own.value_or(Cache);
      // Without a home directory, there is no default.
      if (Used.empty())
        Path.Ignored.push_back(Word.str());
      else
        Path.Servers.push_back({Word.str(), Used.str()});
      continue;
    }
    StringRef Folder = Word.empty() ? DefaultCache : Word;
    if (Folder.empty() || !checkFolder(Folder))
      continue;
    if (HasServer && !Own)
      Own = Folder;
    else
      Path.Folders.push_back(Folder.str());
  }
}

void Parser::addPart(StringRef Part) {
  SmallVector<StringRef, 4> Words;
  Part.trim().split(Words, '*');
  StringRef Kind = Words.front();
  ArrayRef<StringRef> Rest = ArrayRef(Words).drop_front();
  if (Rest.empty()) {
    if (!Kind.empty() && checkFolder(Kind))
      Path.Folders.push_back(Kind.str());
  } else if (Kind.equals_insensitive("cache")) {
    StringRef Folder = Rest.front().empty() ? DefaultCache : Rest.front();
    if (checkFolder(Folder))
      Cache = Folder;
  } else if (Kind.equals_insensitive("srv")) {
    addServer(Rest);
  } else if (Kind.equals_insensitive("symsrv")) {
    // The first word is the name of a DLL.
    addServer(Rest.drop_front());
  } else {
    Path.Ignored.push_back(Part.str());
  }
}

SymbolPath SymbolPath::parse(StringRef Text, StringRef DefaultCache) {
  SymbolPath Path;
  Parser P(Path, DefaultCache);
  for (StringRef Part : split(Text, ';'))
    P.addPart(Part);
  return Path;
}

std::string SymbolPath::defaultCache() {
  return userCacheFolder("lidia-symbols");
}
