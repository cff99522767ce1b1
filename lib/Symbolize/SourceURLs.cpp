//===- SourceURLs.cpp - URLs of source files ------------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Symbolize/SourceURLs.h"
#include "Support/PercentEncoding.h"
#include "lidia/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>

using namespace llvm;

namespace lidia {

static constexpr llvm::StringLiteral PathMark = "{path}", LineMark = "{line}",
                                     CommitMark = "{commit}";

/// The position of the template in \p Rule; npos if there is none.
static size_t templateIn(StringRef Rule) {
  for (StringRef Scheme : {"https://", "http://"}) {
    if (Rule.starts_with(Scheme))
      return 0;
    size_t At = Rule.find(("=" + Scheme).str());
    if (At != StringRef::npos)
      return At + 1;
  }
  return StringRef::npos;
}

/// Why \p Template is invalid; empty if it is valid.
static std::string whyNotATemplate(StringRef Template) {
  StringRef Host = Template.substr(Template.find("://") + 3);
  Host = Host.take_until([](char C) { return C == '/'; });
  if (Host.empty() || Host.contains('{'))
    return "it names no host";
  if (!Template.contains(PathMark))
    return "it has no {path}";
  std::string Rest = Template.str();
  for (StringRef Mark : {PathMark, LineMark, CommitMark})
    for (size_t At; (At = Rest.find(Mark.str())) != std::string::npos;)
      Rest.erase(At, Mark.size());
  if (StringRef(Rest).find_first_of("{}") != StringRef::npos)
    return "it has braces other than those of {path}, {line} and {commit}";
  if (!all_of(Rest, [](char C) {
        return C > ' ' && C < '\x7f' && !StringRef("\"<>\\^`|").contains(C);
      }))
    return "it has characters that URLs do not have";
  return "";
}

/// Encodes \p Path as a part of a URL; empty if it leads out of its folder.
static std::string encodePath(StringRef Path) {
  std::string Slashes = Path.str();
  // A Windows path.
  if (!Path.contains('/'))
    std::replace(Slashes.begin(), Slashes.end(), '\\', '/');
  Path = StringRef(Slashes).ltrim('/');
  SmallVector<StringRef, 16> Parts;
  Path.split(Parts, '/');
  return is_contained(Parts, "..") ? "" : percentEncode(Path, "/");
}

/// Replaces each \p Mark in \p Text.
static void replaceAll(std::string &Text, StringRef Mark, StringRef With) {
  for (size_t At = 0; (At = Text.find(Mark.data(), At)) != std::string::npos;
       At += With.size())
    Text.replace(At, Mark.size(), With);
}

Error SourceURLs::setCommit(StringRef Name) {
  Commit = encodePath(Name);
  if (Commit.empty())
    return make_error<ArgumentError>("", "'" + Name +
                                             "' is not the name of a commit");
  return Error::success();
}

Error SourceURLs::add(StringRef Text) {
  size_t At = templateIn(Text);
  if (At == StringRef::npos)
    return make_error<ArgumentError>(
        "",
        "expected [PREFIX=]https://HOST/...{path}..., but got '" + Text + "'");
  StringRef Template = Text.substr(At);
  if (std::string Why = whyNotATemplate(Template); !Why.empty())
    return make_error<ArgumentError>("", "'" + Template + "': " + Why);
  if (Template.contains(CommitMark) && Commit.empty())
    return make_error<ArgumentError>(
        "", "'" + Template +
                "': it has {commit}: name the commit that was built with "
                "--source-commit=");
  Rules.push_back({Text.take_front(At ? At - 1 : 0).str(), Template.str()});
  replaceAll(Rules.back().Template, CommitMark, Commit);
  return Error::success();
}

std::string SourceURLs::urlOfFile(StringRef File) const {
  auto Found = find_if(reverse(Rules), [&](const Rule &R) {
    return File.starts_with(R.Prefix);
  });
  if (Found == Rules.rend())
    return "";
  std::string Path = encodePath(File.drop_front(Found->Prefix.size()));
  if (Path.empty())
    return "";
  std::string URL = Found->Template;
  replaceAll(URL, PathMark, Path);
  return URL;
}

std::string SourceURLs::url(StringRef File, uint32_t Line) const {
  std::string URL = urlOfFile(File);
  // An anchor without a line has no target.
  if (size_t Anchor = URL.find('#');
      !Line && Anchor != std::string::npos &&
      URL.find(LineMark.data(), Anchor) != std::string::npos)
    URL.resize(Anchor);
  replaceAll(URL, LineMark, utostr(Line));
  return URL;
}

} // namespace lidia
