//===- ReadablePaths.cpp - Readable paths of source files -----------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Symbolize/ReadablePaths.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace lidia {

//===----------------------------------------------------------------------===//
// Packages
//===----------------------------------------------------------------------===//

namespace {
/// A file of a package: "serde", "-1.0.152", "src/de/mod.rs". Without a
/// package, the file of a known root, such as Go's own "runtime/proc.go".
struct Packaged {
  std::string Name;
  std::string Version;
  StringRef File;
};
} // namespace

/// Takes the first component and its separator off \p Path.
static StringRef takeComponent(StringRef &Path) {
  auto [First, Rest] = Path.split('/');
  Path = Rest;
  return First;
}

/// The text after the last \p Marker in \p Path, if there is one.
static std::optional<StringRef> afterMarker(StringRef Path, StringRef Marker) {
  size_t At = Path.rfind(Marker);
  if (At == StringRef::npos)
    return std::nullopt;
  return Path.substr(At + Marker.size());
}

/// The text of \p Path after \p Prefix, if it begins with it.
static std::optional<StringRef> after(StringRef Path, StringRef Prefix) {
  if (!Path.consume_front(Prefix))
    return std::nullopt;
  return Path;
}

/// A package in a folder named "serde-1.0.152" at the start of \p Path.
static std::optional<Packaged> versioned(StringRef Path) {
  StringRef Folder = takeComponent(Path);
  if (Folder.empty() || Path.empty())
    return std::nullopt;
  size_t Dash = 0;
  do
    Dash = Folder.find('-', Dash + 1);
  while (Dash != StringRef::npos &&
         !(Dash + 1 < Folder.size() && isDigit(Folder[Dash + 1])));
  Dash = std::min(Dash, Folder.size());
  return Packaged{Folder.take_front(Dash).str(), Folder.substr(Dash).str(),
                  Path};
}

static bool isHexOf(StringRef Text, size_t Least) {
  return Text.size() >= Least && all_of(Text, isHexDigit);
}

/// Crates: "/registry/src/HOST-HASH/CRATE-VERSION/" and
/// "/git/checkouts/NAME-HASH/REVISION/".
static std::optional<Packaged> ofCargo(StringRef Path) {
  if (std::optional<StringRef> Rest = afterMarker(Path, "/registry/src/")) {
    takeComponent(*Rest);
    return versioned(*Rest);
  }
  if (std::optional<StringRef> Rest = afterMarker(Path, "/git/checkouts/")) {
    StringRef Folder = takeComponent(*Rest), Revision = takeComponent(*Rest);
    auto [Name, Hash] = Folder.rsplit('-');
    if (isHexOf(Hash, 16) && !Rest->empty())
      return Packaged{Name.str(), ("-" + Revision).str(), *Rest};
  }
  // Dependencies of the standard library.
  if (std::optional<StringRef> Rest = after(Path, "/rust/deps/"))
    return versioned(*Rest);
  return std::nullopt;
}

/// Rust's own libraries.
static std::optional<Packaged> ofRust(StringRef Path) {
  std::optional<StringRef> Rest = afterMarker(Path, "/rustlib/src/rust/");
  if (!Rest && (Rest = after(Path, "/rustc/")))
    takeComponent(*Rest);
  if (!Rest && (Rest = after(Path, "/usr/src/rustc-")))
    takeComponent(*Rest);
  if (!Rest)
    return std::nullopt;
  if (!Rest->consume_front("library/") && !Rest->consume_front("compiler/") &&
      !Rest->consume_front("src/"))
    return std::nullopt;
  return Packaged{"", "", *Rest};
}

/// In Go's module cache, capital letters are written "!x".
static std::string unescapedModule(StringRef Path) {
  std::string Result;
  for (size_t I = 0; I < Path.size(); ++I)
    Result +=
        Path[I] == '!' && I + 1 < Path.size() ? toUpper(Path[++I]) : Path[I];
  return Result;
}

/// Go modules: ".../pkg/mod/github.com/x/y@v1.2.3/", of which -trimpath leaves
/// only the end; and Go's own packages.
static std::optional<Packaged> ofGo(StringRef Path) {
  StringRef Module = afterMarker(Path, "/pkg/mod/").value_or(Path);
  size_t At = Module.find("@v");
  size_t End = Module.find('/', At);
  if (At != StringRef::npos && End != StringRef::npos &&
      (Module.size() != Path.size() || !Path.starts_with("/")) &&
      At + 2 < Module.size() && isDigit(Module[At + 2]))
    return Packaged{unescapedModule(Module.take_front(At)),
                    Module.slice(At, End).str(), Module.substr(End + 1)};
  if (!Path.ends_with(".go") && !Path.ends_with(".s"))
    return std::nullopt;
  for (size_t Src = Path.find("/src/"); Src != StringRef::npos;
       Src = Path.find("/src/", Src + 1)) {
    StringRef Folder = sys::path::filename(Path.take_front(Src));
    // A toolchain that the go command has downloaded:
    // "golang.org/toolchain@v0.0.1-go1.22.0.linux-amd64".
    if (Folder == "go" || Folder.starts_with("go-1") ||
        Folder.starts_with("go1"))
      return Packaged{"", "", Path.substr(Src + 5)};
  }
  return std::nullopt;
}

