//===- ExplanationPrinter.cpp - Explanations as text and JSON -------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Output/ExplanationPrinter.h"
#include "MissHelp.h"
#include "lidia/Output/FrameJSON.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace lidia {

void addAdvice(ExplainedAddress &E) {
  const Explanation &Its = E.Its;
  if (E.NoArchive != MissCode::None) {
    if (StringRef Help = whatHelps(E.NoArchive); !Help.empty())
      E.Advice.push_back("what helps: " + Help.str());
    return;
  }
  if (!Its.Aliases.empty())
    E.Advice.push_back(std::to_string(Its.Aliases.size() + 1) +
                       " functions are this code (aliases, constructors, or "
                       "folded by the linker): the caller may have meant "
                       "another");
  if (Its.miss() == MissCode::None || Its.Origin == NameOrigin::DWARF)
    return;
  E.Advice.push_back(
      Its.BuildID.empty()
          ? "the file has no build ID: name its debug file with --debug-file="
          : "no debug file for build ID " + Its.BuildID +
                " was used: --debug-file-directory=, --store= and "
                "--debuginfod find it");
}

static std::string span(uint64_t Begin, uint64_t End) {
  return hex(Begin) + ".." + hex(End);
}

/// The item of the list in docs/Rules.md, "Between functions", that ranks names
/// from \p O; 0 for none.
static unsigned ruleOf(NameOrigin O) {
  switch (O) {
  case NameOrigin::Extractor:
  case NameOrigin::SymbolFile:
  case NameOrigin::PDB:
  case NameOrigin::PDBPublic:
    return 1;
  case NameOrigin::DWARF:
    return 2;
  case NameOrigin::Go:
    return 3;
  case NameOrigin::Symtab:
  case NameOrigin::SymtabSizeless:
    return 4;
  case NameOrigin::Dynsym:
  case NameOrigin::DynsymSizeless:
  case NameOrigin::Export:
    return 5;
  case NameOrigin::DebugData:
  case NameOrigin::DebugDataSizeless:
    return 6;
  case NameOrigin::PLT:
    return 7;
  default:
    return 0;
  }
}

namespace {

class ExplanationText {
public:
  ExplanationText(raw_ostream &OS, const ExplainedAddress &E)
      : OS(OS), E(E), Its(E.Its) {}

  void print();

private:
  void line(StringRef Label, const Twine &Text) {
    OS << formatv("{0,-10} {1}\n", Label == Last ? "" : Label, Text.str());
    Last = Label.str();
  }
  bool isRefuted() const { return Its.Trust == NameTrust::Refuted; }
  bool hasName() const {
    return !Its.Frames.empty() && !Its.Frames.back().Function.empty();
  }
  void printAnswer();
  void printName();
  void printNeighbours();
  void printSources();
  void printStack(const ExplainedAddress::StackFrame &F);

  raw_ostream &OS;
  const ExplainedAddress &E;
  const Explanation &Its;
  std::string Last;
};

} // namespace

static std::string positionOf(StringRef File, uint32_t Line, uint32_t Column) {
  std::string Text = File.empty() ? "??" : File.str();
  Text += ":" + std::to_string(Line);
  return Column ? Text + ":" + std::to_string(Column) : Text;
}

void ExplanationText::printAnswer() {
  if (!isRefuted())
    for (const SymbolizedFrame &F : Its.Frames)
      line("answer",
           (F.Function.empty() ? "??" : F.Function) +
               (Its.Trust == NameTrust::Uncertain ? "? at " : " at ") +
               positionOf(F.File, F.Line, F.Column) +
               (F.IsInlined ? " (inlined)" : ""));
  if (!hasName() || isRefuted())
    line("answer", Its.Unnamed ? unnamedFunction(Its.Unnamed->Begin) + "+" +
                                     hex(Its.Address - Its.Unnamed->Begin)
                               : std::string("no function is known here"));
  if (MissCode Code = E.miss(); Code != MissCode::None)
    line("missing", toString(Code));
}

