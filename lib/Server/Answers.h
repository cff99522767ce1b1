//===- Answers.h - Frames as JSON -------------------------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_SERVER_ANSWERS_H
#define LIDIA_LIB_SERVER_ANSWERS_H

#include "MemoryBudget.h"
#include "ServedModules.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace lidia {

/// Appends \p Text, in UTF-8, as a JSON string.
void appendJSONString(std::string &To, llvm::StringRef Text);

/// Appends `"Name":"0x12"`.
void appendHexField(std::string &To, llvm::StringRef Name, uint64_t Value);

/// Appends the fields of \p F that are known, as in docs/json-schema.json.
void appendFrameFields(std::string &To, const FrameView &F);

/// The room for the text of one answer while it is made: --max-answer, and what
/// is left of the memory for all.
class AnswerRoom {
public:
  AnswerRoom(uint64_t MaxAnswer, MemoryBudget &Memory)
      : MaxAnswer(MaxAnswer), TextsLeft(MaxAnswer), Memory(Memory) {}

  /// Of the texts of a module's addresses, another \p Bytes. Fails with a
  /// LimitError, or with a BusyError if others use the memory.
  llvm::Error addTexts(uint64_t Bytes);
  uint64_t textsLeft() const { return TextsLeft; }

  /// The answer has \p Size bytes now. Fails in the same way.
  llvm::Error setSize(uint64_t Size);

private:
  const uint64_t MaxAnswer;
  uint64_t TextsLeft;
  uint64_t Size = 0;
  MemoryShare Memory;
};

/// The texts of many addresses of one module.
class AddressTexts {
public:
  using Printer =
      llvm::function_ref<void(std::string &To, Symbolizer &S, uint64_t Address,
                              llvm::ArrayRef<Frame> Frames)>;

  /// Calls \p Print once for each of \p Addresses, which need not be sorted or
  /// unique. Fails if \p Room has none for the texts.
  static llvm::Expected<AddressTexts> make(ServedModule &M,
                                           std::vector<uint64_t> Addresses,
                                           Printer Print, AnswerRoom &Room,
                                           ServerStatistics &Statistics);

  /// The text of \p Address, which must be one of the addresses.
  llvm::StringRef operator[](uint64_t Address) const;

private:
  /// Sorted, without duplicates.
  std::vector<uint64_t> Addresses;
  /// The end in Text of each address's text.
  std::vector<size_t> Ends;
  std::string Text;
};

} // namespace lidia

#endif // LIDIA_LIB_SERVER_ANSWERS_H
