//===- WarningList.h - Collects warnings ------------------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_PYTHON_SRC_WARNINGLIST_H
#define LIDIA_PYTHON_SRC_WARNINGLIST_H

#include "lidia/Extract/Convert.h"
#include <atomic>
#include <string>
#include <vector>

namespace lidia::python {

/// Collects the warnings of a conversion, which ends when the caller sets a
/// flag. Limits them, because a crafted file may cause millions.
class WarningList final : public ConvertObserver {
public:
  explicit WarningList(std::vector<std::string> &To,
                       const std::atomic<bool> *IsSet = nullptr)
      : To(To), IsSet(IsSet) {}

  void warning(const llvm::Twine &Message) override {
    if (To.size() < Max)
      To.push_back(Message.str());
    else if (To.size() == Max)
      To.push_back("and others, which are left out");
  }
  void progress(llvm::StringRef, uint64_t, uint64_t) override {}
  bool isCancelled() override { return IsSet && *IsSet; }

private:
  static constexpr size_t Max = 1000;
  std::vector<std::string> &To;
  const std::atomic<bool> *IsSet;
};

} // namespace lidia::python

#endif // LIDIA_PYTHON_SRC_WARNINGLIST_H
