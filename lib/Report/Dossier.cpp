//===- Dossier.cpp - A report of bounded size -----------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// For tickets and for programs that read on, as Markdown and as JSON: the most
/// important part first, and never more than the given size. Stacks are cut
/// between frames, logs between lines. The order is the same in both:
///
///   where each stack is, the first stack, source, registers and the
///   instruction, what is uncertain, what is missing and how to get it, build
///   IDs of the first stack, the other stacks, the other build IDs.
///
//===----------------------------------------------------------------------===//

#include "Dossier.h"
#include "Output/MissHelp.h"
#include "lidia/Output/FrameJSON.h"
#include "lidia/Symbolize/PrintableText.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"

using namespace llvm;

namespace lidia {

/// A part of a dump's dossier that can be long, the first stack, leaves this
/// share of the room to what follows.
static constexpr uint64_t FirstStackShare = 2;
/// Titles are cut after so many bytes.
static constexpr size_t MaxTitle = 200;

static bool hasStacks(const Report &R) {
  return R.Kind == ReportKind::Core || R.Kind == ReportKind::Minidump;
}

/// What helps against \p Code; empty if nothing is known to.
static std::string remedyOf(MissCode Code) {
  StringRef Help = whatHelps(Code);
  return Help.empty() ? "" : " (what helps: " + Help.str() + ")";
}

StringRef fromFailure(StringRef Text) {
  size_t First = StringRef::npos;
  for (StringRef Mark : {"ERROR: ",
                         "WARNING: ThreadSanitizer",
                         "runtime error:",
                         "panic:",
                         "fatal error:",
                         "panicked at",
                         "terminate called",
                         "Assertion ",
                         "*** ",
                         "SIGSEGV",
                         "SIGABRT",
                         "SIGBUS",
                         "SIGILL",
                         "SIGFPE",
                         "Segmentation fault",
                         "invoked oom-killer",
                         "Out of memory: ",
                         "BUG: ",
                         "Oops: ",
                         "general protection fault",
                         "pure virtual method",
                         "double free",
                         "Fatal Python error",
                         "Traceback (most recent call"})
    First = std::min(First, Text.find(Mark));
  if (First == StringRef::npos)
    return Text;
  return Text.drop_front(Text.take_front(First).rfind('\n') + 1);
}

//===----------------------------------------------------------------------===//
// Markdown
//===----------------------------------------------------------------------===//

namespace {

class MarkdownWriter {
public:
  MarkdownWriter(raw_ostream &OS, uint64_t MaxSize) : OS(OS), Left(MaxSize) {}

