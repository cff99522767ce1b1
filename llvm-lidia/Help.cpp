//===- Help.cpp - Prints the help -----------------------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Help.h"
#include "Options.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace lidia {

void printVersion(raw_ostream &OS, StringRef Tool) {
  // Callers look for the name on a line of its own and for "LLVM version".
  if (!Tool.empty())
    OS << Tool << '\n';
  OS << "llvm-lidia " LIDIA_VERSION_STRING "\n"
     << "  Archive format 1, LLVM version " LLVM_VERSION_STRING "\n";
}

void printHelp(raw_ostream &OS) {
  OS << "OVERVIEW: Turns native programs and their debug information into "
        "archives that\nanswer an address with its functions, files and lines, "
        "inlined calls included.\n\n"
        "USAGE: llvm-lidia <command> [options] [arguments]\n"
        "       llvm-lidia [options] <binary>    as llvm-lidia create\n\n";
  StringRef Group;
  for (const Command &C : commands()) {
    if (Group != C.Group)
      OS << (Group = C.Group) << ":\n";
    OS << formatv("  {0,-11}{1}\n", C.Name, C.Summary);
  }
  OS << "\n\"llvm-lidia help <command>\" and \"llvm-lidia <command> --help\" "
        "list a command's\noptions, \"llvm-lidia --version\" shows the "
        "version.\n";
}

void printHelp(raw_ostream &OS, const Command &C, StringRef Tool) {
  std::string Usage = std::string("llvm-lidia ") + C.Name + ' ' + C.Usage;
  std::string Overview = C.Overview;
  if (!Tool.empty()) {
    Usage = (Tool + " [options] addresses...").str();
    Overview = (Tool + ", by llvm-lidia\n\n" + Overview).str();
  }
  optionTable().printHelp(OS, Usage.c_str(), Overview.c_str(),
                          /*ShowHidden=*/false, /*ShowAllAliases=*/false,
                          visibleIn(C));
  OS << "\nPass @FILE to read options from FILE.\n";
}

StringRef nearestCommand(StringRef Word) {
  StringRef Nearest;
  // Two transposed letters are a distance of two.
  unsigned Best = 3;
  auto Consider = [&](StringRef Name) {
    unsigned Distance = Word.edit_distance(Name, true, Best);
    if (Distance < Best) {
      Best = Distance;
      Nearest = Name;
    }
  };
  for (const Command &C : commands())
    Consider(C.Name);
  Consider("help");
  return Nearest;
}

} // namespace lidia
