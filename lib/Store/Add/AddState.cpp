//===- AddState.cpp - The state of a call of addToStore() -----------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AddState.h"
#include "ArchiveContents.h"
#include "DebugFileTree.h"
#include "lidia/Error.h"
#include "lidia/Store/BinaryNames.h"
#include "lidia/Store/OpenArchive.h"
#include "llvm/ADT/StringExtras.h"

using namespace lidia;
using namespace llvm;

using Lock = std::lock_guard<std::mutex>;

/// Whether the archive of \p BuildID in \p Store is known to have no lines, or
/// to lack parts of its binary.
static bool isPoor(SymbolStore &Store, ArrayRef<uint8_t> BuildID) {
  Expected<std::string> Where = Store.find(BuildID);
  Expected<Archive> A =
      Where ? openArchiveAt(*Where) : Expected<Archive>(Where.takeError());
  if (A)
    return A->rowCount() == 0 || A->leftOut() != MissCode::None;
  consumeError(A.takeError());
  return false;
}

bool AddState::isPresent(ArrayRef<uint8_t> BuildID, bool HasLines) {
  std::string Digits = toHex(BuildID);
  {
    Lock L(Mutex);
    if (PresentIDs.contains(Digits) && !HasLines)
      return true;
    if (Options.Force || Options.Improve || IsSilent ||
        AbsentIDs.contains(Digits) || PoorIDs.contains(Digits))
      return false;
  }
  Expected<bool> IsThere = Store.contains(BuildID);
  // Ignore the error: adding the archive will report it.
  bool Present = IsThere && *IsThere;
  std::error_code Code = errorToErrorCode(IsThere.takeError());
  // Archives of version 1 cannot have lines.
  bool IsPoor = Present && HasLines && !Options.KeepsOld &&
                Store.options().Layout != StoreLayout::Pyroscope &&
                isPoor(Store, BuildID);
  Lock L(Mutex);
  // If a token or keys may not read this object, they may still read others.
  IsSilent |= Code && Code != std::errc::permission_denied;
  if (IsPoor)
    PoorIDs.insert(Digits);
  else if (!Present)
    AbsentIDs.insert(Digits);
  else if (PresentIDs.insert(Digits).second) {
    ++Counts.Present;
    Observer.added("", BuildID, AddResult::Present);
  }
  return Present && !IsPoor;
}

Expected<AddResult> AddState::put(ArrayRef<uint8_t> BuildID, StringRef Archive,
                                  PutMode Mode) {
  // The archive comes last, because its object says that all others exist.
  if (Store.options().Layout == StoreLayout::Debuginfod)
    if (Error E = putDebugFiles(Store, BuildID, Archive, Mode))
      return E;
  Expected<bool> Added = Store.add(BuildID, Archive, Mode);
  if (!Added)
    return Added.takeError();
  return *Added ? AddResult::Added : AddResult::Present;
}

/// Adds the archive unless the store has one with as much information.
Expected<AddResult> AddState::putBetter(ArrayRef<uint8_t> BuildID,
                                        StringRef File) {
  Expected<Archive> New = Archive::open(File);
  if (!New)
    return New.takeError();
  // Other processes may add one in the meantime.
  constexpr unsigned Attempts = 3;
  for (unsigned I = 0; I != Attempts; ++I) {
    Expected<std::optional<bool>> HasLess = hasLess(Store, BuildID, *New);
    if (!HasLess && Store.objects().keepsBetter()) {
      // The token may be for writing only.
      consumeError(HasLess.takeError());
      return put(BuildID, File, PutMode::Improve);
    }
    if (!HasLess)
      return HasLess.takeError();
    if (*HasLess && !**HasLess)
      return AddResult::Present;
    PutMode Mode = *HasLess ? PutMode::Replace : PutMode::IfAbsent;
    Expected<AddResult> Result = put(BuildID, File, Mode);
    if (!Result || (*Result == AddResult::Added && *HasLess))
      return Result ? AddResult::Replaced : std::move(Result);
    if (*Result == AddResult::Added)
      return Result;
  }
  return AddResult::Present;
}

/// Whether other archives cannot be added, either.
static bool endsAll(Error E) {
  std::unique_ptr<LidiaError> Why = toLidiaError(std::move(E));
  const ErrorInfoBase &Base = *Why;
  if (Base.isA<OutageError>())
    return static_cast<const OutageError &>(Base).isGeneral();
  // If one object may not be written, the others may not, either.
  std::error_code Code = Why->convertToErrorCode();
  return endsStore(Code) || Code == std::errc::permission_denied;
}

Expected<AddResult> AddState::putAnyway(ArrayRef<uint8_t> BuildID,
                                        StringRef Archive) {
  Expected<bool> WasThere = Store.contains(BuildID);
  // Whether it can be written is what counts.
  bool IsNew = WasThere && !*WasThere;
  consumeError(WasThere.takeError());
  Expected<AddResult> Result = put(BuildID, Archive, PutMode::Replace);
  return Result && !IsNew ? AddResult::Replaced : std::move(Result);
}

void AddState::add(ArrayRef<uint8_t> BuildID, StringRef Archive,
                   StringRef Input, StringRef Path,
                   ArrayRef<SmallVector<uint8_t, 16>> FileHashes) {
  bool IsBetter = Options.Improve;
  {
    Lock L(Mutex);
    IsBetter |= PoorIDs.contains(toHex(BuildID));
  }
  Expected<AddResult> Added = IsBetter ? putBetter(BuildID, Archive)
                              : Options.Force
                                  ? putAnyway(BuildID, Archive)
                                  : put(BuildID, Archive, PutMode::IfAbsent);
  if (Added) {
    // A name that cannot be written costs convenience only, a hash names in
    // profiles whose modules have nothing else.
    consumeError(addBinaryName(Store, BuildID, binaryName(Path, BuildID)));
    for (ArrayRef<uint8_t> Hash : FileHashes)
      consumeError(addFileHash(Store, BuildID, Hash));
    Lock L(Mutex);
    // Another process may have added it in the meantime.
    ++(*Added == AddResult::Present    ? Counts.Present
       : *Added == AddResult::Replaced ? Counts.Replaced
                                       : Counts.Added);
    Observer.added(Input, BuildID, *Added);
    return;
  }
  RememberedError Why(Added.takeError());
  if (!endsAll(Why.get()))
    return fail(addPrefix(Input, Why.get()));
  // Report it once, even if several threads fail.
  if (HasEnded.exchange(true))
    return leave();
  Lock L(Mutex);
  ++Counts.Failed;
  Observer.failed(addPrefix(Input, Why.get()));
}

void AddState::fail(Error E) {
  // The unread rest of a package is not a failure.
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

AddStatistics AddState::counts() const {
  Lock L(Mutex);
  return Counts;
}
