//===- LogModules.cpp - The binaries named in a log -----------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Log/LogModules.h"
#include "Modules/ELFHeaders.h"
#include "Object/Binary.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace lidia {

LogModule::LogModule(ResolvedModule Resolved, const SymbolizerOptions &Options)
    : Its(std::move(Resolved)), A(*Its.A), S(A, Options) {}

std::optional<uint64_t> LogModule::addressIn(const LogMapping &Map,
                                             uint64_t Runtime) const {
  const ELFHeaders *Headers = Its.Loaded.Headers.get();
  if (!Headers)
    return std::nullopt;
  if (Map.FileOffset)
    return Headers->addressAt(*Map.FileOffset, /*Executable=*/true);
  constexpr uint64_t Page = 4096;
  std::optional<uint64_t> Address;
  for (const ELFSegment &S : Headers->Segments) {
    uint64_t Before = S.Address % Page;
    if (S.Type != ELF::PT_LOAD || !(S.Flags & ELF::PF_X) ||
        alignTo(Before + S.FileSize, Page) != Map.Size)
      continue;
    if (Address)
      return std::nullopt;
    Address = S.Address - Before + (Runtime - Map.Begin);
  }
  return Address;
}

bool LogModule::isFixed() const {
  return A.info() && A.info()->Type == ELF::ET_EXEC;
}

void LogModule::readFunctions() {
  FunctionsRead = true;
  for (uint64_t I = 0, E = A.rangeCount(); I != E; ++I)
    if (RangeEntry Range = A.range(I); Range.Depth == 0)
      Functions[A.string(Range.Function)].push_back(I);
}

std::optional<uint64_t> LogModule::startOf(StringRef Name, uint64_t Size) {
  // Functions are aligned to at most 64 bytes.
  constexpr uint64_t MaxPadding = 64;
  if (!FunctionsRead)
    readFunctions();
  auto It = Functions.find(Name);
  // Names in archives lack suffixes of compilers: "f.cold", "f.isra.0".
  if (It == Functions.end())
    It = Functions.find(withoutCloneSuffix(Name));
  if (It == Functions.end())
    return std::nullopt;
  // The function and its code that was moved away may have the same size.
  SmallVector<uint64_t, 2> Found[2];
  for (uint64_t Index : It->second) {
    RangeEntry Range = A.range(Index);
    if (Range.Length > Size || Size - Range.Length >= MaxPadding)
      continue;
    bool IsCold = A.entry(Index).value_or(Index) != Index;
    Found[IsCold].push_back(Range.VA);
  }
  bool IsCold = Name.contains(".cold");
  ArrayRef<uint64_t> Best = Found[Found[IsCold].empty() ? !IsCold : IsCold];
  if (Best.size() != 1)
    return std::nullopt;
  return Best.front();
}

void LogModule::readSymbols() {
  SymbolsRead = true;
  if (!Its.Loaded.File)
    return;
  Expected<std::unique_ptr<Binary>> B = Binary::open(Its.Loaded.File->path());
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

std::unique_ptr<LogModule> LogModules::open(const ModuleIdentity &M,
                                            bool MayBeMissing) {
  ResolvedModule Found = Resolver.resolve(M);
  if (Found.A)
    return std::make_unique<LogModule>(std::move(Found), Options);
  constexpr size_t Max = 1000;
  if (Missing.size() < Max)
    Missing.push_back({M.Path.str(), M.BuildID.vec(), Found.Reason});
  bool IsKnown = Found.Loaded.File || !M.BuildID.empty();
  if (IsKnown || !MayBeMissing)
    Warn(Found.Reason.Text);
  return nullptr;
}

LogModule *LogModules::getKernel(StringRef Path, ArrayRef<uint8_t> BuildID) {
  if (Kernel)
    return Kernel->get();
  Kernel.emplace();
  if (Path.empty() && BuildID.empty())
    return nullptr;
  ResolvedModule Its;
  if (Error E = Resolver.archives()
                    .get(Path, Path.empty() ? BuildID : ArrayRef<uint8_t>())
                    .moveInto(Its.A))
    Warn(toString(std::move(E)));
  else
    *Kernel = std::make_unique<LogModule>(std::move(Its), Options);
  return Kernel->get();
}

LogModule *LogModules::get(StringRef Path, ArrayRef<uint8_t> BuildID,
                           bool MayBeMissing) {
  if (BuildID.empty() && !Assumed.empty()) {
    StringRef Kept = Path;
    Kept.consume_back(" (deleted)");
    auto It = Assumed.find(sys::path::filename(Kept));
    if (It != Assumed.end())
      BuildID = It->second;
  }
  std::string Name = (Path + Twine('\0') + toHex(BuildID)).str();
  if (std::unique_ptr<LogModule> *Known = Open.find(Name))
    return Known->get();
  return Open.add(Name, open({Path, BuildID}, MayBeMissing)).get();
}

LogModule *LogModules::getKernelModule(StringRef Name,
                                       ArrayRef<uint8_t> BuildID,
                                       bool MayBeMissing) {
  // Paths do not end with a slash.
  std::string Key = (Name + "/" + Twine('\0') + toHex(BuildID)).str();
  if (std::unique_ptr<LogModule> *Known = Open.find(Key))
    return Known->get();
  ModuleIdentity W = {Name, BuildID};
  W.IsKernelModule = true;
  MayBeMissing &= !Resolver.files().hasKernelModules();
  return Open.add(Key, open(W, MayBeMissing)).get();
}

} // namespace lidia
