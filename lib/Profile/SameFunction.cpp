//===- SameFunction.cpp - Compares names from different tools -------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SameFunction.h"
#include "lidia/Symbolize/Names.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace lidia {

/// \p Name without a symbol version, the suffix of a stub, and suffixes of
/// compilers for parts and clones.
static StringRef stem(StringRef Name) {
  Name = Name.take_front(Name.find('@'));
  for (StringRef Suffix : {".cold", ".part.", ".isra.", ".constprop.",
                           ".lto_priv.", ".llvm.", ".localalias"})
    Name = Name.take_front(Name.find(Suffix));
  return Name;
}

static bool isInName(char C) { return isAlnum(C) || C == '_' || C == '$'; }

/// Whether \p Text contains \p Word as a whole word.
static bool hasWord(StringRef Text, StringRef Word) {
  for (size_t At = Text.find(Word); At != StringRef::npos;
       At = Text.find(Word, At + 1)) {
    size_t End = At + Word.size();
    if ((At == 0 || !isInName(Text[At - 1])) &&
        (End == Text.size() || !isInName(Text[End])))
      return true;
  }
  return false;
}

bool mayBeSameFunction(StringRef Theirs, StringRef Ours) {
  Theirs = stem(Theirs);
  Ours = stem(Ours);
  if (Theirs == Ours || Ours.empty())
    return true;
  if (!mayBeMangled(Ours))
    return false;
  // Demanglers differ in parameters, return types and hashes, but agree on the
  // function's own name.
  std::string Short = shortName(Ours, OlderRust::Plain);
  StringRef Word = StringRef(Short).take_while(isInName);
  return Word.empty() || hasWord(Theirs, Word);
}

} // namespace lidia
