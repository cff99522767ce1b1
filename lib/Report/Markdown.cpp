//===- Markdown.cpp - A report of bounded size as Markdown ----------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// For tickets and for programs that read on: the most important part first,
/// and never more than the given size. Stacks are cut between frames, logs
/// between lines.
///
//===----------------------------------------------------------------------===//

#include "Reports.h"
#include "lidia/Symbolize/PrintableText.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace lidia {

namespace {

class MarkdownWriter {
public:
  MarkdownWriter(raw_ostream &OS, uint64_t MaxSize) : OS(OS), Left(MaxSize) {}

  void writeHead(const Report &R, StringRef Title);
  /// Writes whole lines of \p Text as code, as far as they fit. Returns false
  /// if lines are left out. Unless \p IsLast, leaves room to say so.
  bool writeCode(StringRef Text, bool IsLast);
  void writeMissing(const Report &R);
  /// Writes \p Text if all of it fits.
  bool write(const Twine &Text);

private:
  raw_ostream &OS;
  uint64_t Left;
};

} // namespace

/// Kept for the line that says what was left out.
static constexpr uint64_t Reserve = 100;

bool MarkdownWriter::write(const Twine &Twine) {
  std::string Text = Twine.str();
  if (Text.size() > Left)
    return false;
  OS << Text;
  Left -= Text.size();
  return true;
}

void MarkdownWriter::writeHead(const Report &R, StringRef Title) {
  std::string Name = escapeText(Title.take_front(200));
  write("# " + (Name.empty() ? nameOf(R.Kind).str() : Name) + "\n\n");
  write(nameOf(R.Kind) + ": " + Twine(R.Addresses) + " addresses, " +
        Twine(R.WithLines) + " with lines, " + Twine(R.WithNames) +
        " with names only\n");
}

bool MarkdownWriter::writeCode(StringRef Text, bool IsLast) {
  constexpr StringRef Fence = "```\n";
  uint64_t Room = Left - std::min(Left, 2 * Fence.size() + 2);
  if (!IsLast || Text.size() > Room)
    Room -= std::min(Room, Reserve);
  StringRef Fits = Text.take_front(Room);
  // A line that is cut says less than none.
  if (Fits.size() != Text.size())
    Fits = Fits.take_front(Fits.rfind('\n') + 1);
  if (Fits.empty())
    return Text.empty();
  // Text that ends the block itself would be read as Markdown.
  std::string Safe = Fits.str();
  for (size_t At = 0; (At = Safe.find("```", At)) != std::string::npos; ++At)
    Safe.replace(At, 3, "'''");
  write("\n" + Fence + Safe + (Fits.ends_with("\n") ? "" : "\n") + Fence);
  return Fits.size() == Text.size();
}

void MarkdownWriter::writeMissing(const Report &R) {
  bool IsFirst = true;
  for (const MissingModule &M : R.Missing) {
    if (std::exchange(IsFirst, false))
      write("\n## Missing\n\n");
    std::string ID = toHex(M.BuildID, /*LowerCase=*/true);
    if (!write("- " + escapeText(M.Name) + (ID.empty() ? "" : " " + ID) + ": " +
               toString(M.Reason.Code) + ": " + escapeText(M.Reason.Text) +
               "\n"))
      return;
  }
  for (const std::string &Warning : R.Warnings)
    if (!write("- " + escapeText(Warning) + "\n"))
      return;
}

/// The text from the first line on that says what went wrong; all of it if
/// there is none.
static StringRef fromFailure(StringRef Text) {
  size_t First = StringRef::npos;
  for (StringRef Mark :
       {"ERROR: ", "WARNING: ThreadSanitizer", "runtime error:", "panic:",
        "fatal error:", "panicked at", "terminate called", "Assertion ", "*** ",
        "SIGSEGV", "SIGABRT", "Segmentation fault"})
    First = std::min(First, Text.find(Mark));
  if (First == StringRef::npos)
    return Text;
  return Text.drop_front(Text.take_front(First).rfind('\n') + 1);
}

void writeMarkdown(const Report &R, StringRef Text, const ReportOptions &O,
                   raw_ostream &OS) {
  MarkdownWriter Out(OS, O.MaxMarkdown);
  Out.writeHead(R, O.Title);
  bool HasStacks = R.Kind == ReportKind::Core || R.Kind == ReportKind::Minidump;
  if (!HasStacks) {
    StringRef Shown = R.Kind == ReportKind::Log ? fromFailure(Text) : Text;
    bool IsWhole = Out.writeCode(Shown, Shown.size() == Text.size()) &&
                   Shown.size() == Text.size();
    if (!IsWhole)
      Out.write("\nThe rest of the text is left out.\n");
    Out.writeMissing(R);
    return;
  }
  // The thread that ended the process comes first.
  auto [First, Others] = Text.split("\n\n");
  bool IsWhole = Out.writeCode(First, Others.empty());
  Out.writeMissing(R);
  while (IsWhole && !Others.empty()) {
    StringRef Stack;
    std::tie(Stack, Others) = Others.split("\n\n");
    IsWhole = Out.writeCode(Stack, Others.empty());
  }
  if (!IsWhole)
    Out.write("\nThe rest of the stacks is left out.\n");
}

} // namespace lidia