void ExplanationText::printName() {
  if (!hasName())
    return;
  StringRef Name = Its.Frames.back().Function;
  if (isRefuted())
    line("name", Name + " has no size, and another function begins at " +
                     hex(Its.PossibleEnd) + ": not believed here");
  else if (Its.Trust == NameTrust::Uncertain)
    line("name", Name + " has no size; it is shown to reach " +
                     hex(Its.ShownEnd) + ", and nothing begins before " +
                     hex(Its.PossibleEnd));
  if (Its.Code)
    line("code", span(Its.Code->Begin, Its.Code->End));
  if (unsigned Rule = ruleOf(Its.Origin))
    line("origin", toString(Its.Origin) +
                       " (docs/Rules.md, Between functions, " + Twine(Rule) +
                       ")");
  else if (Its.Origin != NameOrigin::Unknown)
    line("origin", toString(Its.Origin));
  if (!Its.Aliases.empty())
    line("aliases", Twine(Its.Aliases.size()) + ": " +
                        join(Its.Aliases.begin(), Its.Aliases.end(), ", "));
}

void ExplanationText::printNeighbours() {
  if (Its.Before)
    line("before",
         span(Its.Before->Begin, Its.Before->End) + " " + Its.Before->Name);
  if (Its.After)
    line("after",
         span(Its.After->Begin, Its.After->End) + " " + Its.After->Name);
}

void ExplanationText::printSources() {
  for (const ExplainedAddress::Source &S : E.Sources)
    line("sources", S.Name + ": " +
                        (S.Function.empty() ? "lines only" : S.Function) + " " +
                        span(S.Code.Begin, S.Code.End) +
                        (isSizeless(S.Origin) ? ", no size" : ""));
}

void ExplanationText::printStack(const ExplainedAddress::StackFrame &F) {
  line("stack", "thread " + Twine(F.Thread) + ", frame " + Twine(F.Number));
  constexpr size_t Columns = 4;
  for (size_t I = 0; I < F.Registers.size(); I += Columns) {
    std::string Text;
    for (const auto &R :
         ArrayRef(F.Registers)
             .slice(I, std::min(Columns, F.Registers.size() - I)))
      Text += (Text.empty() ? "" : " ") + R.Name + "=" + hex(R.Value);
    line("registers", Text);
  }
  if (F.CFA)
    line("caller",
         "CFA=" + hex(*F.CFA) + (F.CFARule.empty() ? "" : ": " + F.CFARule));
  for (const ExplainedAddress::StackFrame::Found &R : F.Caller)
    line("caller", R.Name + (R.Value ? "=" + hex(*R.Value) : " unknown") +
                       ": " + R.Rule + (R.Place ? " at " + hex(*R.Place) : ""));
}

void ExplanationText::print() {
  line("address", hex(Its.Address) + " in " + E.Module);
  for (const auto &[Label, Text] : E.Places)
    line(Label, Text);
  if (!Its.BuildID.empty())
    line("build ID", Its.BuildID);
  printAnswer();
  printName();
  printSources();
  for (const Explanation::Row &R : Its.Rows)
    line("rows", hex(R.Address) + " " + positionOf(R.File, R.Line, R.Column) +
                     (R.IsInForce ? " <-" : ""));
  if (!Its.Unit.empty())
    line("unit",
         Its.Unit + (Its.Language.empty() ? "" : " (" + Its.Language + ")"));
  printNeighbours();
  if (!Its.UnwindRules.empty())
    line("unwind",
         span(Its.UnwindRow.Begin, Its.UnwindRow.End) + " " + Its.UnwindRules);
  if (E.Stack)
    printStack(*E.Stack);
  for (const std::string &A : E.Advice)
    line("advice", A);
}