  void writeHead(const Report &R, StringRef Title);
  /// Writes whole lines of \p Raw as code, as far as they fit into \p Max
  /// bytes. Returns false if lines are left out. Unless \p IsLast, leaves room
  /// to say so.
  bool writeCode(StringRef Raw, bool IsLast, uint64_t Max = UINT64_MAX);
  /// Writes a heading and \p Text as code, if all of it fits.
  void writeSection(const Twine &Heading, StringRef Text);
  /// Writes a heading and items as code, as many as fit.
  void writeList(StringRef Heading, ArrayRef<std::string> Items);
  void writeFacts(const Report &R);
  /// Writes \p Text if all of it fits.
  bool write(const Twine &Text);
  uint64_t left() const { return Left; }

private:
  raw_ostream &OS;
  uint64_t Left;
};

} // namespace

/// Kept for the line that says what was left out.
static constexpr uint64_t Reserve = 100;
static constexpr StringLiteral Fence = "```\n";

/// \p Text for a block of code: UTF-8 without control characters, that cannot
/// end the block. The rest would be read as Markdown.
static std::string asCode(StringRef Text) {
  std::string Safe;
  while (!Text.empty()) {
    size_t End = Text.find_first_of("\n\t");
    StringRef Part = Text.take_front(End);
    if (Text.substr(Part.size()).starts_with("\n"))
      Part.consume_back("\r");
    Safe += isPrintableText(Part) ? Part.str() : escapeText(Part);
    if (End == StringRef::npos)
      break;
    Safe += Text[End];
    Text = Text.drop_front(End + 1);
  }
  for (size_t At = 0; (At = Safe.find("```", At)) != std::string::npos; ++At)
    Safe.replace(At, 3, "'''");
  return Safe;
}

/// \p Text, which may be the name of a file, as text of a heading.
static std::string asHeading(StringRef Text) {
  std::string Safe;
  for (char C : escapeText(Text)) {
    if (StringRef("\\`*_[]<>&#|~!").contains(C))
      Safe += '\\';
    Safe += C;
  }
  return Safe;
}

bool MarkdownWriter::write(const Twine &Twine) {
  std::string Text = Twine.str();
  if (Text.size() > Left)
    return false;
  OS << Text;
  Left -= Text.size();
  return true;
}

void MarkdownWriter::writeHead(const Report &R, StringRef Title) {
  std::string Name = asHeading(Title.take_front(MaxTitle));
  write("# " + (Name.empty() ? nameOf(R.Kind).str() : Name) + "\n\n");
  write(nameOf(R.Kind) + ": " + Twine(R.Addresses) + " addresses, " +
        Twine(R.WithLines) + " with lines, " + Twine(R.WithNames) +
        " with names only\n");
  if (R.Facts.Causes.empty())
    return;
  std::string Text = join(R.Facts.Causes, "\n") + "\n";
  if (R.Facts.OtherStacks)
    Text += std::to_string(R.Facts.OtherStacks) + " more stacks\n";
  writeCode(Text, /*IsLast=*/false);
}

bool MarkdownWriter::writeCode(StringRef Raw, bool IsLast, uint64_t Max) {
  std::string Text = asCode(Raw);
  uint64_t Room = std::min(Left, Max);
  Room -= std::min(Room, 2 * Fence.size() + 2);
  if (!IsLast || Text.size() > Room)
    Room -= std::min(Room, Reserve);
  StringRef Fits = StringRef(Text).take_front(Room);
  // A line that is cut says less than none.
  if (Fits.size() != Text.size())
    Fits = Fits.take_front(Fits.rfind('\n') + 1);
  if (Fits.empty())
    return Text.empty();
  write("\n" + Fence + Fits + (Fits.ends_with("\n") ? "" : "\n") + Fence);
  return Fits.size() == Text.size();
}

void MarkdownWriter::writeSection(const Twine &Heading, StringRef Text) {
  write("\n## " + Heading + "\n\n" + Fence + asCode(Text) + Fence);
}

void MarkdownWriter::writeList(StringRef Heading, ArrayRef<std::string> Items) {
  std::string Text;
  // In code, so that a name that looks like Markdown stays a name.
  uint64_t Around =
      ("\n## " + Heading + "\n\n").str().size() + 2 * Fence.size();
  for (const std::string &Item : Items) {
    if (Around + Text.size() + Item.size() + 1 > Left)
      break;
    Text += Item + "\n";
  }
  if (!Text.empty())
    writeSection(Heading, Text);
}

static std::string describe(const DossierFacts::Excerpt &E) {
  std::string Text;
  raw_string_ostream OS(Text);
  OS << E.File << ':' << E.Line << " in " << E.Function << '\n';
  uint64_t Number = E.First;
  for (const std::string &Line : E.Lines) {
    OS << (Number == E.Line ? '>' : ' ') << format_decimal(int64_t(Number), 6)
       << "  " << Line << '\n';
    ++Number;
  }
  return Text;
}

/// The registers in four columns, and the instruction.
static std::string describeRegisters(const DossierFacts &Facts) {
  std::string Text;
  raw_string_ostream OS(Text);
  if (const auto &I = Facts.Stopped)
    OS << "=> " << hex(I->Address) << " (" << I->Place << "): " << I->Text
       << "  [" << I->Bytes << "]\n";
  unsigned Column = 0;
  for (const auto &[Name, Value] : Facts.Registers)
    OS << (Column++ % 4  ? "  "
           : Column == 1 ? ""
                         : "\n")
       << llvm::format("%-4s 0x%0*llx", Name.c_str(), int(Facts.WordSize) * 2,
                       (unsigned long long)Value);
  if (Column)
    OS << '\n';
  return Text;
}

static std::vector<std::string> describeMissing(const Report &R) {
  std::vector<std::string> Items;
  for (const MissingModule &M : R.Missing) {
    std::string ID = toHex(M.BuildID, /*LowerCase=*/true);
    Items.push_back(escapeText(M.Name) + (ID.empty() ? "" : " " + ID) + ": " +
                    toString(M.Reason.Code) + ": " + escapeText(M.Reason.Text) +
                    remedyOf(M.Reason.Code));
  }
  for (const std::string &Warning : R.Warnings)
    Items.push_back(escapeText(Warning));
  return Items;
}

static std::vector<std::string>
describe(ArrayRef<DossierFacts::Module> Modules) {
  std::vector<std::string> Items;
  for (const DossierFacts::Module &M : Modules)
    Items.push_back((M.BuildID.empty() ? std::string("no build ID")
                                       : toHex(M.BuildID, /*LowerCase=*/true)) +
                    " " + M.Name);
  return Items;
}

void MarkdownWriter::writeFacts(const Report &R) {
  std::string Source;
  for (const DossierFacts::Excerpt &E : R.Facts.Source)
    Source += (Source.empty() ? "" : "\n") + describe(E);
  if (!Source.empty())
    writeSection("Source", Source);
  if (std::string Text = describeRegisters(R.Facts); !Text.empty())
    writeSection("Registers", Text);
  writeList("Uncertain", R.Facts.Uncertain);
  writeList("Missing", describeMissing(R));
  writeList("Build IDs", describe(R.Facts.Modules));
}

static void writeTextAsMarkdown(const Report &R, StringRef Text,
                                MarkdownWriter &Out) {
  std::string Source;
  for (const DossierFacts::Excerpt &E : R.Facts.Source)
    Source += (Source.empty() ? "" : "\n") + describe(E);
  if (!Source.empty())
    Out.writeSection("Source", Source);
  StringRef Shown = R.Kind == ReportKind::Log ? fromFailure(Text) : Text;
  // What is missing is worth more than the end of a long text.
  uint64_t Max =
      R.Missing.empty() && R.Warnings.empty() ? Out.left() : Out.left() * 3 / 4;
  bool IsWhole = Out.writeCode(Shown, Shown.size() == Text.size(), Max) &&
                 Shown.size() == Text.size();
  if (!IsWhole)
    Out.write("\nThe rest of the text is left out.\n");
  Out.writeList("Missing", describeMissing(R));
}

void writeMarkdown(const Report &R, StringRef Text, const ReportOptions &O,
                   raw_ostream &OS) {
  MarkdownWriter Out(OS, O.MaxDossier);
  Out.writeHead(R, O.Title);
  if (!hasStacks(R))
    return writeTextAsMarkdown(R, Text, Out);
  // The thread that ended the process comes first.
  auto [First, Others] = Text.split("\n\n");
  bool IsWhole =
      Out.writeCode(First, Others.empty(), Out.left() / FirstStackShare);
  Out.writeFacts(R);
  while (!Others.empty()) {
    StringRef Stack;
    std::tie(Stack, Others) = Others.split("\n\n");
    IsWhole &= Out.writeCode(Stack, Others.empty());
    if (!IsWhole)
      break;
  }
  if (!IsWhole)
    Out.write("\nThe rest of the stacks is left out.\n");
  Out.writeList("Other modules", describe(R.Facts.OtherModules));
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

namespace {

/// An object of bounded size.
class BoundedObject {
public:
  explicit BoundedObject(uint64_t MaxSize) : MaxSize(MaxSize) {}

  /// Adds a member if it fits.
  bool add(StringRef Key, const json::Value &V) {
    std::string Text = textOf(V);
    if (!fits(Key.size() + Text.size() + Overhead))
      return false;
    begin(Key) += Text;
    return true;
  }
  /// Adds an array with as many of the first \p Items as fit.
  void addArray(StringRef Key, ArrayRef<json::Value> Items);
  uint64_t left() const { return MaxSize - std::min(MaxSize, used()); }
  void leaveOut() { IsWhole = false; }
  /// The object; call last.
  std::string finish();

  static std::string textOf(const json::Value &V) {
    std::string Text;
    raw_string_ostream OS(Text);
    JSONEscaper(OS) << V;
    return Text;
  }

private:
  /// `"":,` and the last members.
  static constexpr size_t Overhead = 4;
  static constexpr StringLiteral LeftOut = "\"left_out\":true";
  static constexpr StringLiteral End = "}\n";

  uint64_t used() const {
    return Members.size() + LeftOut.size() + End.size() + 2;
  }
  bool fits(size_t Size) {
    bool Fits = Size <= left();
    IsWhole &= Fits;
    return Fits;
  }
  std::string &begin(StringRef Key) {
    Members += (Members.empty() ? "\"" : ",\"") + Key.str() + "\":";
    return Members;
  }

  const uint64_t MaxSize;
  std::string Members;
  bool IsWhole = true;
};

} // namespace

void BoundedObject::addArray(StringRef Key, ArrayRef<json::Value> Items) {
  std::string Text;
  for (const json::Value &V : Items) {
    std::string Item = textOf(V);
    if (!fits(Key.size() + Text.size() + Item.size() + Overhead + 3))
      break;
    Text += (Text.empty() ? "" : ",") + Item;
  }
  if (!Text.empty())
    begin(Key) += "[" + Text + "]";
}

std::string BoundedObject::finish() {
  if (!IsWhole)
    Members += (Members.empty() ? "" : ",") + LeftOut.str();
  return "{" + Members + "}\n";
}

/// \p Stack with as many frames as fit into \p Room bytes; the number of the
/// others is "omitted_frames".
static json::Value fittingStack(const json::Value &Stack, uint64_t Room,
                                bool &IsWhole) {
  const json::Object *Its = Stack.getAsObject();
  const json::Array *Frames = Its ? Its->getArray("stack") : nullptr;
  if (!Frames)
    return Stack;
  json::Object Result = *Its;
  json::Array Kept;
  Result["stack"] = json::Array();
  // Room for the number.
  uint64_t Used =
      BoundedObject::textOf(json::Value(json::Object(Result))).size() + 50;
  for (const json::Value &Frame : *Frames) {
    Used += BoundedObject::textOf(Frame).size() + 1;
    if (Used > Room)
      break;
    Kept.push_back(Frame);
  }
  if (size_t Omitted = Frames->size() - Kept.size()) {
    IsWhole = false;
    Result["omitted_frames"] =
        int64_t(Omitted) + Its->getInteger("omitted_frames").value_or(0);
    Result["omitted_before"] = int64_t(Kept.size());
  }
  Result["stack"] = std::move(Kept);
  return Result;
}

static json::Value toJSON(const DossierFacts::Excerpt &E) {
  json::Array Lines;
  for (const std::string &Line : E.Lines)
    Lines.push_back(json::fixUTF8(Line));
  return json::Object{{"function", json::fixUTF8(E.Function)},
                      {"file", json::fixUTF8(E.File)},
                      {"line", E.Line},
                      {"first_line", int64_t(E.First)},
                      {"lines", std::move(Lines)}};
}

static std::vector<json::Value> toJSON(ArrayRef<DossierFacts::Module> Modules) {
  std::vector<json::Value> Items;
  for (const DossierFacts::Module &M : Modules) {
    json::Object Item{{"name", json::fixUTF8(M.Name)}};
    if (!M.BuildID.empty())
      Item["build_id"] = toHex(M.BuildID, /*LowerCase=*/true);
    Items.push_back(std::move(Item));
  }
  return Items;
}

static std::vector<json::Value> missingAsJSON(const Report &R) {
  std::vector<json::Value> Items;
  for (const MissingModule &M : R.Missing) {
    json::Object Item{{"name", json::fixUTF8(M.Name)},
                      {"miss", toString(M.Reason.Code)},
                      {"reason", json::fixUTF8(M.Reason.Text)}};
    if (!M.BuildID.empty())
      Item["build_id"] = toHex(M.BuildID, /*LowerCase=*/true);
    if (StringRef Help = whatHelps(M.Reason.Code); !Help.empty())
      Item["what_helps"] = Help;
    Items.push_back(std::move(Item));
  }
  return Items;
}

static std::vector<json::Value> toJSON(ArrayRef<std::string> Texts) {
  std::vector<json::Value> Items;
  for (const std::string &Text : Texts)
    Items.push_back(json::fixUTF8(Text));
  return Items;
}

static void addFacts(const Report &R, BoundedObject &To) {
  const DossierFacts &Facts = R.Facts;
  std::vector<json::Value> Source;
  for (const DossierFacts::Excerpt &E : Facts.Source)
    Source.push_back(toJSON(E));
  To.addArray("source", Source);
  if (const auto &I = Facts.Stopped)
    To.add("instruction", json::Object{{"address", hex(I->Address)},
                                       {"place", json::fixUTF8(I->Place)},
                                       {"bytes", I->Bytes},
                                       {"text", json::fixUTF8(I->Text)}});
  json::Object Registers;
  for (const auto &[Name, Value] : Facts.Registers)
    Registers[Name] = hex(Value);
  if (!Registers.empty())
    To.add("registers", std::move(Registers));
  To.addArray("uncertain", toJSON(Facts.Uncertain));
  To.addArray("missing", missingAsJSON(R));
  To.addArray("warnings", toJSON(R.Warnings));
  To.addArray("modules", toJSON(Facts.Modules));
}

/// Adds as many whole lines of \p Text, a JSON string, as fit.
static void addText(const Report &R, BoundedObject &To) {
  Expected<json::Value> Parsed = json::parse(R.Value);
  if (!Parsed)
    return consumeError(Parsed.takeError());
  StringRef All = Parsed->getAsString().value_or("");
  StringRef Text = R.Kind == ReportKind::Log ? fromFailure(All) : All;
  if (Text.size() != All.size())
    To.leaveOut();
  for (size_t Max = Text.size(); Max != 0;) {
    StringRef Part = Text.take_front(Max);
    if (Max != Text.size())
      Part = Part.take_front(Part.rfind('\n') + 1);
    json::Value V = json::Value(Part);
    size_t Size = BoundedObject::textOf(V).size() + 12;
    if (Part.empty() || (Size <= To.left() && To.add("text", V)))
      return;
    To.leaveOut();
    // Escapes make it longer.
    Max = std::min<size_t>(Part.size() - 1, To.left() * Part.size() / Size);
  }
}

void writeDossierJSON(const Report &R, const ReportOptions &O,
                      raw_ostream &OS) {
  BoundedObject To(O.MaxDossier);
  To.add("kind", nameOf(R.Kind));
  if (!O.Title.empty())
    To.add("title", json::fixUTF8(O.Title.substr(0, MaxTitle)));
  To.add("addresses", int64_t(R.Addresses));
  To.add("with_lines", int64_t(R.WithLines));
  To.add("with_names", int64_t(R.WithNames));
  To.addArray("causes", toJSON(R.Facts.Causes));
  if (R.Facts.OtherStacks)
    To.add("other_stacks", int64_t(R.Facts.OtherStacks));
  if (!hasStacks(R)) {
    addFacts(R, To);
    addText(R, To);
    OS << To.finish();
    return;
  }
  Expected<json::Value> Parsed = json::parse(R.Value);
  // Our own text.
  json::Array None;
  json::Array *Stacks = Parsed ? Parsed->getAsArray() : nullptr;
  if (!Parsed)
    consumeError(Parsed.takeError());
  if (!Stacks)
    Stacks = &None;
  std::vector<json::Value> Others;
  bool IsWhole = true;
  for (json::Value &Stack : *Stacks)
    if (&Stack == &Stacks->front())
      To.add("first_stack",
             fittingStack(Stack, To.left() / FirstStackShare, IsWhole));
    else
      Others.push_back(std::move(Stack));
  if (!IsWhole)
    To.leaveOut();
  addFacts(R, To);
  To.addArray("stacks", Others);
  To.addArray("other_modules", toJSON(R.Facts.OtherModules));
  OS << To.finish();
}

} // namespace lidia
