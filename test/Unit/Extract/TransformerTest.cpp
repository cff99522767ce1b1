//===- TransformerTest.cpp - Tests of Transformer.h -----------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Extract/Transformer.h"
#include "lidia/Archive/Archive.h"
#include "lidia/Archive/Verify.h"
#include "lidia/Extract/Convert.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/Path.h"
#include "gtest/gtest.h"
#include <atomic>
#include <set>

using namespace lidia;
using namespace llvm;

namespace {

class Observer final : public ConvertObserver {
public:
  void warning(const Twine &Message) override {
    Warnings.push_back(Message.str());
  }
  void progress(StringRef, uint64_t, uint64_t) override {}

  std::vector<std::string> Warnings;
};

/// An archive with columns. Its file is already removed.
Archive archiveOf(std::shared_ptr<const Transformer> T, Observer &O,
                  unsigned Threads = 2) {
  ConvertOptions Options;
  Options.Lines = Options.Archive.Columns = true;
  Options.Archive.Checksums = true;
  Options.Transform = std::move(T);
  Options.Threads = Threads;
  SmallString<128> Path;
  cantFail(errorCodeToError(
      sys::fs::createTemporaryFile("transformer", "lidia", Path)));
  FileRemover Remove(Path);
  cantFail(convert(StringRef(LIDIA_TEST_BINARY), Path, Options, O));
  return cantFail(Archive::open(Path));
}

uint64_t inlinedCallCount(const Archive &A) {
  uint64_t Count = 0;
  for (uint64_t I = 0; I != A.rangeCount(); ++I)
    Count += A.range(I).Depth != 0;
  return Count;
}

/// Changes nothing, and records its arguments.
class Recorder : public Transformer {
public:
  std::string fingerprint() const override { return "recorder"; }
  void transformFunction(FunctionNames &Function,
                         StringRef File) const override {
    Functions.push_back(Function.Name);
    Files.insert(File.str());
  }
  void transformFile(std::string &Path) const override {
    Paths.push_back(Path);
  }
  bool transformsPositions() const override { return true; }
  void transformPosition(SourcePosition &P, StringRef Callee) const override {
    Calls += !Callee.empty();
    Rows += Callee.empty() && P.Line;
  }

