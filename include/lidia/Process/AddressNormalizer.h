//===- AddressNormalizer.h - Addresses without symbols ----------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_PROCESS_ADDRESSNORMALIZER_H
#define LIDIA_PROCESS_ADDRESSNORMALIZER_H

#include "lidia/Modules/ModuleResolver.h"
#include "lidia/Process/AddressSpace.h"
#include "lidia/Process/ProcessAnswer.h"
#include <map>
#include <mutex>

namespace lidia {

/// A runtime address in terms that hold on other machines.
struct NormalizedAddress {
  /// Unmapped, Anonymous or Module.
  ProcessAnswer::Kind Type = ProcessAnswer::Kind::Unmapped;
  /// The mapping's source, of AddressSpace::mappings(); null if nothing is
  /// mapped.
  const MappedFile *Source = nullptr;
  /// Of a module: the offset of the address in its file.
  std::optional<uint64_t> FileOffset;
  /// Of a module whose segments are known: the address in its own address
  /// space, which archives and debug information have.
  std::optional<uint64_t> Address;
  /// The build ID of the module; empty if it is not known. Owned by the
  /// normalizer.
  llvm::ArrayRef<uint8_t> BuildID;
};

/// Normalizes addresses of one address space, for profilers that record now and
/// symbolize later, elsewhere. Reads the headers of each module once, and no
/// symbols. Thread-safe.
class AddressNormalizer {
public:
  /// \p TheSpace must outlive this object.
  explicit AddressNormalizer(const AddressSpace &TheSpace) : Space(TheSpace) {}

  NormalizedAddress normalize(uint64_t Address);

private:
  const AddressSpace &Space;
  /// Guards the member below.
  std::mutex Mutex;
  /// Without archives, by index of the file.
  std::map<uint32_t, ResolvedModule> Modules;
};

} // namespace lidia

#endif // LIDIA_PROCESS_ADDRESSNORMALIZER_H
