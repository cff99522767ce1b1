//===- SectionAddresses.h - Addresses given by section ----------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLVM_LIDIA_SECTIONADDRESSES_H
#define LLVM_LIDIA_SECTIONADDRESSES_H

#include "lidia/Archive/SectionPlaces.h"
#include "lidia/Symbolize/Query.h"
#include <string>
#include <vector>

namespace lidia {

/// Translates queries about the archive of a relocatable object: a section's
/// name with an offset, and addresses at run time if it is known where the
/// sections were loaded.
class SectionAddresses {
public:
  /// \p Loaded, unless empty, says where sections are at run time: a folder in
  /// which each file is named as a section and holds its address, as
  /// /sys/module/NAME/sections, or a list of NAME=ADDRESS. Sections that \p A
  /// lacks are ignored. \p File is what the user named. \p A must outlive the
  /// result.
  static llvm::Expected<SectionAddresses>
  create(const Archive &A, llvm::StringRef File, llvm::StringRef Loaded);

  /// Whether plain numbers are addresses at run time.
  bool areAtRunTime() const { return !Sections.empty(); }

  /// Replaces what \p Q asks for by an address of the archive. False if no
  /// section has the address. Other queries are left as they are.
  llvm::Expected<bool> translate(Query &Q) const;

private:
  struct LoadedSection {
    uint64_t Start;
    uint64_t Size;
    /// In the archive.
    uint64_t Address;
  };

  explicit SectionAddresses(const Archive &A) : Places(A) {}
  llvm::Error readFolder(llvm::StringRef Path);
  llvm::Error readList(llvm::StringRef List);
  llvm::Error add(llvm::StringRef Name, llvm::StringRef Address);

  SectionPlaces Places;
  std::vector<LoadedSection> Sections;
};

} // namespace lidia

#endif // LLVM_LIDIA_SECTIONADDRESSES_H
