//===- TransformOptions.cpp - Options for changed texts -------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TransformOptions.h"
#include "lidia/Extract/TextMaps.h"

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

void readTransformOptions(CommandLine &Line, ConvertOptions &O) {
  auto Maps = std::make_shared<TextMaps>();
  readPrefixes(Line, *Maps);
  for (const opt::Arg *A : Line.args().filtered(OPT_rename_functions_EQ))
    failIf(Line, *A, Maps->readNames(A->getValue()));
  if (!Maps->empty())
    O.Transform = std::move(Maps);
}

} // namespace lidia
