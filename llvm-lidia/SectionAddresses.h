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

/// Translates queries that are not addresses of the archive: names of sections
/// of relocatable objects with offsets, runtime addresses if the load addresses
/// of the sections are known, and offsets in the file.
class SectionAddresses {
public:
  /// \p Loaded, unless empty, tells the load addresses of sections: a folder in
  /// which each file has a section's name and contains its address, such as
  /// /sys/module/NAME/sections, or a list of NAME=ADDRESS. Sections that \p A
  /// lacks are ignored. \p File is the name that the user gave. \p A must
  /// outlive the result.
  static llvm::Expected<SectionAddresses>
  create(const Archive &A, llvm::StringRef File, llvm::StringRef Loaded);

  /// Plain numbers are offsets in the binary that \p A was made from. \p File
  /// and \p A as above.
  static llvm::Expected<SectionAddresses>
  createForFileOffsets(const Archive &A, llvm::StringRef File);

  /// Whether plain numbers are runtime addresses or offsets in the file.
  bool areTranslated() const { return !Sections.empty(); }

  /// Replaces the query in \p Q with an address of the archive. Returns false
  /// if no section contains the address. Does not change other queries.
  llvm::Expected<bool> translate(Query &Q) const;

private:
  struct LoadedSection {
    /// Runtime address, or offset in the file.
    uint64_t Start;
    uint64_t Size;
    /// Address in the archive.
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
