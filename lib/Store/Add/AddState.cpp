//===- AddState.cpp - What a call of addToStore() has done ----------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AddState.h"
#include "DebugFileTree.h"
#include "lidia/Error.h"
#include "llvm/ADT/StringExtras.h"

using namespace lidia;
using namespace llvm;

using Lock = std::lock_guard<std::mutex>;

Error AddState::stopped() {
  std::error_code EC = std::make_error_code(std::errc::operation_canceled);
  return make_error<SystemError>(EC, "");
}

bool AddState::isPresent(ArrayRef<uint8_t> BuildID) {
  std::string Digits = toHex(BuildID);
  {
    Lock L(Mutex);
    if (PresentIDs.contains(Digits))
      return true;
    if (Force || AbsentIDs.contains(Digits))
      return false;
  }
  Expected<bool> IsThere = Store.contains(BuildID);
  // Adding it says what is wrong with the store.
  bool Present = IsThere && *IsThere;
  consumeError(IsThere.takeError());
  Lock L(Mutex);
  if (!Present)
    AbsentIDs.insert(Digits);
  else if (PresentIDs.insert(Digits).second)
    ++Counts.Present;
  return Present;
}

void AddState::add(ArrayRef<uint8_t> BuildID, StringRef Archive,
                   StringRef Input) {
  const PutMode Mode = Force ? PutMode::Replace : PutMode::IfAbsent;
  // The archive comes last: its object says that all others are there.
  Error E = Store.options().Layout == StoreLayout::Debuginfod
                ? putDebugFiles(Store, BuildID, Archive, Mode)
                : Error::success();
  Expected<bool> Added =
      E ? Expected<bool>(std::move(E)) : Store.add(BuildID, Archive, Mode);
  if (Added) {
    Lock L(Mutex);
    // Somebody else may have added it meanwhile.
    ++(*Added ? Counts.Added : Counts.Present);
    return;
  }
  RememberedError Why(Added.takeError());
  std::error_code Code = errorToErrorCode(Why.get());
  // Who may not write one object may not write others.
  if (!endsStore(Code) && Code != std::errc::permission_denied)
    return fail(addPrefix(Input, Why.get()));
  // Said once, though several threads find out.
  if (HasEnded.exchange(true))
    return leave();
  Lock L(Mutex);
  ++Counts.Failed;
  Observer.failed(addPrefix(Input, Why.get()));
}

void AddState::fail(Error E) {
  // The rest of a package that was not read is no failure.
  if (isStopped())
    return consumeError(std::move(E));
  Lock L(Mutex);
  ++Counts.Failed;
  Observer.failed(std::move(E));
}

void AddState::warn(StringRef Input, const Twine &Message) {
  Lock L(Mutex);
  Observer.warning(Input, Message);
}

void AddState::progress(StringRef Phase, uint64_t Done, uint64_t Total) {
  Lock L(Mutex);
  Observer.progress(Phase, Done, Total);
}

void AddState::skip(uint64_t Count) {
  Lock L(Mutex);
  Counts.Skipped += Count;
}

void AddState::leave() {
  Lock L(Mutex);
  ++Counts.Left;
}

AddCounts AddState::counts() const {
  Lock L(Mutex);
  return Counts;
}
