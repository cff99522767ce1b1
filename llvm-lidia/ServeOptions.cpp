//===- ServeOptions.cpp - The options of serve ----------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ServeOptions.h"
#include "SourceURLOptions.h"
#include "lidia/Cache/Cache.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;

namespace lidia {

/// The file that the last \p ID names. Null without one, or after an error.
static std::unique_ptr<MemoryBuffer> readFileOf(CommandLine &Line,
                                                const opt::Arg *A) {
  if (!A)
    return nullptr;
  ErrorOr<std::unique_ptr<MemoryBuffer>> File =
      MemoryBuffer::getFile(A->getValue());
  if (File)
    return std::move(*File);
  Line.fail(A->getSpelling() + ": " + A->getValue() + ": " +
            File.getError().message());
  return nullptr;
}

static void checkToken(CommandLine &Line, const Twine &Where, StringRef Token) {
  constexpr size_t Least = 16;
  if (Token.size() < Least)
    Line.fail(Where +
              ": a token has at least 16 characters: see openssl rand -hex 32");
  // Others could not be sent in a header.
  if (!all_of(Token, [](char C) { return isPrint(C) && C != ' '; }))
    Line.fail(Where +
              ": a token has only printable characters of ASCII and no space: "
              "see openssl rand -hex 32");
}

std::string readToken(CommandLine &Line, unsigned ID) {
  const opt::Arg *A = Line.args().getLastArg(ID);
  std::unique_ptr<MemoryBuffer> File = readFileOf(Line, A);
  if (!File)
    return "";
  StringRef Token = File->getBuffer().split('\n').first.trim();
  checkToken(Line, A->getSpelling() + ": " + A->getValue(), Token);
  return Token.str();
}

static bool readRights(StringRef Text, AccessToken &T) {
  for (StringRef Right : split(Text, ',')) {
    T.MayRead |= Right == "read";
    T.MayWrite |= Right == "write";
    T.MayRemove |= Right == "remove";
    if (Right != "read" && Right != "write" && Right != "remove")
      return false;
  }
  return true;
}

/// Reads a line of --tokens: "RIGHTS TOKEN", and the owner's name.
static void readTokenLine(CommandLine &Line, const Twine &Where, StringRef Text,
                          std::vector<AccessToken> &To) {
  SmallVector<StringRef, 3> Words;
  SplitString(Text.split('#').first, Words);
  if (Words.empty())
    return;
  AccessToken T;
  if (Words.size() < 2 || Words.size() > 3 || !readRights(Words[0], T))
    return Line.fail(Where + ": expected a comma-separated list of read, write "
                             "and remove, a token, and a name for the log");
  checkToken(Line, Where, Words[1]);
  T.Secret = Words[1].str();
  T.Name = Words.size() == 3 ? Words[2].str() : Words[0].str();
  To.push_back(std::move(T));
}

static std::vector<AccessToken> readTokens(CommandLine &Line) {
  std::vector<AccessToken> Tokens;
  if (std::string Secret = readToken(Line, OPT_read_token_EQ); !Secret.empty())
    Tokens.push_back({Secret, "reader", /*MayRead=*/true});
  if (std::string Secret = readToken(Line, OPT_write_token_EQ); !Secret.empty())
    Tokens.push_back({Secret, "writer", /*MayRead=*/false, /*MayWrite=*/true});
  const opt::Arg *A = Line.args().getLastArg(OPT_tokens_EQ);
  if (std::unique_ptr<MemoryBuffer> File = readFileOf(Line, A)) {
    unsigned Number = 0;
    for (StringRef Text : split(File->getBuffer(), '\n'))
      readTokenLine(
          Line, A->getSpelling() + ": " + A->getValue() + ":" + Twine(++Number),
          Text, Tokens);
  }
  return Tokens;
}

static unsigned count(CommandLine &Line, unsigned ID, unsigned Default) {
  const opt::Arg *A = Line.args().getLastArg(ID);
  if (!A)
    return Default;
  uint64_t Number = Line.number(ID, Default);
  if (Number && Number <= INT32_MAX)
    return unsigned(Number);
  Line.fail(A->getSpelling() + ": expected a number from 1, but got '" +
            A->getValue() + "'");
  return Default;
}

static ServerLimits readLimits(CommandLine &Line) {
  ServerLimits L;
  L.MaxBody = Line.size(OPT_max_body_EQ, L.MaxBody);
  L.MaxBodies = Line.size(OPT_max_bodies_EQ, L.MaxBodies);
  L.MaxHeaders = Line.size(OPT_max_headers_EQ, L.MaxHeaders);
  L.MaxAddresses = Line.number(OPT_max_addresses_EQ, L.MaxAddresses);
  L.MaxAnswer = Line.size(OPT_max_answer_EQ, L.MaxAnswer);
  L.MaxConnections = count(Line, OPT_max_connections_EQ, L.MaxConnections);
  L.MaxOfAddress = count(Line, OPT_max_of_address_EQ, L.MaxOfAddress);
  L.MaxWaiting = count(Line, OPT_max_waiting_EQ, L.MaxWaiting);
  L.IdleSeconds = count(Line, OPT_idle_timeout_EQ, L.IdleSeconds);
  L.HeaderSeconds = count(Line, OPT_header_timeout_EQ, L.HeaderSeconds);
  L.BodySeconds = count(Line, OPT_body_timeout_EQ, L.BodySeconds);
  constexpr uint64_t LeastHeaders = 4096;
  if (L.MaxHeaders < LeastHeaders)
    Line.fail("--max-headers: expected at least 4k");
  return L;
}

static UploadOptions readUploads(CommandLine &Line) {
  UploadOptions O;
  O.KeepsOld = Line.args().hasArg(OPT_no_replace);
  O.MaxSize = Line.size(OPT_max_upload_EQ, O.MaxSize);
  O.MaxSizes = Line.size(OPT_max_uploads_EQ, O.MaxSizes);
  O.MaxSeconds = count(Line, OPT_upload_timeout_EQ, O.MaxSeconds);
  return O;
}

static UpstreamOptions readUpstream(CommandLine &Line) {
  UpstreamOptions O;
  O.Servers = Line.args().getAllArgValues(OPT_upstream_EQ);
  for (StringRef Server : O.Servers)
    if (!Server.starts_with_insensitive("http://") &&
        !Server.starts_with_insensitive("https://"))
      Line.fail("--upstream=: expected the URL of a debuginfod server, but "
                "got '" +
                Server + "'");
  O.PassThrough = Line.args().hasArg(OPT_pass_through);
  if (O.PassThrough && O.Servers.empty())
    Line.fail("--pass-through needs --upstream=");
  O.Threads = count(Line, OPT_upstream_threads_EQ, O.Threads);
  O.StallSeconds = count(Line, OPT_upstream_timeout_EQ, O.StallSeconds);
  O.FirstByteSeconds =
      count(Line, OPT_upstream_first_byte_EQ, O.FirstByteSeconds);
  O.MaxSeconds = count(Line, OPT_upstream_max_time_EQ, O.MaxSeconds);
  O.MaxSize = Line.size(OPT_upstream_max_size_EQ, O.MaxSize);
  O.MaxKept = Line.size(OPT_max_originals_EQ, O.MaxKept);
  O.MissingSeconds = count(Line, OPT_upstream_missing_EQ, O.MissingSeconds);
  return O;
}

/// The URL of --forward=, with OTLP's path if it has none.
static std::string readForward(CommandLine &Line) {
  std::string URL = Line.args().getLastArgValue(OPT_forward_EQ).str();
  auto [Scheme, Rest] = StringRef(URL).split("://");
  if (URL.empty())
    return URL;
  if ((!Scheme.equals_insensitive("http") &&
       !Scheme.equals_insensitive("https")) ||
      Rest.empty()) {
    Line.fail("--forward=: expected the URL of a server that takes profiles "
              "by HTTP, but got '" +
              URL + "'");
    return "";
  }
  if (StringRef Path = Rest.split('/').second; Path.empty())
    return (StringRef(URL).rtrim('/') + "/v1development/profiles").str();
  return URL;
}

static ConversionOptions readConversions(CommandLine &Line) {
  ConversionOptions O;
  O.Processes = count(Line, OPT_convert_processes_EQ, O.Processes);
  O.MaxMemory = Line.size(OPT_convert_memory_EQ, O.MaxMemory);
  O.MaxSeconds = count(Line, OPT_convert_timeout_EQ, O.MaxSeconds);
  O.MaxWaiting = count(Line, OPT_max_conversions_EQ, O.MaxWaiting);
  return O;
}

static AccessLogFormat readAccessLog(CommandLine &Line) {
  const opt::Arg *A = Line.args().getLastArg(OPT_access_log_EQ);
  StringRef Name = A ? A->getValue() : "none";
  if (Name == "combined")
    return AccessLogFormat::Combined;
  if (Name == "json")
    return AccessLogFormat::JSON;
  if (Name != "none")
    Line.fail("--access-log=: expected combined, json or none, but got '" +
              Name + "'");
  return AccessLogFormat::None;
}

ServerOptions readServerOptions(CommandLine &Line) {
  const opt::InputArgList &Args = Line.args();
  ServerOptions O;
  O.Store = Args.getLastArgValue(OPT_store_EQ).str();
  if (O.Store.empty())
    Line.fail("no store given: use --store= (see llvm-lidia store add)");
  for (const std::string &Operand : Line.operands())
    Line.fail("expected options only, but got '" + Operand + "'");
  O.Listen = Args.getAllArgValues(OPT_listen_EQ);
  O.CertificateFile = Args.getLastArgValue(OPT_tls_cert_EQ).str();
  O.KeyFile = Args.getLastArgValue(OPT_tls_key_EQ).str();
  if (O.CertificateFile.empty() != O.KeyFile.empty())
    Line.fail("--tls-cert and --tls-key must be given together");
  O.Tokens = readTokens(Line);
  O.IsPublic = Args.hasArg(OPT_public);
  O.Hosts = Args.getAllArgValues(OPT_host_EQ);
  O.Origins = Args.getAllArgValues(OPT_allow_origin_EQ);
  O.KeepReports = Args.hasArg(OPT_keep_reports);
  constexpr uint64_t MaxThreads = 1024, LongestTime = INT32_MAX;
  O.Threads =
      unsigned(std::min(Line.number(OPT_lookup_threads_EQ, 0), MaxThreads));
  O.ExportThreads = count(Line, OPT_export_threads_EQ, O.ExportThreads);
  O.SymbolizeThreads =
      count(Line, OPT_symbolize_threads_EQ, O.SymbolizeThreads);
  O.MaxModules = count(Line, OPT_max_modules_EQ, O.MaxModules);
  O.RecheckSeconds = count(Line, OPT_recheck_EQ, O.RecheckSeconds);
  O.MaxText = Line.size(OPT_max_text_EQ, O.MaxText);
  O.CacheFolder = Args.getLastArgValue(OPT_cache_dir_EQ).str();
  O.Forward = readForward(Line);
  O.ShutdownSeconds = count(Line, OPT_shutdown_timeout_EQ, O.ShutdownSeconds);
  O.AccessLog = readAccessLog(Line);
  if (Args.hasArg(OPT_record_use_EQ))
    O.RecordUseSeconds =
        unsigned(std::min(Line.number(OPT_record_use_EQ, 0), LongestTime));
  O.Sources = readSourceURLs(Line);
  O.Limits = readLimits(Line);
  O.Upload = readUploads(Line);
  O.Upstream = readUpstream(Line);
  O.Conversion = readConversions(Line);
  return O;
}

} // namespace lidia
