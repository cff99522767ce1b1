//===- S3List.cpp - Lists of objects in S3 --------------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "S3List.h"
#include "Support/PercentEncoding.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>
#include <ctime>

using namespace lidia;
using namespace llvm;

/// The text of the first element \p Tag in \p XML; empty if there is none.
/// These elements have no attributes, and do not contain elements of the same
/// name.
static StringRef element(StringRef XML, StringRef Tag) {
  std::string Begin = ("<" + Tag + ">").str(), End = ("</" + Tag + ">").str();
  size_t At = XML.find(Begin);
  if (At == StringRef::npos)
    return StringRef();
  StringRef Rest = XML.drop_front(At + Begin.size());
  size_t Size = Rest.find(End);
  return Size == StringRef::npos ? StringRef() : Rest.take_front(Size);
}

/// \p Text without XML's escapes.
static std::string unescape(StringRef Text) {
  static constexpr std::pair<StringLiteral, char> Names[] = {
      {"&amp;", '&'}, {"&lt;", '<'},    {"&gt;", '>'},  {"&quot;", '"'},
      {"&#34;", '"'}, {"&apos;", '\''}, {"&#39;", '\''}};
  std::string Plain;
  while (!Text.empty()) {
    const auto *Found = find_if(
        Names, [&](const auto &N) { return Text.starts_with(N.first); });
    if (Found == std::end(Names)) {
      Plain += Text.front();
      Text = Text.drop_front();
    } else {
      Plain += Found->second;
      Text = Text.drop_front(Found->first.size());
    }
  }
  return Plain;
}

/// \p Key without URL encoding, which has "+" for a space. A key that is
/// malformed is none that a server has encoded.
static std::string decodeKey(std::string Key) {
  std::string Encoded = Key;
  std::replace(Encoded.begin(), Encoded.end(), '+', ' ');
  return percentDecode(Encoded).value_or(std::move(Key));
}

/// Parses "2026-11-22T23:09:10.000Z"; returns 1970 for other texts.
static sys::TimePoint<> timeOfObject(StringRef Text) {
  std::tm T = {};
  const char *End = ::strptime(Text.str().c_str(), "%Y-%m-%dT%H:%M:%S", &T);
  // Nanoseconds since 1970 fit into 64 bits from 1678 to 2262.
  bool IsInRange = T.tm_year >= 1700 - 1900 && T.tm_year <= 2200 - 1900;
  return sys::toTimePoint(End && IsInRange ? ::timegm(&T) : 0);
}

std::optional<S3List> lidia::parseS3List(StringRef XML) {
  if (!XML.contains("<ListBucketResult"))
    return std::nullopt;
  S3List List;
  // Some servers ignore the requested encoding.
  bool IsEncoded = element(XML, "EncodingType") == "url";
  StringRef Rest = XML;
  while (true) {
    size_t At = Rest.find("<Contents>");
    if (At == StringRef::npos)
      break;
    Rest = Rest.drop_front(At);
    size_t End = Rest.find("</Contents>");
    if (End == StringRef::npos)
      break;
    StringRef Entry = Rest.take_front(End);
    Rest = Rest.drop_front(End);
    StoredObject Object;
    Object.Name = unescape(element(Entry, "Key"));
    if (IsEncoded)
      Object.Name = decodeKey(std::move(Object.Name));
    if (Object.Name.empty() ||
        element(Entry, "Size").getAsInteger(10, Object.Size))
      continue;
    Object.Written = timeOfObject(element(Entry, "LastModified"));
    Object.LastUsed = Object.Written;
    List.Objects.push_back(std::move(Object));
  }
  if (element(XML, "IsTruncated") == "true")
    List.Next = unescape(element(XML, "NextContinuationToken"));
  return List;
}
