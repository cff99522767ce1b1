//===- ExplanationPrinter.h - Explanations as text and JSON -----*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_OUTPUT_EXPLANATIONPRINTER_H
#define LIDIA_OUTPUT_EXPLANATIONPRINTER_H

#include "lidia/Symbolize/Explain.h"
#include "llvm/Support/JSON.h"

namespace lidia {

/// An explanation with what only its caller knows. Texts are safe to print.
struct ExplainedAddress {
  Explanation Its;
  /// Why there is no archive; None if there is one.
  MissCode NoArchive = MissCode::None;
  /// The name of the binary or the archive.
  std::string Module;
  /// Labels and texts, in order: how the address was translated, where symbols
  /// came from.
  std::vector<std::pair<std::string, std::string>> Places;
  /// What one source of symbols says, before sources are merged.
  struct Source {
    std::string Name;
    std::string Function;
    FunctionExtent Code;
    NameOrigin Origin = NameOrigin::Unknown;
  };
  /// The most trusted first.
  std::vector<Source> Sources;
  /// A frame of a stack that has the address, with its registers.
  struct StackFrame {
    uint64_t Thread = 0;
    uint64_t Number = 0;
    struct Register {
      std::string Name;
      uint64_t Value = 0;
    };
    std::vector<Register> Registers;
    /// The address after the frame, and the rule that has it.
    std::optional<uint64_t> CFA;
    std::string CFARule;
    /// A register of the caller: the rule, where in memory that leads, and the
    /// value there; unknown ones are left out.
    struct Found {
      std::string Name;
      std::string Rule;
      std::optional<uint64_t> Place;
      std::optional<uint64_t> Value;
    };
    std::vector<Found> Caller;
  };
  std::optional<StackFrame> Stack;
  /// Why there is no archive, or what would make the answer better.
  std::vector<std::string> Advice;

  MissCode miss() const {
    return NoArchive == MissCode::None ? Its.miss() : NoArchive;
  }
};

/// Adds what would make the answer of \p E better.
void addAdvice(ExplainedAddress &E);

/// Prints \p E in lines of a label and a text, for people.
void printExplanation(llvm::raw_ostream &OS, const ExplainedAddress &E);

/// Writes \p E as one object (docs/json-schema.json, "explanation").
void writeExplanation(llvm::json::OStream &J, const ExplainedAddress &E);

} // namespace lidia

#endif // LIDIA_OUTPUT_EXPLANATIONPRINTER_H
