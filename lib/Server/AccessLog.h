//===- AccessLog.h - A line for each request --------------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_SERVER_ACCESSLOG_H
#define LIDIA_LIB_SERVER_ACCESSLOG_H

#include "HTTPMessage.h"

namespace lidia {

/// The current time in UTC, as in RFC 3339.
std::string logTime();

/// The line about \p Request and its answer \p R, without a line break. It has
/// the name of the token, and never its secret. What a client has sent is
/// escaped.
std::string accessLine(AccessLogFormat Format, const HTTPRequest &Request,
                       const HTTPResponse &R, double Seconds);

} // namespace lidia

#endif // LIDIA_LIB_SERVER_ACCESSLOG_H
