//===- FacadeArchives.h - Archives behind the facade ------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_PYTHON_SRC_FACADEARCHIVES_H
#define LIDIA_PYTHON_SRC_FACADEARCHIVES_H

#include "Facade.h"
#include "lidia/Arrow/TableSymbolizer.h"

namespace lidia::python {

/// The answers of an archive that ArchiveHandle::open() returned.
std::shared_ptr<arrow::ArchiveAnswers> answersOf(ArchiveHandle &Handle);

/// The frames of \p Addresses in \p Archive, as text.
Result<std::vector<FrameList>> lookUp(arrow::ArchiveAnswers &Archive,
                                      const std::vector<uint64_t> &Addresses,
                                      bool AreReturns);

struct ColumnOptions {
  bool AreReturns = false;
  /// As in arrow::TableRequest.
  bool FailOnOutage = true;
};

/// Symbolizes columns; \p Find as for arrow::symbolize().
Result<FrameTablePointer> symbolizeColumns(const ArrowColumn &Addresses,
                                           const arrow::BuildIDColumn &IDs,
                                           const ColumnOptions &How,
                                           const Interest &GoOn,
                                           arrow::AnswersFinder Find);

inline arrow::ArchiveAnswers::Options
answersOptions(const ArchiveOptions &Options) {
  arrow::ArchiveAnswers::Options O;
  O.Demangle = Options.Demangle;
  return O;
}

} // namespace lidia::python

#endif // LIDIA_PYTHON_SRC_FACADEARCHIVES_H
