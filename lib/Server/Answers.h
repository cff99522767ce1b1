//===- Answers.h - Frames in JSON -------------------------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_SERVER_ANSWERS_H
#define LIDIA_LIB_SERVER_ANSWERS_H

#include "ServedModules.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace lidia {

/// Appends \p Text, which is UTF-8, as a string of JSON.
void appendJSONString(std::string &To, llvm::StringRef Text);

/// Appends `"Name":"0x12"`.
void appendHexField(std::string &To, llvm::StringRef Name, uint64_t Value);

/// Appends `"function":...,"file":...,"line":...,"column":...` of \p F, without
/// what is not known.
void appendFrameFields(std::string &To, Symbolizer &S, const Frame &F);

/// The texts of many addresses of one module.
class AddressTexts {
public:
  using Printer =
      llvm::function_ref<void(std::string &To, Symbolizer &S, uint64_t Address,
                              llvm::ArrayRef<Frame> Frames)>;

  /// Has \p Print print each of \p Addresses, of any order, once. At most
  /// \p Left bytes, which become less; what is left out is an error.
  static llvm::Expected<AddressTexts> make(ServedModule &M,
                                           std::vector<uint64_t> Addresses,
                                           Printer Print, uint64_t &Left,
                                           Metrics &Counts);

  /// That of \p Address, which is one of those.
  llvm::StringRef operator[](uint64_t Address) const;

private:
  /// Ascending, each once.
  std::vector<uint64_t> Addresses;
  /// Where the text of each ends in Text.
  std::vector<size_t> Ends;
  std::string Text;
};

} // namespace lidia

#endif // LIDIA_LIB_SERVER_ANSWERS_H
