//===- AccessLog.cpp - A line for each request ----------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AccessLog.h"
#include "Service.h"
#include "lidia/Symbolize/PrintableText.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include <ctime>

using namespace llvm;

namespace lidia {

/// The current time in UTC in the form of strftime's \p Format.
static std::string timeAs(const char *Format) {
  std::time_t Now = std::time(nullptr);
  std::tm Parts;
  ::gmtime_r(&Now, &Parts);
  char Text[64];
  return std::string(Text, std::strftime(Text, sizeof(Text), Format, &Parts));
}

std::string logTime() { return timeAs("%Y-%m-%dT%H:%M:%SZ"); }

/// The request's path and query, as they were sent.
static std::string targetOf(const HTTPRequest &Request) {
  return Request.Query.empty() ? Request.Path
                               : Request.Path + "?" + Request.Query;
}

/// \p Text in quotes, or "-" for none.
static std::string quoted(StringRef Text) {
  if (Text.empty())
    return "\"-\"";
  std::string Escaped = "\"";
  for (char C : escapeText(Text)) {
    if (C == '"' || C == '\\')
      Escaped += '\\';
    Escaped += C;
  }
  return Escaped + '"';
}

/// As Apache's and nginx's "combined", with the seconds at the end.
static std::string combinedLine(const HTTPRequest &Request,
                                const HTTPResponse &R, double Seconds) {
  StringRef Peer = Request.Peer, User = Request.Token.Name;
  return formatv("{0} - {1} [{2}] {3} {4} {5} {6} {7} {8:F6}",
                 Peer.empty() ? "-" : Peer,
                 User.empty() ? "-" : escapeText(User),
                 timeAs("%d/%b/%Y:%H:%M:%S +0000"),
                 quoted(Request.Method + " " + targetOf(Request) + " HTTP/1.1"),
                 R.Status, R.size(), quoted(Request.header("referer")),
                 quoted(Request.header("user-agent")), Seconds)
      .str();
}

static std::string jsonLine(const HTTPRequest &Request, const HTTPResponse &R,
                            double Seconds) {
  json::Object Line{{"time", logTime()},
                    {"method", json::fixUTF8(Request.Method)},
                    {"path", json::fixUTF8(Request.Path)},
                    {"status", int64_t(R.Status)},
                    {"seconds", Seconds},
                    {"bytes_in", int64_t(Request.bodySize())},
                    {"bytes_out", int64_t(R.size())}};
  auto Add = [&](StringRef Name, StringRef Value) {
    if (!Value.empty())
      Line[Name] = json::fixUTF8(Value);
  };
  Add("query", Request.Query);
  Add("address", Request.Peer);
  Add("forwarded_for", Request.header("x-forwarded-for"));
  Add("token", Request.Token.Name);
  Add("user_agent", Request.header("user-agent"));
  if (Request.Route)
    Line["endpoint"] = Request.Route->Name;
  std::string Text;
  raw_string_ostream(Text) << json::Value(std::move(Line));
  return Text;
}

std::string accessLine(AccessLogFormat Format, const HTTPRequest &Request,
                       const HTTPResponse &R, double Seconds) {
  return Format == AccessLogFormat::JSON ? jsonLine(Request, R, Seconds)
                                         : combinedLine(Request, R, Seconds);
}

} // namespace lidia
