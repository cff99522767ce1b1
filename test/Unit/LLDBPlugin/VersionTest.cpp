//===- VersionTest.cpp - The LLDB versions that the plugin supports -------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Version.h"
#include "llvm/Config/llvm-config.h"
#include "gtest/gtest.h"

using namespace lidia;
using namespace llvm;

namespace {

std::string check(const Twine &Version) {
  return toString(checkLLDBVersion(Version.str()));
}

const std::string Release =
    (Twine(LLVM_VERSION_MAJOR) + "." + Twine(LLVM_VERSION_MINOR)).str();

TEST(LLDBVersion, TakesEachPatchOfTheReleaseItWasBuiltFor) {
  EXPECT_EQ(check("lldb version " + Release + ".7"), "");
  EXPECT_EQ(check("lldb version " + Release + ".0"), "");
  EXPECT_EQ(check("lldb version " + Release +
                  ".99 (https://x/y revision 1a)\n"
                  "  clang revision 1a\n"),
            "");
}

TEST(LLDBVersion, SaysWhatWasFoundAndWhatIsNeeded) {
  std::string Message = check("lldb version 3.9.1 ( revision )\n");
  EXPECT_NE(Message.find("built for LLDB " + Release), std::string::npos);
  EXPECT_NE(Message.find("'lldb version 3.9.1 ( revision )'"),
            std::string::npos);
}

TEST(LLDBVersion, RefusesOthers) {
  const std::string Start = "lldb version " + Twine(LLVM_VERSION_MAJOR).str();
  const std::string Next =
      "lldb version " + Twine(LLVM_VERSION_MAJOR + 1).str();
  for (const std::string &Version : std::vector<std::string>{
           "", "lldb version ", "lldb-1500.0.404.7", "lldb version x.1.7",
           Next + ".1.0", Start + ".0.0git", Start + "1.1.0", Start,
           "lldb version 99999999999999999999.1"})
    EXPECT_NE(check(Version), "") << Version;
}

} // namespace
