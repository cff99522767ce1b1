//===- ArchiveAnswers.h - An archive's answers, for threads -----*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_ARROW_ARCHIVEANSWERS_H
#define LIDIA_ARROW_ARCHIVEANSWERS_H

#include "lidia/Symbolize/Symbolizer.h"
#include <memory>
#include <mutex>
#include <optional>

namespace lidia::arrow {

/// An open archive with the names and paths that were requested so far. Any
/// number of threads can share it. Names and paths are UTF-8 and valid as long
/// as this object.
class ArchiveAnswers {
public:
  struct Options {
    /// Whether to demangle names. Otherwise functions have their linkage names.
    bool Demangle = true;
    OlderRust Rust = OlderRust::Plain;
  };

  ArchiveAnswers(std::shared_ptr<const Archive> A, const Options &O);

  const Archive &archive() const { return *A; }

  /// Like Symbolizer::visitAll(). If \p AreReturns, looks up the calls before
  /// the addresses.
  void visitAll(
      llvm::ArrayRef<uint64_t> Addresses, bool AreReturns,
      llvm::function_ref<void(size_t, llvm::ArrayRef<Frame>)> Visit) const {
    (AreReturns ? Returns : Tool).visitAll(Addresses, Visit);
  }

  /// The name of \p F's function, empty if it is not known. None if all names
  /// and paths together would exceed maxTextOfFile(), which only happens with
  /// crafted archives.
  std::optional<llvm::StringRef> function(const Frame &F);
  /// Like function(), for the path of \p F's file.
  std::optional<llvm::StringRef> file(const Frame &F);
  /// Where the name of \p F's function is from.
  NameOrigin origin(const Frame &F);
  /// The error for when function() or file() returns none.
  llvm::Error textError() const;

private:
  using Texts = llvm::DenseMap<StringOffset, llvm::StringRef>;

  template <typename GetText>
  std::optional<llvm::StringRef> get(Texts &Known, StringOffset Key,
                                     GetText Text);

  const std::shared_ptr<const Archive> A;
  /// Guards the members below, except in visitAll().
  std::mutex Mutex;
  Symbolizer Tool;
  /// Like the above, for return addresses. It is not used for names.
  const Symbolizer Returns;
  Texts Functions;
  Texts Files;
  /// Bytes of text that may still be added.
  uint64_t Left;
};

} // namespace lidia::arrow

#endif // LIDIA_ARROW_ARCHIVEANSWERS_H
