//===- WarningList.h - Keeps warnings ---------------------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_PYTHON_SRC_WARNINGLIST_H
#define LIDIA_PYTHON_SRC_WARNINGLIST_H

#include "lidia/Extract/Convert.h"
#include <string>
#include <vector>

namespace lidia::python {

/// Keeps the warnings of a conversion. A crafted file may cause millions.
class WarningList final : public ConvertObserver {
public:
  explicit WarningList(std::vector<std::string> &To) : To(To) {}

  void warning(const llvm::Twine &Message) override {
    if (To.size() < Most)
      To.push_back(Message.str());
    else if (To.size() == Most)
      To.push_back("and others, which are left out");
  }
  void progress(llvm::StringRef, uint64_t, uint64_t) override {}

private:
  static constexpr size_t Most = 1000;
  std::vector<std::string> &To;
};

} // namespace lidia::python

#endif // LIDIA_PYTHON_SRC_WARNINGLIST_H
