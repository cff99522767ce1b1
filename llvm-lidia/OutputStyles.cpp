//===- OutputStyles.cpp - The styles of answers ---------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OutputStyles.h"

using namespace llvm;

namespace lidia {

/// An error handler for LLVM's printers, which report errors of the module. The
/// module was opened before the printer was created.
static void ignoreError(const ErrorInfoBase &, StringRef) {}

template <class Printer>
static std::unique_ptr<symbolize::DIPrinter>
makeText(raw_ostream &OS, symbolize::PrinterConfig &Config) {
  return std::make_unique<Printer>(OS, ignoreError, Config);
}

static std::unique_ptr<symbolize::DIPrinter>
makeJSON(raw_ostream &OS, symbolize::PrinterConfig &Config) {
  return std::make_unique<symbolize::JSONPrinter>(OS, Config);
}

ArrayRef<OutputStyle> outputStyles() {
  static constexpr OutputStyle Styles[] = {
      {"LLVM", TextForm::Printable, /*InnermostAlone=*/false,
       /*HasFastPrinter=*/true, /*GNULayout=*/false,
       makeText<symbolize::LLVMPrinter>},
      {"GNU", TextForm::Printable, /*InnermostAlone=*/true,
       /*HasFastPrinter=*/true, /*GNULayout=*/true,
       makeText<symbolize::GNUPrinter>},
      {"JSON", TextForm::UTF8, /*InnermostAlone=*/false,
       /*HasFastPrinter=*/false, /*GNULayout=*/false, makeJSON},
  };
  return Styles;
}

} // namespace lidia
