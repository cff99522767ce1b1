//===- ArchiveSearch.cpp - Searches an archive by name --------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Symbolize/ArchiveSearch.h"
#include "lidia/Archive/FunctionLines.h"
#include "lidia/Archive/InlinedCalls.h"
#include "lidia/Archive/Sources.h"
#include "lidia/Symbolize/Names.h"
#include "lidia/Symbolize/PrintableText.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace lidia {

/// Names have a few hundred bytes, but a crafted one may have a megabyte.
static std::string text(StringRef Text) {
  constexpr size_t Longest = 4096;
  return json::fixUTF8(Text.take_front(Longest));
}

//===----------------------------------------------------------------------===//
// Searching
//===----------------------------------------------------------------------===//

namespace {
/// Finds a text in names. Demangling costs most, so linkage names are checked
/// first: they contain the words of the readable names.
class NameMatcher {
public:
  explicit NameMatcher(StringRef Match) : Match(Match.lower()) {
    auto IsWord = [](char C) { return isAlnum(C) || C == '_'; };
    StringRef Left = this->Match;
    while (!Left.empty()) {
      Left = Left.drop_until(IsWord);
      StringRef Word = Left.take_while(IsWord);
      if (!Word.empty())
        Words.push_back(Word);
      Left = Left.drop_front(Word.size());
    }
  }

  /// Whether \p Name, a linkage name, has the text. Sets \p Readable to its
  /// readable form.
  bool matches(StringRef Name, std::string &Readable) const {
    if (!mayMatch(Name))
      return false;
    Readable = readableName(Name);
    return Name.contains_insensitive(Match) ||
           StringRef(Readable).contains_insensitive(Match);
  }

  bool matches(StringRef Path) const {
    return Path.contains_insensitive(Match);
  }

  /// Linkage names abbreviate names of types ("int", "std").
  bool mayMatch(StringRef Name) const {
    constexpr size_t Abbreviated = 16;
    return all_of(Words, [&](StringRef Word) {
      return Word.size() < Abbreviated && isAbbreviated(Word)
                 ? true
                 : Name.contains_insensitive(Word);
    });
  }

private:
  static bool isAbbreviated(StringRef Word) {
    static constexpr StringLiteral Known[] = {
        "std",          "int",       "char",     "void",      "bool",
        "long",         "short",     "unsigned", "signed",    "float",
        "double",       "const",     "operator", "namespace", "anonymous",
        "auto",         "decltype",  "lambda",   "nullptr_t", "string",
        "basic_string", "allocator", "volatile", "fn",        "u8",
        "u16",          "u32",       "u64",      "i32",       "i64",
        "usize",        "str",       "new",      "delete"};
    return any_of(Known, [&](StringRef K) {
      return K.starts_with(Word) || Word.size() < 3;
    });
  }

  const std::string Match;
  std::vector<StringRef> Words;
};
} // namespace

void writeFunctions(const Archive &A, StringRef Match, size_t Max,
                    json::OStream &J) {
  NameMatcher Matcher(Match);
  size_t Found = 0;
  J.attributeArray("functions", [&] {
    A.forEachFunction([&](const ListedFunction &F) {
      std::string Readable;
      if (Found > Max || !Matcher.matches(A.string(F.Name), Readable) ||
          (Match.empty() && StringRef(Readable).ends_with("@plt")) ||
          ++Found > Max)
        return;
      J.object([&] {
        J.attribute("function", text(Readable));
        if (F.File)
          J.attribute("file", text(A.string(F.File)));
        J.attributeArray("addresses", [&] {
          for (uint64_t Entry : F.Entries.take_front(16))
            J.value(hex(Entry));
        });
        J.attribute("inlined", int64_t(F.InlinedRanges));
      });
    });
  });
  J.attribute("more", Found > Max);
}

/// Whether \p Readable is \p Name, or is and has parameters.
static bool isNamed(StringRef Readable, StringRef Name) {
  return Readable.consume_front(Name) &&
         (Readable.empty() || Readable.starts_with("("));
}

void findFunctions(const Archive &A, StringRef Name,
                   function_ref<void(const ListedFunction &)> Visit) {
  NameMatcher Matcher(Name);
  A.forEachFunction([&](const ListedFunction &F) {
    StringRef Linkage = A.string(F.Name);
    if (Linkage == Name || (Matcher.mayMatch(Linkage) &&
                            (isNamed(readableName(Linkage), Name) ||
                             shortName(Linkage, OlderRust::Plain) == Name)))
      Visit(F);
  });
}

