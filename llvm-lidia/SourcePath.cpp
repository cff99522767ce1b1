//===- SourcePath.cpp - Where source files are on this machine ------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SourcePath.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include <algorithm>
#include <climits>

using namespace llvm;

namespace lidia {

/// Whether backslashes separate the components of \p Path.
static bool isOfWindows(StringRef Path) {
  return !Path.contains('/') ||
         (Path.size() > 1 && isAlpha(Path[0]) && Path[1] == ':');
}

/// The components of \p Path without "." and "..", separated by '/', and with
/// a '/' in front if it is absolute.
static std::string shortened(StringRef Path) {
  std::string Slashes = Path.str();
  if (isOfWindows(Path))
    std::replace(Slashes.begin(), Slashes.end(), '\\', '/');
  SmallVector<StringRef, 16> Parts, Kept;
  StringRef(Slashes).split(Parts, '/', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (StringRef Part : Parts)
    if (Part != "." && Part != "..")
      Kept.push_back(Part);
    else if (Part == ".." && !Kept.empty())
      Kept.pop_back();
  return (StringRef(Slashes).starts_with("/") ? "/" : "") + join(Kept, "/");
}

Error SourcePath::add(StringRef Text) {
  if (sys::fs::is_regular_file(Text)) {
    Expected<SourceBundle> Bundle = SourceBundle::open(Text);
    if (!Bundle)
      return Bundle.takeError();
    Bundles.push_back(std::move(*Bundle));
    return Error::success();
  }
  auto [From, Folder] = Text.split('=');
  if (!Text.contains('='))
    std::swap(From, Folder);
  if (!sys::fs::is_directory(Folder))
    return createStringError("'" + Folder +
                             "' is not a folder: expected [FROM=]FOLDER, or a "
                             "source bundle");
  Rules.push_back({From.empty() ? "" : shortened(From), Folder.str()});
  return Error::success();
}

/// The part of \p Path below the folder \p From; empty if it is not below it.
static StringRef partBelow(StringRef From, StringRef Path) {
  if (!Path.consume_front(From))
    return "";
  return From == "/" || Path.consume_front("/") ? Path : "";
}

void SourcePath::search(StringRef Recorded, bool IsConfined,
                        function_ref<bool(const std::string &)> Open) const {
  // The file system has no longer ones, and there may be a try for each
  // component.
  if (Recorded.size() >= PATH_MAX)
    return;
  std::string Path = shortened(Recorded);
  bool HasRule = false;
  for (const Rule &R : Rules)
    if (StringRef Rest = partBelow(R.From, Path);
        !R.From.empty() && !Rest.empty()) {
      HasRule = true;
      if (Open(R.Folder + "/" + Rest.str()))
        return;
    }
  if (!HasRule && !IsConfined && Open(Recorded.str()))
    return;
  for (StringRef Rest = StringRef(Path).ltrim('/'); !Rest.empty();
       Rest = Rest.split('/').second)
    for (const Rule &R : Rules)
      if (R.From.empty() && Open(R.Folder + "/" + Rest.str()))
        return;
}

} // namespace lidia