  mutable std::vector<std::string> Functions, Paths;
  mutable std::set<std::string> Files;
  mutable uint64_t Calls = 0, Rows = 0;
};

TEST(Transformer, SeesEachFunctionFileAndCallOnce) {
  auto T = std::make_shared<Recorder>();
  Observer O;
  Archive Plain = archiveOf(nullptr, O);
  Archive A = archiveOf(T, O);
  EXPECT_EQ(A.buffer().getBuffer(), Plain.buffer().getBuffer());

  auto HasDuplicates = [](std::vector<std::string> Texts) {
    llvm::sort(Texts);
    return std::adjacent_find(Texts.begin(), Texts.end()) != Texts.end();
  };
  EXPECT_FALSE(HasDuplicates(T->Functions));
  EXPECT_FALSE(HasDuplicates(T->Paths));
  EXPECT_TRUE(is_contained(T->Functions, "ten"));
  EXPECT_TRUE(is_contained(T->Functions, "chain"));
  EXPECT_TRUE(is_contained(T->Files, "/src/inline.c"));
  EXPECT_EQ(T->Paths, (std::vector<std::string>{"/src/inline.c", "/src"}));
  EXPECT_GE(T->Rows, A.rowCount());
  EXPECT_EQ(T->Calls, inlinedCallCount(A));
}

/// Cancels a conversion when it begins to merge.
class CancelsMerge final : public ConvertObserver {
public:
  void warning(const Twine &) override {}
  void progress(StringRef Phase, uint64_t, uint64_t) override {
    if (Phase == "Merging")
      IsMerging = true;
  }
  bool isCancelled() override { return IsMerging; }

private:
  std::atomic<bool> IsMerging{false};
};

TEST(Transformer, SeesNothingAfterTheConversionWasCancelled) {
  for (unsigned Threads : {1, 2}) {
    auto T = std::make_shared<Recorder>();
    ConvertOptions Options;
    Options.Lines = true;
    Options.Transform = T;
    Options.Threads = Threads;
    CancelsMerge O;
    SmallString<128> Path;
    cantFail(
        errorCodeToError(sys::fs::createUniqueDirectory("transformer", Path)));
    SmallString<128> Output = Path;
    sys::path::append(Output, "lidia");
    Error E =
        convert(StringRef(LIDIA_TEST_BINARY), Output, Options, O).takeError();
    EXPECT_EQ(errorToErrorCode(std::move(E)),
              std::make_error_code(std::errc::operation_canceled));
    EXPECT_TRUE(T->Functions.empty());
    // Nothing was written there.
    EXPECT_FALSE(sys::fs::remove(Path));
  }
}

/// A transformer for a generator of C++: other names, and positions in the
/// generator's input.
class Generator final : public Transformer {
public:
  std::string fingerprint() const override { return "generator"; }
  void transformFunction(FunctionNames &Function, StringRef) const override {
    Function.SourceName = "the " + Function.Name;
    Function.Name = "Script::" + Function.Name;
  }
  void transformFile(std::string &Path) const override {
    Path = "/gen/" + Path;
  }
  bool transformsPositions() const override { return true; }
  void transformPosition(SourcePosition &P, StringRef) const override {
    P.File = P.Line < 12 ? "low.script" : "high.script";
    P.Line += 1000;
    P.Column = 3;
  }
};

TEST(Transformer, ChangesNamesAndPositions) {
  Observer O;
  auto T = std::make_shared<Generator>();
  Archive A = archiveOf(T, O, 1);
  EXPECT_FALSE(errorToBool(verify(A)));
  EXPECT_FALSE(errorToBool(A.verifyChecksums()));
  SmallVector<Frame, 8> Frames;
  A.lookup(0x40017c, Frames);
  ASSERT_EQ(Frames.size(), 11u);
  EXPECT_EQ(A.string(Frames[0].Function), "Script::ten");
  EXPECT_EQ(A.string(Frames[0].File), "low.script");
  EXPECT_EQ(Frames[0].Line, 1009u);
  EXPECT_EQ(Frames[0].Column, 3u);
  EXPECT_EQ(A.string(Frames[2].File), "high.script");
  EXPECT_EQ(Frames[2].Line, 1013u);
  EXPECT_EQ(A.string(A.plainName(Frames[0].Function)), "the ten");
  // A function is declared in a file, at a line that does not change.
  EXPECT_EQ(A.string(A.unit(0).Name), "/gen//src/inline.c");

  Archive Again = archiveOf(T, O, 8);
  EXPECT_EQ(A.buffer().getBuffer(), Again.buffer().getBuffer());
}

/// Returns texts that no compiler writes.
class Hostile final : public Transformer {
public:
  std::string fingerprint() const override { return "hostile"; }
  void transformFunction(FunctionNames &Function, StringRef) const override {
    if (Function.Name == "ten")
      Function.Name = StringRef("t\033[31m\0hidden", 12).str();
    else
      Function.Name.append(20'000'000, 'x');
  }
  void transformFile(std::string &Path) const override {
    Path = std::string("\0", 1);
  }
};

TEST(Transformer, IsBounded) {
  Observer O;
  Archive A = archiveOf(std::make_shared<Hostile>(), O);
  EXPECT_FALSE(errorToBool(verify(A)));
  EXPECT_LT(A.size(), uint64_t(80) << 20);
  SmallVector<Frame, 8> Frames;
  A.lookup(0x40017c, Frames);
  ASSERT_EQ(Frames.size(), 11u);
  EXPECT_EQ(A.string(Frames[0].Function), "t\033[31m");
  EXPECT_EQ(A.string(Frames[0].File), "");
  ASSERT_EQ(O.Warnings.size(), 1u);
  EXPECT_TRUE(StringRef(O.Warnings[0]).contains("names and paths are so long"));
}

} // namespace
