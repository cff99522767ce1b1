//===- NameSearch.cpp - Functions by name ---------------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NameSearch.h"
#include "DynamicSymbols.h"
#include "FunctionIndex.h"
#include "lidia/Archive/Aliases.h"
#include "lidia/Symbolize/Names.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace lldb_private;
using llvm::StringRef;

namespace lidia {

Mangled nameForLLDB(StringRef Linkage) {
  Mangled Name;
  // As llvm-symbolizer prints a function without a name.
  std::string Text = Linkage.empty() ? "??" : withReadableStub(Linkage);
  if (Text == Linkage && !isUnreadableInLLDB(Linkage)) {
    Name.SetValue(ConstString(Linkage));
    return Name;
  }
  if (canDemangle(Linkage))
    Name.SetMangledName(ConstString(Linkage));
  Name.SetDemangledName(
      ConstString(Text == Linkage ? readableName(Linkage) : Text));
  return Name;
}

namespace {

/// Decides whether a name matches the request.
class NameMatcher {
public:
  explicit NameMatcher(const Module::LookupInfo &Info);

  /// Whether a function with the linkage name \p Linkage, which does not
  /// contain its plain name \p Plain, matches. LLDB only accepts linkage names
  /// as full names.
  bool matches(StringRef Linkage, StringRef Plain) const {
    return (Full && Linkage == FullName) || (Base && Plain == BaseName);
  }

  /// The text that all matching names contain.
  StringRef identifier() const { return Identifier; }

  bool matches(StringRef Linkage) const {
    return mayMatch(Linkage) && (matchesFull(Linkage) || matchesBase(Linkage));
  }

private:
  /// A quick check, because demangling costs more.
  bool mayMatch(StringRef Linkage) const {
    return Linkage.contains(Identifier) &&
           llvm::all_of(Scopes, [&](StringRef Scope) {
             return Linkage.contains(Scope);
           });
  }
  bool matchesFull(StringRef Linkage) const;
  bool matchesBase(StringRef Linkage) const;

  /// The part of the name's last component that all its mangled forms contain;
  /// empty if there is none.
  StringRef Identifier;
  /// The corresponding parts of the requested scopes.
  llvm::SmallVector<StringRef, 4> Scopes;
  StringRef FullName;
  StringRef BaseName;
  bool Full;
  bool Base;
};

} // namespace

/// Whether the Itanium ABI has an abbreviation ("Ss") for the class \p Name,
/// so that the mangled name of its constructor need not contain the name.
static bool isAbbreviated(StringRef Name) {
  constexpr llvm::StringLiteral Classes[] = {
      "allocator", "basic_string",  "string",        "istream",       "ostream",
      "iostream",  "basic_istream", "basic_ostream", "basic_iostream"};
  return llvm::is_contained(Classes, Name);
}

/// The identifier that all mangled forms of \p Name contain.
static StringRef identifierIn(StringRef Name) {
  Name.consume_front("~");
  // Operators are mangled as two letters, and their names contain punctuation.
  if (Name.starts_with("operator") &&
      !llvm::isAlnum(Name.size() > 8 ? Name[8] : ' '))
    return {};
  Name = Name.take_until([](char C) { return C == '<' || C == '('; });
  // LLDB does not split a name that contains a keyword of C++, such as Rust's
  // "thread_local::enable".
  if (size_t Scope = Name.rfind("::"); Scope != StringRef::npos)
    Name = Name.substr(Scope + 2);
  // Rust's mangling encodes non-ASCII letters, and does not contain
  // "{closure#0}" as text.
  if (isAbbreviated(Name) || !llvm::isASCII(Name) || Name.contains('{'))
    return {};
  return Name;
}

/// The scopes of \p FullName, whose last component may be \p BaseName, that all
/// its mangled forms contain.
static llvm::SmallVector<StringRef, 4> scopesIn(StringRef FullName,
                                                StringRef BaseName) {
  llvm::SmallVector<StringRef, 4> Scopes;
  if (!FullName.consume_back(BaseName) || !FullName.consume_back("::"))
    return Scopes;
  FullName.split(Scopes, "::");
  llvm::erase_if(Scopes, [](StringRef Scope) {
    return Scope == "std" || isAbbreviated(Scope) ||
           !llvm::all_of(Scope,
                         [](char C) { return llvm::isAlnum(C) || C == '_'; });
  });
  return Scopes;
}

NameMatcher::NameMatcher(const Module::LookupInfo &Info)
    : FullName(Info.GetName().GetStringRef()),
      BaseName(Info.GetLookupName().GetStringRef()) {
  auto Mask = Info.GetNameTypeMask();
  Full = Mask & lldb::eFunctionNameTypeFull;
  Base = Mask & (lldb::eFunctionNameTypeBase | lldb::eFunctionNameTypeMethod);
  // A full name may be anything, including a mangled name, for which LookupInfo
  // has no base name.
  Identifier = identifierIn(BaseName);
  Scopes = scopesIn(FullName, BaseName);
}

bool NameMatcher::matchesFull(StringRef Linkage) const {
  if (!Full)
    return false;
  if (Linkage == FullName)
    return true;
  if (!mayBeMangled(Linkage))
    return false;
  Mangled Name = nameForLLDB(Linkage);
  return Name.GetDemangledName().GetStringRef() == FullName ||
         Name.GetName(Mangled::ePreferDemangledWithoutArguments)
                 .GetStringRef() == FullName;
}

bool NameMatcher::matchesBase(StringRef Linkage) const {
  if (!Base)
    return false;
  if (Linkage == BaseName)
    return true;
  std::string Short = shortName(Linkage, OlderRust::Plain);
  if (Short == BaseName)
    return true;
  // `b f` sets a breakpoint at each f<T>, but not in Rust.
  if (isRustName(Linkage))
    return false;
  StringRef Plain =
      StringRef(Short).take_until([](char C) { return C == '<'; });
  return Plain == BaseName && !Plain.starts_with("operator");
}

/// The first occurrence of the nonempty \p Part between \p Start and \p End, or
/// \p End. Compilers vectorise the loop over a block, so only a few blocks are
/// searched byte by byte, in contrast to memmem.
static const char *findPart(const char *Start, const char *End,
                            StringRef Part) {
  constexpr size_t Block = 64;
  const size_t ToLast = Part.size() - 1;
  const char First = Part.front(), Last = Part.back();
  auto Search = [&](size_t Size) {
    return static_cast<const char *>(
        ::memmem(Start, Size, Part.data(), Part.size()));
  };
  for (; size_t(End - Start) >= Block + ToLast; Start += Block) {
    uint8_t Any = 0;
    for (size_t I = 0; I < Block; ++I)
      Any |= uint8_t(Start[I] == First) & uint8_t(Start[I + ToLast] == Last);
    if (!Any)
      continue;
    if (const char *Found = Search(Block + ToLast))
      return Found;
  }
  const char *Found = Search(size_t(End - Start));
  return Found ? Found : End;
}

namespace {
/// Finds the occurrences of a text in the strings of an archive, in order. It
/// searches the table as a whole, at the speed of memory.
class PartSearch {
public:
  PartSearch(const Archive &A, StringRef Part) : Part(Part) {
    const format::StringsHeader &H = A.header().Strings;
    End = A.buffer().getBufferStart() + H.Offset + H.Size;
  }

