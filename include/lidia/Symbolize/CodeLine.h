//===- CodeLine.h - An instruction as text ----------------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_SYMBOLIZE_CODELINE_H
#define LIDIA_SYMBOLIZE_CODELINE_H

#include <cstdint>
#include <string>

namespace lidia {

/// An instruction in LLVM's syntax, and its size in bytes.
struct CodeLine {
  std::string Text;
  uint64_t Size = 1;
};

} // namespace lidia

#endif // LIDIA_SYMBOLIZE_CODELINE_H
