//===- Forwarding.cpp - Profiles for another server -----------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Forwarding.h"
#include "Support/URLText.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace lidia {

/// Whether the header \p Name is about the connection or for this server (RFC
/// 9110, 7.6.1), or from a browser.
static bool isOurs(StringRef Name) {
  constexpr StringLiteral Ours[] = {"connection",
                                    "content-length",
                                    "cookie",
                                    "expect",
                                    "host",
                                    "keep-alive",
                                    "origin",
                                    "referer",
                                    "accept",
                                    "transfer-encoding",
                                    "te",
                                    "trailer",
                                    "accept-encoding",
                                    "upgrade"};
  return is_contained(Ours, Name) || Name.starts_with("proxy-") ||
         Name.starts_with("sec-") || Name.starts_with("x-forwarded-");
}

std::vector<std::string> Forwarding::headers(const HTTPRequest &Request) const {
  std::vector<std::string> Lines;
  for (const auto &H : Request.Headers) {
    // With tokens, this server is the one that the secret is for.
    bool IsSecret = H.getKey() == "authorization" && !Options.Tokens.empty();
    // libcurl leaves out a header that has nothing after the colon.
    if (!isOurs(H.getKey()) && !IsSecret && !H.getValue().empty())
      Lines.push_back((H.getKey() + ": " + H.getValue()).str());
  }
  return Lines;
}

/// Writes a line when the server begins to fail, and one when it is back.
void Forwarding::noteState(const std::string &Failure) {
  bool Fails = !Failure.empty();
  if (IsFailing.exchange(Fails) == Fails)
    return;
  std::string URL = urlForMessages(Options.Forward);
  Fails ? Log.Warn("--forward: " + URL + ": " + Failure)
        : Log.Note("--forward: " + URL + ": takes profiles again");
}

HTTPResponse Forwarding::answer(HTTPPostAnswer A) {
  constexpr long TooMany = 429;
  if (A.Status >= 200 && A.Status < 300) {
    noteState("");
    ++Statistics.ForwardsTaken;
  } else if (A.Status >= 400 && A.Status < 500 && A.Status != TooMany) {
    noteState("");
    ++Statistics.ForwardsRefused;
  } else {
    noteState(A.Status ? "answers with HTTP status " + std::to_string(A.Status)
                       : A.Failure);
    ++Statistics.ForwardsFailed;
    HTTPResponse R = HTTPResponse::error(A.Status == TooMany ? 429 : 503,
                                         "the server behind takes nothing now");
    R.add("Retry-After", A.RetryAfter.empty() ? "10" : A.RetryAfter);
    return R;
  }
  HTTPResponse R;
  R.Status = unsigned(A.Status);
  R.ContentType = std::move(A.ContentType);
  R.Body = std::move(A.Body);
  return R;
}

HTTPResponse Forwarding::send(const HTTPRequest &Request,
                              const std::optional<std::string> &Changed) {
  // Collectors give up after 30 seconds, and send again.
  constexpr unsigned Seconds = 25;
  std::vector<std::string> Headers = headers(Request);
  HTTPPostAnswer A;
  if (Changed) {
    A = Post.send(*Changed, Headers, Seconds);
    Statistics.ForwardBytes += Changed->size();
  }
  // 400, 413, 415, 422: the original may be small enough, or what it knows.
  bool IsRefused = is_contained({400L, 413L, 415L, 422L}, A.Status);
  if (!Changed || IsRefused) {
    A = Post.send(Request.Body, Headers, Seconds);
    Statistics.ForwardBytes += Request.Body.size();
  }
  return answer(std::move(A));
}

} // namespace lidia
