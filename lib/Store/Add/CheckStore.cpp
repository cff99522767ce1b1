//===- CheckStore.cpp - Checks whether a store is usable ------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Store/CheckStore.h"
#include "Store/PutText.h"
#include "lidia/Error.h"
#include "lidia/Store/OpenArchive.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Process.h"

using namespace lidia;
using namespace llvm;

using TellFunction = function_ref<void(StoreAction, Error, StringRef)>;

static constexpr StringLiteral Text = "lidia checks whether it can write\n";

static Error getProbe(StringRef Where) {
  std::string Got;
  if (Error E = readWhole(Where, [&](StringRef Piece) { Got += Piece; }))
    return E;
  if (Got == Text)
    return Error::success();
  return make_error<DamagedError>(Where, "differs from what was written");
}

static void tryWriting(SymbolStore &Store, TellFunction Tell) {
  ObjectStore &Objects = Store.objects();
  std::string Name = Store.objectPrefix() + "lidia-check-" +
                     utohexstr(sys::Process::GetRandomNumber(),
                               /*LowerCase=*/true, 8);
  if (Error E = putText(Store, Name, PutMode::Replace,
                        [](raw_ostream &OS) { OS << Text; }))
    return Tell(StoreAction::Put, std::move(E), "");
  Tell(StoreAction::Put, Error::success(), "");
  Tell(StoreAction::Get, getProbe(Objects.location(Name)), "");
  Tell(StoreAction::Delete, Objects.remove(Name), "");
}

void lidia::checkStore(SymbolStore &Store, bool ReadOnly, TellFunction Tell) {
  if (Error E = Store.objects().checkPlace())
    return Tell(StoreAction::Reach, std::move(E), "");
  Expected<std::optional<StoredArchive>> Any = Store.any();
  Error Listed = Any.takeError();
  if (Listed) {
    RememberedError E(std::move(Listed));
    // A server that denies the list was reached.
    if (errorToErrorCode(E.get()) != std::errc::permission_denied)
      return Tell(StoreAction::Reach, E.get(), "");
    Tell(StoreAction::Reach, Error::success(), "");
    Tell(StoreAction::List, E.get(), "");
  } else {
    Tell(StoreAction::Reach, Error::success(), "");
    if (ReadOnly && !*Any)
      return Tell(StoreAction::List, Store.checkFilled(), "");
    Tell(StoreAction::List, Error::success(), *Any ? "" : "it is empty");
  }
  if (!ReadOnly)
    return tryWriting(Store, Tell);
  // Without a list, no object's name is known.
  if (!Any || !*Any)
    return;
  Expected<std::shared_ptr<const Archive>> A = Store.archive((**Any).BuildID);
  Tell(StoreAction::Get, A.takeError(), "");
}
