//===- Stacks.cpp - Unwinding the threads of an address space -------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Process/Stacks.h"
#include "Modules/ELFHeaders.h"
#include "lidia/Extract/UnwindSection.h"

using namespace llvm;

namespace lidia {

static std::unique_ptr<UnwindTable> withRows(Expected<UnwindTable> Opened) {
  // An archive's damage is reported by Archive::damage().
  if (!Opened)
    consumeError(Opened.takeError());
  else if (Opened->rowCount() != 0)
    return std::make_unique<UnwindTable>(std::move(*Opened));
  return nullptr;
}

ModuleRows::ModuleRows(std::shared_ptr<const Archive> A, const OpenedFile *File)
    : A(std::move(A)) {
  if (this->A) {
    Table = withRows(this->A->unwindTable());
    Calls = std::make_unique<TailCallFinder>(this->A);
  }
  if (Table || !File)
    return;
  if (Expected<std::string> Read = readUnwindSection(File->path())) {
    Section = std::make_unique<std::string>(std::move(*Read));
    Table = withRows(UnwindTable::open(*Section));
  } else {
    // The reason is that for which the archive could not be made.
    consumeError(Read.takeError());
  }
}

struct SpaceUnwindModules::Module {
  ResolvedModule Opened;
  ModuleRows Rows;
};

SpaceUnwindModules::SpaceUnwindModules(const AddressSpace &Space,
                                       ModuleResolver &Resolver)
    : Space(Space), Resolver(Resolver) {}

SpaceUnwindModules::~SpaceUnwindModules() = default;

SpaceUnwindModules::Module &SpaceUnwindModules::module(const Mapping &M) {
  std::unique_ptr<Module> &Known = Modules[M.File];
  if (!Known) {
    Known = std::make_unique<Module>();
    Known->Opened = openModule(Space, M, Resolver);
    Known->Rows = ModuleRows(Known->Opened.A, Known->Opened.Loaded.File.get());
    Known->Opened.Loaded.File.reset();
  }
  return *Known;
}

UnwindModules::Place SpaceUnwindModules::find(uint64_t Address) {
  const MappingList &List = Space.mappings();
  const Mapping *M = List.find(Address);
  if (!M)
    return {};
  auto [Known, IsNew] = Places.try_emplace(M - List.mappings().begin());
  Place &P = Known->second;
  if (!IsNew)
    return P;
  P.IsCode = M->Executable;
  if (!M->Executable || List.file(*M).Type == MappedFile::Kind::Anonymous)
    return P;
  const Module &Of = module(*M);
  // One segment loads all of an executable mapping.
  if (std::optional<uint64_t> Own = addressIn(Of.Opened, List, *M, Address)) {
    P.Table = Of.Rows.table();
    P.TailCalls = Of.Rows.tailCalls();
    P.Bias = Address - *Own;
  }
  return P;
}

size_t SpaceUnwindModules::readCode(uint64_t Address,
                                    MutableArrayRef<uint8_t> To) {
  const MappingList &List = Space.mappings();
  const Mapping *M = List.find(Address);
  if (!M || !M->Executable || List.file(*M).Type == MappedFile::Kind::Anonymous)
    return 0;
  std::optional<uint64_t> Own = addressIn(module(*M).Opened, List, *M, Address);
  if (!Own)
    return 0;
  // Only one file stays open.
  if (CodeOf != M->File) {
    Code = Space.load(*M);
    CodeOf = M->File;
  }
  return Code.read(*Own, To);
}

} // namespace lidia