void printExplanation(raw_ostream &OS, const ExplainedAddress &E) {
  ExplanationText(OS, E).print();
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

static void writeExtent(json::OStream &J, StringRef Name, uint64_t Begin,
                        uint64_t End) {
  J.attributeObject(Name, [&] {
    J.attribute("begin", hex(Begin));
    J.attribute("end", hex(End));
  });
}

static void writeNeighbour(json::OStream &J, StringRef Name,
                           const std::optional<Explanation::Neighbour> &N) {
  if (!N)
    return;
  J.attributeObject(Name, [&] {
    J.attribute("function", N->Name);
    J.attribute("begin", hex(N->Begin));
    J.attribute("end", hex(N->End));
  });
}

static StringRef toString(NameTrust T) {
  switch (T) {
  case NameTrust::Certain:
    return "certain";
  case NameTrust::Uncertain:
    return "uncertain";
  case NameTrust::Refuted:
    return "refuted";
  }
  return "";
}

static void writeName(json::OStream &J, const ExplainedAddress &E) {
  const Explanation &Its = E.Its;
  J.attributeArray("frames", [&] {
    for (const SymbolizedFrame &F : Its.Frames)
      J.object([&] {
        writeFrameMembers(F, /*Links=*/nullptr,
                          [&](StringRef Name, const auto &Value) {
                            J.attribute(Name, Value);
                          });
      });
  });
  if (E.miss() != MissCode::None)
    J.attribute("miss", lidia::toString(E.miss()));
  if (Its.Origin != NameOrigin::Unknown) {
    J.attribute("origin", lidia::toString(Its.Origin));
    J.attribute("trust", toString(Its.Trust));
    if (unsigned Rule = ruleOf(Its.Origin))
      J.attribute("rule", Rule);
  }
  if (Its.Code)
    writeExtent(J, "code", Its.Code->Begin, Its.Code->End);
  if (Its.Trust != NameTrust::Certain) {
    J.attribute("shown_end", hex(Its.ShownEnd));
    J.attribute("possible_end", hex(Its.PossibleEnd));
  }
  if (Its.Unnamed)
    writeExtent(J, "unnamed_function", Its.Unnamed->Begin, Its.Unnamed->End);
  if (!Its.Aliases.empty())
    J.attributeArray("aliases", [&] {
      for (const std::string &A : Its.Aliases)
        J.value(A);
    });
}

static void writeRows(json::OStream &J, const Explanation &Its) {
  if (!Its.Rows.empty())
    J.attributeArray("rows", [&] {
      for (const Explanation::Row &R : Its.Rows)
        J.object([&] {
          J.attribute("address", hex(R.Address));
          writeFrameMembers(FrameView("", R.File, R.Line, R.Column),
                            [&](StringRef Name, const auto &Value) {
                              J.attribute(Name, Value);
                            });
          if (R.IsInForce)
            J.attribute("in_force", true);
        });
    });
  if (!Its.Unit.empty())
    J.attribute("unit", Its.Unit);
  if (!Its.Language.empty())
    J.attribute("language", Its.Language);
  writeNeighbour(J, "before", Its.Before);
  writeNeighbour(J, "after", Its.After);
  if (!Its.UnwindRules.empty())
    J.attributeObject("unwind", [&] {
      J.attribute("begin", hex(Its.UnwindRow.Begin));
      J.attribute("end", hex(Its.UnwindRow.End));
      J.attribute("rules", Its.UnwindRules);
    });
}

static void writeStack(json::OStream &J,
                       const ExplainedAddress::StackFrame &F) {
  J.attributeObject("stack", [&] {
    J.attribute("thread", F.Thread);
    J.attribute("frame", F.Number);
    J.attributeObject("registers", [&] {
      for (const auto &R : F.Registers)
        J.attribute(R.Name, hex(R.Value));
    });
    if (F.CFA)
      J.attribute("cfa", hex(*F.CFA));
    if (!F.CFARule.empty())
      J.attribute("cfa_rule", F.CFARule);
    J.attributeArray("caller", [&] {
      for (const ExplainedAddress::StackFrame::Found &R : F.Caller)
        J.object([&] {
          J.attribute("register", R.Name);
          J.attribute("rule", R.Rule);
          if (R.Place)
            J.attribute("found_at", hex(*R.Place));
          if (R.Value)
            J.attribute("value", hex(*R.Value));
        });
    });
  });
}

void writeExplanation(json::OStream &J, const ExplainedAddress &E) {
  J.object([&] {
    J.attribute("address", hex(E.Its.Address));
    J.attribute("module", E.Module);
    for (const auto &[Label, Text] : E.Places)
      J.attribute(Label, Text);
    if (!E.Its.BuildID.empty())
      J.attribute("build_id", E.Its.BuildID);
    writeName(J, E);
    if (!E.Sources.empty())
      J.attributeArray("sources", [&] {
        for (const ExplainedAddress::Source &S : E.Sources)
          J.object([&] {
            J.attribute("source", S.Name);
            if (!S.Function.empty())
              J.attribute("function", S.Function);
            if (S.Origin != NameOrigin::Unknown)
              J.attribute("origin", lidia::toString(S.Origin));
            J.attribute("begin", hex(S.Code.Begin));
            J.attribute("end", hex(S.Code.End));
          });
      });
    writeRows(J, E.Its);
    if (E.Stack)
      writeStack(J, *E.Stack);
    if (!E.Advice.empty())
      J.attributeArray("advice", [&] {
        for (const std::string &A : E.Advice)
          J.value(A);
      });
  });
}

} // namespace lidia