  /// Whether \p Text contains the part. Texts must be passed in the order of
  /// the table.
  bool isIn(StringRef Text) {
    if (Part.empty())
      return true;
    // The last occurrence may be in a length, or extend into one.
    if (!Next || (Next != End && Next < Text.begin()))
      Next = findPart(Text.begin(), End, Part);
    return Next <= Text.end() && size_t(Text.end() - Next) >= Part.size();
  }

private:
  StringRef Part;
  const char *End;
  const char *Next = nullptr;
};
} // namespace

/// The strings of \p A that contain \p Part and match.
template <typename Predicate>
static NameSet namesThat(const Archive &A, StringRef Part, Predicate Matches) {
  NameSet Names;
  PartSearch Search(A, Part);
  A.visitStrings([&](StringOffset Offset, StringRef Text) {
    // Names of functions and of files share a table, but no function's name is
    // an absolute path. A linkage name need not contain the plain name.
    bool MayMatch = Search.isIn(Text) || A.plainName(Offset) != Offset;
    if (MayMatch && !Text.empty() && Text.front() != '/' &&
        Matches(Offset, Text))
      Names.insert(Offset);
  });
  return Names;
}

/// Whether \p Linkage has the scopes requested with the base name. LLDB also
/// filters the results, but creating functions and blocks costs more than
/// checking names.
static bool hasScopes(const Module::LookupInfo &Info, StringRef Linkage) {
  if (Info.GetName() == Info.GetLookupName() || !canDemangle(Linkage))
    return true;
  ConstString Name(Linkage);
  return Info.NameMatchesLookupInfo(Name) ||
         Info.NameMatchesLookupInfo(Name, lldb::eLanguageTypeC_plus_plus);
}

NameSet findNames(const Archive &A, const Module::LookupInfo &Info) {
  if (!Info.GetLookupName())
    return {};
  NameMatcher Matcher(Info);
  return namesThat(A, Matcher.identifier(),
                   [&](StringOffset Offset, StringRef Name) {
                     StringOffset Plain = A.plainName(Offset);
                     if (Plain != Offset)
                       return Matcher.matches(Name, A.string(Plain));
                     return Matcher.matches(Name) && hasScopes(Info, Name);
                   });
}

/// Whether \p A has a function with the name \p Name at \p Address.
static bool hasFunction(const Archive &A, StringRef Name, uint64_t Address) {
  llvm::SmallVector<Frame, 8> Frames;
  A.lookup(Address, Frames);
  if (Frames.empty())
    return false;
  uint64_t Root = Frames.back().Range;
  return isFunction(A, Root) && A.range(Root).VA == Address &&
         A.string(A.function(Root)) == Name;
}

/// Whether \p A has a matching alias of a function that does not match itself.
static bool hasOtherAlias(const Archive &A, const NameMatcher &Matcher) {
  bool Other = false;
  llvm::consumeError(visitAliases(A, [&](const FunctionAlias &Alias) {
    if (Other || !Matcher.matches(Alias.Name))
      return;
    StringOffset Name = A.function(Alias.Root), Plain = A.plainName(Name);
    bool IsFound = Plain == Name
                       ? Matcher.matches(A.string(Name))
                       : Matcher.matches(A.string(Name), A.string(Plain));
    Other = !IsFound || A.range(Alias.Root).VA != Alias.Address;
  }));
  return Other;
}

bool hasOtherSymbol(const Archive &A, lldb_private::Module &Module,
                    const Module::LookupInfo &Info) {
  NameMatcher Matcher(Info);
  // LLDB finds some operators that the search in the archive does not:
  // `operator==<char>` for `operator==`.
  if (Matcher.identifier().empty())
    return true;
  bool Other = false;
  // A function that has a plain name is found by that name, but its symbol by
  // the linkage name.
  A.visitStrings([&](StringOffset Offset, StringRef Text) {
    Other |= A.plainName(Offset) != Offset && Matcher.matches(Text);
  });
  if (!Other)
    Other = hasOtherAlias(A, Matcher);
  if (Other)
    return true;
  bool Read =
      visitDynamicSymbols(Module, [&](StringRef Name, uint64_t Address) {
        Other = Matcher.matches(Name) && !hasFunction(A, Name, Address);
        return !Other;
      });
  return Other || !Read;
}

NameSet findNames(const Archive &A, const RegularExpression &Regex) {
  return namesThat(A, /*Part=*/"", [&](StringOffset Offset, StringRef Name) {
    if (Regex.Execute(Name))
      return true;
    StringOffset Plain = A.plainName(Offset);
    if (Plain != Offset)
      return Regex.Execute(A.string(Plain));
    if (!mayBeMangled(Name))
      return Name.contains("::") &&
             Regex.Execute(shortName(Name, OlderRust::Plain));
    return Regex.Execute(demangleName(Name, OlderRust::AsCXX)) ||
           Regex.Execute(shortName(Name, OlderRust::Plain));
  });
}

namespace {
/// Finds the ranges whose functions have one of some names. Nearly all ranges
/// have another name, so it first compares with the lowest and the highest.
class RangeScan {
public:
  /// \p Names must not be empty, and must outlive this object.
  RangeScan(const Archive &A, const NameSet &Names)
      : A(A), Names(Names),
        Lowest(*std::min_element(Names.begin(), Names.end())),
        Span(*std::max_element(Names.begin(), Names.end()) - Lowest) {}

