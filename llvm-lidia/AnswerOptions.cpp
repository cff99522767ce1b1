//===- AnswerOptions.cpp - Options for answers ----------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AnswerOptions.h"
#include "SourceURLOptions.h"
#include "TransformOptions.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include <algorithm>

using namespace llvm;

namespace lidia {

static DINameKind readFunctions(CommandLine &Line, StringRef Default) {
  const opt::InputArgList &Args = Line.args();
  if (Args.hasArg(OPT_functions))
    return DINameKind::LinkageName;
  StringRef Kind = Args.getLastArgValue(OPT_functions_EQ, Default);
  auto Parsed = StringSwitch<std::optional<DINameKind>>(Kind)
                    .Case("none", DINameKind::None)
                    .Case("short", DINameKind::ShortName)
                    .Case("linkage", DINameKind::LinkageName)
                    .Default(std::nullopt);
  if (!Parsed)
    Line.fail("--functions=: expected none, short or linkage, but got '" +
              Kind + "'");
  return Parsed.value_or(DINameKind::LinkageName);
}

/// The one of \p Styles that the value of \p Option names.
static const OutputStyle *findStyle(CommandLine &Line, StringRef Option,
                                    ArrayRef<OutputStyle> Styles,
                                    StringRef Name) {
  const auto *Found =
      find_if(Styles, [&](const OutputStyle &S) { return S.Name == Name; });
  if (Found != Styles.end())
    return Found;
  auto NameOf = [](const OutputStyle &S) { return S.Name; };
  Line.fail(Option + ": expected " + (Styles.size() > 1 ? "one of " : "") +
            join(map_range(Styles, NameOf), ", ") + ", but got '" + Name + "'");
  return Styles.begin();
}

static const OutputStyle *readStyle(CommandLine &Line,
                                    const AnswerDefaults &Defaults) {
  const opt::Arg *Format = Line.args().getLastArg(OPT_format_EQ);
  const opt::Arg *Style = Line.args().getLastArg(OPT_output_style_EQ);
  if (Format && Style)
    Line.fail("--format= and --output-style= cannot be combined");
  if (Format && !Defaults.Formats.empty())
    return findStyle(Line, "--format=", Defaults.Formats, Format->getValue());
  return findStyle(Line, "--output-style=", outputStyles(),
                   Style ? Style->getValue() : Defaults.Style);
}

static SymbolizerOptions::PathKind readPaths(const opt::InputArgList &Args) {
  const opt::Arg *A = Args.getLastArg(OPT_basenames, OPT_relativenames);
  if (!A)
    return SymbolizerOptions::PathKind::AbsoluteFilePath;
  return A->getOption().matches(OPT_basenames)
             ? SymbolizerOptions::PathKind::BaseNameOnly
             : SymbolizerOptions::PathKind::RelativeFilePath;
}

/// Null if paths are printed unchanged.
static std::shared_ptr<const ReadablePaths> readPathStyle(CommandLine &Line) {
  const opt::InputArgList &Args = Line.args();
  StringRef Name = Args.getLastArgValue(OPT_paths_EQ, "full");
  auto Style = StringSwitch<std::optional<PathStyle>>(Name)
                   .Case("full", PathStyle::Full)
                   .Case("relative", PathStyle::Relative)
                   .Case("short", PathStyle::Short)
                   .Default(std::nullopt);
  if (!Style)
    Line.fail("--paths=: expected full, relative or short, but got '" + Name +
              "'");
  PrefixMap Map = readPrefixMap(Line);
  if (Style.value_or(PathStyle::Full) == PathStyle::Full && Map.empty())
    return nullptr;
  return std::make_shared<const ReadablePaths>(Style.value_or(PathStyle::Full),
                                               std::move(Map));
}

static OlderRust readRustNames(CommandLine &Line, StringRef Default) {
  StringRef Name = Line.args().getLastArgValue(OPT_rust_names_EQ, Default);
  auto Style = StringSwitch<std::optional<OlderRust>>(Name)
                   .Case("plain", OlderRust::Plain)
                   .Case("hash", OlderRust::WithHash)
                   .Case("llvm", OlderRust::AsCXX)
                   .Default(std::nullopt);
  if (!Style)
    Line.fail("--rust-names=: expected plain, hash or llvm, but got '" + Name +
              "'");
  return Style.value_or(OlderRust::Plain);
}

AnswerOptions readAnswerOptions(CommandLine &Line,
                                const AnswerDefaults &Defaults) {
  const opt::InputArgList &Args = Line.args();
  AnswerOptions O;
  O.Symbolizer.Functions = readFunctions(Line, Defaults.Functions);
  O.Symbolizer.Paths = readPaths(Args);
  O.Symbolizer.Readable = readPathStyle(Line);
  O.Symbolizer.Rust = readRustNames(Line, Defaults.RustNames);
  O.Symbolizer.Demangle =
      Args.hasFlag(OPT_demangle, OPT_no_demangle, Defaults.Demangle);
  O.Symbolizer.AdjustVMA = Line.number(OPT_adjust_vma_EQ, 0);
  O.Symbolizer.ReturnAddresses = Args.hasArg(OPT_return_addresses);
  O.Printer.Address = Args.hasArg(OPT_addresses);
  O.Printer.Functions = O.Symbolizer.Functions != DINameKind::None;
  O.Printer.Pretty = Args.hasArg(OPT_pretty_print);
  O.Printer.Verbose = Args.hasArg(OPT_verbose);
  O.Printer.SourceLines = uint32_t(std::min<uint64_t>(
      Line.number(OPT_print_source_context_lines_EQ, 0), 1u << 20));
  O.Symbolizer.Sources = O.Printer.SourceLines > 0;
  for (const std::string &Rule : Args.getAllArgValues(OPT_source_path_EQ))
    if (Error E = O.Sources.add(Rule))
      Line.fail("--source-path=: " + toString(std::move(E)));
  O.Links = readSourceURLs(Line);
  O.Style = readStyle(Line, Defaults);
  O.Symbolizer.Text = O.Style->Text;
  O.Symbolizer.Doubt = Defaults.Doubt || O.Style->Schema == JSONSchema::Own;
  O.Symbolizer.Aliases = O.Style->Schema == JSONSchema::Own;
  O.Printer.GNU = O.Style->GNULayout;
  if (Args.hasArg(OPT_innermost))
    O.Frames = FrameChoice::Innermost;
  else if (!Args.hasFlag(OPT_inlines, OPT_no_inlines, Defaults.Inlines))
    O.Frames =
        O.Style->InnermostAlone ? FrameChoice::Innermost : FrameChoice::Outer;
  return O;
}

std::unique_ptr<AnswerPrinter> makePrinter(const AnswerOptions &O,
                                           bool AsList) {
  if (!O.Style->isJSON())
    return makeTextPrinter(*O.Stream, O.Printer);
  return makeJSONPrinter(*O.Stream, {O.Style->Schema, O.Printer.Pretty, AsList,
                                     O.Printer.SourceLines,
                                     O.Links.isEmpty() ? nullptr : &O.Links});
}

} // namespace lidia
