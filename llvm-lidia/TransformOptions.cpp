//===- TransformOptions.cpp - Options for changed texts -------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TransformOptions.h"

using namespace llvm;

namespace lidia {

static void failIf(CommandLine &Line, const opt::Arg &A, Error E) {
  if (E)
    Line.fail(A.getSpelling() + toString(std::move(E)));
}

static void readPrefixes(CommandLine &Line, TextMaps &Maps) {
  for (const opt::Arg *A :
       Line.args().filtered(OPT_prefix_map_EQ, OPT_prefix_map_file_EQ)) {
    if (A->getOption().matches(OPT_prefix_map_file_EQ))
      failIf(Line, *A, Maps.readPrefixes(A->getValue()));
    else if (!Maps.Prefixes.addPair(A->getValue()))
      Line.fail("--prefix-map=: expected two prefixes with '=' between them, "
                "but got '" +
                Twine(A->getValue()) + "'");
  }
}

PrefixMap readPrefixMap(CommandLine &Line) {
  TextMaps Maps;
  readPrefixes(Line, Maps);
  return Maps.Prefixes;
}

std::shared_ptr<const TextMaps> readTransformOptions(CommandLine &Line,
                                                     ConvertOptions &O) {
  auto Maps = std::make_shared<TextMaps>();
  readPrefixes(Line, *Maps);
  for (const opt::Arg *A : Line.args().filtered(OPT_rename_functions_EQ))
    failIf(Line, *A, Maps->readNames(A->getValue()));
  if (Maps->empty())
    return nullptr;
  O.Transform = Maps;
  return Maps;
}

static void warnOf(ArrayRef<std::string> Unused, size_t Count,
                   const Twine &What) {
  if (!Unused.empty())
    reportWarning(Twine(Unused.size()) + " of " + Twine(Count) + " " + What +
                  " (" + (Unused.size() > 1 ? "the first: '" : "'") +
                  Unused.front() + "')");
}

void warnOfUnused(const TextMaps *Maps, bool Quiet) {
  if (!Maps || Quiet)
    return;
  TextMaps::Unused Unused = Maps->unused();
  warnOf(Unused.Names, Maps->nameCount(),
         "names of --rename-functions= are those of no function");
  warnOf(Unused.Prefixes, Maps->Prefixes.pairs().size(),
         "prefixes to replace are those of no path");
}

} // namespace lidia
