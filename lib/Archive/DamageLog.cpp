//===- DamageLog.cpp - The damage of many archives ------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Archive/DamageLog.h"
#include "lidia/Error.h"
#include "llvm/ADT/StringSet.h"
#include <map>
#include <mutex>
#include <vector>

using namespace lidia;
using namespace llvm;

namespace lidia {
/// Errors by their text: a damaged archive may be opened many times.
class DistinctErrors {
public:
  void add(Error E) {
    if (!E)
      return;
    RememberedError Kept(std::move(E));
    if (Texts.insert(toString(Kept.get())).second)
      Errors.push_back(std::move(Kept));
  }
  Error get() const {
    Error All = Error::success();
    for (const RememberedError &E : Errors)
      All = joinErrors(std::move(All), E.get());
    return All;
  }

private:
  StringSet<> Texts;
  std::vector<RememberedError> Errors;
};
} // namespace lidia

struct DamageLog::State {
  std::mutex Mutex;
  /// Unlike the numbers of the process that forked this one.
  uint64_t Count = uint64_t(forkCount()) << 40;
  /// In the order in which they were reported.
  std::map<uint64_t, const Archive *> Open;
  DistinctErrors Closed;

  uint64_t open(const Archive *A) {
    std::lock_guard<std::mutex> Lock(Mutex);
    Open[Count] = A;
    return Count++;
  }
  void close(uint64_t Number) {
    std::lock_guard<std::mutex> Lock(Mutex);
    auto It = Open.find(Number);
    // A child of fork() does not know the archives of its parent.
    if (It == Open.end())
      return;
    Closed.add(It->second->damage());
    Open.erase(It);
  }
};

DamageLog::DamageLog() : Shared(std::make_shared<ForkLocal<State>>()) {}

std::shared_ptr<const Archive>
DamageLog::watch(std::shared_ptr<const Archive> A) {
  if (!A->isPaged())
    return A;
  const Archive *Raw = A.get();
  uint64_t Number = Shared->get().open(Raw);
  return std::shared_ptr<const Archive>(
      Raw, [Log = Shared, Number, Held = std::move(A)](const Archive *) {
        Log->get().close(Number);
      });
}

Error DamageLog::damage() const {
  State &S = Shared->get();
  std::lock_guard<std::mutex> Lock(S.Mutex);
  DistinctErrors All = S.Closed;
  for (const auto &[Number, A] : S.Open)
    All.add(A->damage());
  return All.get();
}
