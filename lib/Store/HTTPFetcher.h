//===- HTTPFetcher.h - Ranges of a file over HTTP ---------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_STORE_HTTPFETCHER_H
#define LIDIA_LIB_STORE_HTTPFETCHER_H

#include "Curl.h"
#include "Location.h"
#include "lidia/Store/FarFile.h"
#include "lidia/Store/RequestTotals.h"

namespace lidia {

std::unique_ptr<RangeFetcher>
createHTTPFetcher(const Curl &C, Location Where,
                  std::shared_ptr<RequestTotals> Totals);

} // namespace lidia

#endif // LIDIA_LIB_STORE_HTTPFETCHER_H
