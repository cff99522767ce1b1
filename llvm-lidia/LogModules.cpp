//===- LogModules.cpp - The binaries that a log names ---------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LogModules.h"
#include "Object/Binary.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/ELF.h"

using namespace llvm;

namespace lidia {

bool LogModule::isFixed() const {
  return A->info() && A->info()->Type == ELF::ET_EXEC;
}

void LogModule::readSymbols() {
  SymbolsRead = true;
  if (!File)
    return;
  Expected<std::unique_ptr<Binary>> B = Binary::open(File->path());
  if (!B)
    return consumeError(B.takeError());
  for (SymbolTable Table : {SymbolTable::Dynsym, SymbolTable::Symtab}) {
    StringMap<SmallVector<uint64_t, 1>> Found;
    consumeError(
        (*B)->forEachFunctionSymbol(Table, [&](const FunctionSymbol &F) {
          SmallVector<uint64_t, 1> &Addresses = Found[F.Name];
          if (!is_contained(Addresses, F.Address))
            Addresses.push_back(F.Address);
        }));
    for (auto &Entry : Found)
      Symbols.try_emplace(Entry.first(), std::move(Entry.second));
  }
}

ArrayRef<uint64_t> LogModule::addressesOf(StringRef Name) {
  if (!SymbolsRead)
    readSymbols();
  auto It = Symbols.find(Name);
  return It == Symbols.end() ? ArrayRef<uint64_t>() : It->second;
}

std::unique_ptr<LogModule>
LogModules::open(StringRef Path, ArrayRef<uint8_t> BuildID, bool MayBeMissing) {
  Expected<std::unique_ptr<OpenedFile>> File = Files.open(Path, BuildID);
  std::string Reason;
  if (!File) {
    Reason = toString(File.takeError());
    if (BuildID.empty()) {
      if (!MayBeMissing)
        Warn(Reason);
      return nullptr;
    }
  }
  ModuleArchives::Result A =
      File ? Archives.get((*File)->path(), BuildID, (*File)->version())
           : Archives.get("", BuildID);
  if (A)
    return std::make_unique<LogModule>(std::move(*A), Options,
                                       File ? std::move(*File) : nullptr);
  std::string Failure = toString(A.takeError());
  Warn(Reason.empty() ? Failure : Reason);
  return nullptr;
}

LogModule *LogModules::get(StringRef Path, ArrayRef<uint8_t> BuildID,
                           bool MayBeMissing) {
  std::string Name = (Path + Twine('\0') + toHex(BuildID)).str();
  if (std::unique_ptr<LogModule> *Known = Open.find(Name))
    return Known->get();
  return Open.add(Name, open(Path, BuildID, MayBeMissing)).get();
}

} // namespace lidia