void writeQuality(const ArchiveQuality &Q, json::OStream &J) {
  J.attribute("code", Q.Code);
  J.attribute("named", Q.Named);
  J.attributeObject("by_origin", [&] {
    for (unsigned I = 1; I != Q.ByOrigin.size(); ++I)
      if (Q.ByOrigin[I])
        J.attribute(toString(NameOrigin(I)), Q.ByOrigin[I]);
  });
  J.attribute("doubted", Q.Doubted);
  J.attribute("unnamed_functions", Q.Unnamed);
  J.attribute("with_lines", Q.WithLines);
  J.attribute("inlined", Q.Inlined);
  J.attribute("with_unwind_rows", Q.WithUnwindRows);
  if (Q.LeftOut != MissCode::None)
    J.attribute("left_out", toString(Q.LeftOut));
}

void writeFiles(const Archive &A, StringRef Match, size_t Max,
                json::OStream &J) {
  NameMatcher Matcher(Match);
  size_t Found = 0;
  J.attributeArray("files", [&] {
    A.forEachFile([&](StringOffset File) {
      StringRef Path = A.string(File);
      if (Found <= Max && Matcher.matches(Path) && ++Found <= Max)
        J.value(text(Path));
    });
  });
  J.attribute("more", Found > Max);
}

//===----------------------------------------------------------------------===//
// A function
//===----------------------------------------------------------------------===//

using FileSet = SmallSetVector<uint64_t, 16>;

static bool writeLines(const Archive &A, uint64_t Root, size_t Max,
                       FileSet &Files, json::OStream &J) {
  size_t Count = 0;
  J.attributeArray("lines", [&] {
    visitFunctionLines(A, Root, [&](const FunctionLine &L) {
      if (++Count > Max)
        return;
      if (L.File)
        Files.insert(uint64_t(L.File));
      J.object([&] {
        J.attribute("address", hex(L.Address));
        if (L.File)
          J.attribute("file", text(A.string(L.File)));
        if (L.Line)
          J.attribute("line", int64_t(L.Line));
        if (L.Column)
          J.attribute("column", int64_t(L.Column));
      });
    });
  });
  return Count > Max;
}

/// The files among \p Files whose text the archive keeps, and that a path of a
/// URL can name.
static void writeSources(const Archive &A, const FileSet &Files,
                         json::OStream &J) {
  EmbeddedSources Sources(A);
  J.attributeArray("sources", [&] {
    for (uint64_t File : Files)
      if (StringRef Path = A.string(StringOffset(File));
          Path.starts_with("/") && Sources.find(StringOffset(File)))
        J.value(text(Path));
  });
}

static void writeCall(const Archive &A, const InlinedCall &C, uint32_t Depth,
                      json::OStream &J) {
  J.object([&] {
    J.attribute("depth", int64_t(Depth));
    J.attribute("function", text(readableName(A.string(C.Function))));
    if (C.CallFile)
      J.attribute("call_file", text(A.string(C.CallFile)));
    if (C.CallLine)
      J.attribute("call_line", int64_t(C.CallLine));
    if (C.CallColumn)
      J.attribute("call_column", int64_t(C.CallColumn));
    J.attributeArray("code", [&] {
      for (const CallCode &Code : ArrayRef(C.Code).take_front(16))
        J.value(hex(Code.Start) + ".." + hex(Code.End));
    });
  });
}

static bool writeCalls(const Archive &A, uint64_t Root, size_t Max,
                       json::OStream &J) {
  std::vector<InlinedCall> Calls = inlinedCalls(A, Root);
  std::vector<uint32_t> Depths(Calls.size());
  J.attributeArray("inlined", [&] {
    for (size_t I = 0; I != std::min(Calls.size(), Max); ++I) {
      uint32_t Parent = Calls[I].Parent;
      if (Parent < I)
        Depths[I] = Depths[Parent] + 1;
      writeCall(A, Calls[I], Depths[I], J);
    }
  });
  return Calls.size() > Max;
}

bool writeFunctionAt(const Archive &A, uint64_t Address, size_t Max,
                     json::OStream &J) {
  SmallVector<Frame, 8> Frames;
  A.lookup(Address, Frames);
  if (Frames.empty())
    return false;
  uint64_t Root = Frames.back().Range;
  RangeEntry Range = A.range(Root);
  J.attribute("function", text(readableName(A.string(Range.Function))));
  if (Range.File)
    J.attribute("file", text(A.string(Range.File)));
  J.attribute("address", hex(Range.VA));
  J.attribute("size", int64_t(Range.Length));
  FileSet Files;
  bool More = writeLines(A, Root, Max, Files, J);
  writeSources(A, Files, J);
  More |= writeCalls(A, Root, Max, J);
  J.attribute("more", More);
  return true;
}

} // namespace lidia
