//===- ReturnPads.h - The addresses behind call instructions ----*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_DISASSEMBLE_RETURNPADS_H
#define LIDIA_DISASSEMBLE_RETURNPADS_H

#include "llvm/Support/Error.h"
#include <cstdint>
#include <vector>

namespace lidia {

class Binary;
struct CodeHints;

/// The addresses to which the functions that \p File calls return, ascending:
/// for each instruction in its code that LLVM's MCInstrAnalysis says is a call,
/// the address behind it and behind its delay slot, where the machine has one.
///
/// Instructions are read one after another, afresh from each function's start
/// and from each mark, so that data among code cost no more than the rest of
/// their function; what is no instruction is stepped over. A pad that would lie
/// behind the next function's start is none: its instruction has bytes of both.
/// It may lie right at the end of its function or section. Takes time in
/// proportion to the code. The same with any number of \p Threads.
///
/// Fails, with a code of std::errc, when \p File has no code in it (a debug
/// file) or this LLVM cannot disassemble its machine's.
llvm::Expected<std::vector<uint64_t>>
findReturnPads(Binary &File, const CodeHints &Hints, unsigned Threads);

} // namespace lidia

#endif // LIDIA_DISASSEMBLE_RETURNPADS_H
