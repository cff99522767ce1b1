//===- ObjectStore.cpp - Named objects in folders and buckets -------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Store/ObjectStore.h"
#include "Support/Threads.h"
#include "lidia/Error.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <atomic>
#include <cerrno>

using namespace lidia;
using namespace llvm;

bool lidia::endsStore(std::error_code Code) {
  // Excludes ENOENT and EACCES, which may concern a single object.
  return is_contained<std::error_code>(
      {std::make_error_code(std::errc::operation_not_permitted),
       std::make_error_code(std::errc::no_such_device_or_address),
       std::make_error_code(std::errc::no_space_on_device),
       std::make_error_code(std::errc::read_only_file_system),
       std::error_code(EDQUOT, std::generic_category())},
      std::error_code(Code.value(), std::generic_category()));
}

Error ObjectStore::forEachIndex(size_t Count,
                                function_ref<Error(size_t)> Do) const {
  // S3 allows thousands of requests a second; an answer takes 10 to 100 ms.
  constexpr size_t RequestsAtOnce = 16;
  std::atomic<size_t> Next{0};
  std::atomic<bool> HasFailed{false};
  RememberedError First;
  runOnThreads(isFar() ? unsigned(std::min(RequestsAtOnce, Count)) : 1, [&] {
    for (size_t I; !HasFailed && (I = Next++) < Count;)
      if (Error E = Do(I)) {
        RememberedError Failure(std::move(E));
        if (!HasFailed.exchange(true))
          First = std::move(Failure);
      }
  });
  return First.get();
}

Error ObjectStore::removeAll(ArrayRef<std::string> Objects) {
  return forEachIndex(Objects.size(),
                      [&](size_t I) { return remove(Objects[I]); });
}
