//===- StackPrinter.h - Prints the stacks of threads ------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_STACK_STACKPRINTER_H
#define LIDIA_STACK_STACKPRINTER_H

#include "lidia/Modules/MissingModule.h"
#include "lidia/Output/SchemaStream.h"
#include "lidia/Process/Goroutines.h"
#include "lidia/Stack/BoundedAnswers.h"
#include "lidia/Symbolize/AnswerCounts.h"
#include "lidia/Symbolize/PrintableText.h"
#include "lidia/Symbolize/SourceURLs.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/JSON.h"
#include <optional>

namespace lidia {

/// What StackPrinter prints, and how.
struct StackPrintOptions {
  /// Print this JSON instead of text.
  std::optional<JSONSchema> JSON;
  /// Whether inlined calls are frames of their own.
  bool Inlines = true;
  /// What memory is read from, for messages: "the core", "the process".
  std::string Source;
  bool Registers = false;
  bool Trust = false;
  bool Group = false;
  /// With Group: print only the first so many groups.
  size_t MaxGroups = SIZE_MAX;
  /// Whether frames in JSON have their module's build ID, and the address that
  /// was looked up.
  bool BuildIDs = false;
  /// Receives the paths of the files of printed frames; may be null.
  llvm::StringSet<> *Files = nullptr;
  /// Where the sources are on the web. Frames in JSON have the URLs of their
  /// lines.
  SourceURLs Links;
};

/// Prints threads with their stacks as text or JSON, either immediately or,
/// with StackPrintOptions::Group, at the end with equal stacks together.
class StackPrinter {
public:
  struct StoppedGoroutine {
    Goroutine G;
    ThreadStop Stop;
  };
  /// Threads, or goroutines, with equal stacks.
  struct Group {
    std::vector<ThreadState> Threads;
    std::vector<StoppedGoroutine> Goroutines;
    UnwoundStack Stack;

    size_t size() const { return Threads.size() + Goroutines.size(); }
    bool hasRegisters() const {
      return Threads.empty() ? !Stack.Frames.empty()
                             : Threads.front().HasRegisters;
    }
  };

  /// All arguments must outlive this object. \p Warn receives the reason why a
  /// module has no archive, once for each module, and a message when names
  /// start to be shortened.
  StackPrinter(llvm::raw_ostream &OS, StackPrintOptions Options,
               ProcessSymbolizer &S, const UnwindMachine *Machine,
               std::function<void(const llvm::Twine &)> Warn);

  void print(const ThreadState &T, UnwoundStack Stack);
  /// Prints the stack of a goroutine. \p T is its thread if it is running,
  /// otherwise null.
  void print(const Goroutine &G, const ThreadState *T, UnwoundStack Stack);
  /// Prints what remains. Call this last.
  void finish();

  /// The number of frames printed so far, including those of inlined calls.
  uint64_t frames() const { return FramesPrinted; }
  /// The number of frames with lines, and of frames with names but no lines.
  uint64_t framesWithLines() const { return FramesWithLines; }
  uint64_t framesWithNames() const { return FramesWithNames; }
  /// What the addresses of printed frames have for an answer, those of a
  /// recursion that is printed once counted once.
  const AnswerCounts &answers() const { return Answers; }
  /// Modules without an archive that were found so far.
  llvm::ArrayRef<MissingModule> missing() const { return Missing; }
  /// Modules with an archive that has no function at the address of a frame,
  /// because their symbols are stripped; at most four.
  llvm::ArrayRef<std::string> nameless() const { return Nameless; }
  /// Whether a frame was in memory without a file, and without a name.
  bool hasUnnamedMemory() const { return HasUnnamedMemory; }
  /// With StackPrintOptions::Group, the groups in the order of printing, also
  /// those that were not printed: the first has the thread that ended the
  /// process.
  llvm::ArrayRef<Group> groups() const { return Groups; }

private:
  using Answer = std::shared_ptr<const ProcessAnswer>;
  /// The number of threads or goroutines of a group whose IDs are printed as
  /// text.
  static constexpr size_t MaxIDs = 10;

  bool isJSON() const { return Options.JSON.has_value(); }
  std::string printable(llvm::StringRef Text) const;
  Answer ask(const UnwoundFrame &F);
  Answer asCalled(const UnwoundFrame &F, Answer A) const;
  llvm::ArrayRef<SymbolizedFrame> framesOf(const ProcessAnswer &A) const;
  void count(const SymbolizedFrame &F);
  void printGroup(const Group &G);
  void printGroups();
  Group &groupOf(UnwoundStack Stack, const llvm::Twine &Kind);
  std::string keyOf(const UnwoundStack &Stack, llvm::StringRef Kind);

  void printText(const Group &G);
  void printHeader(const Group &G);
  void printGoroutineHeader(const Group &G);
  void printCreators(const Group &G);
  void printFunction(const Answer &A, const UnwoundFrame &F,
                     const SymbolizedFrame &Call);
  void printPlace(const Answer &A, const UnwoundFrame &F);
  void printRegisters(const RegisterSet &Registers);
  void printRest(size_t Count);
  void printFrames(const UnwoundStack &Stack);
  void printFrame(const UnwoundFrame &F, unsigned &Number);

  void printJSON(const Group &G);
  void printThreadJSON(const ThreadState &T);
  void printGoroutineJSON(const StoppedGoroutine &S);
  void printFrameJSON(const UnwoundFrame &F);
  void printBuildID(const UnwoundFrame &F, const ProcessAnswer &A);
  void printCallJSON(const SymbolizedFrame &F);

  ProcessSymbolizer &S;
  const StackPrintOptions Options;
  BoundedAnswers Bounded;
  const UnwindMachine *Machine;
  const std::function<void(const llvm::Twine &)> Warn;
  llvm::raw_ostream &OS;
  JSONEscaper Escaper{OS};
  /// None for text.
  std::optional<SchemaStream> JSON;
  bool IsFirst = true;
  AnswerCounts Answers;
  uint64_t FramesPrinted = 0;
  uint64_t FramesWithLines = 0;
  uint64_t FramesWithNames = 0;
  bool AnyUncertain = false;
  llvm::StringSet<> Reported;
  std::vector<MissingModule> Missing;
  std::vector<std::string> Nameless;
  bool HasUnnamedMemory = false;
  /// Modules with lines, which Nameless does not have.
  llvm::StringSet<> WithLines;
  llvm::StringMap<size_t> GroupIndices;
  std::vector<Group> Groups;
};

} // namespace lidia

#endif // LIDIA_STACK_STACKPRINTER_H
