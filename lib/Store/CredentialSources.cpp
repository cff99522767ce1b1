//===- CredentialSources.cpp - The sources of keys ------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CredentialSources.h"
#include "lidia/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include <algorithm>
#include <cstdlib>
#include <ctime>

using namespace lidia;
using namespace llvm;

/// The maximum size of token files and profile files.
static constexpr uint64_t MaxOfFile = 1 << 20;
/// LLVM's JSON parser is recursive.
static constexpr unsigned MaxNesting = 8;

std::string
lidia::environmentVariable(std::initializer_list<const char *> Names) {
  for (const char *Name : Names)
    if (const char *Value = std::getenv(Name); Value && *Value)
      return Value;
  return "";
}

std::string lidia::configuredRegion() {
  std::string Region =
      environmentVariable({"AWS_REGION", "AWS_DEFAULT_REGION"});
  if (Region.empty())
    Region = profileRegion();
  return Region.empty() ? "us-east-1" : Region;
}

bool lidia::isPlainName(StringRef Text) {
  return !Text.empty() && all_of(Text, [](char C) {
    return isAlnum(C) || C == '.' || C == '-' || C == '_';
  });
}

Error lidia::credentialError(StringRef Source, const Twine &Message) {
  return make_error<ArgumentError>("", Source + ": " + Message);
}

Expected<std::string> lidia::readSmallFile(StringRef Path, StringRef Source) {
  // Refuse devices and pipes, which may have no end.
  if (!sys::fs::is_regular_file(Path))
    return credentialError(Source,
                           Path + " does not exist, or is not a regular file");
  uint64_t Size = 0;
  std::error_code Code = sys::fs::file_size(Path, Size);
  if (!Code && Size > MaxOfFile)
    return credentialError(Source, Path + " is too large");
  // The file is not mapped, because it may be replaced at any time.
  auto File = MemoryBuffer::getFile(Path, /*IsText=*/false,
                                    /*RequiresNullTerminator=*/false,
                                    /*IsVolatile=*/true);
  if (Code || !File)
    return credentialError(
        Source, Path + ": " + (Code ? Code : File.getError()).message());
  return (*File)->getBuffer().str();
}

//===----------------------------------------------------------------------===//
// Answers
//===----------------------------------------------------------------------===//

std::optional<Credentials::Time> lidia::parseTime(StringRef Text) {
  auto Number = [&](size_t Digits, int &To, StringRef After) {
    StringRef Part = Text.take_front(Digits);
    if (Part.size() != Digits || !all_of(Part, isDigit) ||
        Part.getAsInteger(10, To))
      return false;
    Text = Text.drop_front(Digits);
    return Text.consume_front(After);
  };
  std::tm T = {};
  if (!Number(4, T.tm_year, "-") || !Number(2, T.tm_mon, "-") ||
      !Number(2, T.tm_mday, "T") || !Number(2, T.tm_hour, ":") ||
      !Number(2, T.tm_min, ":") || !Number(2, T.tm_sec, ""))
    return std::nullopt;
  if (Text.consume_front("."))
    Text = Text.drop_while(isDigit);
  int Hours = 0, Minutes = 0, Sign = Text.starts_with("-") ? -1 : 1;
  if (Text.consume_front("+") || Text.consume_front("-")) {
    if (!Number(2, Hours, "") ||
        (Text.consume_front(":"), !Number(2, Minutes, "")))
      return std::nullopt;
  } else if (!Text.consume_front("Z")) {
    return std::nullopt;
  }
  if (!Text.empty())
    return std::nullopt;
  // Nanoseconds since 1970 fit into 64 bits from 1678 to 2262.
  T.tm_year = std::clamp(T.tm_year, 1700, 2200) - 1900;
  T.tm_mon -= 1;
  return std::chrono::system_clock::from_time_t(
      timegm(&T) - Sign * (Hours * 3600 + Minutes * 60));
}

FoundCredentials lidia::checkCredentials(Credentials C, StringRef Expiration,
                                         StringRef Source) {
  if (C.ID.empty() || C.Secret.empty())
    return credentialError(Source, "the answer has no keys");
  for (const std::string *Text : {&C.ID, &C.Secret, &C.Token})
    if (!all_of(*Text, isPrint))
      return credentialError(Source, "the keys have invalid characters");
  if (Expiration.empty())
    return C;
  C.Expires = parseTime(Expiration);
  if (!C.Expires)
    return credentialError(Source,
                           "the expiration time of the keys is invalid");
  if (*C.Expires <= std::chrono::system_clock::now())
    return credentialError(Source, "the keys have expired");
  return C;
}

static bool isDeep(StringRef Text) {
  unsigned Depth = 0;
  for (char C : Text)
    if (C == '[' || C == '{') {
      if (++Depth > MaxNesting)
        return true;
    } else if ((C == ']' || C == '}') && Depth) {
      --Depth;
    }
  return false;
}

FoundCredentials lidia::credentialsFromJSON(StringRef Text, StringRef TokenName,
                                            StringRef Source) {
  Expected<json::Value> Value =
      isDeep(Text) ? json::Value(nullptr) : json::parse(Text);
  // The parser's message may quote the text.
  if (!Value)
    consumeError(Value.takeError());
  const json::Object *Object = Value ? Value->getAsObject() : nullptr;
  if (!Object)
    return credentialError(Source, "the answer is not a JSON object");
  auto Field = [&](StringRef Name) {
    return Object->getString(Name).value_or("").str();
  };
  Credentials C;
  C.ID = Field("AccessKeyId");
  C.Secret = Field("SecretAccessKey");
  C.Token = Field(TokenName);
  return checkCredentials(std::move(C), Field("Expiration"), Source);
}

//===----------------------------------------------------------------------===//
// Variables
//===----------------------------------------------------------------------===//

FoundCredentials lidia::environmentCredentials() {
  Credentials C;
  C.ID = environmentVariable({"AWS_ACCESS_KEY_ID"});
  C.Secret = environmentVariable({"AWS_SECRET_ACCESS_KEY"});
  C.Token = environmentVariable({"AWS_SESSION_TOKEN"});
  if (C.ID.empty() || C.Secret.empty())
    return std::nullopt;
  return checkCredentials(std::move(C), "", "the environment (AWS_*)");
}
