//===- ProgramOnPath.h - Other programs with our names ----------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLVM_LIDIA_PROGRAMONPATH_H
#define LLVM_LIDIA_PROGRAMONPATH_H

#include "llvm/ADT/ArrayRef.h"
#include <string>
#include <vector>

namespace lidia {

/// The first program on the PATH with one of \p Names. The first name is
/// searched in all folders before the second. This program is skipped under any
/// of these names. Empty if there is no other program, or if this process was
/// started with environmentOfOther(), so that a script with such a name that
/// runs this program does not start itself endlessly.
std::string findOtherProgram(llvm::ArrayRef<std::string> Names);

/// The environment for a program that findOtherProgram() has found, as
/// "NAME=value", without the variables \p Without.
std::vector<std::string>
environmentOfOther(llvm::ArrayRef<llvm::StringRef> Without = {});

/// The addresses of \p Strings, followed by a null pointer.
std::vector<char *> pointersTo(std::vector<std::string> &Strings);

/// Replaces this process with \p Program and \p Argv, which must end with a
/// null pointer. Returns only on errors.
void replaceProcess(const std::string &Program, llvm::ArrayRef<char *> Argv,
                    llvm::ArrayRef<llvm::StringRef> WithoutVariables = {});

} // namespace lidia

#endif // LLVM_LIDIA_PROGRAMONPATH_H