  /// The first such range at or after \p I; \p End if there is none before it.
  uint64_t next(uint64_t I, uint64_t End) const {
    for (; I < End; ++I) {
      StringOffset Name = A.function(I);
      if (Name - Lowest <= Span && Names.contains(Name))
        break;
    }
    return I;
  }

private:
  const Archive &A;
  const NameSet &Names;
  const StringOffset Lowest, Span;
};
} // namespace

void visitRanges(const Archive &A, const NameSet &Names, bool Inlined,
                 llvm::function_ref<void(uint64_t, uint64_t)> Visit) {
  if (Names.empty())
    return;
  // Not every archive has the table of parents. In a damaged archive, the table
  // would not limit the work.
  uint64_t Root = 0, RootKnownFor = 0;
  auto FindRoot = [&](uint64_t I) {
    uint64_t At = I;
    while (At > RootKnownFor && A.range(At).Depth)
      --At;
    if (At > RootKnownFor)
      Root = At;
    RootKnownFor = I;
  };
  RangeScan Scan(A, Names);
  constexpr uint64_t Step = 1 << 17;
  for (uint64_t Start = 0; Start < A.rangeCount(); Start += Step) {
    uint64_t End = std::min(Start + Step, A.rangeCount());
    for (uint64_t I = Start; (I = Scan.next(I, End)) != End; ++I) {
      FindRoot(I);
      // Skip cold code that was moved away: it never runs first.
      if (A.range(I).Depth ? Inlined : A.entry(I) == I)
        Visit(Root, I);
    }
    // A large archive must not fill the debugger's memory.
    if (End != A.rangeCount())
      A.releasePages();
  }
}

} // namespace lidia
