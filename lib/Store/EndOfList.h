//===- EndOfList.h - Ends a list of objects ---------------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_STORE_ENDOFLIST_H
#define LIDIA_LIB_STORE_ENDOFLIST_H

#include "llvm/Support/Error.h"

namespace lidia {

/// What a visitor of ObjectStore::list() returns when it has seen enough. It is
/// no failure.
class EndOfList : public llvm::ErrorInfo<EndOfList> {
public:
  static inline char ID = 0;
  void log(llvm::raw_ostream &) const override {}
  std::error_code convertToErrorCode() const override {
    return llvm::inconvertibleErrorCode();
  }
};

} // namespace lidia

#endif // LIDIA_LIB_STORE_ENDOFLIST_H
