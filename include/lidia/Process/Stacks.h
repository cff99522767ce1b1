//===- Stacks.h - Unwinding the threads of an address space -----*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_PROCESS_STACKS_H
#define LIDIA_PROCESS_STACKS_H

#include "lidia/Process/SpaceModule.h"
#include "lidia/Unwind/Unwinder.h"
#include "llvm/ADT/DenseMap.h"

namespace lidia {

/// The unwind rows of one module, wherever it is mapped.
class ModuleRows {
public:
  ModuleRows() = default;

  /// Uses the rows of the archive \p A or, if it has none, of the binary
  /// \p File itself. Both may be null.
  ModuleRows(std::shared_ptr<const Archive> A, const OpenedFile *File);

  /// The rows; null if there are none. Valid as long as this object exists,
  /// even after it was moved.
  const UnwindTable *table() const { return Table.get(); }

  /// Finds the tail calls of the archive; null if there is none. Same lifetime.
  TailCallFinder *tailCalls() const { return Calls.get(); }

private:
  std::shared_ptr<const Archive> A;
  /// The bytes that Table reads, unless it reads the archive.
  std::unique_ptr<std::string> Section;
  std::unique_ptr<UnwindTable> Table;
  std::unique_ptr<TailCallFinder> Calls;
};

/// The modules of an address space, for an unwinder. Each module and its
/// archive are opened when the first of its addresses is looked up, and stay
/// open. Not thread-safe.
///
/// \code
///   SpaceUnwindModules Modules(*Space, Resolver);
///   Unwinder U(*Space->machine(), Modules);
///   auto Visit = [&](const ThreadState &T, Unwinder::ReadMemory Read) {
///     if (T.HasRegisters)
///       print(U.unwind(T.Registers, Read));
///   };
///   Space->visitThreads(Visit, /*Only=*/std::nullopt);
/// \endcode
class SpaceUnwindModules final : public UnwindModules {
public:
  /// Both must outlive this object.
  SpaceUnwindModules(const AddressSpace &Space, ModuleResolver &Resolver);
  ~SpaceUnwindModules() override;

  Place find(uint64_t Address) override;
  size_t readCode(uint64_t Address, llvm::MutableArrayRef<uint8_t> To) override;

private:
  struct Module;

  Module &module(const Mapping &M);

  const AddressSpace &Space;
  ModuleResolver &Resolver;
  /// By index of the file.
  llvm::DenseMap<uint32_t, std::unique_ptr<Module>> Modules;
  /// By index of the mapping: the properties of all its addresses.
  llvm::DenseMap<size_t, Place> Places;
  /// The module of which code was read last, by the index of its file.
  std::optional<uint32_t> CodeOf;
  LoadedModule Code;
};

} // namespace lidia

#endif // LIDIA_PROCESS_STACKS_H
