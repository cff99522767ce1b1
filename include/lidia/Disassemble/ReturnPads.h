//===- ReturnPads.h - Return addresses after calls -------------*- C++ -*-===//
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

/// The return addresses of all calls in \p File, ascending: for each
/// instruction in its code that LLVM's MCInstrAnalysis classifies as a call,
/// the address after it and after its delay slot, if the machine has one.
///
/// Instructions are decoded linearly, restarting at each function's start and
/// at each mark, so that data among code costs at most the rest of its
/// function; invalid instructions are skipped. A pad beyond the next function's
/// start is dropped: its instruction would span both functions. A pad may lie
/// right at the end of its function or section. Takes time in proportion to the
/// code. The result does not depend on \p Threads.
///
/// Fails, with a code of std::errc, if \p File contains no code (a debug file)
/// or this LLVM cannot disassemble its machine's code.
llvm::Expected<std::vector<uint64_t>>
findReturnPads(Binary &File, const CodeHints &Hints, unsigned Threads);

} // namespace lidia

#endif // LIDIA_DISASSEMBLE_RETURNPADS_H