/// Build folders of distributions.
static std::optional<Packaged> ofDistribution(StringRef Path) {
  if (auto Rest = after(Path, "/build/reproducible-path/"))
    return versioned(*Rest);
  if (auto Rest = after(Path, "/usr/src/debug/"))
    return versioned(*Rest);
  std::optional<StringRef> Rest = after(Path, "/build/");
  if (!Rest)
    return std::nullopt;
  // Debian's "/build/glibc-Ab12cd/glibc-2.36/", Nix's "/build/hello-2.12/".
  StringRef First = takeComponent(*Rest);
  StringRef Second = Rest->split('/').first;
  auto [Name, Random] = First.rsplit('-');
  if (Random.size() == 6 && all_of(Random, isAlnum) &&
      Second.starts_with((Name + "-").str()))
    return versioned(*Rest);
  if (First == "source")
    return Packaged{"", "", *Rest};
  Packaged P = versioned(Path.drop_front(7)).value_or(Packaged());
  if (P.Version.empty())
    return std::nullopt;
  return P;
}

/// "/nix/store/HASH-NAME-VERSION/".
static std::optional<Packaged> ofNix(StringRef Path) {
  std::optional<StringRef> Rest = after(Path, "/nix/store/");
  if (!Rest || Rest->size() < 33 || (*Rest)[32] != '-')
    return std::nullopt;
  return versioned(Rest->drop_front(33));
}

/// Bazel's execution roots.
static std::optional<Packaged> ofBazel(StringRef Path) {
  std::optional<StringRef> Rest = after(Path, "/proc/self/cwd/");
  if (!Rest && (Rest = afterMarker(Path, "/execroot/")))
    takeComponent(*Rest);
  if (!Rest &&
      (Path.starts_with("external/") || Path.starts_with("bazel-out/")))
    Rest = Path;
  if (!Rest)
    return std::nullopt;
  if (Rest->consume_front("bazel-out/")) {
    takeComponent(*Rest);
    takeComponent(*Rest);
  }
  if (!Rest->consume_front("external/"))
    return Packaged{"", "", *Rest};
  StringRef Repository = takeComponent(*Rest);
  return Packaged{Repository.str(), "", *Rest};
}

/// The package that the normalized \p Path is in.
static std::optional<Packaged> packageOf(StringRef Path) {
  for (auto Find : {ofCargo, ofRust, ofGo, ofDistribution, ofNix, ofBazel})
    if (std::optional<Packaged> P = Find(Path))
      if (!P->File.empty())
        return P;
  for (StringRef Prefix : {"/usr/include/", "/usr/local/include/"})
    if (std::optional<StringRef> Rest = after(Path, Prefix))
      return Packaged{"", "", *Rest};
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Paths
//===----------------------------------------------------------------------===//

std::string ReadablePaths::shown(StringRef Path, size_t DirectoryLength) const {
  if (std::optional<std::string> New = Map.map(Path))
    return *New;
  if (Style == PathStyle::Full || Path.empty())
    return Path.str();
  SmallString<256> Normal(Path);
  sys::path::remove_dots(Normal, /*remove_dot_dot=*/true,
                         sys::path::Style::posix);
  if (std::optional<Packaged> P = packageOf(Normal)) {
    std::string Result = P->Name;
    if (Style == PathStyle::Relative)
      Result += P->Version;
    return Result + (P->Name.empty() ? "" : "/") + P->File.str();
  }
  if (Style == PathStyle::Short)
    if (std::optional<StringRef> Rest = afterMarker(Normal, "/src/"))
      return ("src/" + *Rest).str();
  StringRef Directory = Path.take_front(DirectoryLength);
  if (!Directory.starts_with("/"))
    return Normal.str().str();
  SmallString<256> Own(Path.drop_front(Directory.size()));
  sys::path::remove_dots(Own, /*remove_dot_dot=*/true, sys::path::Style::posix);
  // A path relative to a build folder is not readable.
  return StringRef(Own).starts_with("../") ? Normal.str().str()
                                           : Own.str().str();
}

} // namespace lidia
