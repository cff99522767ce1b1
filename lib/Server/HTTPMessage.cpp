//===- HTTPMessage.cpp - A request and its answer -------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HTTPMessage.h"
#include "Support/PercentEncoding.h"
#include "lidia/Error.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

using namespace llvm;

namespace lidia {

//===----------------------------------------------------------------------===//
// Requests
//===----------------------------------------------------------------------===//

std::vector<std::string> HTTPRequest::parameters(StringRef Name) const {
  std::vector<std::string> Values;
  for (StringRef Left = Query; !Left.empty();) {
    StringRef Part;
    std::tie(Part, Left) = Left.split('&');
    auto [Key, Value] = Part.split('=');
    if (Key != Name)
      continue;
    if (std::optional<std::string> Decoded = percentDecode(Value))
      Values.push_back(std::move(*Decoded));
  }
  return Values;
}

//===----------------------------------------------------------------------===//
// Answers
//===----------------------------------------------------------------------===//

Expected<std::shared_ptr<SentFile>> SentFile::open(StringRef Path) {
  int FD = ::open(Path.str().c_str(),
                  O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
  if (FD < 0 && errno == ELOOP)
    return make_error<DamagedError>(Path, "a link: put the file there");
  if (FD < 0)
    return make_error<SystemError>(
        std::error_code(errno, std::generic_category()), Path);
  struct stat Status;
  if (::fstat(FD, &Status) || !S_ISREG(Status.st_mode)) {
    ::close(FD);
    return make_error<SystemError>(
        std::make_error_code(std::errc::no_such_file_or_directory), Path,
        "not a regular file");
  }
  std::string Tag = utohexstr(uint64_t(Status.st_size), /*LowerCase=*/true) +
                    "-" + utohexstr(uint64_t(Status.st_mtim.tv_sec), true) +
                    "." + utohexstr(uint64_t(Status.st_mtim.tv_nsec), true) +
                    "-" + utohexstr(uint64_t(Status.st_ino), true);
  return std::shared_ptr<SentFile>(
      new SentFile(FD, uint64_t(Status.st_size), std::move(Tag)));
}

SentFile::~SentFile() { ::close(Descriptor); }

HTTPResponse HTTPResponse::json(std::string Body) {
  HTTPResponse R;
  R.ContentType = "application/json";
  R.Body = std::move(Body);
  return R;
}

HTTPResponse HTTPResponse::text(std::string Body) {
  HTTPResponse R;
  R.ContentType = "text/plain; charset=utf-8";
  R.Body = std::move(Body);
  return R;
}

HTTPResponse HTTPResponse::file(std::shared_ptr<SentFile> File) {
  HTTPResponse R;
  R.ContentType = "application/octet-stream";
  R.ETag = File->Tag;
  R.FileSize = File->Size;
  R.File = std::move(File);
  return R;
}

HTTPResponse HTTPResponse::error(unsigned Status, const Twine &Message) {
  std::string Body;
  raw_string_ostream(Body) << json::Value(json::Object{
                                  {"error", json::fixUTF8(Message.str())}})
                           << '\n';
  HTTPResponse R = json(std::move(Body));
  R.Status = Status;
  return R;
}

HTTPResponse HTTPResponse::busy() {
  HTTPResponse R = error(503, "too many requests at one time");
  R.add("Retry-After", "1");
  return R;
}

HTTPResponse HTTPResponse::unavailable(const Twine &Message) {
  HTTPResponse R = error(503, Message);
  R.add("Retry-After", "10");
  return R;
}

HTTPResponse HTTPResponse::of(Error E) {
  std::unique_ptr<LidiaError> Why = toLidiaError(std::move(E));
  std::error_code Code = Why->convertToErrorCode();
  const ErrorInfoBase &Base = *Why;
  // Messages about the server's own files have their paths.
  if (Code == std::errc::no_such_file_or_directory ||
      Code == std::errc::no_message_available)
    return error(404, Base.isA<SystemError>() || !Why->file().empty()
                          ? "not found"
                          : Why->message());
  if (Base.isA<BusyError>())
    return busy();
  bool IsAboutRequest = Why->file().empty();
  if (Base.isA<LimitError>() && IsAboutRequest)
    return error(413, Why->message());
  if (Base.isA<ArgumentError>() && IsAboutRequest)
    return error(400, Why->message());
  if (Base.isA<SystemError>())
    return unavailable("the store cannot be read now");
  return error(500, "the archive cannot be read");
}

HTTPResponse HTTPResponse::ofInput(Error E) {
  std::unique_ptr<LidiaError> Why = toLidiaError(std::move(E));
  const ErrorInfoBase &Base = *Why;
  if (Base.isA<LimitError>())
    return error(413, Why->message());
  if (Base.isA<UnsupportedError>())
    return error(415, Why->message());
  if (Base.isA<SystemError>())
    return error(503, "the server cannot read this now");
  return error(422, Why->message());
}

StringRef statusText(unsigned Status) {
  switch (Status) {
  case 408:
    return "the request took too long";
  case 413:
    return "the request is too large";
  case 503:
    return "the server is busy";
  default:
    return "";
  }
}

//===----------------------------------------------------------------------===//
// Conditions and ranges
//===----------------------------------------------------------------------===//

/// Whether \p List, the value of If-None-Match, has \p Tag.
static bool hasTag(StringRef List, StringRef Tag) {
  while (!List.empty()) {
    StringRef One;
    std::tie(One, List) = List.split(',');
    One = One.trim();
    One.consume_front("W/");
    if (One == "*" || One.trim('"') == Tag)
      return true;
  }
  return false;
}

namespace {
enum class RangeKind : uint8_t { All, Part, Unsatisfiable };
} // namespace

/// Parses \p Text, "bytes=FIRST-LAST", for contents of \p Size bytes.
static RangeKind parseRange(StringRef Text, uint64_t Size, uint64_t &First,
                            uint64_t &Count) {
  if (!Text.consume_front("bytes=") || Text.contains(','))
    return RangeKind::All;
  auto [From, To] = Text.split('-');
  uint64_t Last = 0;
  if (From.empty()) {
    if (To.getAsInteger(10, Count))
      return RangeKind::All;
    Count = std::min(Count, Size);
    First = Size - Count;
    return Count ? RangeKind::Part : RangeKind::Unsatisfiable;
  }
  if (From.getAsInteger(10, First) ||
      (!To.empty() && (To.getAsInteger(10, Last) || Last < First)))
    return RangeKind::All;
  if (First >= Size)
    return RangeKind::Unsatisfiable;
  Count = (To.empty() ? Size : std::min(Last, Size - 1) + 1) - First;
  return RangeKind::Part;
}

static void applyRange(const HTTPRequest &Request, HTTPResponse &R) {
  StringRef Range = Request.header("range");
  StringRef If = Request.header("if-range");
  if (Range.empty() || Request.Method != "GET" ||
      (!If.empty() && If.trim('"') != R.ETag))
    return;
  uint64_t First = 0, Count = 0, Size = R.size();
  switch (parseRange(Range, Size, First, Count)) {
  case RangeKind::All:
    return;
  case RangeKind::Unsatisfiable:
    R = HTTPResponse::error(416, "requested range not satisfiable");
    R.add("Content-Range", "bytes */" + Twine(Size));
    return;
  case RangeKind::Part:
    break;
  }
  R.Status = 206;
  R.add("Content-Range", "bytes " + Twine(First) + "-" +
                             Twine(First + Count - 1) + "/" + Twine(Size));
  if (R.File) {
    R.FileOffset += First;
    R.FileSize = Count;
  } else {
    R.Body = R.Body.substr(First, Count);
  }
}

void applyConditions(const HTTPRequest &Request, HTTPResponse &R) {
  if (R.Status != 200 || R.ETag.empty())
    return;
  R.add("ETag", "\"" + R.ETag + "\"");
  R.add("Accept-Ranges", "bytes");
  if (hasTag(Request.header("if-none-match"), R.ETag)) {
    R.Status = 304;
    R.Body.clear();
    R.File.reset();
    return;
  }
  applyRange(Request, R);
}

//===----------------------------------------------------------------------===//
// Compression
//===----------------------------------------------------------------------===//

/// Whether \p Header, the value of Accept-Encoding, allows \p Coding.
static bool takesCoding(StringRef Header, StringRef Coding) {
  while (!Header.empty()) {
    StringRef One;
    std::tie(One, Header) = Header.split(',');
    auto [Name, Weight] = One.split(';');
    if (!Name.trim().equals_insensitive(Coding))
      continue;
    Weight = Weight.trim();
    // "q=0", "q=0.0" and so on exclude the coding.
    return !Weight.consume_front("q=") ||
           Weight.find_first_not_of("0.") != StringRef::npos;
  }
  return false;
}

static bool packZstd(StringRef Body, std::string &Packed) {
  constexpr int FastLevel = 1;
  Packed.resize(ZSTD_compressBound(Body.size()));
  size_t Size = ZSTD_compress(Packed.data(), Packed.size(), Body.data(),
                              Body.size(), FastLevel);
  if (ZSTD_isError(Size))
    return false;
  Packed.resize(Size);
  return true;
}

static bool packGzip(StringRef Body, std::string &Packed) {
  constexpr int WindowBitsOfGzip = 15 + 16, MemoryLevel = 8, FastLevel = 1;
  z_stream Stream = {};
  if (Body.size() > UINT32_MAX / 2 ||
      deflateInit2(&Stream, FastLevel, Z_DEFLATED, WindowBitsOfGzip,
                   MemoryLevel, Z_DEFAULT_STRATEGY) != Z_OK)
    return false;
  Packed.resize(deflateBound(&Stream, Body.size()));
  Stream.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(Body.data()));
  Stream.avail_in = uInt(Body.size());
  Stream.next_out = reinterpret_cast<Bytef *>(Packed.data());
  Stream.avail_out = uInt(Packed.size());
  bool Done = deflate(&Stream, Z_FINISH) == Z_STREAM_END;
  Packed.resize(Packed.size() - Stream.avail_out);
  deflateEnd(&Stream);
  return Done;
}

void compressBody(const HTTPRequest &Request, HTTPResponse &R) {
  constexpr size_t Least = 1024;
  // Ranges and ETags refer to the uncompressed bytes.
  if (R.File || R.Body.size() < Least || !R.ETag.empty() || R.Status == 206)
    return;
  R.add("Vary", "Accept-Encoding");
  StringRef Accepted = Request.header("accept-encoding");
  std::string Packed;
  if (takesCoding(Accepted, "zstd") && packZstd(R.Body, Packed))
    R.add("Content-Encoding", "zstd");
  else if (takesCoding(Accepted, "gzip") && packGzip(R.Body, Packed))
    R.add("Content-Encoding", "gzip");
  else
    return;
  R.Body = std::move(Packed);
}

} // namespace lidia
