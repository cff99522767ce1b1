//===- Shown.h - What is shown of a binary ----------------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_EXTRACT_SHOWN_H
#define LIDIA_LIB_EXTRACT_SHOWN_H

#include "Conversion.h"
#include "DWARF/Unit.h"
#include "lidia/Extract/Show.h"
#include "llvm/Support/raw_ostream.h"

namespace lidia {

/// The output of show(): what to print, how much of it, and how.
class Shown {
public:
  Shown(llvm::raw_ostream &OS, const ShowOptions &Options)
      : OS(OS), Options(Options), Start(OS.tell()) {}

  /// Raises the limit, because \p Bytes more were read.
  void addInput(uint64_t Bytes);

  /// Whether the limit is reached and the rest is left out.
  bool isFull() const { return Spent || OS.tell() - Start > Max; }
  /// The error to return if isFull().
  llvm::Error error(const llvm::Twine &File) const;

  bool wantsAddress(uint64_t From, uint64_t To) const {
    return !Options.Address ||
           (From <= *Options.Address && *Options.Address < To);
  }
  bool wantsFunction(llvm::StringRef Name);
  bool wantsFile(llvm::StringRef Path) const;
  bool wantsUnit(const dwarf::Unit &U) const;

  void printName(llvm::StringRef Name);
  void printPlace(llvm::StringRef File, uint64_t Line, uint64_t Column);
  /// Prints \p Text, or "??" if it is empty.
  void printText(llvm::StringRef Text);

  llvm::raw_ostream &OS;
  const ShowOptions &Options;

private:
  const uint64_t Start;
  uint64_t Max = 0;
  /// How many more bytes of names may be compared.
  uint64_t NamesLeft = 0;
  bool Spent = false;
};

/// The path of the primary file of \p U.
std::string primaryFile(const dwarf::Unit &U);

// Each prints one thing.
void showSections(Conversion &C, Shown &S);
void showSymbols(Conversion &C, Shown &S);
llvm::Error showDWARF(Conversion &C, Shown &S);
/// Prints the ranges of the only source in C.Options.
llvm::Error showSource(Conversion &C, Shown &S);

/// Like the public show(), for a file that is open.
llvm::Error show(llvm::raw_ostream &OS, std::unique_ptr<Binary> Main,
                 const ConvertOptions &Options, const ShowOptions &What,
                 ConvertObserver &Observer);

} // namespace lidia

#endif // LIDIA_LIB_EXTRACT_SHOWN_H
